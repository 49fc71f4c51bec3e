"""Fields: where a value sits, and what it can be; one class for programs, networks and displays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import msgspec
import numpy as np

from algolens import arrays
from algolens.arrays import NUMPY, Array
from algolens.errors import DefinitionError, GraphError
from algolens.graphs import At, Graph
from algolens.graphs.attributes import ExactNumber, exact_number, label_of
from algolens.graphs.random import MAX_ROUNDS, draw_distinct
from algolens.lazy import F, torch
from algolens.limits import BITS

if TYPE_CHECKING:
    from torch import Tensor

Kind: TypeAlias = Literal["mask", "category", "number", "pointer"]
NOWHERE: At = "side"  # where a kind sits that was put nowhere yet: no value has that place
MOST_BITS = BITS.most
DRAWN_BITS = 32  # of a number that is drawn: sums of many have room
MOST_LISTED_BITS = 16  # of a number whose least and greatest value are named
TRUTHS = {"true": True, "1": True, "false": False, "0": False}
# what tells fields of a kind apart, in their JSON
PARTS: Mapping[Kind, tuple[str, ...]] = {
    "mask": (),
    "category": ("labels",),
    "number": ("bits", "low", "distinct", "signed"),
    "pointer": ("to", "itself_is_none"),
}


class Node(
    msgspec.Struct,
    frozen=True,
    tag=True,
    cache_hash=True,
    omit_defaults=True,
    forbid_unknown_fields=True,
):
    """A part of a program: frozen, compared by value, and JSON both ways."""


class Field(Node, frozen=True):
    """Where a value sits, and its kind: how it is read, encoded, predicted from scores, scored.

    A mask is true or false. A category is one of several classes. A number is whole, from ``low``
    up, in bits; a user's numbers may be any: they are multiplied until they are whole, or ranked
    where only their order counts. A pointer is an element of the own graph, by its index there; it
    is a link and no feature, so it is not encoded.
    """

    at: At
    kind: Kind
    labels: tuple[str, ...] = ()  # of a category
    bits: int = 0  # of a number
    signed: bool = False
    to: At | None = None  # of a pointer
    distinct: Literal["graph", "neighbours"] | None = None  # among which rows no two are equal
    low: int = 0  # the least that an input without a sign may be
    drawn: bool = False  # an input that is drawn at random where a user gives none
    itself_is_none: bool = False  # a pointer to the element itself leads nowhere
    start_only: bool = False  # an input that no step reads; a network never sees it

    def check(self) -> None:
        """Raises a DefinitionError where there is no such kind of values."""
        own = ("at", "kind", "drawn", "start_only", *PARTS[self.kind])
        has_others = self != Field(**{part: getattr(self, part) for part in own})
        if has_others or (self.kind == "pointer") != (self.to is not None) or self.at == NOWHERE:
            raise DefinitionError(
                f"a {self.kind} at a {self.at} says what cannot be said of one: write it as in "
                "Node.input(number(8))."
            )
        match self.kind:
            case "category":
                labels = self.labels
                if len(labels) < 2:
                    raise DefinitionError(
                        f"a category needs two classes or more; {len(labels)} came."
                    )
                if len(set(labels)) < len(labels) or not all(
                    isinstance(name, str) and (name.isidentifier() or name.isdecimal())
                    for name in labels
                ):
                    raise DefinitionError(
                        "classes are different names of letters, digits and underscores; "
                        f"{labels} came."
                    )
            case "number":
                fits = 1 <= self.bits <= MOST_BITS and 0 <= self.low < 2**self.bits
                if not fits or (self.signed and self.low):
                    raise DefinitionError(
                        f"a number has 1 to {MOST_BITS} bits and begins inside them; {self.bits} "
                        f"bits from {self.low} came."
                    )
            case "pointer" if self.to in ("link", "side"):  # an edge has one place in its graph
                raise DefinitionError(
                    "a pointer leads to a node, an edge or a graph, and this one leads to a "
                    f"{self.to}: point to the link's sender, or to its edge."
                )

    # ---- which values there are

    @property
    def dtype(self) -> type:
        """Of its arrays: bool or int."""
        return bool if self.kind == "mask" else int

    @property
    def classes(self) -> tuple[str, ...]:
        """The names of its classes; none where values are no classes."""
        return ("false", "true") if self.kind == "mask" else self.labels

    @property
    def is_decided(self) -> bool:
        """Whether rules decide an output of this kind: it has classes."""
        return self.kind in ("mask", "category")

    @property
    def bounds(self) -> tuple[int, int]:
        """The least and the greatest number that fits."""
        return self.low - self._below, 2**self.bits - 1 - self._below

    @property
    def _below(self) -> int:
        """How far below 0 its bits reach."""
        return 2 ** (self.bits - 1) if self.signed else 0

    @property
    def as_drawn(self) -> Field:
        """The numbers that are drawn: of so few bits that sums have room."""
        bits = min(self.bits, max(DRAWN_BITS, self.low.bit_length() + 1))
        return msgspec.structs.replace(self, bits=bits)

    def num_values(self, counts: Mapping[At, int]) -> int:
        """How many different values there are on a graph of so many nodes and edges."""
        if self.to is not None:
            return counts[self.to]
        least, most = self.bounds
        return len(self.classes) or most - least + 1

    def holds(self, number: ExactNumber) -> bool:
        """Whether it has room for a number as it is."""
        least, most = self.bounds
        return least <= number <= most and number == int(number)

    def bits_for(self, number: int) -> int:
        """How many bits it takes to hold a whole number, if it holds numbers of this sign."""
        return max(number, ~number).bit_length() + 1 if self.signed else max(number, 0).bit_length()

    def check_room(self, different: int) -> None:
        """Refuses a graph that needs more different numbers than there are."""
        least, most = self.bounds
        if different > most - least + 1:
            needed = (different + self.low - 1).bit_length()
            raise GraphError(
                f"a graph with {different} {self.at}s needs {different} different numbers, "
                f"and {self.bits} bits have only {most - least + 1}: declare {needed} bits."
            )

    def outside(self, graph: Graph, values: Array) -> Array:
        """[...] bools: which values, of the right dtype, are none of this kind?"""
        match self.kind:
            case "mask":
                return values & ~values
            case "pointer":
                assert self.to is not None
                return (values < 0) | (values >= graph.counts(self.to)[graph.owner(self.at)])
        least, most = self.bounds if self.kind == "number" else (0, len(self.labels) - 1)
        return (values < least) | (values > most)

    def clash(self, graph: Graph, values: Array) -> tuple[int, int] | None:
        """The places of two values that must differ and do not, where there are such."""
        if self.distinct is None:
            return None
        if self.distinct == "neighbours":
            first, second = graph.edges
            equal = values[first] == values[second]
        else:
            owner, by_value = graph.owner(self.at), arrays.argsort(values)
            order = by_value[arrays.argsort(owner[by_value])]
            first, second = order[:-1], order[1:]
            equal = (values[first] == values[second]) & (owner[first] == owner[second])
        places = arrays.flatnonzero(equal)
        return None if len(places) == 0 else (int(first[places[0]]), int(second[places[0]]))

    # ---- drawn at random

    def draw(self, graph: Graph, rng: np.random.Generator) -> np.ndarray:
        """A random value at every place."""
        count = graph.count(self.at)
        match self.kind:
            case "mask":
                return rng.random(count) < 0.5
            case "category":
                return rng.integers(0, len(self.labels), count)
            case "pointer":
                graph = graph.to(NUMPY)
                assert self.to is not None
                room = graph.counts(self.to)[graph.owner(self.at)]
                return (rng.random(len(room)) * room).astype(np.int64)
        if self.bits > self.as_drawn.bits:
            return self.as_drawn.draw(graph, rng)
        values = self._draw(count, rng)
        if self.distinct == "neighbours":
            return self.settle(graph, values, rng)
        if self.distinct is None:
            return values
        self.check_room(max(graph.counts(self.at).tolist(), default=0))
        return draw_distinct(
            graph.to(NUMPY).owner(self.at),
            lambda repeats: self._draw(len(repeats), rng),
            span=2**self.bits,
            first=values,
        )

    def _draw(self, count: int, rng: np.random.Generator) -> np.ndarray:
        least, most = self.bounds
        return rng.integers(least, most + 1, count)

    def settle(self, graph: Graph, values: Array, rng: np.random.Generator) -> Array:
        """Values [N] that differ between neighbours: one end of each equal pair is drawn again."""
        device, values = arrays.device_of(values), arrays.to(values, NUMPY).copy()
        first, second = graph.to(NUMPY).edges
        for _ in range(MAX_ROUNDS):
            again = np.unique(second[values[first] == values[second]])
            if len(again) == 0:
                return arrays.to(values, device)
            values[again] = self._draw(len(again), rng)
        raise GraphError(
            f"no {self.bits}-bit numbers that differ between neighbours were found: allow more "
            "bits."
        )

    # ---- as people give and read them

    @property
    def wanted(self) -> str:
        """What a user may give as a value, in words."""
        match self.kind:
            case "category":
                return f"one of the classes {', '.join(self.labels)}"
            case "number":
                least, most = self.bounds
                among = {"graph": ", no two alike", "neighbours": ", neighbours' different"}
                return f"whole numbers from {least} to {most}{among.get(self.distinct or '', '')}"
            case "pointer":
                return f"a {self.to} of the same graph"
        return "true or false"

    @property
    def described(self) -> str:
        """What a value is, in words."""
        match self.kind:
            case "category":
                return f"one of {', '.join(self.labels)}"
            case "number" if self.bits > MOST_LISTED_BITS:
                return f"a number of {self.bits} bits"
            case "number":
                least, most = self.bounds
                return f"a number from {least} to {most}"
            case "pointer":
                return f"{'an' if self.to == 'edge' else 'a'} {self.to}"
        return self.wanted

    def wanted_of_user(self, *, in_any_unit: bool, can_grow: bool) -> str:
        """What a user may give where units and bits are chosen to fit."""
        if self.kind != "number" or not (in_any_unit or can_grow):
            return self.wanted
        any_sign = in_any_unit or self.signed
        return f"a finite number{'' if any_sign else ' above 0' if self.low else ' from 0 on'}"

    def parse(self, graph: Graph, given: Any) -> Any:
        """The value that a user's word, number or truth value stands for; None if it has none.

        Any finite number is taken, exactly: whether it has room is seen among the others. Nodes go
        by their names, letter by letter; edges have none.
        """
        match self.kind:
            case "mask":
                return TRUTHS.get(label_of(given).lower())
            case "category":
                label = label_of(given)
                return self.labels.index(label) if label in self.labels else None
            case "number":
                return exact_number(given)
        name = given if isinstance(given, str) else label_of(given)
        return graph.place_of.get(name) if self.to == "node" else None

    def shown(self, values: Array, graph: Graph) -> list[Any]:
        """Values at every place, as a person reads them; None where a pointer leads nowhere."""
        if self.kind == "category" and self.labels != tuple(map(str, range(len(self.labels)))):
            return [self.labels[value] for value in values.tolist()]
        if self.to is None:
            return values.tolist()  # classes without names are shown as numbers
        to_none = self.itself_is_none and self.at == self.to
        return [
            None if to_none and place == element else graph.name_at(self.to, place)
            for element, place in enumerate(
                (values + graph.first(self.to)[graph.owner(self.at)]).tolist()
            )
        ]

    @property
    def kind_json(self) -> dict[str, Any]:
        """What values can be, as JSON."""
        return {"kind": self.kind, **{part: getattr(self, part) for part in PARTS[self.kind]}}

    def to_json(self) -> dict[str, Any]:
        """Itself as JSON."""
        own = {"start_only": self.start_only, "drawn": self.drawn}
        return {"at": self.at, **self.kind_json, **own}

    # ---- as networks encode and predict them

    @property
    def width(self) -> int:
        """How many numbers encode a value: by class, or its bits, highest first."""
        return self.bits or len(self.classes)

    @property
    def num_scores(self) -> int:
        """How many scores predict a value; 0 where it depends on the graph."""
        return 1 if self.kind == "mask" else self.width

    def encode(self, values: Tensor) -> Tensor:
        """Values [...] as features [..., width]."""
        match self.kind:
            case "mask":
                return torch.stack([~values, values], -1).float()
            case "category":
                return F.one_hot(values, len(self.labels)).float()
            case "number":
                return (values[..., None] + self._below >> self._shifts(values) & 1).float()
        return torch.zeros(*values.shape, 0, device=values.device)

    def shaped(self, scores: Tensor) -> Tensor:
        """Scores [..., num_scores] of a last layer, as ``predict`` and ``loss`` take them."""
        return scores.squeeze(-1) if self.kind == "mask" else scores

    def predict(self, scores: Tensor) -> Tensor:
        """The likeliest values [...] for scores: logits, of numbers one for each bit.

        Of pointers they are [..., places], padded with -inf where graphs have fewer.
        """
        if self.kind == "mask":
            return scores > 0
        if self.kind == "number":
            return ((scores > 0).long() << self._shifts(scores)).sum(-1) - self._below
        return scores.argmax(-1)

    def loss(
        self, scores: Tensor, truth: Tensor, weight: Tensor | None = None, smoothing: float = 0.0
    ) -> Tensor:
        """The loss of each value [...], not averaged.

        weight: of each class, for those that are rare. smoothing: the share of the target that goes
        to all classes alike.
        """
        if self.kind == "pointer":
            flat = F.cross_entropy(
                scores.reshape(-1, scores.shape[-1]), truth.reshape(-1), reduction="none"
            )
            losses = flat.reshape(truth.shape)
            if not smoothing:
                return losses
            there = scores.isfinite()
            evenly = (-scores.log_softmax(-1)).masked_fill(~there, 0).sum(-1) / there.sum(-1)
            return (1 - smoothing) * losses + smoothing * evenly
        if self.kind == "category":
            # classes stand second: along a short last dimension, PyTorch's softmax is slow
            by_class = scores.movedim(-1, min(truth.dim(), 1))
            losses = F.cross_entropy(by_class, truth, reduction="none", label_smoothing=smoothing)
            # the weight of the true class: PyTorch would weigh each class's share by that class
            return losses if weight is None else losses * weight[truth]
        target = truth.float() if self.kind == "mask" else self.encode(truth)
        if smoothing:
            target = target * (1 - smoothing) + smoothing / 2
        losses = F.binary_cross_entropy_with_logits(scores, target, reduction="none")
        if self.kind == "number":
            return (losses if weight is None else losses * weight).mean(-1)
        return losses if weight is None else losses * weight[truth.long()]

    def _shifts(self, like: Tensor) -> Tensor:
        return torch.arange(self.bits - 1, -1, -1, device=like.device)


MASK = Field(NOWHERE, "mask")
SUM = Field(NOWHERE, "number", bits=MOST_BITS, signed=True)  # any result of arithmetic

"""Kinds of values. A kind owns all that differs between kinds: a new kind is one class."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Literal, final

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from algolens.errors import DefinitionError, GraphError
from algolens.fields.ranks import Ranks, clash, ranked
from algolens.graphs import Graph, Location
from algolens.graphs.attributes import ExactNumber, exact_number
from algolens.graphs.random import MAX_ROUNDS, draw_distinct

LARGE = 10**18  # no class has so large a number


class Kind(ABC):
    """What a value can be: how wide its encoding is, how it is predicted from scores, its loss and its accuracy."""

    dtype: ClassVar[torch.dtype]

    @property
    @abstractmethod
    def width(self) -> int:
        """How many numbers encode a value."""

    @property
    @abstractmethod
    def num_scores(self) -> int:
        """How many scores predict a value; 0 where it depends on the graph."""

    @property
    @abstractmethod
    def labels(self) -> tuple[str, ...]:
        """The names of its classes; none where values are no classes."""

    @property
    @abstractmethod
    def wanted(self) -> str:
        """What a user may give as a value, in words."""

    @abstractmethod
    def parse(self, graph: Graph, given: Any) -> Any:
        """The value that a user's word, number or truth value stands for; None where it stands for none."""

    @abstractmethod
    def outside(self, graph: Graph, location: Location, values: Tensor) -> Tensor:
        """[...] bools: which values, of the right dtype, are none of this kind?"""

    @abstractmethod
    def encode(self, values: Tensor) -> Tensor:
        """Values [...] as features [..., width]."""

    @abstractmethod
    def predict(self, scores: Tensor) -> Tensor:
        """The likeliest values [...] for scores."""

    @abstractmethod
    def loss(self, scores: Tensor, truth: Tensor, weight: Tensor | None = None, smoothing: float = 0.0) -> Tensor:
        """The loss of each value [...], not averaged.

        weight: of each class, for those that are rare. smoothing: the share of the target that goes to all classes alike.
        """

    @abstractmethod
    def draw(self, graph: Graph, location: Location, rng: np.random.Generator) -> Tensor:
        """A random value at every place."""

    def fit(self, graph: Graph, location: Location, parsed: Sequence[Any]) -> tuple[Tensor, Ranks | None]:
        """Parsed values as a tensor of this kind; and how they were ranked, where it holds only their order."""
        return torch.tensor(parsed, dtype=self.dtype), None

    def clash(self, graph: Graph, location: Location, values: Tensor) -> tuple[int, int] | None:
        """The places of two values that must differ and do not, where there are such."""
        return None

    def to_json(self) -> dict[str, Any]:
        """Itself as JSON: its name, and what it was made with."""
        made = {each.name: getattr(self, each.name) for each in fields(self)}  # type: ignore[arg-type]
        written = {name: value.value if isinstance(value, Location) else value for name, value in made.items()}
        return {"kind": type(self).__name__.lower(), **{n: list(v) if isinstance(v, tuple) else v for n, v in written.items()}}

    def shown(self, values: Tensor, graph: Graph, location: Location) -> list[Any]:
        """Values at every place of a location, as a person reads them: a class by its name, a pointer by what it points to."""
        return values.tolist()

    def accuracy(self, predicted: Tensor, truth: Tensor) -> Tensor:
        """[...] 1 where a value is right, 0 where it is wrong."""
        return (predicted == truth).float()


@final
@dataclass(frozen=True)
class Mask(Kind):
    """True or false. Scores are logits [...]; the encoding is one-hot, false first."""

    dtype = torch.bool

    @property
    def width(self) -> int:
        return 2

    @property
    def num_scores(self) -> int:
        return 1

    @property
    def labels(self) -> tuple[str, ...]:
        return ("false", "true")

    @property
    def wanted(self) -> str:
        return "true or false"

    def parse(self, graph: Graph, given: Any) -> Any:
        return {"true": True, "1": True, "false": False, "0": False}.get(_label(given).lower())

    def outside(self, graph: Graph, location: Location, values: Tensor) -> Tensor:
        return torch.zeros_like(values)

    def encode(self, values: Tensor) -> Tensor:
        return torch.stack([~values, values], -1).float()

    def predict(self, scores: Tensor) -> Tensor:
        return scores > 0

    def loss(self, scores: Tensor, truth: Tensor, weight: Tensor | None = None, smoothing: float = 0.0) -> Tensor:
        losses = F.binary_cross_entropy_with_logits(scores, _softened(truth.float(), smoothing), reduction="none")
        return losses if weight is None else losses * weight[truth.long()]

    def draw(self, graph: Graph, location: Location, rng: np.random.Generator) -> Tensor:
        return torch.from_numpy(rng.random(graph.count(location)) < 0.5)


@final
@dataclass(frozen=True)
class Category(Kind):
    """One of several classes, by name or by number. Scores are [..., classes]; the encoding is one-hot.

    >>> Category(3).labels, Category("undecided", "chosen", "out").labels
    (('0', '1', '2'), ('undecided', 'chosen', 'out'))
    """

    labels: tuple[str, ...] = ()
    dtype = torch.int64

    def __init__(self, *classes: str | int) -> None:
        """classes: their names; or how many there are, which are then called by their numbers."""
        names = tuple(map(str, range(classes[0]))) if len(classes) == 1 and isinstance(classes[0], int) else classes
        if len(names) < 2:
            raise DefinitionError(f"a category needs two classes or more; {len(names)} came.")
        if len(set(names)) < len(names) or not all(isinstance(n, str) and (n.isidentifier() or n.isdecimal()) for n in names):
            raise DefinitionError(f"classes are different names of letters, digits and underscores; {names} came.")
        object.__setattr__(self, "labels", names)

    @property
    def num_classes(self) -> int:
        """How many there are."""
        return len(self.labels)

    @property
    def width(self) -> int:
        return self.num_classes

    @property
    def num_scores(self) -> int:
        return self.num_classes

    @property
    def wanted(self) -> str:
        return f"one of the classes {', '.join(self.labels)}"

    def parse(self, graph: Graph, given: Any) -> Any:
        label = _label(given)
        return self.labels.index(label) if label in self.labels else None

    def outside(self, graph: Graph, location: Location, values: Tensor) -> Tensor:
        return (values < 0) | (values >= self.num_classes)

    def encode(self, values: Tensor) -> Tensor:
        return F.one_hot(values, self.num_classes).float()

    def predict(self, scores: Tensor) -> Tensor:
        return scores.argmax(-1)

    def loss(self, scores: Tensor, truth: Tensor, weight: Tensor | None = None, smoothing: float = 0.0) -> Tensor:
        # classes stand in the second place: along a short last dimension, PyTorch's softmax is slow
        by_class = scores.movedim(-1, min(truth.dim(), 1))
        losses = F.cross_entropy(by_class, truth, reduction="none", label_smoothing=smoothing)
        # the true class's weight for the whole: PyTorch would weigh what goes to each class by that class
        return losses if weight is None else losses * weight[truth]

    def draw(self, graph: Graph, location: Location, rng: np.random.Generator) -> Tensor:
        return torch.from_numpy(rng.integers(0, self.num_classes, graph.count(location)))

    @property
    def has_names(self) -> bool:
        """Whether its classes have names; else they are called by their numbers."""
        return self.labels != tuple(map(str, range(self.num_classes)))

    def shown(self, values: Tensor, graph: Graph, location: Location) -> list[Any]:
        return [self.labels[value] for value in values.tolist()] if self.has_names else values.tolist()


@final
@dataclass(frozen=True)
class Number(Kind):
    """A whole number from ``low`` up, in bits. Scores are logits [..., bits]; the encoding is the bits, highest first.

    A user's numbers may be any: they are multiplied until they are whole, or ranked where only their order counts.
    """

    bits: int
    low: int = 0
    distinct: Literal["graph", "neighbours"] | None = None  # among which values no two are equal
    signed: bool = False  # below 0 as far as above: from -2**(bits - 1) on
    dtype = torch.int64

    def __post_init__(self) -> None:
        if not 1 <= self.bits <= 62 or not 0 <= self.low < 2**self.bits or (self.signed and self.low):
            raise DefinitionError(f"a number has 1 to 62 bits and begins inside them; {self.bits} bits from {self.low} came.")

    @property
    def width(self) -> int:
        return self.bits

    @property
    def num_scores(self) -> int:
        return self.bits

    @property
    def labels(self) -> tuple[str, ...]:
        return ()

    @property
    def wanted(self) -> str:
        among = {"graph": ", no two alike", "neighbours": ", neighbours' different", None: ""}[self.distinct]
        return f"whole numbers from {self.least} to {self.most}{among}"

    def parse(self, graph: Graph, given: Any) -> ExactNumber | None:
        """Any finite number, exactly: whether it has room is seen among the others."""
        return exact_number(given)

    def outside(self, graph: Graph, location: Location, values: Tensor) -> Tensor:
        return (values < self.least) | (values > self.most)

    def clash(self, graph: Graph, location: Location, values: Tensor) -> tuple[int, int] | None:
        if self.distinct == "neighbours":
            equal = (values[graph.edges[0]] == values[graph.edges[1]]).nonzero()
            return None if len(equal) == 0 else (int(graph.edges[0, equal[0]]), int(graph.edges[1, equal[0]]))
        return clash(graph, location, values) if self.distinct == "graph" else None

    def encode(self, values: Tensor) -> Tensor:
        return (values[..., None] - self.least + self.low >> self._shifts(values) & 1).float()

    @property
    def least(self) -> int:
        """The smallest that it can be."""
        return -(2 ** (self.bits - 1)) if self.signed else self.low

    @property
    def most(self) -> int:
        """The largest that it can be."""
        return 2 ** (self.bits - 1) - 1 if self.signed else 2**self.bits - 1

    def predict(self, scores: Tensor) -> Tensor:
        return ((scores > 0).long() << self._shifts(scores)).sum(-1) + self.least - self.low

    def loss(self, scores: Tensor, truth: Tensor, weight: Tensor | None = None, smoothing: float = 0.0) -> Tensor:
        losses = F.binary_cross_entropy_with_logits(scores, _softened(self.encode(truth), smoothing), reduction="none")
        return (losses if weight is None else losses * weight).mean(-1)

    def draw(self, graph: Graph, location: Location, rng: np.random.Generator) -> Tensor:
        return self._apart(graph, location, rng.integers(self.least, self.most + 1, graph.count(location)), rng)

    def _apart(self, graph: Graph, location: Location, values: np.ndarray, rng: np.random.Generator) -> Tensor:
        """The same values, but for those drawn again because they must differ from others."""
        if self.distinct == "graph":
            self.check_room(graph, location)
            owner = graph.owner(location).numpy()

            def again(needed: np.ndarray) -> np.ndarray:
                return rng.integers(self.least, self.most + 1, len(needed))

            return torch.from_numpy(draw_distinct(owner, again, span=2**self.bits, first=values))
        drawn = torch.from_numpy(values)
        return self.settle(graph, drawn, rng) if self.distinct == "neighbours" else drawn

    def settle(self, graph: Graph, values: Tensor, rng: np.random.Generator) -> Tensor:
        """Values [N] of which neighbours' differ: one end of each edge that joins equals is drawn again."""
        values = values.clone()
        for _ in range(MAX_ROUNDS):
            clashing = graph.edges[1][values.index_select(0, graph.edges[0]) == values.index_select(0, graph.edges[1])]
            if len(clashing) == 0:
                return values
            again = clashing.unique()
            values[again] = torch.from_numpy(rng.integers(self.least, self.most + 1, len(again)))
        raise GraphError(f"no {self.bits}-bit numbers that differ between neighbours were found: allow more bits.")

    def fit(self, graph: Graph, location: Location, parsed: Sequence[ExactNumber]) -> tuple[Tensor, Ranks | None]:
        """A user's numbers, of which only the order counts, exactly.

        They stay where they are whole, in range and distinct as they must be; else they are ranked. Equals have one rank,
        unless they must differ.
        """
        if all(self.holds(number) for number in parsed):
            whole = torch.tensor([int(number) for number in parsed], dtype=torch.int64)
            if self.clash(graph, location, whole) is None:
                return whole, None
        ranks = ranked(graph, location, parsed, with_ties=self.distinct is None)
        self.check_room(graph, location, None if self.distinct else int(ranks.places.max()) + 1)
        return ranks.places + self.least, ranks

    def holds(self, number: ExactNumber) -> bool:
        """Whether it has room for a number as it is."""
        return self.least <= number <= self.most and number == int(number)

    def bits_for(self, number: int) -> int:
        """How many bits it takes to hold a whole number, if it holds numbers of this sign."""
        return max(number, ~number).bit_length() + 1 if self.signed else max(number, 0).bit_length()

    def check_room(self, graph: Graph, location: Location, most: int | None = None) -> None:
        """Whether there are enough numbers for every value of a graph to have its own, or for so many of them."""
        if most is None:
            most = int(graph.counts(location).max()) if graph.num_graphs else 0
        if most > self.most - self.least + 1:
            needed = (most + self.low - 1).bit_length()
            raise GraphError(
                f"a graph with {most} {location.value}s needs {most} different numbers, and {self.bits} bits have only "
                f"{self.most - self.least + 1}: declare {needed} bits."
            )

    def _shifts(self, like: Tensor) -> Tensor:
        return torch.arange(self.bits - 1, -1, -1, device=like.device)


@final
@dataclass(frozen=True)
class Pointer(Kind):
    """A place inside the own graph: a node's or an edge's number there, so that it means the same in any company.

    Scores are [..., places], padded with -inf where graphs have fewer. A pointer is a link and no feature: it
    is not encoded.
    """

    to: Location
    itself_is_none: bool = False  # a node that points to itself points to none: said of parents, not of roots
    dtype = torch.int64

    def __post_init__(self) -> None:
        if self.to is Location.LINK:  # an edge has one place inside its graph, and two links
            raise DefinitionError(
                "a pointer leads to a node, an edge or a graph, and this one leads to a link: point to the link's sender, or "
                "to its edge."
            )

    @property
    def width(self) -> int:
        return 0

    @property
    def num_scores(self) -> int:
        return 0

    @property
    def labels(self) -> tuple[str, ...]:
        return ()

    @property
    def wanted(self) -> str:
        return f"a {self.to.value} of the same graph"

    def parse(self, graph: Graph, given: Any) -> Any:
        """Nodes go by their names, so edges cannot be named."""
        return graph.place_of.get(_label(given)) if self.to is Location.NODE else None

    def outside(self, graph: Graph, location: Location, values: Tensor) -> Tensor:
        return (values < 0) | (values >= graph.counts(self.to)[graph.owner(location)])

    def encode(self, values: Tensor) -> Tensor:
        return torch.zeros(*values.shape, 0, device=values.device)

    def predict(self, scores: Tensor) -> Tensor:
        return scores.argmax(-1)

    def loss(self, scores: Tensor, truth: Tensor, weight: Tensor | None = None, smoothing: float = 0.0) -> Tensor:
        flat = F.cross_entropy(scores.reshape(-1, scores.shape[-1]), truth.reshape(-1), reduction="none")
        losses = flat.reshape(truth.shape)
        if not smoothing:
            return losses
        there = scores.isfinite()
        evenly = (-scores.log_softmax(-1)).masked_fill(~there, 0).sum(-1) / there.sum(-1)
        return (1 - smoothing) * losses + smoothing * evenly

    def draw(self, graph: Graph, location: Location, rng: np.random.Generator) -> Tensor:
        room = graph.counts(self.to)[graph.owner(location)].numpy()
        return torch.from_numpy((rng.random(len(room)) * room).astype(np.int64))

    def shown(self, values: Tensor, graph: Graph, location: Location) -> list[Any]:
        """The name of what is pointed to; None where a node points to itself and that means none."""
        to = (values + graph.first(self.to)[graph.owner(location)]).tolist()
        to_none = self.itself_is_none and location is self.to
        return [None if to_none and place == i else graph.name_at(self.to, place) for i, place in enumerate(to)]


def _label(given: Any) -> str:
    """What a user gave, as the name of a class: truth values in small letters, whole numbers without a fraction."""
    if isinstance(given, bool):
        return str(given).lower()
    number = None if isinstance(given, str) else exact_number(given)
    return str(int(number)) if number is not None and -LARGE < number < LARGE and number == int(number) else str(given).strip()


def kind_from_json(value: Mapping[str, Any]) -> Kind:
    """The kind that ``to_json`` wrote."""
    match dict(value):
        case {"kind": "mask"}:
            return Mask()
        case {"kind": "category", "labels": [*labels]}:
            return Category(*labels)
        case {"kind": "number", **made}:
            return Number(**made)
        case {"kind": "pointer", "to": to, **made}:
            return Pointer(Location(to), **made)
    raise DefinitionError(
        f"there is no kind {value.get('kind')!r}: write mask, category, number or pointer, and what it is made of."
    )


def _softened(truth: Tensor, smoothing: float) -> Tensor:
    """Truths of two classes, 0 or 1, of which a share goes to both alike."""
    return truth * (1 - smoothing) + smoothing / 2 if smoothing else truth

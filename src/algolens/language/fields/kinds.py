"""Kinds of values: a kind owns all that differs between kinds, so a new kind is one class."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, ClassVar, Literal, final

import numpy as np

from algolens.arrays import NUMPY, Array
from algolens.errors import DefinitionError
from algolens.graphs import Graph, Location
from algolens.graphs.attributes import label_of
from algolens.lazy import F, torch

if TYPE_CHECKING:
    from torch import Tensor


@dataclass(frozen=True, eq=False)
class Ranks:
    """The rank of each number among those of its graph, from 0 up."""

    ranks: np.ndarray
    num_equal: int  # how many have an equal before them
    first_equal: tuple[int, int] | None  # where the first two equals stand


class Kind(ABC):
    """What a value can be: how it is read, encoded, predicted from scores, and scored."""

    dtype: ClassVar[type]  # of its arrays: bool or int
    labels: tuple[str, ...] = ()  # the names of its classes; none where values are no classes
    is_truth_value: bool = False  # its classes are false and true, and one rule decides both
    is_number: bool = False  # values are compared by size, and counted in a user's units
    signed: bool = False  # a number that can be negative
    distinct: Literal["graph", "neighbours"] | None = None  # among which values no two are equal
    itself_is_none: bool = False  # a pointer to the element itself points to none
    num_embedding_layers: int = 1  # of the paper's network
    left_out: Any = None  # what an element has of which a reference says nothing

    @property
    def points_to(self) -> Location | None:
        """Where a pointer leads; None of other kinds."""
        return None

    @property
    @abstractmethod
    def width(self) -> int:
        """How many numbers encode a value."""

    @property
    def num_scores(self) -> int:
        """How many scores predict a value; 0 where it depends on the graph."""
        return self.width

    @property
    @abstractmethod
    def wanted(self) -> str:
        """What a user may give as a value, in words."""

    @property
    def described(self) -> str:
        """What a value is, in words."""
        return type(self).__name__

    def wanted_of_user(self, *, in_any_unit: bool, can_grow: bool) -> str:
        """What a user may give where units and bits are chosen to fit."""
        return self.wanted

    def wanted_at(self, graph: Graph, location: Location, place: int) -> str:
        """What may stand in an array at one place."""
        return self.wanted

    @abstractmethod
    def parse(self, graph: Graph, given: Any) -> Any:
        """The value that a user's word, number or truth value stands for; None if it has none."""

    @abstractmethod
    def outside(self, graph: Graph, location: Location, values: Array) -> Array:
        """[...] bools: which values, of the right dtype, are none of this kind?"""

    @abstractmethod
    def encode(self, values: Tensor) -> Tensor:
        """Values [...] as features [..., width]."""

    def shaped(self, scores: Tensor) -> Tensor:
        """Scores [..., num_scores] of a last layer, as ``predict`` and ``loss`` take them."""
        return scores

    @abstractmethod
    def predict(self, scores: Tensor) -> Tensor:
        """The likeliest values [...] for scores."""

    @abstractmethod
    def loss(
        self, scores: Tensor, truth: Tensor, weight: Tensor | None = None, smoothing: float = 0.0
    ) -> Tensor:
        """The loss of each value [...], not averaged.

        weight: of each class, for those that are rare. smoothing: the share of the target that goes
        to all classes alike.
        """

    @abstractmethod
    def draw(self, graph: Graph, location: Location, rng: np.random.Generator) -> np.ndarray:
        """A random value at every place."""

    def num_values(self, counts: Mapping[Location, int]) -> int:
        """How many different values there are on a graph of so many nodes and edges."""
        return len(self.labels)

    def fit(
        self, graph: Graph, location: Location, parsed: Sequence[Any]
    ) -> tuple[np.ndarray, Ranks | None]:
        """Parsed values as an array; and their ranks, where it holds only their order."""
        return np.array(parsed, dtype=self.dtype), None

    def clash(self, graph: Graph, location: Location, values: Array) -> tuple[int, int] | None:
        """The places of two values that must differ and do not, where there are such."""
        return None

    def to_json(self) -> dict[str, Any]:
        """Itself as JSON: its name, and what it was made with."""
        made = {part.name: getattr(self, part.name) for part in fields(self)}  # type: ignore[arg-type]
        return {"kind": type(self).__name__.lower(), **{n: _as_json(v) for n, v in made.items()}}

    def shown(self, values: Array, graph: Graph, location: Location) -> list[Any]:
        """Values at every place of a location, as a person reads them."""
        return values.tolist()

    def in_words(self, value: Any) -> str:
        """One value in a sentence."""
        return str(value)


def _as_json(value: Any) -> Any:
    if isinstance(value, Location):
        return value.value
    return list(value) if isinstance(value, tuple) else value


def softened(truth: Tensor, smoothing: float) -> Tensor:
    """Truths of two classes, 0 or 1, of which a share goes to both alike."""
    return truth * (1 - smoothing) + smoothing / 2 if smoothing else truth


@final
@dataclass(frozen=True)
class Mask(Kind):
    """True or false. Scores are logits [...]; the encoding is one-hot, false first."""

    dtype = bool
    labels = ("false", "true")
    is_truth_value = True
    left_out = False
    width = 2
    num_scores = 1
    wanted = described = "true or false"

    def parse(self, graph: Graph, given: Any) -> Any:
        return {"true": True, "1": True, "false": False, "0": False}.get(label_of(given).lower())

    def outside(self, graph: Graph, location: Location, values: Array) -> Array:
        return values & ~values

    def encode(self, values: Tensor) -> Tensor:
        return torch.stack([~values, values], -1).float()

    def shaped(self, scores: Tensor) -> Tensor:
        return scores.squeeze(-1)

    def predict(self, scores: Tensor) -> Tensor:
        return scores > 0

    def loss(
        self, scores: Tensor, truth: Tensor, weight: Tensor | None = None, smoothing: float = 0.0
    ) -> Tensor:
        losses = F.binary_cross_entropy_with_logits(
            scores, softened(truth.float(), smoothing), reduction="none"
        )
        return losses if weight is None else losses * weight[truth.long()]

    def draw(self, graph: Graph, location: Location, rng: np.random.Generator) -> np.ndarray:
        return rng.random(graph.count(location)) < 0.5

    def in_words(self, value: Any) -> str:
        return "yes" if value else "no"


@final
@dataclass(frozen=True)
class Category(Kind):
    """One of several classes, by name or by number.

    Scores are [..., classes]; the encoding is one-hot.

    Examples
    --------
    >>> Category(3).labels, Category("undecided", "chosen", "out").labels
    (('0', '1', '2'), ('undecided', 'chosen', 'out'))
    """

    labels: tuple[str, ...] = ()
    dtype = int

    def __init__(self, *classes: str | int) -> None:
        """classes: their names; or how many there are, which are then called by their numbers."""
        is_count = len(classes) == 1 and isinstance(classes[0], int)
        names = tuple(map(str, range(int(classes[0])))) if is_count else classes
        if len(names) < 2:
            raise DefinitionError(f"a category needs two classes or more; {len(names)} came.")
        if len(set(names)) < len(names) or not all(
            isinstance(name, str) and (name.isidentifier() or name.isdecimal()) for name in names
        ):
            raise DefinitionError(
                f"classes are different names of letters, digits and underscores; {names} came."
            )
        object.__setattr__(self, "labels", names)

    @property
    def width(self) -> int:
        return len(self.labels)

    @property
    def wanted(self) -> str:
        return f"one of the classes {', '.join(self.labels)}"

    @property
    def described(self) -> str:
        return f"one of {', '.join(self.labels)}"

    def parse(self, graph: Graph, given: Any) -> Any:
        label = label_of(given)
        return self.labels.index(label) if label in self.labels else None

    def outside(self, graph: Graph, location: Location, values: Array) -> Array:
        return (values < 0) | (values >= self.width)

    def encode(self, values: Tensor) -> Tensor:
        return F.one_hot(values, self.width).float()

    def predict(self, scores: Tensor) -> Tensor:
        return scores.argmax(-1)

    def loss(
        self, scores: Tensor, truth: Tensor, weight: Tensor | None = None, smoothing: float = 0.0
    ) -> Tensor:
        # classes stand in the second place: along a short last dimension, PyTorch's softmax is slow
        by_class = scores.movedim(-1, min(truth.dim(), 1))
        losses = F.cross_entropy(by_class, truth, reduction="none", label_smoothing=smoothing)
        # the weight of the true class: PyTorch would weigh each class's share by that class
        return losses if weight is None else losses * weight[truth]

    def draw(self, graph: Graph, location: Location, rng: np.random.Generator) -> np.ndarray:
        return rng.integers(0, self.width, graph.count(location))

    def shown(self, values: Array, graph: Graph, location: Location) -> list[Any]:
        if self.labels == Category(self.width).labels:
            return values.tolist()  # classes without names are shown as numbers
        return [self.labels[value] for value in values.tolist()]

    def in_words(self, value: Any) -> str:
        return self.labels[int(value)]


@final
@dataclass(frozen=True)
class Pointer(Kind):
    """A node or an edge of the own graph, by its index there.

    Scores are [..., places], padded with -inf where graphs have fewer. A pointer is a link and no
    feature: it is not encoded.
    """

    to: Location
    itself_is_none: bool = False  # a node that points to itself has no parent; it is not its root
    dtype = int
    width = 0

    def __post_init__(self) -> None:
        if self.to == "link":  # an edge has one place inside its graph, and two links
            raise DefinitionError(
                "a pointer leads to a node, an edge or a graph, and this one leads to a link: "
                "point to the link's sender, or to its edge."
            )

    @property
    def points_to(self) -> Location:
        return self.to

    @property
    def wanted(self) -> str:
        return f"a {self.to} of the same graph"

    @property
    def described(self) -> str:
        return f"{'an' if self.to == 'edge' else 'a'} {self.to}"

    def wanted_at(self, graph: Graph, location: Location, place: int) -> str:
        last = int(graph.counts(self.to)[graph.owner(location)[place]]) - 1
        return f"{self.wanted}, numbered 0 to {last}"

    def parse(self, graph: Graph, given: Any) -> Any:
        """Nodes go by their names, letter by letter; edges have none."""
        name = given if isinstance(given, str) else label_of(given)
        return graph.place_of.get(name) if self.to == "node" else None

    def outside(self, graph: Graph, location: Location, values: Array) -> Array:
        return (values < 0) | (values >= graph.counts(self.to)[graph.owner(location)])

    def encode(self, values: Tensor) -> Tensor:
        return torch.zeros(*values.shape, 0, device=values.device)

    def predict(self, scores: Tensor) -> Tensor:
        return scores.argmax(-1)

    def loss(
        self, scores: Tensor, truth: Tensor, weight: Tensor | None = None, smoothing: float = 0.0
    ) -> Tensor:
        flat = F.cross_entropy(
            scores.reshape(-1, scores.shape[-1]), truth.reshape(-1), reduction="none"
        )
        losses = flat.reshape(truth.shape)
        if not smoothing:
            return losses
        there = scores.isfinite()
        evenly = (-scores.log_softmax(-1)).masked_fill(~there, 0).sum(-1) / there.sum(-1)
        return (1 - smoothing) * losses + smoothing * evenly

    def draw(self, graph: Graph, location: Location, rng: np.random.Generator) -> np.ndarray:
        graph = graph.to(NUMPY)
        room = graph.counts(self.to)[graph.owner(location)]
        return (rng.random(len(room)) * room).astype(np.int64)

    def num_values(self, counts: Mapping[Location, int]) -> int:
        return counts[self.to]

    def shown(self, values: Array, graph: Graph, location: Location) -> list[Any]:
        """The name of what is pointed to; None where a node points to none."""
        to = (values + graph.first(self.to)[graph.owner(location)]).tolist()
        to_none = self.itself_is_none and location is self.to
        return [
            None if to_none and place == element else graph.name_at(self.to, place)
            for element, place in enumerate(to)
        ]

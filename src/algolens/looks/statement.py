"""What one observation reads: features of finitely many values, of the element and of those it has
in view.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import product
from math import prod

import numpy as np
import torch
from torch import Tensor

from algolens.errors import DefinitionError
from algolens.fields import Number
from algolens.graphs import Location
from algolens.logic.formula import Formula
from algolens.logic.patterns import all_patterns
from algolens.logic.tensors import table_rows
from algolens.looks.language import (
    Comparison,
    Order,
    Quantified,
    Quantity,
    Term,
    Test,
    Whose,
    atoms,
    holds,
    statement_text,
)
from algolens.looks.relations import Relation
from algolens.looks.scope import NUMBER, ResolvedTerm, Scope

LOWER, EQUAL, HIGHER = 0, 1, 2
MOST_BITS = 62  # of a number


@dataclass(frozen=True)
class Label:
    """The class of a mask or a category."""

    term: Term
    labels: tuple[str, ...]

    @property
    def size(self) -> int:
        return len(self.labels)

    def words(self, value: int) -> str:
        """In words, what a value says."""
        if self.labels == ("false", "true"):
            return f"{'' if value else 'not '}{_bare(self.term)}"
        return f"{_bare(self.term)} {self.labels[value]}"


@dataclass(frozen=True)
class Compared:
    """How numbers of the one compare with numbers of the other: lower, equal or higher."""

    left: tuple[Term, ...]
    right: tuple[Term, ...]
    kinds: tuple[Number, ...]  # of each
    distinct: bool  # never equal, of different elements of one graph

    size = 3

    @property
    def bits(self) -> int:
        """Of all together."""
        return sum(kind.bits for kind in self.kinds)

    def words(self, value: int) -> str:
        """In words, what a value says."""
        how = ("lower", "equal", "higher")[value]
        mine = ", ".join(map(str, self.right))
        return (
            f"({', '.join(map(str, self.left))}) {how} than ({mine})"
            if value != EQUAL
            else f"({mine}) met"
        )


@dataclass(frozen=True)
class Meeting:
    """Whether two pointers lead to one element."""

    left: Term
    right: Term

    size = 2

    def words(self, value: int) -> str:
        """In words, what a value says."""
        return f"{self.left} {'is' if value else 'is not'} {self.right}"


Feature = Label | Compared | Meeting


@dataclass(frozen=True)
class Observation:
    """A field that a look gives, at a location, by a formula."""

    name: str
    location: Location
    formula: Formula

    def __str__(self) -> str:
        return f"{self.name}: {statement_text(self.formula)}"


@dataclass(frozen=True)
class Statement:
    """An observation with its words resolved: the features of the element, and of one that it has
    in view.

    The element's own class is a combination of the values of its features; so is the kind of
    another one, which holds how their numbers compare as well. What is true depends on the own
    class and on the kinds in view, and on nothing else.
    """

    observation: Observation
    scope: Scope

    def __post_init__(self) -> None:
        relations = {each.relation for each in self.quantifiers}
        if len(relations) > 1:
            phrases = " and ".join(sorted(f"'{each.phrase(1)}'" for each in relations))
            raise DefinitionError(
                f"'{self.observation.name}' looks at {phrases}: one observation looks at one "
                "relation. Declare one of the statements as an observation of its own, and name "
                "it here."
            )
        if self.relation is not None and self.relation.own is not self.observation.location:
            raise DefinitionError(
                f"'{self.observation.name}' sits at the {self.observation.location.value}, and a "
                f"{self.relation.own.value} has a '{self.relation.phrase(1)}': put it there, or "
                "look at another relation."
            )
        if self.relation is not None:
            self._check_pointers(self.relation)
        _ = self.own, self.other  # resolves every word

    def _check_pointers(self, relation: Relation) -> None:
        for name in relation.pointers:
            pointer = self.scope.resolve(Term(Whose.MY, (name,)), Location.NODE, None)
            if pointer.kind is not None or pointer.at is not Location.NODE:
                raise DefinitionError(
                    f"'{relation.phrase(1)}': {name} is no pointer to nodes: name one that is."
                )

    @cached_property
    def quantifiers(self) -> tuple[Quantified, ...]:
        """Its quantified statements, each once."""
        return tuple(
            dict.fromkeys(
                atom for atom in atoms(self.observation.formula) if isinstance(atom, Quantified)
            )
        )

    @property
    def relation(self) -> Relation | None:
        """Whom it looks at; None where it speaks of the element alone."""
        return self.quantifiers[0].relation if self.quantifiers else None

    @cached_property
    def most(self) -> int:
        """Up to how many others of a kind make a difference: 1 where none is counted."""
        return max(
            (each.count for each in self.quantifiers if each.quantity is Quantity.AT_LEAST),
            default=1,
        )

    @cached_property
    def features(self) -> dict[Formula, tuple[Feature, bool]]:
        """For each atom the feature it goes by, and whether it says it the other way round (``my x
        < its x``).
        """
        found: dict[Formula, tuple[Feature, bool]] = {}
        location = self.observation.location
        for atom in atoms(self.observation.formula):
            if not isinstance(atom, Quantified):
                found[atom] = self._feature(atom, location, None)
        for quantified in self.quantifiers:
            for atom in atoms(quantified.body):
                found[atom] = self._feature(atom, location, quantified.relation.others)
        return found

    def _feature(
        self, atom: Formula, own: Location, other: Location | None
    ) -> tuple[Feature, bool]:
        match atom:
            case Test(term, label):
                resolved = self.scope.resolve(term, own, other)
                labels = () if resolved.kind is None else resolved.kind.labels
                if not labels:
                    raise DefinitionError(
                        f"'{statement_text(atom)}': {term} is no mask and no category: compare it, "
                        "or name one."
                    )
                if (label is None) != (labels == ("false", "true")):
                    what = (
                        f"a category: write '{term} is {labels[0]}'"
                        if label is None
                        else f"a mask: write '{term}' alone"
                    )
                    raise DefinitionError(f"'{statement_text(atom)}': {term} is {what}.")
                if label is not None and label not in labels:
                    raise DefinitionError(
                        f"'{statement_text(atom)}': {term} has no class '{label}': it has "
                        f"{', '.join(labels)}."
                    )
                return Label(term, labels), False
            case Comparison():
                return self._compared(atom, own, other)
        raise DefinitionError(f"'{atom}' is no statement of a look.")

    def _compared(
        self, atom: Comparison, own: Location, other: Location | None
    ) -> tuple[Feature, bool]:
        left, right = atom.left, atom.right
        reverse = left[0].whose is Whose.MY and right[0].whose is Whose.ITS
        if reverse:
            left, right = right, left
        if any(len({term.whose for term in side}) > 1 for side in (left, right)):
            raise DefinitionError(
                f"'{statement_text(atom)}': each side speaks of one element: all 'its' here, all "
                "'my' there."
            )
        ends = [
            (self.scope.resolve(a, own, other), self.scope.resolve(b, own, other))
            for a, b in zip(left, right, strict=True)
        ]
        if all(a.kind is None and b.kind is None for a, b in ends):
            a, b = ends[0]
            if (
                len(ends) > 1
                or a.at is not b.at
                or atom.order not in (Order.EQUAL, Order.DIFFERENT)
            ):
                raise DefinitionError(
                    f"'{statement_text(atom)}': two pointers are compared by = or !=, one pair, of "
                    "one location."
                )
            return Meeting(left[0], right[0]), False
        kinds = []
        for a, b in ends:
            if not isinstance(a.kind, Number) or not isinstance(b.kind, Number):
                raise DefinitionError(
                    f"'{statement_text(atom)}': a number is compared with a number; classes are "
                    "told by 'is'."
                )
            signed = a.kind.signed or b.kind.signed
            # next to a signed number, an unsigned one needs a bit more
            bits = max(each.bits + (signed and not each.signed) for each in (a.kind, b.kind))
            if bits > MOST_BITS:
                raise DefinitionError(
                    f"'{statement_text(atom)}': a signed number and one of {MOST_BITS} bits that "
                    "is not have no room side by side: declare one bit less."
                )
            kinds.append(Number(bits, signed=signed))
        first, second = ends[-1]
        alike = (
            first.field == second.field
            and not first.steps
            and not second.steps
            and first.at is second.at
        )
        is_distinct = first.field == NUMBER and first.at is not Location.LINK
        is_distinct |= isinstance(first.kind, Number) and first.kind.distinct == "graph"
        return Compared(
            left, right, tuple(kinds), alike and is_distinct and left[0].whose is not right[0].whose
        ), reverse

    @cached_property
    def _resolved(self) -> dict[Term, ResolvedTerm]:
        return {}

    def resolve(self, term: Term) -> ResolvedTerm:
        """What a term of it stands for."""
        if term not in self._resolved:
            other = None if self.relation is None else self.relation.others
            self._resolved[term] = self.scope.resolve(term, self.observation.location, other)
        return self._resolved[term]

    @cached_property
    def own(self) -> tuple[Feature, ...]:
        """The features of the element itself."""
        return tuple(
            dict.fromkeys(each for each, _ in self.features.values() if not of_another(each))
        )

    @cached_property
    def other(self) -> tuple[Feature, ...]:
        """The features of one that it has in view."""
        return tuple(dict.fromkeys(each for each, _ in self.features.values() if of_another(each)))

    @property
    def num_own(self) -> int:
        """How many own classes there are."""
        return prod(each.size for each in self.own)

    @property
    def num_kinds(self) -> int:
        """How many kinds of others there are; none where nobody is looked at."""
        return prod(each.size for each in self.other) if self.quantifiers else 0

    @cached_property
    def bodies(self) -> Tensor:
        """[Q, own classes, kinds] bools: what each quantifier says of a kind, seen from an own
        class.
        """
        own = _values(self.own).T[:, :, None]
        other = _values(self.other).T[:, None, :] if self.other else torch.zeros(0, 1, 1)
        shape = (self.num_own, self.num_kinds)
        tables = [
            holds(each.body, lambda atom: self._holds(atom, own, other))
            for each in self.quantifiers
        ]
        return (
            torch.stack([_as_tensor(table).expand(shape) for table in tables])
            if tables
            else torch.zeros(0, *shape).bool()
        )

    @cached_property
    def _answers(self) -> Tensor:
        """[own classes, 2**Q] bools: the observation, where the quantifiers of the column's pattern
        hold.
        """
        own = _values(self.own).T[:, :, None]
        columns = torch.from_numpy(all_patterns(len(self.quantifiers)))

        def of_atom(atom: Formula) -> Tensor:
            if isinstance(atom, Quantified):
                return columns[None, :, self.quantifiers.index(atom)]
            return self._holds(atom, own, torch.zeros(0, 1, 1))

        return _as_tensor(holds(self.observation.formula, of_atom)).expand(
            self.num_own, 2 ** len(self.quantifiers)
        )

    def _holds(self, atom: Formula, own: Tensor, other: Tensor) -> Tensor:
        """An atom's truth, from the values of features, each [..., ...] along the first
        dimension.
        """
        feature = self.feature(atom)
        among, values = (self.other, other) if feature in self.other else (self.own, own)
        return torch.isin(values[among.index(feature)], torch.tensor(sorted(self.says(atom))))

    def feature(self, atom: Formula) -> Feature:
        """The feature that an atom goes by."""
        return self.features[atom][0]

    def says(self, atom: Formula) -> frozenset[int]:
        """The values of its feature for which an atom holds."""
        feature, reverse = self.features[atom]
        match atom:
            case Test(_, label):
                assert isinstance(feature, Label)
                return frozenset({feature.labels.index("true" if label is None else label)})
            case Comparison(_, order, _):
                outcomes = (
                    {2 - each for each in order.outcomes}
                    if reverse and isinstance(feature, Compared)
                    else order.outcomes
                )
                return frozenset(outcomes) & frozenset(range(feature.size))
        raise TypeError(type(atom).__name__)

    def body(
        self, quantified: Quantified
    ) -> tuple[tuple[Feature, ...], tuple[Feature, ...], np.ndarray]:
        """What a quantified statement says of another: the own features and the other's that it
        names, and a table of bools.

        The table has a row for each own class by these features, in which every feature of the
        other has an axis.
        """
        if quantified not in self._bodies:
            named = tuple(dict.fromkeys(self.feature(atom) for atom in atoms(quantified.body)))
            own = tuple(each for each in named if not of_another(each))
            other = tuple(each for each in named if of_another(each))
            sizes = [each.size for each in (*own, *other)]

            def of_atom(atom: Formula) -> np.ndarray:
                feature, values = self.feature(atom), self.says(atom)
                shape = [1] * len(sizes)
                shape[(*own, *other).index(feature)] = feature.size
                return np.array([value in values for value in range(feature.size)]).reshape(shape)

            table = np.broadcast_to(holds(quantified.body, of_atom), sizes)
            self._bodies[quantified] = own, other, table.reshape(-1, *sizes[len(own) :])
        return self._bodies[quantified]

    @cached_property
    def _bodies(
        self,
    ) -> dict[Quantified, tuple[tuple[Feature, ...], tuple[Feature, ...], np.ndarray]]:
        return {}

    def atom_holds(self, atom: Formula, own: int, kind: int | None = None) -> bool:
        """Whether an atom, which is no quantified statement, holds of an own class and, where it
        speaks of one, a kind.
        """
        other = torch.zeros(0) if kind is None else _values(self.other)[kind]
        return bool(self._holds(atom, _values(self.own)[own], other))

    def truth(self, own: Tensor, counts: Tensor) -> Tensor:
        """[M] the observation, for own classes [M] that have so many of each kind in view, [M,
        kinds], as far as it matters.
        """
        holding = torch.zeros(len(own), len(self.quantifiers), dtype=torch.bool, device=own.device)
        for place, quantified in enumerate(self.quantifiers):
            table = self.bodies[place].to(own.device)[own]  # [M, kinds]
            if quantified.quantity is Quantity.EVERY:
                fits = ~((counts > 0) & ~table).any(1)
            else:
                needed = quantified.count if quantified.quantity is Quantity.AT_LEAST else 1
                fits = (counts * table).sum(1) >= needed
            holding[:, place] = fits
        return self.answer(own, holding)

    def answer(self, own: Tensor, holding: Tensor) -> Tensor:
        """[M] the observation, for own classes [M], where of the quantifiers [M, Q] those hold that
        are marked.
        """
        return self._answers.to(own.device)[own, table_rows(holding).long()]

    def own_words(self, own: int) -> str:
        """An own class in words."""
        values = _values(self.own)[own].tolist()
        return (
            ", ".join(each.words(int(value)) for each, value in zip(self.own, values, strict=True))
            or "anything"
        )

    def kind_words(self, kind: int) -> str:
        """A kind of other in words."""
        values = _values(self.other)[kind].tolist()
        return (
            ", ".join(
                each.words(int(value)) for each, value in zip(self.other, values, strict=True)
            )
            or "anyone"
        )


def combine(values: list[Tensor], sizes: list[int], like: Tensor) -> Tensor:
    """[N] one number for a combination of values, the first counting most; 0 where there are none.
    like: [N].
    """
    if not values:
        return torch.zeros_like(like, dtype=torch.int64)
    found = values[0]
    for value, size in zip(values[1:], sizes[1:], strict=True):
        found = found * size + value
    return found


def _values(features: tuple[Feature, ...]) -> Tensor:
    """[combinations, features] every combination of their values, as ``combine`` numbers them."""
    rows = list(product(*(range(each.size) for each in features)))
    return torch.tensor(rows, dtype=torch.int64).view(len(rows), len(features))


def of_another(feature: Feature) -> bool:
    """Whether it speaks of one in view, and not of the element alone."""
    match feature:
        case Label(term):
            return term.whose is Whose.ITS
        case Compared(left, right):
            return left[0].whose is Whose.ITS or right[0].whose is Whose.ITS
        case Meeting(left, right):
            return left.whose is Whose.ITS or right.whose is Whose.ITS


def _bare(term: Term) -> str:
    return "'s ".join(term.path)


def _as_tensor(value: Tensor | bool) -> Tensor:
    return value if isinstance(value, Tensor) else torch.tensor(value)

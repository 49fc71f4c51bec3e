"""What a statement says: the one place for own classes, kinds in view, cases, truth and words.

The observer, proofs, extraction, comparisons of programs, reasons and the Python export ask it.
Four are written independently, and tests hold them to it: the second checker, the SMT files, the
SQL and the player (docs/exactness.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import prod
from typing import Any

import numpy as np
import torch
from torch import Tensor

from algolens.errors import DefinitionError
from algolens.graphs import Location
from algolens.language.relations import Relation
from algolens.logic.formula import Formula
from algolens.logic.tensors import table_rows
from algolens.looks.closure import MOST_CASES, Closure, closure
from algolens.looks.features import EQUAL, Compared, Feature, feature_of
from algolens.looks.language import (
    Comparison,
    Quantified,
    Quantity,
    atoms,
    holds,
    statement_text,
    with_atoms,
)
from algolens.looks.scope import ResolvedTerm, Scope
from algolens.looks.terms import Term


@dataclass(frozen=True)
class Statement:
    """A named formula about every element at a location, its words resolved.

    An element's own class is a combination of the values of its features. The kind of another one
    is a combination of that one's features, and of how the two compare. What is true depends on the
    own class and on how many of each kind are in view, and on nothing else.

    Parameters
    ----------
    name : str
        What it observes.
    location : Location
        Where the elements sit that it speaks of.
    formula : Formula
        What it says; ``parse_look`` reads one.
    scope : Scope
        The fields that it may name.

    Raises
    ------
    DefinitionError
        Where a word stands for nothing, or several relations are looked at.

    Examples
    --------
    >>> from algolens.fields import Field, Mask
    >>> from algolens.looks import parse_look
    >>> scope = Scope({"visited": Field(Location.NODE, Mask())})
    >>> every = parse_look("visited & every neighbour (visited)")
    >>> statement = Statement("inside", Location.NODE, every, scope)
    >>> statement.num_own, statement.num_kinds
    (2, 2)
    >>> statement.own_words(1), statement.kind_words(0)
    ('visited', 'not visited')
    >>> own, in_view = torch.tensor([1, 1]), torch.tensor([[0, 3], [1, 2]])
    >>> statement.truth(own, in_view).tolist()
    [True, False]
    """

    name: str
    location: Location
    formula: Formula
    scope: Scope

    def __post_init__(self) -> None:
        relations = {quantified.relation for quantified in self.quantifiers}
        if len(relations) > 1:
            phrases = " and ".join(sorted(f"'{relation.phrase(1)}'" for relation in relations))
            raise DefinitionError(
                f"'{self.name}' looks at {phrases}: one observation looks at one relation. Declare "
                "one of the statements as an observation of its own, and name it here."
            )
        if self.relation is not None:
            self.scope.check_relation(self.relation, self.name, self.location)
        _ = self.features  # resolves every word

    def __str__(self) -> str:
        return f"{self.name}: {statement_text(self.formula)}"

    def to_json(self) -> dict[str, Any]:
        """Its name, where it sits, and its formula."""
        return {"name": self.name, "at": self.location.value, "formula": self.formula.to_json()}

    @cached_property
    def quantifiers(self) -> tuple[Quantified, ...]:
        """Its quantified statements, each once."""
        every_atom = dict.fromkeys(atoms(self.formula))
        return tuple(atom for atom in every_atom if isinstance(atom, Quantified))

    @property
    def relation(self) -> Relation | None:
        """Which others it looks at; None where it speaks of the element alone."""
        return self.quantifiers[0].relation if self.quantifiers else None

    @property
    def exactly(self) -> int | None:
        """How many others are always in view; None: any number."""
        return None if self.relation is None else self.relation.exactly

    @cached_property
    def most(self) -> int:
        """Up to how many others of a kind make a difference: 1 where none is counted."""
        counts = [
            quantified.count
            for quantified in self.quantifiers
            if quantified.quantity is Quantity.AT_LEAST
        ]
        return max(counts, default=1)

    # ---- words

    def resolve(self, term: Term) -> ResolvedTerm:
        """What a term of it stands for."""
        others = None if self.relation is None else self.relation.others
        return self.scope.resolve(term, self.location, others)

    def own_words(self, own: int) -> str:
        """An own class in words."""
        return _words(self.own, own) or "anything"

    def kind_words(self, kind: int) -> str:
        """A kind of other in words."""
        return _words(self.other, kind) or "anyone"

    # ---- classes and kinds

    @cached_property
    def features(self) -> dict[Formula, tuple[Feature, frozenset[int]]]:
        """For each atom, its feature and the values of it for which the atom holds."""
        features = {
            atom: feature_of(atom, self.scope, self.location, None)
            for atom in atoms(self.formula)
            if not isinstance(atom, Quantified)
        }
        for quantified in self.quantifiers:
            for atom in atoms(quantified.body):
                others = quantified.relation.others
                features[atom] = feature_of(atom, self.scope, self.location, others)
        return features

    @cached_property
    def own(self) -> tuple[Feature, ...]:
        """The features of the element itself."""
        features = dict.fromkeys(feature for feature, _ in self.features.values())
        return tuple(feature for feature in features if not feature.of_another)

    @cached_property
    def other(self) -> tuple[Feature, ...]:
        """The features of one that it has in view."""
        features = dict.fromkeys(feature for feature, _ in self.features.values())
        return tuple(feature for feature in features if feature.of_another)

    @property
    def num_own(self) -> int:
        """How many own classes there are."""
        return prod(feature.size for feature in self.own)

    @property
    def num_kinds(self) -> int:
        """How many kinds of others there are; none where nobody is looked at."""
        return prod(feature.size for feature in self.other) if self.quantifiers else 0

    @property
    def possible_kinds(self) -> np.ndarray:
        """[kinds] bools: all but those where numbers of two elements are equal that never are."""
        possible = np.ones([feature.size for feature in self.other], bool)
        for axis, feature in enumerate(self.other):
            if isinstance(feature, Compared) and feature.distinct and self.others_only:
                possible.swapaxes(0, axis)[EQUAL] = False
        return possible.reshape(-1)[: self.num_kinds]

    @property
    def others_only(self) -> bool:
        """Whether an element never sees itself."""
        return self.relation is not None and self.relation.others_only

    # ---- truth

    def table(self, formula: Formula, axes: Sequence[Feature | Quantified]) -> np.ndarray:
        """Where a formula of it holds: bools, an axis for each feature or quantified statement."""
        sizes = [2 if isinstance(axis, Quantified) else axis.size for axis in axes]

        def of_atom(atom: Formula) -> np.ndarray:
            is_quantified = isinstance(atom, Quantified)
            axis, values = (atom, frozenset({1})) if is_quantified else self.features[atom]
            place = axes.index(axis)
            shape = [1] * len(sizes)
            shape[place] = sizes[place]
            return np.isin(np.arange(sizes[place]), list(values)).reshape(shape)

        return np.broadcast_to(holds(formula, of_atom), sizes)

    @cached_property
    def counted(self) -> Tensor:
        """[Q, own classes, kinds] bools: the kinds that a quantified statement counts."""
        tables = [
            self.table(quantified.counted, (*self.own, *self.other))
            for quantified in self.quantifiers
        ]
        shape = (len(tables), self.num_own, self.num_kinds)
        return torch.from_numpy(np.array(tables, bool).reshape(shape))

    def atom_holds(self, atom: Formula, own: int, kind: int | None = None) -> bool:
        """Whether an atom holds of an own class or, where it speaks of one in view, of a kind."""
        feature, values = self.features[atom]
        if feature.of_another:
            assert kind is not None
            return _values(self.other, kind)[self.other.index(feature)] in values
        return _values(self.own, own)[self.own.index(feature)] in values

    def truth(self, own: Tensor, counts: Tensor) -> Tensor:
        """[M] bools, for own classes [M] that have so many of each kind in view, [M, kinds]."""
        counted = self.counted.to(own.device)[:, own]  # [Q, M, kinds]
        return self.truth_where_met(own, (counts * counted).sum(2).T)

    def truth_where_met(self, own: Tensor, met: Tensor) -> Tensor:
        """[M] bools, for own classes [M] where quantified statements count so many, [M, Q]."""
        holding = torch.zeros_like(met, dtype=torch.bool)
        for place, quantified in enumerate(self.quantifiers):
            holding[:, place] = quantified.holds(met[:, place])
        return self._answers.to(own.device)[own, table_rows(holding).long()]

    @cached_property
    def _answers(self) -> Tensor:
        """[own classes, 2**Q] bools, by which of the quantified statements hold."""
        table = self.table(self.formula, (*self.own, *self.quantifiers))
        return torch.from_numpy(table.reshape(self.num_own, -1).copy())

    def closure(
        self,
        own: int,
        sends: np.ndarray | None = None,
        most: int = 1,
        kinds: np.ndarray | slice = slice(None),
        largest: int = MOST_CASES,
    ) -> Closure:
        """Every case of whom an element can have in view, and what is counted in it.

        Parameters
        ----------
        own : int
            The own class of the element.
        sends : np.ndarray, optional
            [kinds, D] what a network sends besides; it comes first, and counts up to ``most``.
        most : int
            Up to how many that send the same make a difference.
        kinds : np.ndarray or slice
            The kinds that can be in view.
        largest : int
            As many cases as there may be; with more, an error is raised.

        Returns
        -------
        Closure
            [cases, D + Q] sums: what is received, and how many each quantified statement counts.
        """
        counted = self.counted[:, own].numpy().T  # [kinds, Q]
        sends = np.zeros((len(counted), 0)) if sends is None else sends
        stops = [most] * sends.shape[1] + [quantified.count for quantified in self.quantifiers]
        return closure(np.concatenate([sends, counted], 1)[kinds], np.array(stops), largest)

    def truth_in_cases(self, own: int, received: np.ndarray) -> np.ndarray:
        """[M] bools, of an own class in cases that ``closure`` gave, [M, D + Q]."""
        met = torch.from_numpy(received[:, received.shape[1] - len(self.quantifiers) :])
        return self.truth_where_met(torch.full((len(met),), own), met).numpy()

    def equivalent(self, other: Statement) -> bool:
        """Whether both are the same in every case that an element of any graph can be in.

        False also where that is not settled: where the other looks at another relation.
        """
        if self.location is not other.location:
            return False
        ours, theirs = _one_way(self.formula), _one_way(other.formula)
        if ours == theirs:
            return True
        scope = Scope({**self.scope.fields, **other.scope.fields})
        differ = (ours & ~theirs) | (~ours & theirs)
        try:
            return not Statement("differ", self.location, differ, scope)._can_hold()
        except DefinitionError:  # two relations
            return False

    def _can_hold(self) -> bool:
        """Whether it is true in some case that can be."""
        for own in range(self.num_own):
            closed = self.closure(own, kinds=self.possible_kinds)
            received = closed.received[closed.cases(self.exactly)]
            if self.truth_in_cases(own, received).any():
                return True
        return False


def _one_way(formula: Formula) -> Formula:
    """The same formula, each comparison with the side first that is first in the alphabet."""

    def turned(atom: Formula) -> Formula:
        match atom:
            case Comparison(left, _, right) if tuple(map(str, right)) < tuple(map(str, left)):
                return atom.reversed
            case Quantified(body=body):
                return replace(atom, body=_one_way(body))
        return atom

    return with_atoms(formula, turned)


def _values(features: tuple[Feature, ...], number: int) -> list[int]:
    """The values of features in a combination of them, by its number; the first counts most."""
    sizes = tuple(feature.size for feature in features)
    return [int(value) for value in np.unravel_index(number, sizes)]


def _words(features: tuple[Feature, ...], number: int) -> str:
    pairs = zip(features, _values(features, number), strict=True)
    return ", ".join(feature.words(value) for feature, value in pairs)

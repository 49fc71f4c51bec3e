"""Statements compiled: their features are then computed on any batch of graphs, state by state."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from math import prod

import torch
from torch import Tensor

from algolens.looks.features import EQUAL, HIGHER, LOWER, Compared, Feature, Label, Meeting
from algolens.looks.scope import ResolvedTerm
from algolens.looks.state import CompiledPath, GraphState
from algolens.looks.statement import Statement
from algolens.looks.terms import Term, Whose

BYTE = 256  # values that a byte tells apart
# numbers of either side to 0 lower, 1 equal, 2 higher
Compare = Callable[[Sequence[Tensor], Sequence[Tensor]], Tensor]
Bools = Callable[[GraphState], Tensor]  # in a state


class CompiledFeature:
    """A feature's value for every element, or for every pair, as a small whole number.

    Parameters
    ----------
    feature : Feature
        What is computed.
    paths : dict of Term to CompiledPath
        The terms that it speaks of.
    compare : Compare
        How numbers compare, side by side.
    """

    def __init__(self, feature: Feature, paths: dict[Term, CompiledPath], compare: Compare) -> None:
        self.feature, self.size, self.compare = feature, feature.size, compare
        self.sides = [
            [(paths[term], term.whose is Whose.ITS) for term in side] for side in feature.sides
        ]
        # features of several statements that have one key have one value
        self.key: Hashable = (type(feature), tuple(map(tuple, self.sides)), compare)
        self.fields = {field for side in self.sides for path, _ in side for field in path.fields}
        self.crosses = feature.crosses
        # both sides say the same of the one and of the other, so no element differs from itself
        self.is_alike = len({tuple(term.path for term in side) for side in feature.sides}) == 1

    def value(
        self, batch: GraphState, looks: Tensor | None = None, others: Tensor | None = None
    ) -> Tensor:
        """[N] for every element; or [A] for every pair, of who looks and who is seen."""

        def of(path: CompiledPath, of_another: bool) -> Tensor:
            along = others if of_another else looks
            value = path.of(batch)
            return value if along is None else value.index_select(0, along)

        sides = [[of(*term) for term in side] for side in self.sides]
        first = sides[0][0]
        match self.feature:
            case Compared():
                return self.compare(*sides)
            case Meeting():
                return (first == sides[1][0]).view(torch.uint8)
        if first.dtype == torch.bool:
            return first.view(torch.uint8)
        # a byte moves faster than a whole number of PyTorch's
        return first.to(torch.uint8 if self.size <= BYTE else torch.int64)

    def numbers(self, batch: GraphState) -> tuple[Tensor, Tensor]:
        """What is compared of either side, each as one number."""

        def single() -> tuple[Tensor, Tensor]:
            its, mine = ([path.of(batch) for path, _ in side] for side in self.sides)
            return as_single_numbers(its, mine)

        return batch.recall(("numbers", self.key), self.fields, single)

    def has(self, values: frozenset[int]) -> Bools:
        """Whether it has one of these values; of a feature of single elements."""
        first = self.sides[0][0][0]
        match self.feature:
            case Label(_, ("false", "true")):
                return first.of if values == {1} else lambda batch: ~first.of(batch)
            case Label():
                return lambda batch: batch.recall(
                    ("has", self.key, values),
                    self.fields,
                    lambda: one_of(first.of(batch), self.size, values),
                )
            case Meeting():
                return _compared(torch.eq if values == {1} else torch.ne, *self._ends)
            case Compared() if len(self.sides[0]) == 1 and self.compare is compared_numbers:
                return _compared(BY_OUTCOMES[values], *self._ends)
        return lambda batch: one_of(self.value(batch), self.size, values)

    @property
    def _ends(self) -> tuple[CompiledPath, CompiledPath]:
        return self.sides[0][0][0], self.sides[1][0][0]


def _compared(
    compare: Callable[[Tensor, Tensor], Tensor], left: CompiledPath, right: CompiledPath
) -> Bools:
    return lambda batch: compare(left.of(batch), right.of(batch))


def one_of(value: Tensor, size: int, values: frozenset[int]) -> Tensor:
    """Whether numbers below ``size`` are among some of them."""
    if len(values) == 1:
        return value == next(iter(values))
    if len(values) == size - 1:
        return value != next(iter(set(range(size)) - values))
    among = torch.zeros_like(value, dtype=torch.bool)
    for wanted in values:
        among |= value == wanted
    return among


BY_OUTCOMES = {
    frozenset({LOWER}): torch.lt,
    frozenset({EQUAL}): torch.eq,
    frozenset({HIGHER}): torch.gt,
    frozenset({LOWER, EQUAL}): torch.le,
    frozenset({EQUAL, HIGHER}): torch.ge,
    frozenset({LOWER, HIGHER}): torch.ne,
}


class CompiledStatement:
    """A statement whose features are computed on batches of graphs.

    Parameters
    ----------
    statement : Statement
        What is said.
    paths : dict of ResolvedTerm to CompiledPath
        Those of other statements, which it shares and adds to.
    comparing : callable, optional
        How the numbers of a feature compare.
    """

    def __init__(
        self,
        statement: Statement,
        paths: dict[ResolvedTerm, CompiledPath],
        comparing: Callable[[Compared], Compare] = lambda _: compared_numbers,
    ) -> None:
        self.statement = statement
        of_terms: dict[Term, CompiledPath] = {}
        for feature in (*statement.own, *statement.other):
            for term in (term for side in feature.sides for term in side):
                resolved = statement.resolve(term)
                if resolved not in paths:
                    paths[resolved] = CompiledPath(resolved, statement.scope)
                of_terms[term] = paths[resolved]
        self.features = {
            feature: CompiledFeature(
                feature,
                of_terms,
                comparing(feature) if isinstance(feature, Compared) else compared_numbers,
            )
            for feature in (*statement.own, *statement.other)
        }
        self.own = [self.features[feature] for feature in statement.own]
        self.other = [self.features[feature] for feature in statement.other]
        pointers = () if statement.relation is None else statement.relation.pointers
        # where none of these fields has changed, neither has what is observed
        self.fields = tuple(
            sorted({field for path in of_terms.values() for field in path.fields} | set(pointers))
        )

    def own_class(self, batch: GraphState) -> Tensor:
        """[N] the own class of every element."""
        count = batch.graph.count(self.statement.location)
        return combined_class(batch, self.own, torch.empty(count, device=batch.graph.device))

    def kinds(self, batch: GraphState, looks: Tensor, others: Tensor) -> Tensor:
        """[A] the kind of the one that is seen, of pairs."""
        return combined_class(batch, self.other, looks, looks, others)

    def pairs(self, batch: GraphState) -> tuple[Tensor, Tensor]:
        """[A] who looks, and [A] the kind of whom it has in view: every pair."""
        assert self.statement.relation is not None
        view = batch.view(self.statement.relation)
        looks, others = view.pairs(batch.graph.count(self.statement.location))
        return looks, self.kinds(batch, looks, others)


def combined_class(
    batch: GraphState,
    features: Sequence[CompiledFeature],
    like: Tensor,
    looks: Tensor | None = None,
    others: Tensor | None = None,
) -> Tensor:
    """[N] one number for a combination of values, as ``Statement`` numbers them. like: [N]."""
    if not features:
        return torch.zeros_like(like, dtype=torch.uint8)
    combined = features[0].value(batch, looks, others)
    if len(features) > 1 and prod(feature.size for feature in features) > BYTE:
        combined = combined.long()
    for feature in features[1:]:
        combined = torch.add(feature.value(batch, looks, others), combined, alpha=feature.size)
    return combined


def as_single_numbers(its: Sequence[Tensor], mine: Sequence[Tensor]) -> tuple[Tensor, Tensor]:
    """One number for several that compare as words in a dictionary do; the order stays."""
    if len(its) == 1 or not len(its[0]) or not len(mine[0]):
        return its[0], mine[0]
    least = [min(int(a.min()), int(b.min())) for a, b in zip(its, mine, strict=True)]
    spans = [
        1 + max(int(a.max()), int(b.max())) - low
        for a, b, low in zip(its, mine, least, strict=True)
    ]
    if prod(spans) < 2**62:  # all in one number
        left, right = its[0] - least[0], mine[0] - least[0]
        for a, b, low, span in zip(its[1:], mine[1:], least[1:], spans[1:], strict=True):
            left, right = left * span + (a - low), right * span + (b - low)
        return left, right
    both = torch.cat([torch.stack(list(its)), torch.stack(list(mine))], 1)
    _, ranks = both.unique(dim=1, return_inverse=True)  # in dictionary order
    return ranks[: len(its[0])], ranks[len(its[0]) :]


def compared_numbers(left: Sequence[Tensor], right: Sequence[Tensor]) -> Tensor:
    """[...] 0 lower, 1 equal, 2 higher; of several numbers, the first that differs decides."""
    outcome = _order(left[0], right[0])
    for a, b in zip(left[1:], right[1:], strict=True):
        outcome = torch.where(outcome == EQUAL, _order(a, b), outcome)
    return outcome


def _order(a: Tensor, b: Tensor) -> Tensor:
    return (a >= b).view(torch.uint8) + (a > b).view(torch.uint8)

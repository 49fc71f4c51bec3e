"""Readings, made ready once: what they read is then looked up on whatever batch of graphs, state
after state.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from math import prod

import torch
from torch import Tensor

from algolens.looks.language import Term, Whose
from algolens.looks.scope import CompiledPath, GraphState, ResolvedTerm
from algolens.looks.statement import (
    EQUAL,
    HIGHER,
    LOWER,
    Compared,
    Feature,
    Label,
    Meeting,
    Statement,
)

BYTE = 256  # values that a byte tells apart
# numbers of either side to 0 lower, 1 equal, 2 higher
Compare = Callable[[Sequence[Tensor], Sequence[Tensor]], Tensor]
Bools = Callable[[GraphState], Tensor]  # in a state


class CompiledFeature:
    """A feature of a reading: its value for every element, or for every pair, as a small whole
    number.
    """

    def __init__(self, feature: Feature, paths: dict[Term, CompiledPath], compare: Compare) -> None:
        """compare: how numbers compare, side by side."""
        self.feature, self.size, self.compare = feature, feature.size, compare
        match feature:
            case Label(term):
                sides: tuple[tuple[Term, ...], ...] = ((term,),)
            case Compared(left, right):
                sides = (left, right)
            case Meeting(one, other):
                sides = ((one,), (other,))
        self.sides = [[(paths[term], term.whose is Whose.ITS) for term in side] for side in sides]
        # all that its value follows from: features of several readings that have one key have one
        # value
        self.key: Hashable = (type(feature), tuple(map(tuple, self.sides)), compare)
        self.fields = {field for side in self.sides for path, _ in side for field in path.fields}
        # whether it compares the one in view with the one who looks
        self.crosses = len(sides) == 2 and sides[0][0].whose is not sides[1][0].whose
        # whether both sides say the same of the one and of the other, so that nobody is lower or
        # higher than itself
        self.is_alike = len(sides) == 2 and [term.path for term in sides[0]] == [
            term.path for term in sides[1]
        ]

    def value(
        self, batch: GraphState, looks: Tensor | None = None, others: Tensor | None = None
    ) -> Tensor:
        """[N] for every element; or [A] for every pair, of who looks and who is seen."""

        def of(path: CompiledPath, of_another: bool) -> Tensor:
            along = others if of_another else looks
            found = path.of(batch)
            return found if along is None else found.index_select(0, along)

        sides = [[of(*each) for each in side] for side in self.sides]
        match self.feature:
            case Label():
                (value,) = sides[0]
                return (
                    value.view(torch.uint8)
                    if value.dtype == torch.bool
                    else value.to(_small(self.size))
                )
            case Compared():
                return self.compare(*sides)
            case Meeting():
                return (sides[0][0] == sides[1][0]).view(torch.uint8)

    def numbers(self, batch: GraphState) -> tuple[Tensor, Tensor]:
        """What is compared of either side, each as one number."""
        return batch.recall(
            ("numbers", self.key),
            self.fields,
            lambda: as_single_numbers(
                *([path.of(batch) for path, _ in side] for side in self.sides)
            ),
        )

    def has(self, values: frozenset[int]) -> Bools:
        """Whether it has one of these values; of a feature of single elements."""
        first = self.sides[0][0][0]
        match self.feature:
            case Label(_, labels):
                if labels == ("false", "true"):
                    return first.of if values == {1} else lambda batch: ~first.of(batch)
                return lambda batch: batch.recall(
                    ("has", self.key, values),
                    self.fields,
                    lambda: one_of(first.of(batch), self.size, values),
                )
            case Meeting():
                second = self.sides[1][0][0]
                return _compared(torch.eq if values == {1} else torch.ne, first, second)
            case Compared() if len(self.sides[0]) == 1 and self.compare is compared_numbers:
                return _compared(BY_OUTCOMES[values], first, self.sides[1][0][0])
        return lambda batch: one_of(self.value(batch), self.size, values)


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
    found = torch.zeros_like(value, dtype=torch.bool)
    for each in values:
        found |= value == each
    return found


BY_OUTCOMES = {
    frozenset({LOWER}): torch.lt,
    frozenset({EQUAL}): torch.eq,
    frozenset({HIGHER}): torch.gt,
    frozenset({LOWER, EQUAL}): torch.le,
    frozenset({EQUAL, HIGHER}): torch.ge,
    frozenset({LOWER, HIGHER}): torch.ne,
}


class CompiledStatement:
    """A reading whose features can be looked up on batches of graphs."""

    def __init__(
        self,
        statement: Statement,
        paths: dict[ResolvedTerm, CompiledPath],
        comparing: Callable[[Compared], Compare] = lambda _: compared_numbers,
    ) -> None:
        """paths: those of other readings, which it shares. comparing: how the numbers of a feature
        compare.
        """
        self.statement = statement
        of_terms: dict[Term, CompiledPath] = {}
        for feature in (*statement.own, *statement.other):
            for term in _terms(feature):
                resolved = statement.resolve(term)
                if resolved not in paths:
                    paths[resolved] = CompiledPath(resolved, statement.scope)
                of_terms[term] = paths[resolved]
        self.features = {
            each: CompiledFeature(
                each, of_terms, comparing(each) if isinstance(each, Compared) else compared_numbers
            )
            for each in (*statement.own, *statement.other)
        }
        self.own = [self.features[each] for each in statement.own]
        self.other = [self.features[each] for each in statement.other]
        pointers = () if statement.relation is None else statement.relation.pointers
        # the fields that it goes by: where none of them has changed, neither has what is observed
        self.fields = tuple(
            sorted({field for path in of_terms.values() for field in path.fields} | set(pointers))
        )

    def own_class(self, batch: GraphState) -> Tensor:
        """[N] the own class of every element."""
        like = torch.empty(
            batch.graph.count(self.statement.observation.location), device=batch.graph.device
        )
        return combined_class(self.own, [each.value(batch) for each in self.own], like)

    def pairs(self, batch: GraphState) -> tuple[Tensor, Tensor]:
        """[A] who looks, and [A] the kind of whom it has in view: every pair."""
        assert self.statement.relation is not None
        looks, others = batch.view(self.statement.relation).pairs(
            batch.graph.count(self.statement.observation.location)
        )
        return looks, combined_class(
            self.other, [each.value(batch, looks, others) for each in self.other], looks
        )


def combined_class(
    features: Sequence[CompiledFeature], values: Sequence[Tensor], like: Tensor
) -> Tensor:
    """[N] one number for a combination of values, the first counting most, as ``Reading`` numbers
    them. like: [N].
    """
    if not features:
        return torch.zeros_like(like, dtype=torch.uint8)
    found = values[0]
    if len(features) > 1 and prod(each.size for each in features) > BYTE:
        found = found.long()
    for value, feature in zip(values[1:], features[1:], strict=True):
        found = torch.add(value, found, alpha=feature.size)
    return found


def _terms(feature: Feature) -> tuple[Term, ...]:
    match feature:
        case Label(term):
            return (term,)
        case Compared(left, right):
            return (*left, *right)
        case Meeting(one, other):
            return (one, other)


def _small(size: int) -> torch.dtype:
    """Of numbers below a size: a byte moves faster than a whole number of PyTorch's."""
    return torch.uint8 if size <= BYTE else torch.int64


def as_single_numbers(its: Sequence[Tensor], mine: Sequence[Tensor]) -> tuple[Tensor, Tensor]:
    """One number for several that compare as words in a dictionary do; the order stays."""
    if len(its) == 1:
        return its[0], mine[0]
    if not len(its[0]) or not len(mine[0]):
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
    """[...] 0 where the left is lower, 1 where both are equal, 2 where it is higher; the first that
    differs decides.
    """
    found = _order(left[0], right[0])
    for a, b in zip(left[1:], right[1:], strict=True):
        found = torch.where(found == EQUAL, _order(a, b), found)
    return found


def _order(a: Tensor, b: Tensor) -> Tensor:
    return (a >= b).view(torch.uint8) + (a > b).view(torch.uint8)

"""Readings on one batch of graphs: words are resolved to tensors once, and every state is then only looked up."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from math import prod

import torch
from torch import Tensor

from algolens.graphs import Graph
from algolens.looks.in_view import InView, ordered, single
from algolens.looks.language import Term, Whose
from algolens.looks.reading import Compared, Feature, Label, Meeting, Reading
from algolens.looks.relations import View
from algolens.looks.scope import Batch, Path

BYTE = 256  # values that a byte tells apart
Compare = Callable[[Sequence[Tensor], Sequence[Tensor]], Tensor]  # numbers of either side to 0 lower, 1 equal, 2 higher


class FeatureOnGraph:
    """A feature of a reading: its value for every element, or for every pair, as a small whole number."""

    def __init__(self, feature: Feature, paths: dict[Term, Path], compare: Compare = ordered) -> None:
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
        self.fields = {field for side in self.sides for path, _ in side for field in path.fields}
        # whether it compares the one in view with the one who looks
        self.crosses = len(sides) == 2 and sides[0][0].whose is not sides[1][0].whose
        # whether both sides say the same of the one and of the other, so that nobody is lower or higher than itself
        self.is_alike = len(sides) == 2 and [term.path for term in sides[0]] == [term.path for term in sides[1]]

    def value(self, batch: Batch, looks: Tensor | None = None, others: Tensor | None = None) -> Tensor:
        """[N] for every element; or [A] for every pair, of who looks and who is seen."""
        if looks is None and isinstance(self.feature, Label):
            return self._label(self.sides[0][0][0].of(batch))

        def of(path: Path, of_another: bool) -> Tensor:
            along = others if of_another else looks
            found = path.of(batch)
            return found if along is None else _handed(found, along)

        return self.told([[of(*each) for each in side] for side in self.sides])

    def told(self, sides: Sequence[Sequence[Tensor]]) -> Tensor:
        """The value, from those of its terms."""
        match self.feature:
            case Label():
                return self._label(sides[0][0])
            case Compared():
                return self.compare(*sides)
            case Meeting():
                return (sides[0][0] == sides[1][0]).view(torch.uint8)

    def _label(self, value: Tensor) -> Tensor:
        return value.view(torch.uint8) if value.dtype == torch.bool else value.to(_small(self.size))


class ReadingOnGraph:
    """A reading on one batch of graphs."""

    def __init__(
        self,
        reading: Reading,
        graph: Graph,
        comparing: Callable[[Compared], Compare] = lambda _: ordered,
    ) -> None:
        """comparing: how the numbers of a feature compare."""
        self.reading, self.graph = reading, graph
        self.count = graph.count(reading.observation.location)
        self.paths: dict[Term, Path] = {}
        for feature in (*reading.own, *reading.other):
            for term in _terms(feature):
                if term not in self.paths:
                    self.paths[term] = Path(reading.resolve(term), graph, reading.scope)

        def on_graph(feature: Feature) -> FeatureOnGraph:
            return FeatureOnGraph(feature, self.paths, comparing(feature) if isinstance(feature, Compared) else ordered)

        self.own = [on_graph(each) for each in reading.own]
        self.other = [on_graph(each) for each in reading.other]
        pointers = () if reading.relation is None else reading.relation.pointers
        # the fields that it goes by: where none of them has changed, neither has what is observed
        self.fields = tuple(sorted({field for path in self.paths.values() for field in path.fields} | set(pointers)))

    def value(self, term: Term, batch: Batch) -> Tensor:
        """A term's value for every element that it can speak of."""
        return self.paths[term].of(batch)

    def own_class(self, batch: Batch) -> Tensor:
        """[N] the own class of every element."""
        return self._combined(self.own, self.count, [each.value(batch) for each in self.own])

    def kinds(self, batch: Batch) -> Tensor:
        """[M] the kind of every element that can be in view, where kinds are labels alone."""
        return self._combined(self.other, self._num_others, [each.value(batch) for each in self.other])

    def kinds_of_pairs(self, batch: Batch, looks: Tensor, others: Tensor) -> Tensor:
        """[A] the kind of the one in view, of every pair."""
        return self._combined(self.other, len(looks), [each.value(batch, looks, others) for each in self.other])

    @cached_property
    def labels_alone(self) -> bool:
        """Whether those in view are told apart by what they are by themselves, without a look at their numbers."""
        return all(isinstance(each, Label) for each in self.reading.other)

    def in_view(self, batch: Batch, view: View) -> InView:
        """The kinds in view, without going through pairs, where that can be done."""
        inside = [each for each in self.other if not each.crosses]
        label = self._combined(inside, self._num_others, [each.value(batch) for each in inside])
        crossing = self.crossing[0] if self.crossing else None
        place = None if crossing is None else self.other.index(crossing)
        numbers = None if crossing is None else self._numbers(crossing, batch)
        feature = None if crossing is None else crossing.feature
        return InView(view, self.count, [each.size for each in self.other], place, feature, label, numbers)

    @cached_property
    def crossing(self) -> list[FeatureOnGraph]:
        """The features that compare one in view with the one who looks."""
        return [each for each in self.other if each.crosses]

    def goes_without_pairs(self, view: View) -> bool:
        """Whether ``in_view`` knows the kinds: by one comparison at most, in which nobody takes itself for another."""
        if len(self.crossing) > 1 or any(each.compare is not ordered for each in self.other):
            return False
        return not view.others_only or all(each.is_alike or isinstance(each.feature, Meeting) for each in self.crossing)

    def _numbers(self, crossing: FeatureOnGraph, batch: Batch) -> tuple[Tensor, Tensor]:
        """[M] what is compared of every element in view, and [N] of every element that looks, each as one number."""
        lasts = crossing.fields <= batch.lasting.inputs
        if lasts and self in batch.lasting.numbers:
            return batch.lasting.numbers[self]
        its, mine = single(*([path.of(batch) for path, _ in side] for side in crossing.sides))
        if lasts:
            batch.lasting.numbers[self] = its, mine
        return its, mine

    @property
    def _num_others(self) -> int:
        assert self.reading.relation is not None
        return self.graph.count(self.reading.relation.others)

    def _combined(self, features: Sequence[FeatureOnGraph], count: int, values: Sequence[Tensor]) -> Tensor:
        """[count] one number for a combination of values, the first counting most, as ``Reading`` numbers them."""
        if not features:
            return torch.zeros(count, dtype=torch.uint8, device=self.graph.device)
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


def _handed(found: Tensor, along: Tensor) -> Tensor:
    """Values handed along; bools as bytes, which move faster."""
    if found.dtype == torch.bool:
        return found.view(torch.uint8).index_select(0, along).view(torch.bool)
    return found.index_select(0, along)

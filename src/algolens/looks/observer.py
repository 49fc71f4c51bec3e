"""What is true on a batch of graphs, observation after observation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from algolens.graphs import Graph
from algolens.logic.formula import And, Constant, Formula, Not, Or, conjunction
from algolens.looks.in_view import MOST, InView, ordered, single
from algolens.looks.language import Comparison, Order, Quantified, Quantity, Term, Test, Whose, holds, terms
from algolens.looks.reading import Compared, Feature, Label, Meeting, Reading, combine
from algolens.looks.relations import Relation, View
from algolens.looks.scope import Batch


class Observer:
    """Looks at one batch of graphs, state after state. What depends on the graph alone is found once."""

    def __init__(self, readings: Sequence[Reading], graph: Graph) -> None:
        self.readings, self.graph = readings, graph
        self._views: dict[Relation, View] = {}
        # observations that tell those in view apart alike: their kinds are marked in one pass for all of them
        alike = Counter((each.relation, each.other) for each in readings if each.relation is not None)
        self._shared = {key for key, count in alike.items() if count > 1}

    def see(self, batch: Batch) -> dict[str, Tensor]:
        """Every observation by its name: bools. batch: inputs and state; each observation is added to it."""
        found: dict[str, Tensor] = {}
        for reading in self.readings:
            name = reading.observation.name
            found[name] = batch.values[name] = self.observe(reading, batch)
        return found

    def view(self, relation: Relation, batch: Batch) -> View:
        """Who has whom in view; found once where no pointer has a say in it."""
        if relation.pointers:
            return relation.view(self.graph, batch.pointer)
        if relation not in self._views:
            self._views[relation] = relation.view(self.graph, batch.pointer)
        return self._views[relation]

    def observe(self, reading: Reading, batch: Batch) -> Tensor:
        """[N] bools: one observation, where those before it are among the values."""
        count = self.graph.count(reading.observation.location)

        def of_atom(atom: Formula) -> Tensor:
            if isinstance(atom, Quantified):
                return self._quantified(reading, atom, batch)
            return _says(atom, reading, lambda term: value_of(reading, term, batch))

        found = holds(reading.observation.formula, of_atom)
        if isinstance(found, bool):
            return torch.full((count,), found, device=self.graph.device)
        return found

    def _quantified(self, reading: Reading, atom: Quantified, batch: Batch) -> Tensor:
        view = self.view(atom.relation, batch)
        if atom.quantity is Quantity.SOME and (extreme := _as_extreme(atom.body)) is not None:
            _, its, _, mine = extreme
            if not view.others_only or its.path == mine.path:  # then nobody is lower or higher than itself
                return self._extreme(reading, *extreme, batch, view)
        if view.own_groups is not None and atom.quantity is not Quantity.AT_LEAST:
            shared = in_view(reading, batch, view, self.graph.count(reading.observation.location))
            if shared is not None:
                return self._among_shared(reading, atom, batch, shared)
        count = self.graph.count(reading.observation.location)
        if atom.quantity is Quantity.SOME and view.own_groups is None and (atom.relation, reading.other) in self._shared:
            labels_alone = all(isinstance(each, Label) for each in reading.other)
            if labels_alone and all(term.whose is Whose.ITS for term in terms(atom.body)):
                return self._among_marked(reading, atom, batch, view, count)
        looks, others = view.pairs(count)
        is_every = atom.quantity is Quantity.EVERY
        body = _on_pairs(~atom.body if is_every else atom.body, reading, batch, looks, others)
        if isinstance(body, bool):
            body = torch.full((len(looks),), body, device=self.graph.device)
        if atom.quantity is Quantity.AT_LEAST:
            counts = torch.zeros(count, dtype=torch.int64, device=self.graph.device)
            return counts.index_add_(0, looks, body.long()) >= atom.count
        found = torch.zeros(count, dtype=torch.bool, device=self.graph.device)
        # "or" as a maximum of bytes: scatter_reduce knows no bools
        found.view(torch.uint8).scatter_reduce_(0, looks, body.view(torch.uint8), "amax")
        return ~found if is_every else found

    def _among_marked(self, reading: Reading, atom: Quantified, batch: Batch, view: View, count: int) -> Tensor:
        """Some one of those in view, from the kinds in view."""
        key = (atom.relation, reading.other)
        if key not in batch.marks:
            batch.marks[key] = marked_kinds(reading, view, count, other_kinds(reading, batch), self.graph.device)
        table = reading.bodies[reading.quantifiers.index(atom)][0]  # it speaks of others alone: alike for every own class
        rows = [batch.marks[key][kind] for kind in table.nonzero().flatten().tolist()]
        if not rows:
            return torch.zeros(count, dtype=torch.bool, device=self.graph.device)
        return rows[0] if len(rows) == 1 else torch.stack(rows).any(0)

    def _extreme(
        self, reading: Reading, label: Formula, its: Term, order: Order, mine: Term, batch: Batch, view: View
    ) -> Tensor:
        """Whether some one in view, with a label, has a larger (or smaller) number: the largest (smallest) of them has."""
        values = value_of(reading, its, batch)
        nothing = -MOST if order is Order.HIGHER else MOST
        fits = holds(label, lambda atom: _says(atom, reading, lambda term: value_of(reading, term, batch)))
        if not isinstance(fits, bool):
            values = torch.where(fits, values, nothing)
        most = torch.full((view.num_groups,), nothing, device=self.graph.device)
        reduce = "amax" if order is Order.HIGHER else "amin"
        most.scatter_reduce_(0, view.group, values if view.each_once else values.index_select(0, view.others), reduce)
        own, compare = value_of(reading, mine, batch), torch.gt if order is Order.HIGHER else torch.lt
        if view.own_groups is None:
            return compare(most, own)
        found = [compare(most.index_select(0, groups), own) for groups in view.own_groups]
        return found[0] if len(found) == 1 else torch.stack(found).any(0)

    def _among_shared(self, reading: Reading, atom: Quantified, batch: Batch, shared: InView) -> Tensor:
        """Some or every one of those in view, from the kinds in view; only kinds that matter are looked for."""
        is_every = atom.quantity is Quantity.EVERY
        table = reading.bodies[reading.quantifiers.index(atom)] ^ is_every  # [own classes, kinds]
        found = torch.zeros(shared.count, dtype=torch.bool, device=self.graph.device)
        own: Tensor | None = None
        for kind in table.any(0).nonzero().flatten().tolist():
            there = shared.present(kind)
            if not bool(table[:, kind].all()):
                own = own_classes(reading, batch) if own is None else own
                there = there & table[:, kind].to(there.device)[own]
            found |= there
        return ~found if is_every else found


def _as_extreme(body: Formula) -> tuple[Formula, Term, Order, Term] | None:
    """(label, its number, < or >, my number), where a body says that one with a label has a lower or higher number."""
    parts = body.terms if isinstance(body, And) else (body,)
    numbers = [part for part in parts if isinstance(part, Comparison)]
    labels = [part for part in parts if part not in numbers]
    if len(numbers) != 1 or len(numbers[0].left) > 1 or any(term.whose is Whose.MY for part in labels for term in terms(part)):
        return None
    (left,), order, (right,) = numbers[0].left, numbers[0].order, numbers[0].right
    if left.whose is Whose.MY:
        left, order, right = right, {Order.LOWER: Order.HIGHER, Order.HIGHER: Order.LOWER}.get(order, order), left
    if order not in (Order.LOWER, Order.HIGHER) or left.whose is not Whose.ITS or right.whose is not Whose.MY:
        return None
    return conjunction(*labels), left, order, right


def other_kinds(reading: Reading, batch: Batch) -> Tensor:
    """[M] the kind of every element that can be in view, where kinds are labels alone."""
    assert reading.relation is not None
    like = torch.zeros(batch.graph.count(reading.relation.others), dtype=torch.int64, device=batch.graph.device)
    values = [feature_value(each, lambda term: value_of(reading, term, batch)) for each in reading.other]
    return combine(values, [each.size for each in reading.other], like)


def marked_kinds(reading: Reading, view: View, count: int, kinds: Tensor, device: torch.device) -> Tensor:
    """[kinds, N] bools: is one of a kind in view? kinds: [M] of every element that can be."""
    found = torch.zeros(reading.num_kinds * count, dtype=torch.bool, device=device)
    # writing True twice is the same as once, so all kinds are marked in one pass
    found.scatter_(0, (kinds * count).index_select(0, view.others).add_(view.group), True)
    return found.view(reading.num_kinds, count)


def value_of(reading: Reading, term: Term, batch: Batch) -> Tensor:
    """A term's value for every element that it can speak of."""
    return batch.of(reading.resolve(term))


def own_classes(reading: Reading, batch: Batch) -> Tensor:
    """[N] the own class of every element."""
    count = batch.graph.count(reading.observation.location)
    like = torch.zeros(count, dtype=torch.int64, device=batch.graph.device)
    values = [feature_value(each, lambda term: value_of(reading, term, batch)) for each in reading.own]
    return combine(values, [each.size for each in reading.own], like)


def feature_value(feature: Feature, of_term: Callable[[Term], Tensor]) -> Tensor:
    """[...] the value of a feature, from those of its terms."""
    match feature:
        case Label(term):
            return of_term(term).long()
        case Compared(left, right):
            return ordered([of_term(term) for term in left], [of_term(term) for term in right])
        case Meeting(left, right):
            return (of_term(left) == of_term(right)).long()


def in_view(reading: Reading, batch: Batch, view: View, count: int) -> InView | None:
    """The kinds in view where many look at the same group; None where it takes pairs to know them.

    So it does where more than one comparison crosses, and where an element's number is compared with another of its own
    numbers: then the least and the largest of a group may be its own, which it does not see.
    """
    crossing = [each for each in reading.other if _crosses(each)]
    if len(crossing) > 1 or (view.others_only and any(_compares_unlike(each) for each in crossing)):
        return None
    inside = [each for each in reading.other if not _crosses(each)]

    def of_term(term: Term) -> Tensor:
        return value_of(reading, term, batch).index_select(0, view.others)

    like = torch.zeros_like(view.others)
    label = combine([feature_value(each, of_term) for each in inside], [each.size for each in inside], like)
    numbers = _numbers(reading, crossing[0], batch, view) if crossing else None
    return InView(view, count, reading.other, crossing[0] if crossing else None, label, numbers)


def _numbers(reading: Reading, crossing: Feature, batch: Batch, view: View) -> tuple[Tensor, Tensor]:
    """[I] what is compared of every entry, and [N] of every element that looks, each as one number."""
    assert reading.relation is not None
    assert isinstance(crossing, Compared | Meeting)
    left, right = (crossing.left, crossing.right) if isinstance(crossing, Compared) else ((crossing.left,), (crossing.right,))
    resolved = [reading.resolve(term) for term in (*left, *right)]
    lasts = not reading.relation.pointers and all(batch.lasting.has(term) for term in resolved)
    key = (reading.relation, crossing)
    if lasts and key in batch.lasting.found:
        return batch.lasting.found[key]
    its, mine = single([value_of(reading, term, batch) for term in left], [value_of(reading, term, batch) for term in right])
    found = its.index_select(0, view.others), mine
    if lasts:
        batch.lasting.found[key] = found
    return found


def _compares_unlike(feature: Feature) -> bool:
    """Whether it compares a number of the one with another number of the other."""
    return isinstance(feature, Compared) and [term.path for term in feature.left] != [term.path for term in feature.right]


def _crosses(feature: Feature) -> bool:
    """Whether it compares the one in view with the one who looks."""
    match feature:
        case Label():
            return False
        case Compared(left, right):
            return left[0].whose is not right[0].whose
        case Meeting(left, right):
            return left.whose is not right.whose


def _says(atom: Formula, reading: Reading, of_term: Callable[[Term], Tensor]) -> Tensor:
    """What an atom says, from the values of terms."""
    match atom:
        case Test(term, label):
            value = of_term(term)
            feature, _ = reading.features[atom]
            assert isinstance(feature, Label)
            return value if label is None else value == feature.labels.index(label)
        case Comparison(left, order, right) if len(left) == 1:
            a, b = of_term(left[0]), of_term(right[0])
            return _COMPARE[order.value](a, b)
        case Comparison(left, order, right):
            outcome = ordered([of_term(term) for term in left], [of_term(term) for term in right])
            return torch.isin(outcome, torch.tensor(sorted(order.outcomes), device=outcome.device))
    raise TypeError(type(atom).__name__)


_COMPARE = {"<": torch.lt, "=": torch.eq, ">": torch.gt, "<=": torch.le, "!=": torch.ne, ">=": torch.ge}


def _on_pairs(formula: Formula, reading: Reading, batch: Batch, looks: Tensor, others: Tensor) -> Tensor | bool:
    """What a statement says of every pair. What speaks of one side alone is found there first, and then handed along."""
    whose = {term.whose for term in terms(formula)}
    if len(whose) == 1:
        found = holds(formula, lambda atom: _says(atom, reading, lambda term: value_of(reading, term, batch)))
        return found if isinstance(found, bool) else _handed(found, others if whose == {Whose.ITS} else looks)
    match formula:
        case Constant(value):
            return value
        case Not(term):
            inner = _on_pairs(term, reading, batch, looks, others)
            return not inner if isinstance(inner, bool) else ~inner
        case And(parts) | Or(parts):
            sides = [[part for part in parts if {t.whose for t in terms(part)} == {side}] for side in Whose]
            rest = [part for part in parts if not any(part in side for side in sides)]
            grouped = [type(formula)(tuple(side)) if len(side) > 1 else side[0] for side in sides if side] + rest
            result: Any = _on_pairs(grouped[0], reading, batch, looks, others)
            for part in grouped[1:]:
                further: Any = _on_pairs(part, reading, batch, looks, others)
                result = result & further if isinstance(formula, And) else result | further
            return result

    def of_term(term: Term) -> Tensor:
        return value_of(reading, term, batch).index_select(0, others if term.whose is Whose.ITS else looks)

    return _says(formula, reading, of_term)


def _handed(found: Tensor, along: Tensor) -> Tensor:
    return found.view(torch.uint8).index_select(0, along).view(torch.bool)

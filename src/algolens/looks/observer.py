"""What is true on a batch of graphs, observation after observation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import cached_property, partial
from typing import Any

import torch
from torch import Tensor

from algolens.graphs import Graph
from algolens.logic.formula import And, Constant, Formula, Not, Or, conjunction
from algolens.looks.in_view import MOST, InView, ordered
from algolens.looks.language import Comparison, Order, Quantified, Quantity, Term, Test, Whose, holds, terms
from algolens.looks.on_graph import ReadingOnGraph
from algolens.looks.reading import Label, Reading
from algolens.looks.relations import Relation, View
from algolens.looks.remembered import Kept, Remembered
from algolens.looks.scope import Batch, Path, Resolved, Scope


class Observer:
    """Looks at one batch of graphs, state after state. What depends on the graph alone is found once."""

    def __init__(self, readings: Sequence[Reading], graph: Graph) -> None:
        self.readings, self.graph = readings, graph
        self._views: dict[Relation, tuple[list[Kept], View]] = {}
        self._plans: dict[int, ReadingOnGraph] = {}
        self._paths: dict[Resolved, Path] = {}
        # observations that tell those in view apart alike: their kinds are marked in one pass for all of them
        alike = Counter((each.relation, each.other) for each in readings if each.relation is not None)
        self._shared = {key: number for number, (key, count) in enumerate(alike.items()) if count > 1}

    def see(self, batch: Batch, observe: Callable[[Reading, Batch], Tensor] | None = None) -> dict[str, Tensor]:
        """Every observation by its name: bools. batch: inputs and state; each observation is added to it.

        observe: who observes, if not this observer. Asked again is only what goes by a field that has changed.
        """
        observe = observe or self.observe
        found: dict[str, Tensor] = {}
        for reading, fields, last in self._sights:
            name = reading.observation.name
            found[name] = batch.values[name] = last([batch.values[each] for each in fields], partial(observe, reading, batch))
        return found

    @cached_property
    def _sights(self) -> list[tuple[Reading, tuple[str, ...], Remembered]]:
        """Every reading, the fields that it goes by, and what was observed last."""
        return [(each, self.on_graph(each).fields, Remembered()) for each in self.readings]

    def on_graph(self, reading: Reading) -> ReadingOnGraph:
        """A reading with its words resolved to tensors of this graph."""
        plan = self._plans.get(id(reading))
        if plan is None:
            plan = self._plans[id(reading)] = ReadingOnGraph(reading, self.graph)  # it keeps the reading, and so its id
        return plan

    def path(self, term: Resolved, scope: Scope) -> Path:
        """A term with its steps resolved to tensors of this graph."""
        if term not in self._paths:
            self._paths[term] = Path(term, self.graph, scope)
        return self._paths[term]

    def shared_kinds(self, reading: Reading) -> int | None:
        """A number for all observations that tell those in view apart alike; None where there is no other."""
        return None if reading.relation is None else self._shared.get((reading.relation, reading.other))

    def view(self, relation: Relation, batch: Batch) -> View:
        """Who has whom in view; found again only where a pointer that has a say in it has moved."""
        pointers = [batch.pointer(name) for name in relation.pointers]
        known = self._views.get(relation)
        if known is None or not all(map(Kept.holds, known[0], pointers)):
            known = self._views[relation] = [Kept(each) for each in pointers], relation.view(self.graph, batch.pointer)
        return known[1]

    def observe(self, reading: Reading, batch: Batch) -> Tensor:
        """[N] bools: one observation, where those before it are among the values."""
        plan = self.on_graph(reading)

        def of_atom(atom: Formula) -> Tensor:
            if isinstance(atom, Quantified):
                return self._quantified(plan, atom, batch)
            return _says(atom, reading, lambda term: plan.value(term, batch))

        found = holds(reading.observation.formula, of_atom)
        if isinstance(found, bool):
            return torch.full((plan.count,), found, device=self.graph.device)
        return found

    def _quantified(self, plan: ReadingOnGraph, atom: Quantified, batch: Batch) -> Tensor:
        reading, count = plan.reading, plan.count
        view = self.view(atom.relation, batch)
        knows = atom.quantity is not Quantity.AT_LEAST and plan.goes_without_pairs(view)
        if knows and atom.quantity is Quantity.SOME and (extreme := _as_extreme(atom.body)) is not None:
            return self._extreme(plan, *extreme, batch, view)
        if knows and view.own_groups is not None:
            return self._among_shared(plan, atom, batch, plan.in_view(batch, view))
        if atom.quantity is Quantity.SOME and view.own_groups is None and plan.labels_alone and _is_of_others(atom):
            shared = self.shared_kinds(reading)
            if shared is not None:
                return self._among_marked(plan, atom, marked_kinds(plan, shared, view, batch))
        looks, others = view.pairs(count)
        is_every = atom.quantity is Quantity.EVERY
        body = _on_pairs(~atom.body if is_every else atom.body, plan, batch, looks, others)
        if isinstance(body, bool):
            body = torch.full((len(looks),), body, device=self.graph.device)
        if atom.quantity is Quantity.AT_LEAST:
            counts = torch.zeros(count, dtype=torch.int64, device=self.graph.device)
            return counts.index_add_(0, looks, body.long()) >= atom.count
        found = torch.zeros(count, dtype=torch.bool, device=self.graph.device)
        # "or" as a maximum of bytes: scatter_reduce knows no bools
        found.view(torch.uint8).scatter_reduce_(0, looks, body.view(torch.uint8), "amax")
        return ~found if is_every else found

    def _among_marked(self, plan: ReadingOnGraph, atom: Quantified, marks: Tensor) -> Tensor:
        """Some one of those in view, from the kinds in view."""
        reading = plan.reading
        table = reading.bodies[reading.quantifiers.index(atom)][0]  # it speaks of others alone: alike for every own class
        rows = [marks[kind] for kind in table.nonzero().flatten().tolist()]
        if not rows:
            return torch.zeros(plan.count, dtype=torch.bool, device=self.graph.device)
        return rows[0] if len(rows) == 1 else torch.stack(rows).any(0)

    def _extreme(
        self, plan: ReadingOnGraph, label: Formula, its: Term, order: Order, mine: Term, batch: Batch, view: View
    ) -> Tensor:
        """Whether some one in view, with a label, has a larger (or smaller) number: the largest (smallest) of them has."""
        values = plan.value(its, batch)
        nothing = -MOST if order is Order.HIGHER else MOST
        fits = holds(label, lambda atom: _says(atom, plan.reading, lambda term: plan.value(term, batch)))
        if not isinstance(fits, bool):
            values = torch.where(fits, values, nothing)
        most = torch.full((view.num_groups,), nothing, device=self.graph.device)
        reduce = "amax" if order is Order.HIGHER else "amin"
        most.scatter_reduce_(0, view.group, values if view.each_once else values.index_select(0, view.others), reduce)
        own, compare = plan.value(mine, batch), torch.gt if order is Order.HIGHER else torch.lt
        if view.own_groups is None:
            return compare(most, own)
        found = [compare(most.index_select(0, groups), own) for groups in view.own_groups]  # nobody is lower than itself
        return found[0] if len(found) == 1 else torch.stack(found).any(0)

    def _among_shared(self, plan: ReadingOnGraph, atom: Quantified, batch: Batch, shared: InView) -> Tensor:
        """Some or every one of those in view, from the kinds in view; only kinds that matter are looked for."""
        reading = plan.reading
        is_every = atom.quantity is Quantity.EVERY
        table = reading.bodies[reading.quantifiers.index(atom)] ^ is_every  # [own classes, kinds]
        found: Tensor | None = None
        own: Tensor | None = None
        for kind in table.any(0).nonzero().flatten().tolist():
            there = shared.present(kind)
            if not bool(table[:, kind].all()):
                own = plan.own_class(batch).int() if own is None else own
                there = there & table[:, kind].to(there.device).index_select(0, own)
            found = there if found is None else found | there
        if found is None:
            found = torch.zeros(shared.count, dtype=torch.bool, device=self.graph.device)
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


def _is_of_others(atom: Quantified) -> bool:
    return all(term.whose is Whose.ITS for term in terms(atom.body))


def marked_kinds(plan: ReadingOnGraph, shared: int, view: View, batch: Batch) -> Tensor:
    """[kinds, N] bools: is one of a kind in view? Kinds are labels alone. shared: the number of all that ask for the same."""
    if shared not in batch.marks:
        found = torch.zeros(plan.reading.num_kinds * plan.count, dtype=torch.bool, device=plan.graph.device)
        # writing True twice is the same as once, so all kinds are marked in one pass
        rows = plan.kinds(batch).long().mul_(plan.count)
        found.scatter_(0, rows.index_select(0, view.others).add_(view.group), True)
        batch.marks[shared] = found.view(plan.reading.num_kinds, plan.count)
    return batch.marks[shared]


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


def _on_pairs(formula: Formula, plan: ReadingOnGraph, batch: Batch, looks: Tensor, others: Tensor) -> Tensor | bool:
    """What a statement says of every pair. What speaks of one side alone is found there first, and then handed along."""
    whose = {term.whose for term in terms(formula)}
    if len(whose) == 1:
        found = holds(formula, lambda atom: _says(atom, plan.reading, lambda term: plan.value(term, batch)))
        return found if isinstance(found, bool) else _handed(found, others if whose == {Whose.ITS} else looks)
    match formula:
        case Constant(value):
            return value
        case Not(term):
            inner = _on_pairs(term, plan, batch, looks, others)
            return not inner if isinstance(inner, bool) else ~inner
        case And(parts) | Or(parts):
            sides = [[part for part in parts if {t.whose for t in terms(part)} == {side}] for side in Whose]
            rest = [part for part in parts if not any(part in side for side in sides)]
            grouped = [type(formula)(tuple(side)) if len(side) > 1 else side[0] for side in sides if side] + rest
            result: Any = _on_pairs(grouped[0], plan, batch, looks, others)
            for part in grouped[1:]:
                further: Any = _on_pairs(part, plan, batch, looks, others)
                result = result & further if isinstance(formula, And) else result | further
            return result

    def of_term(term: Term) -> Tensor:
        return plan.value(term, batch).index_select(0, others if term.whose is Whose.ITS else looks)

    return _says(formula, plan.reading, of_term)


def _handed(found: Tensor, along: Tensor) -> Tensor:
    return found.view(torch.uint8).index_select(0, along).view(torch.bool)

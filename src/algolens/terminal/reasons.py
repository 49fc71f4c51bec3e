"""Why something was decided and seen: the parts that decide, and who in view makes them so.

The player says the same. Below, which nodes an outcome of the graph rests on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import networkx as nx
import torch
from torch import Tensor

from algolens.execution import Run
from algolens.execution.numbers import given_numbers
from algolens.extraction.decisions import why_output
from algolens.fields import Category, Mask, Number
from algolens.graphs import Graph, Location
from algolens.logic import Formula
from algolens.logic.formula import TEXT, And, Constant, Not, Notation, Or, formula_text
from algolens.logic.rule_set import RuleSet
from algolens.looks import (
    Comparison,
    Order,
    Quantified,
    Quantity,
    Relation,
    Statement,
    Term,
    Test,
    Whose,
    parse_look,
    statement_text,
)
from algolens.looks.language import atoms, holds
from algolens.looks.scope import NUMBER, ResolvedTerm
from algolens.terminal.names import element_name, value_in_words, written

MOST_NAMED = 6  # of those in view, so many are named; of more, a count
# others as they are typed
SIGNS = {Order.DIFFERENT: "≠", Order.NOT_HIGHER: "≤", Order.NOT_LOWER: "≥"}


def reasons_at(run: Run, step: int, output: str, rule_set: RuleSet) -> list[str]:
    """Why an output is as it is at every element after a step; found once for each pattern."""
    decided, patterns = run.outputs[output][step].tolist(), run.patterns_at(step).tolist()
    known: dict[tuple[Any, ...], str] = {}
    reasons = []
    for place, (label, pattern) in enumerate(zip(decided, patterns, strict=True)):
        if (key := (label, *pattern)) not in known:
            known[key] = because(run, step, place, output, rule_set)
        reasons.append(known[key])
    return reasons


def because(
    run: Run, step: int, i: int, output: str, rule_set: RuleSet, notation: Notation = TEXT
) -> str:
    """The part of a rule that gave an output at a step; where it fails, what stood against it."""
    why = why_output(run, step, i, output, rule_set)
    return ("" if why.holds else "although ") + formula_text(why.reason, notation)


class StepSeen:
    """What one step of a run of one graph saw: by the network, and for the rest as declared.

    Parameters
    ----------
    run : Run
        Of an algorithm that declares a look.
    step : int
        From 0 on.
    """

    def __init__(self, run: Run, step: int) -> None:
        declaration = run.algorithm.declaration
        assert declaration.seen is not None
        self.run, self.look = run.with_trace(), declaration.seen
        on_graph = self.look.on(run.graph)
        state = {name: run.state(name)[step] for name in run.start}
        self.observer, self.batch = on_graph.observer, on_graph.batch(run.inputs, state)
        self.statements = {statement.name: statement for statement in self.look.statements}
        for name, statement in self.statements.items():
            is_seen = (run.has_concepts and name in declaration.concepts) or name in run.hints
            self.batch.add(
                name, run[name][step] if is_seen else self.observer.observe(statement, self.batch)
            )

    def reasons(self, name: str, element: int) -> list[str]:
        """Why an observation is as it is at an element: the parts of its statement that decide."""
        statement = self.statements[name]
        compiled = self.observer.compile(statement)
        kinds: dict[int, int] = {}
        if statement.relation is not None:
            others = torch.tensor(self.in_view(statement.relation, element), dtype=torch.int64)
            of_pairs = compiled.kinds(self.batch, torch.full_like(others, element), others)
            kinds = dict(zip(others.tolist(), of_pairs.tolist(), strict=True))
        own = int(compiled.own_class(self.batch)[element])
        looking = _Looking(self, statement, element, own, kinds)
        return [
            looking.quantified(atom, truth)
            if isinstance(atom, Quantified)
            else looking.in_words(atom, truth, Whose.MY)
            for atom, truth in _deciding(statement.formula, looking.says)
        ]

    def declared(self, name: str, element: int) -> bool:
        """What the statement gives, where a run may have seen otherwise."""
        return self._observed(self.statements[name], element)

    def _observed(self, statement: Statement, element: int) -> bool:
        return bool(self.observer.observe(statement, self.batch)[element])

    def moved(self, name: str, element: int) -> str | None:
        """By which move a pointer or number becomes what it is, and whose; None where it stays."""
        for mover in self.look.movers:
            move = mover.move
            if mover.name != name or (
                mover.guard is not None and not self._observed(mover.guard, element)
            ):
                continue
            if move.relation is None or mover.mark is None:
                return str(move)
            is_marked = self.observer.observe(mover.mark, self.batch)
            for other in self.in_view(move.relation, element):
                if is_marked[other]:
                    return f"{move}: {element_name(self.run.graph, move.relation.others, other)}"
        return None

    def in_view(self, relation: Relation, element: int) -> list[int]:
        """Those that an element has in view, in order."""
        view = self.batch.view(relation)
        groups = torch.tensor([element]) if view.own_groups is None else view.own_groups[:, element]
        others = view.others[torch.isin(view.group, groups)].unique()
        return others[others != element].tolist() if view.others_only else others.tolist()

    @cached_property
    def _given(self) -> dict[str, list[Any]]:
        """Inputs that are numbers, as the user wrote them."""
        run = self.run
        return {
            name: given_numbers(run.algorithm, run.graph, run.inputs, name)
            for name, field in run.algorithm.declaration.inputs.items()
            if isinstance(field.kind, Number)
        }

    def value(self, term: ResolvedTerm, element: int) -> str:
        """What a path leads to from an element, by the user's own names and numbers."""
        end = ResolvedTerm(term.own, term.steps, term.at, None, None)
        place, value = (int(self.batch.of(path)[element]) for path in (end, term))
        if term.field is None:
            is_graph = term.at is Location.GRAPH
            return "the graph" if is_graph else element_name(self.run.graph, term.at, place)
        if term.field in self._given:
            return written(self._given[term.field][place])
        if term.field == NUMBER:
            return str(value)
        match term.kind:
            case Category() as kind:
                return kind.labels[value]
            case Mask():
                return value_in_words(bool(value))
        return written(self.run.in_own_units(term.field, [value])[0])


@dataclass(frozen=True)
class _Looking:
    """One element that looks at others: its own class, and the kind of each in view."""

    seen: StepSeen
    statement: Statement
    me: int
    own: int
    kinds: dict[int, int]

    def says(self, formula: Formula, other: int | None = None) -> bool:
        """Whether a part of the statement holds; inside a quantified one, of one in view."""

        def of_atom(atom: Formula) -> bool:
            if isinstance(atom, Quantified):
                return bool(atom.holds(len(self._counted(atom))))
            kind = None if other is None else self.kinds[other]
            return self.statement.atom_holds(atom, self.own, kind)

        return bool(holds(formula, of_atom))

    def _counted(self, atom: Quantified) -> list[int]:
        """Those in view that a quantified statement counts."""
        counts = self.statement.counted[self.statement.quantifiers.index(atom), self.own]
        return [other for other, kind in self.kinds.items() if counts[kind]]

    def quantified(self, atom: Quantified, truth: bool) -> str:
        """A quantified statement, and those in view by whom it holds or does not."""
        counted, location = self._counted(atom), atom.relation.others
        is_every = atom.quantity is Quantity.EVERY
        shown = counted if truth is not is_every else list(self.kinds)
        parts = {it: _deciding(atom.body, partial(self.says, other=it)) for it in shown}
        # one that fails by a comparison of numbers tells more than one that fails before it
        shown.sort(key=lambda it: not any(isinstance(part, Comparison) for part, _ in parts[it]))
        alike: dict[str, list[str]] = {}  # those of whom the same is to be said, together
        for it in shown[:MOST_NAMED]:
            said = ", ".join(self.in_words(part, is_so, Whose.ITS, it) for part, is_so in parts[it])
            alike.setdefault(said, []).append(element_name(self.seen.run.graph, location, it))
        evidence = [
            f"{', '.join(names)} ({said})" if said else ", ".join(names)
            for said, names in alike.items()
        ]
        if len(shown) > MOST_NAMED:
            evidence.append(f"and {len(shown) - MOST_NAMED} more")
        text = self._said(atom, truth, len(counted))
        return f"{text}: {'; '.join(evidence)}" if evidence else text

    def _said(self, atom: Quantified, truth: bool, counted: int) -> str:
        if atom.quantity is Quantity.SOME:
            text = statement_text(atom if truth else Not(atom))
        else:
            text = ("" if truth else "not ") + statement_text(atom)
        if atom.quantity is Quantity.AT_LEAST:
            text += f", and {counted} of {len(self.kinds)} {'is' if counted == 1 else 'are'} so"
        return text if self.kinds else f"{text}, and there is no {atom.relation.phrase(1)}"

    def in_words(self, atom: Formula, truth: bool, subject: Whose, other: int | None = None) -> str:
        """An atom with the values that it speaks of: ``priority 3 < 12``, ``not visited``."""

        def value(term: Term) -> str:
            element = self.me if term.whose is Whose.MY or other is None else other
            return self.seen.value(self.statement.resolve(term), element)

        if isinstance(atom, Test):
            said = statement_text(Test(atom.term), subject)
            if atom.label is None:
                return said if truth else f"not {said}"
            return f"{said} is {value(atom.term)}"
        assert isinstance(atom, Comparison)
        order = atom.order if truth else atom.order.opposite
        names = _joined([term.bare for term in atom.left if term.path])
        left, right = (_joined(list(map(value, side))) for side in atom.sides)
        return f"{names} {left} {SIGNS.get(order, order.value)} {right}".strip()


def _deciding(formula: Formula, says: Callable[[Formula], bool]) -> list[tuple[Formula, bool]]:
    """The atoms that decide a formula, with their truth: all of an "and" that holds, or one."""

    def decide(part: Formula) -> Iterator[tuple[Formula, bool]]:
        match part:
            case Constant():
                return
            case Not(term):
                yield from decide(term)
            case And(terms) | Or(terms):
                truth = says(part)
                needed = terms  # every part of an "and" that holds, and of an "or" that does not
                if truth is not isinstance(part, And):
                    needed = (next(term for term in terms if says(term) is truth),)
                for term in needed:
                    yield from decide(term)
            case _:
                yield part, says(part)

    return list(dict.fromkeys(decide(formula)))


def _joined(texts: list[str]) -> str:
    return texts[0] if len(texts) == 1 else f"({', '.join(texts)})" if texts else ""


# ---- outcomes of the graph


def outcome_witnesses(run: Run, outcome: str) -> list[int]:
    """The elements that show an outcome true, where some are said to be so, or else false.

    Of ``no node (shares_side)``, those that do; of ``every node (is_placed)``, those that are not.
    None where the outcome speaks of anything but concepts.
    """
    declaration = run.algorithm.declaration
    formula = parse_look(declaration.look[outcome].text, Location.GRAPH)
    quantified = formula.term if isinstance(formula, Not) else formula
    if (
        not run.has_concepts
        or not isinstance(quantified, Quantified)
        or quantified.quantity is Quantity.AT_LEAST
        or quantified.relation.others is not declaration.location
    ):
        return []
    concepts: dict[Formula, int] = {
        atom: declaration.concepts.index(atom.term.path[0])
        for atom in atoms(quantified.body)
        if isinstance(atom, Test)
        and len(atom.term.path) == 1
        and atom.term.path[0] in declaration.concepts
    }
    if not all(atom in concepts for atom in atoms(quantified.body)):
        return []
    counted = holds(quantified.counted, lambda atom: run.resting[:, concepts[atom]])
    return counted.nonzero().flatten().tolist()


def odd_cycle(graph: Graph, side: Tensor, places: Sequence[int]) -> list[int]:
    """A cycle of odd length through an edge between two of these nodes on one side; or none.

    Two ends on one side are an even number of edges apart that change sides. side: [N] 0 or 1.
    """
    edges, sides = graph.edges.T.tolist(), side.tolist()
    alternating = nx.Graph((u, v) for u, v in edges if sides[u] != sides[v])
    alternating.add_nodes_from(places)
    for u, v in edges:
        is_odd = {u, v} <= set(places) and sides[u] == sides[v]
        if is_odd and nx.has_path(alternating, u, v):
            return nx.shortest_path(alternating, v, u)
    return []

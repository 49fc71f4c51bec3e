"""The smallest statement that says what a stage computes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import prod

import numpy as np
import torch
from numpy import ndarray

from algolens.engines import Run
from algolens.engines.tensors import Running
from algolens.language.finite import (
    FALSE_TRUE,
    Closure,
    Feature,
    Label,
    Statement,
    closure,
    has_value,
)
from algolens.language.ir import (
    FALSE,
    TRUE,
    And,
    Compare,
    Const,
    Expr,
    Not,
    Or,
    Quantified,
    View,
    atoms,
    conjunction,
    disjunction,
    rebuilt,
)
from algolens.logic import Formula, factored, minimal_rules, pack
from algolens.logic import formula as logic
from algolens.logic.formula import conjuncts
from algolens.models.exact import Exact, StageTable, classes

MOST_GRAPHS = 200  # whose runs are gone through


@dataclass(frozen=True, eq=False)
class Cases:
    """Each case once: own class, what was met of each statement, what the stage concludes."""

    own: ndarray  # [M]
    met: ndarray  # [M, Q] how many in view satisfy each statement, as far as it is counted
    concluded: ndarray  # [M] bools
    reached: Sequence[tuple[Closure, int, ndarray]]  # where each is a case, and of which classes

    def __len__(self) -> int:
        return len(self.own)

    def neighbours(self, case: int) -> list[int]:
        """Neighbour classes that bring a case about, as few as can be."""
        closed, place, kinds = self.reached[case]
        return kinds[closed.neighbours_of(place)].tolist()


@dataclass(frozen=True, eq=False)
class Possible:
    """Which cases count: all of them, or only what was met in runs."""

    own: ndarray  # [own classes] bools
    kinds: ndarray  # [own classes, neighbour classes] bools

    @classmethod
    def every(cls, statement: Statement, *, counts: bool = True) -> Possible:
        """Whether everything counts that a statement can come upon, or nothing yet."""
        own, kinds = statement.num_own, statement.num_neighbours
        return cls(np.full(own, counts), np.full((own, kinds), counts))


def all_cases(
    statement: Statement,
    table: StageTable,
    possible: Possible,
    bodies: ndarray,
    most: Sequence[int],
    limit: int | None = None,
) -> Cases:
    """All that an element can come upon, by the table of a stage.

    bodies: [Q, own classes, kinds] which kinds each statement counts. most: [Q] up to how many.
    limit: cases of one own class.
    """
    own, received, reached = [], [np.zeros((0, 1 + len(most)), np.int64)], []
    for number in np.flatnonzero(possible.own).tolist():
        kinds = np.flatnonzero(possible.kinds[number])
        start = int(table.first[number]), table.after[:, kinds]
        closed = closure(bodies[:, number, kinds].T, np.array(most), limit, start)
        there = closed.cases(statement.exactly)
        own += [number] * len(there)
        received.append(closed.received[there])
        reached += [(closed, case, kinds) for case in there.tolist()]
    states = np.concatenate(received)
    return Cases(np.array(own, int), states[:, 1:], table.concluded[states[:, 0]], reached)


@torch.no_grad()
def met_in_runs(perceiver: Exact, truth: Run) -> dict[str, Possible]:
    """For each observation the own classes that came, and the neighbours that each had in view.

    Parameters
    ----------
    perceiver
        An exact network's perceiver.
    truth
        True runs, of which all states count.

    Returns
    -------
    dict
        By the names of observations.
    """
    truth = truth.take(range(min(MOST_GRAPHS, truth.graph.num_graphs)))
    declared = perceiver.statements
    met = {name: Possible.every(statement, counts=False) for name, statement in declared.items()}
    for seen in seen_in_states(truth, list(declared.values())):
        for possible, (own, looks, neighbours) in zip(met.values(), seen, strict=True):
            possible.own[own] = True
            possible.kinds[own[looks], neighbours] = True
    return met


def seen_in_states(
    run: Run, statements: Sequence[Statement]
) -> Iterator[list[tuple[ndarray, ndarray, ndarray]]]:
    """In each state, of each statement: own classes; of pairs in view, who looks, and the
    neighbour class.
    """
    run = run.to("cpu")
    running = Running(run.algorithm.declaration.program, run.graph)
    states = {name: run.state(name) for name in run.start}
    for step in range(run.num_steps + 1):
        running.look(run.inputs, {name: value[step] for name, value in states.items()})
        seen = (classes(statement, running.tensors) for statement in statements)
        yield [(own.numpy(), looks.numpy(), kinds.numpy()) for own, looks, kinds in seen]


# neighbour classes that a stage tells apart for one own class, up to which all unions are tried
MOST_GROUPS = 4
MOST_CASES = 20_000  # of one own class; of more, no statement is searched for
MOST_SLOTS = 2  # quantified statements that are searched for; beyond it, one for each group


@dataclass(frozen=True, eq=False)
class Statements:
    """Atomic statements with their opposites, and in which of M cases each is true."""

    said: tuple[tuple[Expr, Expr], ...]  # A, each with its opposite
    holds: ndarray  # [M, A] bools

    @classmethod
    def of(cls, features: Sequence[Feature]) -> Statements:
        """All that can be said of features, in every combination of values, numbered as there."""
        sizes = [feature.size for feature in features]
        numbers = np.indices(sizes).reshape(len(sizes), prod(sizes))
        said: list[tuple[Expr, Expr]] = []
        columns = []
        for feature, mine in zip(features, numbers, strict=True):
            values = set(range(feature.size))
            has_classes = isinstance(feature, Label) and feature.labels != FALSE_TRUE
            # of a truth value, it is said that it is true
            for value in values if len(values) > 2 or has_classes else (1,):
                atom, other = has_value(feature, {value}), has_value(feature, values - {value})
                said.append((atom, Not(atom) if isinstance(feature, Label) else other))
                columns.append(mine == value)
        holds = np.array(columns, bool).reshape(len(said), prod(sizes)).T
        return cls(tuple(said), holds)

    def at(self, cases: ndarray) -> Statements:
        """The same statements in some of the cases, in any order."""
        return Statements(self.said, self.holds[cases])

    def beside(self, said: Sequence[tuple[Expr, Expr]], holds: ndarray) -> Statements:
        """With further statements, in the same cases."""
        return Statements((*self.said, *said), np.concatenate([self.holds, holds], 1))

    def literal(self, place: int, *, is_said: bool) -> Expr:
        """A statement said, or denied: by the one that is true where it is not, if there is one."""
        opposites = np.flatnonzero((self.holds == ~self.holds[:, [place]]).all(0))
        if is_said or not len(opposites):
            return self.said[place][not is_said]
        return self.said[opposites[0]][0]


@dataclass(frozen=True)
class Worded:
    """A statement, and what is known of its size as an "or" of clauses."""

    value: Expr
    proven: bool  # none with fewer clauses says the same, and none with as few and fewer literals
    size: tuple[int, int, int]  # clauses, literals, and how many of these are negated


def worded(statements: Statements, true: ndarray) -> Worded:
    """The smallest statement that is true in the cases [M] that are, and in no other of these."""
    names = [f"statement_{place}" for place in range(len(statements.said))]
    patterns = pack(statements.holds)
    minimised = minimal_rules(names, np.unique(patterns[true]), np.unique(patterns[~true]))

    def said(formula: Formula) -> Expr:
        match formula:
            case logic.Constant(value):
                return Const(value)
            case logic.And() | logic.Or():
                join = conjunction if isinstance(formula, logic.And) else disjunction
                return join(*map(said, formula.parts))
        is_said = isinstance(formula, logic.Concept)
        return statements.literal(names.index(formula.names[0]), is_said=is_said)

    literals = [
        said(term) for clause in minimised.clauses for term in conjuncts(clause) if term.names
    ]
    negated = sum(
        isinstance(term, Not) or (isinstance(term, Compare) and term.op == "!=")
        for term in literals
    )
    size = len(minimised.clauses), len(literals), negated
    return Worded(said(factored(minimised.formula)), minimised.proven, size)


def statement_of(statement: Statement, table: StageTable, possible: Possible) -> Worded:
    """The smallest statement that is true exactly where a stage concludes so."""
    own, view, most = Statements.of(statement.own), statement.view, statement.most
    if view is None:
        classes = np.flatnonzero(possible.own)
        return worded(own.at(classes), table.concluded[table.first[classes]])
    inside = [_body(statement, slot, possible) for slot in _slots(statement, table, possible)]
    grid = statement.num_own, statement.num_neighbours
    axes = *statement.own, *statement.others
    bodies = np.array([statement.table(some.value, axes).reshape(grid) for some, _ in inside], bool)
    stops = [most] * len(inside)
    cases = all_cases(statement, table, possible, bodies.reshape(-1, *grid), stops, MOST_CASES)
    some_of = [
        quantified(view, some.value, count) for some, _ in inside for count in range(1, most + 1)
    ]
    is_met = (cases.met[:, :, None] > np.arange(most)).reshape(len(cases), len(some_of))
    outside = worded(
        own.at(cases.own).beside([(said, Not(said)) for said in some_of], is_met), cases.concluded
    )
    proven = outside.proven and len(inside) <= 1 and all(some.proven for some, _ in inside)
    value = outside.value
    for some, opposite in inside:
        if opposite.size < some.size and opposite.value not in (FALSE, TRUE):
            value = _as_every(value, quantified(view, some.value, 1), opposite.value)
    return Worded(value, proven, outside.size)


# a quantified statement: for each own class that it matters to, the kinds that satisfy it
_Slot = dict[int, frozenset[int]]


def _slots(statement: Statement, table: StageTable, possible: Possible) -> list[_Slot]:
    """As few quantified statements as were found to settle what the stage concludes."""
    needed = [
        (own, _settling(statement, table, possible, own))
        for own in np.flatnonzero(possible.own).tolist()
    ]
    slots: list[_Slot] = []
    for own, choices in sorted(needed, key=lambda pair: -len(pair[1][0])):
        known = {body for slot in slots for body in slot.values()}
        bodies = max(choices, key=lambda choice: sum(body in known for body in choice))
        slots += [{} for _ in range(len(bodies) - len(slots))]
        free = list(range(len(slots)))
        for body in bodies:  # to where most is said alike of other own classes
            place = max(
                free,
                key=lambda place, body=body: sum(  # type: ignore[misc]
                    len(body & other) / len(body | other) for other in slots[place].values()
                ),
            )
            free.remove(place)
            slots[place][own] = body
    return slots


def _settling(
    statement: Statement, table: StageTable, possible: Possible, own: int
) -> list[tuple[frozenset[int], ...]]:
    """The fewest sets of kinds of which it suffices to know how many are in view: all choices."""
    groups = _groups(statement, table, possible, own)
    only = Possible(np.arange(statement.num_own) == own, possible.kinds)

    def settles(choice: Sequence[frozenset[int]]) -> bool:
        bodies = np.zeros((len(choice), statement.num_own, statement.num_neighbours), bool)
        for place, body in enumerate(choice):
            bodies[place, own, list(body)] = True
        stops = [statement.most] * len(choice)
        cases = all_cases(statement, table, only, bodies, stops, MOST_CASES)
        both = np.column_stack([cases.met, cases.concluded])
        return len(np.unique(cases.met, axis=0)) == len(np.unique(both, axis=0))

    if len(groups) <= MOST_GROUPS:
        unions = [
            frozenset().union(*some)
            for count in range(1, len(groups) + 1)
            for some in combinations(groups, count)
        ]
        for count in range(min(MOST_SLOTS, len(unions)) + 1):
            if choices := list(filter(settles, combinations(unions, count))):
                return choices
    return [tuple(groups)]


def _groups(
    statement: Statement, table: StageTable, possible: Possible, own: int
) -> list[frozenset[int]]:
    """The kinds that make a difference to an own class; those that make the same one together."""
    exactly, kinds = statement.exactly, np.flatnonzero(possible.kinds[own])
    # the cases that others can lead to; of exactly so many, before the last of them is there
    reached, after = table.first[[own]], table.after[:, kinds]
    if exactly is not None:
        for _ in range(exactly - 1):
            reached = np.unique(after[reached])
    else:
        while len(grown := np.union1d(reached, after[reached])) > len(reached):
            reached = grown
    groups: dict[bytes, list[int]] = {}
    for kind, leads in zip(kinds.tolist(), after[reached].T, strict=True):
        # once all are there, only what is concluded counts
        key = leads if exactly is None else table.concluded[leads]
        if exactly is not None or (leads != reached).any():
            groups.setdefault(key.tobytes(), []).append(kind)
    return [frozenset(group) for group in groups.values()]


def _body(statement: Statement, slot: _Slot, possible: Possible) -> tuple[Worded, Worded]:
    """A statement about one in view, and its opposite."""
    pairs = [(own, int(kind)) for own in slot for kind in np.flatnonzero(possible.kinds[own])]
    true = np.array([kind in slot[own] for own, kind in pairs], bool)
    owns, kinds = np.array(pairs, np.int64).reshape(-1, 2).T
    statements = Statements.of(statement.others).at(kinds)
    if np.intersect1d(kinds[true], kinds[~true]).size:  # it depends on who looks
        mine = Statements.of(statement.own).at(owns)
        statements = statements.beside(mine.said, mine.holds)
    return worded(statements, true), worded(statements, ~true)


def quantified(view: View, body: Expr, count: int) -> Quantified:
    """That at least so many in view are so."""
    return Quantified("some" if count == 1 else "at least", view, body, count)


def _as_every(said: Expr, some: Quantified, opposite: Expr) -> Expr:
    """A statement in which one is only denied, by what is so of every one in view."""

    def changed(node: Expr) -> Expr:
        if node == Not(some):
            return Quantified("every", some.view, opposite)
        return rebuilt(node, changed) if isinstance(node, And | Or) else node

    shorter = changed(said)
    return said if some in atoms(shorter) else shorter

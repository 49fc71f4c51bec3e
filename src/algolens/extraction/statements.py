"""The smallest statement that says what a stage computes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations
from math import prod
from typing import Any

import numpy as np
import torch
from numpy import ndarray

from algolens.engines import Run
from algolens.engines.tensors import Running
from algolens.errors import ExtractionError
from algolens.language.finite import FALSE_TRUE, Feature, Label, Statement, has_value, holds
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
from algolens.language.lower import OPPOSITE
from algolens.logic import Formula, factored, minimal_rules, pack
from algolens.logic import formula as logic
from algolens.logic.formula import conjuncts
from algolens.models.exact import Exact, StageTable
from algolens.models.exact.classes import classes

MOST_GRAPHS = 200  # whose runs are gone through


@dataclass(frozen=True, eq=False)
class Cases:
    """Each case once: own class, what was met of each statement, what the stage concludes."""

    own: ndarray  # [M]
    met: ndarray  # [M, Q] how many in view satisfy each statement, as far as it is counted
    concluded: ndarray  # [M] bools
    kinds: Sequence[tuple[int, ...]]  # of each, the fewest others that bring it about

    def __len__(self) -> int:
        return len(self.own)


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


_State = tuple[int, tuple[int, ...]]  # a case of the stage, and what was met
_States = dict[_State, tuple[int, ...]]  # with the kinds that lead to each: as few as can be


def all_cases(
    table: StageTable,
    bodies: ndarray,
    most: Sequence[int],
    exactly: int | None,
    possible: Possible,
    limit: int | None = None,
) -> Cases:
    """All that an element can come upon, by the table of a stage.

    bodies: [Q, own classes, kinds] which kinds each statement counts. most: [Q] up to how many.
    exactly: how many others there always are; None: any number. limit: cases of one own class.
    """
    owns: list[int] = []
    reached: list[tuple[_State, tuple[int, ...]]] = []
    for own in np.flatnonzero(possible.own):
        # of kinds that lead to the same and satisfy the same, one
        steps: dict[bytes, tuple[int, list[int], list[int]]] = {}
        for kind in np.flatnonzero(possible.kinds[own]).tolist():
            after, satisfied = table.after[:, kind], bodies[:, own, kind].astype(int)
            key = after.tobytes() + satisfied.tobytes()
            steps.setdefault(key, (kind, after.tolist(), satisfied.tolist()))

        def following(level: _States, steps: Any = tuple(steps.values())) -> _States:  # noqa: B008
            found: _States = {}
            for (case, met), kinds in level.items():
                for kind, after, satisfied in steps:
                    counts = zip(met, satisfied, most, strict=True)
                    more = tuple(min(count + new, stop) for count, new, stop in counts)
                    found.setdefault((after[case], more), (*kinds, kind))
            return found

        level: _States = {(int(table.first[own]), (0,) * len(most)): ()}
        known = level
        if exactly is not None:
            for _ in range(exactly):
                known = following(known)
        while exactly is None and level:
            level = {state: by for state, by in following(level).items() if state not in known}
            known = known | level
            if limit is not None and len(known) > limit:
                raise ExtractionError(
                    f"what is concluded depends on more than {limit:,} cases of others in view."
                )
        owns += [int(own)] * len(known)
        reached += known.items()
    return Cases(
        np.array(owns, np.int64),
        np.array([met for (_, met), _ in reached], np.int64).reshape(len(reached), len(most)),
        table.concluded[np.array([case for (case, _), _ in reached], np.int64)],
        [kinds for _, kinds in reached],
    )


def declared_cases(
    statement: Statement, table: StageTable, possible: Possible
) -> tuple[Cases, ndarray]:
    """All cases beside the declared statement, and [M] bools: what is declared in each."""
    bodies, most = statement.counted, [part.count for part in statement.quantifiers]
    cases = all_cases(table, bodies, most, statement.exactly, possible)
    return cases, statement.truth_where_met(cases.own, cases.met)


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

    atoms: tuple[Expr, ...]
    opposites: tuple[Expr, ...]
    holds: ndarray  # [M, A] bools

    @classmethod
    def of(cls, features: Sequence[Feature]) -> Statements:
        """All that can be said of features, in every combination of values, numbered as there."""
        sizes = [feature.size for feature in features]
        values = np.indices(sizes).reshape(len(sizes), prod(sizes))
        said: list[Expr] = []
        opposites: list[Expr] = []
        columns = []
        for feature, mine in zip(features, values, strict=True):
            # of a truth value, it is said that it is true
            for value in range(feature.size) if feature.size > 2 or _has_classes(feature) else (1,):
                atom = has_value(feature, {value})
                said.append(atom)
                opposites.append(Not(atom) if isinstance(feature, Label) else denied(atom))
                columns.append(mine == value)
        holds = np.array(columns, bool).reshape(len(said), prod(sizes)).T
        return cls(tuple(said), tuple(opposites), holds)

    @classmethod
    def quantified(cls, atoms: Sequence[Quantified], holds: ndarray) -> Statements:
        """Statements about those in view, and where each is true."""
        return cls(tuple(atoms), tuple(map(Not, atoms)), holds)

    def at(self, cases: ndarray) -> Statements:
        """The same statements in some of the cases, in any order."""
        return Statements(self.atoms, self.opposites, self.holds[cases])

    def beside(self, other: Statements) -> Statements:
        """Statements of both, in the same cases."""
        both = np.concatenate([self.holds, other.holds], 1)
        return Statements(self.atoms + other.atoms, self.opposites + other.opposites, both)

    def evaluate(self, statement: Expr) -> ndarray:
        """[M] bools: in which of the cases one that is made of these is true."""

        def of_atom(atom: Expr) -> ndarray:
            if atom in self.atoms:
                return self.holds[:, self.atoms.index(atom)]
            return ~self.holds[:, self.opposites.index(atom)]

        return np.broadcast_to(np.asarray(holds(statement, of_atom), bool), len(self.holds))

    def literal(self, place: int, *, is_said: bool) -> Expr:
        """A statement said, or denied: by the one that is true where it is not, if there is one."""
        if is_said:
            return self.atoms[place]
        opposites = np.flatnonzero((self.holds == ~self.holds[:, [place]]).all(0))
        return self.atoms[opposites[0]] if len(opposites) else self.opposites[place]


def _has_classes(feature: Feature) -> bool:
    return isinstance(feature, Label) and feature.labels != FALSE_TRUE


def denied(atom: Expr) -> Expr:
    """The opposite of an atom that names no class."""
    if isinstance(atom, Compare):
        return Compare(atom.left, OPPOSITE[atom.op], atom.right)
    return Not(atom)


@dataclass(frozen=True)
class Worded:
    """A statement, and what is known of its size as an "or" of clauses."""

    value: Expr
    proven: bool  # none with fewer clauses says the same, and none with as few and fewer literals
    size: tuple[int, int, int]  # clauses, literals, and how many of these are negated


def worded(statements: Statements, true: ndarray) -> Worded:
    """The smallest statement that is true in the cases [M] that are, and in no other of these."""
    names = [f"statement_{place}" for place in range(len(statements.atoms))]
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
    slots = _slots(statement, table, possible)
    inside = [_body(statement, slot, possible) for slot in slots]
    bodies = np.zeros((len(slots), statement.num_own, statement.num_neighbours), bool)
    for place, (_, _, is_true_of) in enumerate(inside):
        bodies[place] = is_true_of
    cases = _cases(statement, table, bodies, possible)
    some_of = [
        quantified(view, some.value, count) for some, _, _ in inside for count in range(1, most + 1)
    ]
    is_met = cases.met[:, :, None] > np.arange(most)
    both = own.at(cases.own).beside(
        Statements.quantified(some_of, is_met.reshape(len(cases), len(some_of)))
    )
    outside = worded(both, cases.concluded)
    proven = outside.proven and len(slots) <= 1 and all(some.proven for some, _, _ in inside)
    value = outside.value
    for some, opposite, _ in inside:
        if opposite.size < some.size and opposite.value not in (FALSE, TRUE):
            value = _as_every(value, quantified(view, some.value, 1), opposite.value)
    return Worded(value, proven, outside.size)


# a quantified statement: for each own class that it matters to, the kinds that satisfy it
_Slot = dict[int, frozenset[int]]


def _cases(statement: Statement, table: StageTable, bodies: ndarray, possible: Possible) -> Cases:
    most = [statement.most] * len(bodies)
    return all_cases(table, bodies, most, statement.exactly, possible, MOST_CASES)


def _slots(statement: Statement, table: StageTable, possible: Possible) -> list[_Slot]:
    """As few quantified statements as were found to settle what the stage concludes."""
    needed = [
        (own, _settling(statement, table, possible, own))
        for own in np.flatnonzero(possible.own).tolist()
    ]
    slots: list[_Slot] = []

    def alike(order: Sequence[int]) -> float:
        """How much bodies have in common with what slots say of other own classes."""
        return sum(
            len(body & other) / len(body | other)
            for place, body in zip(order, bodies, strict=True)
            for other in slots[place].values()
        )

    for own, choices in sorted(needed, key=lambda pair: -len(pair[1][0])):
        bodies = max(
            choices,
            key=lambda choice: sum(any(body in slot.values() for slot in slots) for body in choice),
        )
        slots += [{} for _ in range(len(bodies) - len(slots))]
        order: Sequence[int] = range(len(bodies))
        if len(slots) <= MOST_GROUPS:
            order = max(permutations(range(len(slots)), len(bodies)), key=alike)
        for place, body in zip(order, bodies, strict=True):
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
        cases = _cases(statement, table, bodies, only)
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


def _body(statement: Statement, slot: _Slot, possible: Possible) -> tuple[Worded, Worded, ndarray]:
    """A statement about one in view, its opposite, and [own classes, kinds] of whom it is true."""
    pairs = [(own, int(kind)) for own in slot for kind in np.flatnonzero(possible.kinds[own])]
    true = np.array([kind in slot[own] for own, kind in pairs], bool)
    owns, kinds = np.array(pairs, np.int64).reshape(-1, 2).T
    of_other, of_own = Statements.of(statement.others), Statements.of(statement.own)
    statements = of_other.at(kinds)
    # it depends on who looks
    if not np.array_equal(np.unique(kinds[true]), np.setdiff1d(kinds, kinds[~true])):
        statements = statements.beside(of_own.at(owns))
    some, opposite = (worded(statements, said) for said in (true, ~true))
    shape = statement.num_own, statement.num_neighbours
    own, kind = np.indices(shape).reshape(2, -1)
    everywhere = of_other.at(kind).beside(of_own.at(own))
    return some, opposite, everywhere.evaluate(some.value).reshape(shape)


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

"""The smallest statement that says what a stage computes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations, product
from typing import TypeAlias

import numpy as np
from numpy import ndarray

from algolens.extraction.cases import Cases, Possible, all_cases
from algolens.language.finite import Feature, Label, Meeting, Statement, has_value, holds
from algolens.language.ir import (
    FALSE,
    TRUE,
    Compare,
    Expr,
    Not,
    Quantified,
    View,
    conjunction,
    disjunction,
)
from algolens.language.lower import OPPOSITE
from algolens.logic import minimal_rules, pack
from algolens.logic.formula import Formula
from algolens.logic.formula import Not as Opposite
from algolens.logic.reasoning import conjuncts
from algolens.models.exact import StageTable

# neighbour classes that a stage tells apart for one own class, up to which all unions are tried
MOST_GROUPS = 4
MOST_CASES = 20_000  # of one own class; of more, no statement is searched for
MOST_SLOTS = 2  # quantified statements that are searched for; beyond it, one for each group
Clauses: TypeAlias = tuple[tuple[Expr, ...], ...]  # joined by "or", the literals of each by "and"


@dataclass(frozen=True, eq=False)
class Statements:
    """Atomic statements with their opposites, and in which of M cases each is true."""

    atoms: tuple[Expr, ...]
    opposites: tuple[Expr, ...]
    holds: ndarray  # [M, A] bools

    @classmethod
    def of(cls, features: Sequence[Feature]) -> Statements:
        """All that can be said of features, in every combination of values, numbered as there."""
        cases = list(product(*(range(feature.size) for feature in features)))
        values = np.array(cases, np.int64).reshape(len(cases), len(features))
        said = [
            (place, value, has_value(feature, {value}), isinstance(feature, Label))
            for place, feature in enumerate(features)
            for value in _said_values(feature)
        ]
        columns = [values[:, place] == value for place, value, *_ in said]
        return cls(
            tuple(atom for *_, atom, _ in said),
            tuple(Not(atom) if is_label else denied(atom) for *_, atom, is_label in said),
            np.array(columns, bool).reshape(len(said), len(cases)).T,
        )

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


def _said_values(feature: Feature) -> Sequence[int]:
    """The values of which it is said that a feature has them: of truth, the second."""
    match feature:
        case Label(labels=("false", "true")) | Meeting():
            return (1,)
    return range(feature.size)


def denied(atom: Expr) -> Expr:
    """The opposite of an atom that names no class."""
    if isinstance(atom, Compare):
        return Compare(atom.left, OPPOSITE[atom.op], atom.right)
    return Not(atom)


@dataclass(frozen=True)
class Worded:
    """A statement as an "or" of clauses, and what is known of its size."""

    clauses: Clauses
    proven: bool  # none with fewer clauses says the same, and none with as few and fewer literals

    @property
    def size(self) -> tuple[int, int, int]:
        """Clauses, literals, and how many of these are negated."""
        literals = [term for clause in self.clauses for term in clause]
        return len(self.clauses), len(literals), sum(map(_is_negated, literals))

    @property
    def value(self) -> Expr:
        """The statement; literals that all clauses share stand outside."""
        if not self.clauses:
            return FALSE
        first, *others = self.clauses
        shared = [term for term in first if all(term in clause for clause in others)]
        rests = [
            conjunction(*(term for term in clause if term not in shared)) for clause in self.clauses
        ]
        # a clause without a rest holds wherever the others do
        return conjunction(*([] if TRUE in rests else [disjunction(*rests)]), *shared)


def worded(statements: Statements, true: ndarray) -> Worded:
    """The smallest statement that is true in the cases [M] that are, and in no other of these."""
    names = [f"statement_{place}" for place in range(len(statements.atoms))]
    patterns = pack(statements.holds)
    minimised = minimal_rules(names, np.unique(patterns[true]), np.unique(patterns[~true]))

    def literal(term: Formula) -> Expr:
        is_said = not isinstance(term, Opposite)
        return statements.literal(names.index(term.names[0]), is_said=is_said)

    clauses = [
        tuple(literal(term) for term in conjuncts(clause) if term.names)
        for clause in minimised.clauses
    ]
    return Worded(tuple(clauses), minimised.proven)


def _is_negated(literal: Expr) -> bool:
    return isinstance(literal, Not) or (isinstance(literal, Compare) and literal.op == "!=")


def statement_of(statement: Statement, table: StageTable, possible: Possible) -> Worded:
    """The smallest statement that is true exactly where a stage concludes so."""
    own, view = Statements.of(statement.own), statement.view
    if view is None:
        classes = np.flatnonzero(possible.own)
        return worded(own.at(classes), table.concluded[table.first[classes]])
    slots = _slots(statement, table, possible)
    inside = [_body(statement, slot, possible) for slot in slots]
    bodies = np.zeros((len(slots), statement.num_own, statement.num_neighbours), bool)
    for place, (_, _, is_true_of) in enumerate(inside):
        bodies[place] = is_true_of
    cases = _cases(statement, table, bodies, possible)
    counted = [
        (slot, count) for slot in range(len(slots)) for count in range(1, statement.most + 1)
    ]
    atoms = [quantified(view, inside[slot][0].value, count) for slot, count in counted]
    is_met = np.zeros((len(cases), len(counted)), bool)
    for place, (slot, count) in enumerate(counted):
        is_met[:, place] = cases.met[:, slot] >= count
    both = own.at(cases.own).beside(Statements.quantified(atoms, is_met))
    outside = worded(both, cases.concluded)
    proven = outside.proven and len(slots) <= 1 and all(some.proven for some, _, _ in inside)
    clauses = outside.clauses
    for some, opposite, _ in inside:
        clauses = _as_every(clauses, quantified(view, some.value, 1), some, opposite)
    return Worded(clauses, proven)


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
    for own, choices in sorted(needed, key=lambda pair: -len(pair[1][0])):
        bodies = max(
            choices,
            key=lambda choice: sum(any(body in slot.values() for slot in slots) for body in choice),
        )
        slots += [{} for _ in range(len(bodies) - len(slots))]
        for place, body in _aligned(slots, bodies):
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
        answers: dict[tuple[int, ...], bool] = {}
        return all(
            answers.setdefault(tuple(met), concluded) == concluded
            for met, concluded in zip(cases.met.tolist(), cases.concluded.tolist(), strict=True)
        )

    if len(groups) <= MOST_GROUPS:
        unions = [
            frozenset().union(*some)
            for count in range(1, len(groups) + 1)
            for some in combinations(groups, count)
        ]
        for count in range(min(MOST_SLOTS, len(unions)) + 1):
            choices = list(filter(settles, combinations(unions, count)))
            if choices:
                return choices
    return [tuple(groups)]


def _groups(
    statement: Statement, table: StageTable, possible: Possible, own: int
) -> list[frozenset[int]]:
    """The kinds that make a difference to an own class; those that make the same one together."""
    after, concluded = table.after, table.concluded
    exactly = statement.exactly
    kinds = np.flatnonzero(possible.kinds[own])
    reached = _closed(int(table.first[own]), after[:, kinds], exactly)
    groups: dict[bytes, list[int]] = {}
    for kind in kinds.tolist():
        leads = after[reached, kind]
        if exactly is None and (leads == reached).all():
            continue
        # once all are there, only what is concluded counts
        key = leads if exactly is None else concluded[leads]
        groups.setdefault(key.tobytes(), []).append(kind)
    return [frozenset(group) for group in groups.values()]


def _closed(first: int, after: ndarray, exactly: int | None) -> ndarray:
    """The cases that others can lead to; of exactly so many, before the last of them is there."""
    level = np.array([first])
    if exactly is not None:
        for _ in range(exactly - 1):
            level = np.unique(after[level])
        return level
    while len(grown := np.union1d(level, after[level])) > len(level):
        level = grown
    return level


def _aligned(
    slots: Sequence[_Slot], bodies: Sequence[frozenset[int]]
) -> Iterator[tuple[int, frozenset[int]]]:
    """Each body with the slot that says most alike of other own classes."""

    def alike(order: tuple[int, ...]) -> float:
        pairs = [
            (body, other)
            for place, body in zip(order, bodies, strict=True)
            for other in slots[place].values()
        ]
        return sum(len(body & other) / len(body | other) for body, other in pairs)

    order = tuple(range(len(bodies)))
    if len(slots) <= MOST_GROUPS:
        order = max(permutations(range(len(slots)), len(bodies)), key=alike)
    return zip(order, bodies, strict=True)


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


def _as_every(clauses: Clauses, some: Quantified, inside: Worded, opposite: Worded) -> Clauses:
    """A statement that is only denied, as one about every one in view where that is shorter."""
    literals = [term for clause in clauses for term in clause]
    is_shorter = opposite.size < inside.size and opposite.value not in (FALSE, TRUE)
    if some in literals or Not(some) not in literals or not is_shorter:
        return clauses
    every = Quantified("every", some.view, opposite.value)
    return tuple(
        tuple(every if term == Not(some) else term for term in clause) for clause in clauses
    )

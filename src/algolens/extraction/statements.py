"""The smallest statement of the look language that says what a stage computes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, permutations, product

import numpy as np

from algolens.extraction.cases import Cases, Possible, all_cases
from algolens.logic import Formula, factored, minimise, pack
from algolens.logic.formula import And, Constant, Not, Or, conjunction, disjunction
from algolens.looks import (
    Compared,
    Comparison,
    Feature,
    Label,
    Meeting,
    Order,
    Quantified,
    Quantity,
    Relation,
    Statement,
    Test,
)
from algolens.looks.language import holds
from algolens.models.exact import StageTable

# of kinds that a stage tells apart for one own class, up to which all unions of them are tried
MOST_GROUPS = 4
MOST_CASES = 20_000  # of one own class; of more, no statement is searched for
MOST_SLOTS = 2  # quantified statements that are searched for; beyond it, one for each group


@dataclass(frozen=True, eq=False)
class Statements:
    """Atomic statements, and in which of M cases each is true."""

    atoms: tuple[Formula, ...]
    holds: np.ndarray  # [M, A] bools

    @classmethod
    def of(cls, features: Sequence[Feature]) -> Statements:
        """All that can be said of features, in every combination of values, numbered as there."""
        cases = list(product(*(range(feature.size) for feature in features)))
        values = np.array(cases, np.int64).reshape(len(cases), len(features))
        said = [
            (place, value, atom)
            for place, feature in enumerate(features)
            for value, atom in _atoms(feature)
        ]
        columns = [values[:, place] == value for place, value, _ in said]
        return cls(
            tuple(atom for *_, atom in said),
            np.array(columns, bool).reshape(len(said), len(cases)).T,
        )

    def at(self, cases: np.ndarray) -> Statements:
        """The same statements in some of the cases, in any order."""
        return Statements(self.atoms, self.holds[cases])

    def beside(self, other: Statements) -> Statements:
        """Statements of both, in the same cases."""
        return Statements(self.atoms + other.atoms, np.concatenate([self.holds, other.holds], 1))

    def evaluate(self, formula: Formula) -> np.ndarray:
        """[M] bools: in which of the cases a formula of these statements is true."""

        def of_atom(atom: Formula) -> np.ndarray:
            if atom in self.atoms:
                return self.holds[:, self.atoms.index(atom)]
            return ~self.holds[:, self.atoms.index(denied(atom))]

        return np.broadcast_to(np.asarray(holds(formula, of_atom), bool), len(self.holds))

    def literal(self, place: int, *, is_said: bool) -> Formula:
        """A statement said, or denied: by the one that is true where it is not, if there is one."""
        if is_said:
            return self.atoms[place]
        opposites = np.flatnonzero((self.holds == ~self.holds[:, [place]]).all(0))
        return self.atoms[opposites[0]] if len(opposites) else denied(self.atoms[place])


def _atoms(feature: Feature) -> list[tuple[int, Formula]]:
    """What can be said of a feature: for each statement the value of which it is true."""
    match feature:
        case Label(term, ("false", "true")):
            return [(1, Test(term))]
        case Label(term, labels):
            return [(value, Test(term, label)) for value, label in enumerate(labels)]
        case Compared(left, right):
            orders = (Order.LOWER, Order.EQUAL, Order.HIGHER)
            return [(value, Comparison(left, order, right)) for value, order in enumerate(orders)]
        case Meeting(left, right):
            return [(1, Comparison((left,), Order.EQUAL, (right,)))]


def denied(atom: Formula) -> Formula:
    """The opposite of an atom, as the look language says it."""
    if isinstance(atom, Comparison):
        return Comparison(atom.left, atom.order.opposite, atom.right)
    return Not(atom)


@dataclass(frozen=True)
class Worded:
    """A statement and what is known of its size."""

    formula: Formula
    size: tuple[int, int, int]  # clauses, literals, and how many of these are negated
    proven: bool  # none with fewer clauses says the same, and none with as few and fewer literals


def worded(statements: Statements, true: np.ndarray) -> Worded:
    """The smallest statement that is true in the cases [M] that are, and in no other of these."""
    names = [f"statement_{place}" for place in range(len(statements.atoms))]
    patterns = pack(statements.holds)
    minimised = minimise(names, np.unique(patterns[true]), np.unique(patterns[~true]))
    clauses = [
        [
            statements.literal(names.index(term.names[0]), is_said=not isinstance(term, Not))
            for term in _terms(clause)
        ]
        for clause in minimised.clauses
    ]
    literals = [term for clause in clauses for term in clause]
    size = len(clauses), len(literals), sum(map(_is_negated, literals))
    return Worded(
        disjunction(*(conjunction(*clause) for clause in clauses)), size, minimised.proven
    )


def _terms(clause: Formula) -> tuple[Formula, ...]:
    if isinstance(clause, And):
        return clause.terms
    return () if clause == Constant(True) else (clause,)


def _is_negated(literal: Formula) -> bool:
    return isinstance(literal, Not) or (
        isinstance(literal, Comparison) and literal.order is Order.DIFFERENT
    )


def statement_of(statement: Statement, table: StageTable, possible: Possible) -> Worded:
    """The smallest statement that is true exactly where a stage concludes so."""
    own = Statements.of(statement.own)
    if statement.relation is None:
        classes = np.flatnonzero(possible.own)
        return _factored(
            worded(own.at(classes), table.concluded.numpy()[table.first.numpy()[classes]])
        )
    slots = _slots(statement, table, possible)
    inside = [_body(statement, slot, possible) for slot in slots]
    bodies = np.zeros((len(slots), statement.num_own, statement.num_kinds), bool)
    for place, (_, _, is_true_of) in enumerate(inside):
        bodies[place] = is_true_of
    cases = _cases(statement, table, bodies, possible)
    counted = [
        (slot, count) for slot in range(len(slots)) for count in range(1, statement.most + 1)
    ]
    atoms = tuple(
        quantified(statement.relation, inside[slot][0].formula, count) for slot, count in counted
    )
    is_met = np.zeros((len(cases), len(counted)), bool)
    for place, (slot, count) in enumerate(counted):
        is_met[:, place] = cases.met[:, slot] >= count
    outside = worded(own.at(cases.own).beside(Statements(atoms, is_met)), cases.concluded)
    formula = outside.formula
    for some, opposite, _ in inside:
        formula = _as_every(
            formula, quantified(statement.relation, some.formula, 1), some, opposite
        )
    proven = outside.proven and len(slots) <= 1 and all(some.proven for some, _, _ in inside)
    return Worded(factored(formula), outside.size, proven)


# a quantified statement: for each own class that it matters to, the kinds that satisfy it
_Slot = dict[int, frozenset[int]]


def _cases(
    statement: Statement, table: StageTable, bodies: np.ndarray, possible: Possible
) -> Cases:
    assert statement.relation is not None
    most = [statement.most] * len(bodies)
    return all_cases(table, bodies, most, statement.relation.exactly, possible, MOST_CASES)


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
        bodies = np.zeros((len(choice), statement.num_own, statement.num_kinds), bool)
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
    after, concluded = table.after.numpy(), table.concluded.numpy()
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


def _closed(first: int, after: np.ndarray, exactly: int | None) -> np.ndarray:
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


def _body(
    statement: Statement, slot: _Slot, possible: Possible
) -> tuple[Worded, Worded, np.ndarray]:
    """A statement about one in view, its opposite, and [own classes, kinds] of whom it is true."""
    pairs = [(own, int(kind)) for own in slot for kind in np.flatnonzero(possible.kinds[own])]
    true = np.array([kind in slot[own] for own, kind in pairs], bool)
    owns, kinds = np.array(pairs, np.int64).reshape(-1, 2).T
    of_other, of_own = Statements.of(statement.other), Statements.of(statement.own)
    statements = of_other.at(kinds)
    # it depends on who looks
    if not np.array_equal(np.unique(kinds[true]), np.setdiff1d(kinds, kinds[~true])):
        statements = statements.beside(of_own.at(owns))
    some, opposite = (_factored(worded(statements, said)) for said in (true, ~true))
    shape = statement.num_own, statement.num_kinds
    own, kind = np.indices(shape).reshape(2, -1)
    everywhere = of_other.at(kind).beside(of_own.at(own))
    return some, opposite, everywhere.evaluate(some.formula).reshape(shape)


def _factored(long: Worded) -> Worded:
    return replace(long, formula=factored(long.formula))


def quantified(relation: Relation, body: Formula, count: int) -> Quantified:
    """That at least so many in view are so."""
    return Quantified(Quantity.SOME if count == 1 else Quantity.AT_LEAST, relation, body, count)


def _as_every(formula: Formula, some: Quantified, inside: Worded, opposite: Worded) -> Formula:
    """A statement that is only denied, as one about every one in view where that is shorter."""
    clauses = [
        _terms(clause) for clause in (formula.terms if isinstance(formula, Or) else [formula])
    ]
    literals = [term for clause in clauses for term in clause]
    is_shorter = opposite.size < inside.size and not isinstance(opposite.formula, Constant)
    if some in literals or Not(some) not in literals or not is_shorter:
        return formula
    every = Quantified(Quantity.EVERY, some.relation, opposite.formula)
    return disjunction(
        *(
            conjunction(*(every if term == Not(some) else term for term in clause))
            for clause in clauses
        )
    )

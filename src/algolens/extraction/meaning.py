"""What an observation means to a network: the smallest statement of the look language that says
what its stage computes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, permutations
from typing import Any

import numpy as np

from algolens.certification.proof import star_in_words
from algolens.errors import ExtractionError, FormulaError
from algolens.extraction.cases import Possible, all_cases, declared_cases
from algolens.extraction.wording import Statements, Worded, literals_of, replaced, worded
from algolens.logic import Formula, factored
from algolens.logic.formula import Constant, Not
from algolens.looks import Compared, Quantified, Quantity, Relation, Statement, statement_text
from algolens.models import Network
from algolens.models.exact import Exact, StageTable
from algolens.models.exact.stage import Star

# of kinds that a stage tells apart for one own class, up to which all unions of them are tried
MOST_GROUPS = 4
MOST_CASES = 20_000  # of one own class; of more, no statement is searched for
MOST_SLOTS = 2  # quantified statements that are searched for; beyond it, one for each group


@dataclass(frozen=True)
class Meaning:
    """What one observation was found to be, beside what is declared."""

    name: str
    at: str  # where it sits
    declared: Formula
    found: Formula | None  # None where it is too intricate to be put into words
    proven: bool  # no smaller statement of its form says the same
    # that elements of any graph can be in, as the stage and the declared statement tell them apart
    cases: int
    wrong: int  # cases in which what was found is not what is declared
    star: Star | None  # of those, one with the fewest others in view
    star_words: str | None
    # numbers of so many bits, which it compares, are not always told apart rightly
    misorders: tuple[int, ...] = ()

    @property
    def equal(self) -> bool:
        """Whether what was found is what is declared, in every case."""
        return not self.wrong and not self.misorders

    @property
    def in_words(self) -> str:
        """What was found, as text."""
        return (
            "too intricate to be put into words"
            if self.found is None
            else statement_text(self.found)
        )

    def to_json(self) -> dict[str, Any]:
        """Itself as JSON."""
        return {
            "name": self.name,
            "at": self.at,
            "declared": statement_text(self.declared),
            "found": None if self.found is None else statement_text(self.found),
            "proven_smallest": self.proven,
            "cases": self.cases,
            "wrong_cases": self.wrong,
            "equal_in_every_case": self.equal,
            "first_difference": self.star_words,
            "misordered_bits": list(self.misorders),
        }


def meanings(network: Network, possible: Mapping[str, Possible] | None = None) -> list[Meaning]:
    """What every observation of one seed's exact network means to it, going on included.

    possible: for each observation the cases that count, where not all do.
    """
    perceiver = network.perceiver
    assert isinstance(perceiver, Exact)
    tables = perceiver.tables()
    found = []
    for name, reading in perceiver.readings.items():
        meaning = meaning_of(reading, tables[name], None if possible is None else possible[name])
        compared = [each for each in (*reading.own, *reading.other) if isinstance(each, Compared)]
        wrong = {
            each.bits for each in compared if not bool(perceiver.comparison(each).in_order().all())
        }
        found.append(replace(meaning, misorders=tuple(sorted(wrong))))
    return found


def meaning_of(reading: Statement, table: StageTable, possible: Possible | None = None) -> Meaning:
    """What one stage computes, as a statement, beside the declared one."""
    possible = possible or Possible.all_of(reading)
    cases, declared = declared_cases(reading, table, possible)
    wrong = np.flatnonzero(cases.concluded != declared)
    first = min(wrong.tolist(), key=lambda case: len(cases.kinds[case]), default=None)
    star = None if first is None else Star(int(cases.own[first]), cases.kinds[first])
    said = (
        None
        if first is None or star is None
        else _in_words(reading, star, bool(cases.concluded[first]))
    )
    try:
        found: Worded | None = statement_of(reading, table, possible)
    except (ExtractionError, FormulaError):
        # more cases, or more statements, than can be gone through
        found = None
    observation = reading.observation
    return Meaning(
        name=observation.name,
        at=observation.location.value,
        declared=observation.formula,
        found=None if found is None else found.formula,
        proven=found is not None and found.proven,
        cases=len(cases),
        wrong=len(wrong),
        star=star,
        star_words=said,
    )


def statement_of(reading: Statement, table: StageTable, possible: Possible) -> Worded:
    """The smallest statement that is true exactly where a stage concludes so."""
    own = Statements.of(reading.own)
    if reading.relation is None:
        classes = np.flatnonzero(possible.own)
        found = worded(own.at(classes), table.concluded.numpy()[table.first.numpy()[classes]])
        return _factored(found)
    slots = _slots(reading, table, possible)
    inside = [_body(reading, slot, possible) for slot in slots]
    bodies = np.array([holds for _, _, holds in inside], bool).reshape(
        len(slots), reading.num_own, reading.num_kinds
    )
    cases = all_cases(
        table, bodies, [reading.most] * len(slots), reading.relation.exactly, possible, MOST_CASES
    )
    counted = [(slot, count) for slot in range(len(slots)) for count in range(1, reading.most + 1)]
    atoms = tuple(
        _quantified(reading.relation, inside[slot][0].formula, count) for slot, count in counted
    )
    holds = np.array([cases.met[:, slot] >= count for slot, count in counted], bool).reshape(
        len(counted), len(cases)
    )
    outside = worded(own.at(cases.own).beside(Statements(atoms, holds.T)), cases.concluded)
    formula = outside.formula
    for some, every, _ in inside:
        formula = _as_every(formula, _quantified(reading.relation, some.formula, 1), some, every)
    proven = outside.proven and len(slots) <= 1 and all(some.proven for some, _, _ in inside)
    return Worded(factored(formula), outside.size, proven)


# a quantified statement: for each own class that it matters to, the kinds that satisfy it
_Slot = dict[int, frozenset[int]]


def _slots(reading: Statement, table: StageTable, possible: Possible) -> list[_Slot]:
    """As few quantified statements as were found to settle what the stage concludes."""
    needed = {
        int(own): _settling(reading, table, possible, int(own))
        for own in np.flatnonzero(possible.own)
    }
    slots: list[_Slot] = []
    for own, choices in sorted(needed.items(), key=lambda each: -len(each[1][0])):
        bodies = max(
            choices,
            key=lambda choice: sum(any(body in slot.values() for slot in slots) for body in choice),
        )
        slots += [{} for _ in range(len(bodies) - len(slots))]
        for place, body in _aligned(slots, bodies):
            slots[place][own] = body
    return slots


def _settling(
    reading: Statement, table: StageTable, possible: Possible, own: int
) -> list[tuple[frozenset[int], ...]]:
    """For an own class, sets of kinds of which it suffices to know how many are in view; all
    choices of the fewest.
    """
    assert reading.relation is not None
    groups = _groups(reading, table, possible, own)
    only = Possible(np.arange(reading.num_own) == own, possible.kinds)

    def settles(choice: Sequence[frozenset[int]]) -> bool:
        bodies = np.zeros((len(choice), reading.num_own, reading.num_kinds), bool)
        for place, body in enumerate(choice):
            bodies[place, own, list(body)] = True
        assert reading.relation is not None
        cases = all_cases(
            table, bodies, [reading.most] * len(choice), reading.relation.exactly, only, MOST_CASES
        )
        answers: dict[tuple[int, ...], bool] = {}
        return all(
            answers.setdefault(tuple(met), bool(concluded)) == concluded
            for met, concluded in zip(cases.met.tolist(), cases.concluded, strict=True)
        )

    if len(groups) <= MOST_GROUPS:
        unions = [
            frozenset().union(*some)
            for count in range(1, len(groups) + 1)
            for some in combinations(groups, count)
        ]
        for count in range(min(MOST_SLOTS, len(unions)) + 1):
            found = [choice for choice in combinations(unions, count) if settles(choice)]
            if found:
                return found
    return [tuple(groups)]


def _groups(
    reading: Statement, table: StageTable, possible: Possible, own: int
) -> list[frozenset[int]]:
    """The kinds that make a difference to an own class; those that make the same one together."""
    after, concluded = table.after.numpy(), table.concluded.numpy()
    exactly = None if reading.relation is None else reading.relation.exactly
    kinds = np.flatnonzero(possible.kinds[own])
    reached = _closed(int(table.first[own]), after[:, kinds], exactly)
    found: dict[bytes, list[int]] = {}
    for kind in kinds:
        leads = after[reached, kind]
        if exactly is None and (leads == reached).all():
            continue
        # once all are there, only what is concluded counts
        key = leads if exactly is None else concluded[leads]
        found.setdefault(key.tobytes(), []).append(int(kind))
    return [frozenset(each) for each in found.values()]


def _closed(first: int, after: np.ndarray, exactly: int | None) -> np.ndarray:
    """The cases that others can lead to, from the first on; of exactly so many, before the last of
    them is there.
    """
    level = np.array([first])
    if exactly is not None:
        for _ in range(exactly - 1):
            level = np.unique(after[level])
        return level
    known = level
    while True:
        grown = np.union1d(known, after[known])
        if len(grown) == len(known):
            return known
        known = grown


def _aligned(
    slots: Sequence[_Slot], bodies: Sequence[frozenset[int]]
) -> Iterator[tuple[int, frozenset[int]]]:
    """Which of the statements each body is best taken for: the one that says most alike of other
    own classes.
    """

    def alike(order: tuple[int, ...]) -> float:
        pairs = [
            (body, other)
            for place, body in zip(order, bodies, strict=True)
            for other in slots[place].values()
        ]
        return sum(len(body & other) / len(body | other) for body, other in pairs)

    if len(slots) > MOST_GROUPS:
        return zip(range(len(bodies)), bodies, strict=True)
    best = max(permutations(range(len(slots)), len(bodies)), key=alike)
    return zip(best, bodies, strict=True)


def _body(reading: Statement, slot: _Slot, possible: Possible) -> tuple[Worded, Worded, np.ndarray]:
    """A statement about one in view, its opposite, and [own classes, kinds] bools: of whom it is
    true.
    """
    pairs = [(own, int(kind)) for own in slot for kind in np.flatnonzero(possible.kinds[own])]
    true = np.array([kind in slot[own] for own, kind in pairs], bool)
    owns, kinds = np.array(pairs, np.int64).reshape(-1, 2).T
    of_other, of_own = Statements.of(reading.other), Statements.of(reading.own)
    statements = of_other.at(kinds)
    # it depends on who looks
    if not np.array_equal(np.unique(kinds[true]), np.setdiff1d(kinds, kinds[~true])):
        statements = statements.beside(of_own.at(owns))
    some, opposite = (_factored(worded(statements, each)) for each in (true, ~true))
    grid = np.indices((reading.num_own, reading.num_kinds)).reshape(2, -1)
    everywhere = of_other.at(grid[1]).beside(of_own.at(grid[0]))
    return (
        some,
        opposite,
        everywhere.evaluate(some.formula).reshape(reading.num_own, reading.num_kinds),
    )


def _factored(found: Worded) -> Worded:
    return replace(found, formula=factored(found.formula))


def _quantified(relation: Relation, body: Formula, count: int) -> Quantified:
    if count == 1:
        return Quantified(Quantity.SOME, relation, body)
    return Quantified(Quantity.AT_LEAST, relation, body, count)


def _as_every(formula: Formula, some: Quantified, inside: Worded, opposite: Worded) -> Formula:
    """Where a statement is only denied, and its opposite is shorter: that it holds of every one in
    view.
    """
    literals = literals_of(formula)
    is_shorter = opposite.size < inside.size and not isinstance(opposite.formula, Constant)
    if some in literals or Not(some) not in literals or not is_shorter:
        return formula
    return replaced(formula, Not(some), Quantified(Quantity.EVERY, some.relation, opposite.formula))


def _in_words(reading: Statement, star: Star, found: bool) -> str:
    return f"it is found {found}, and is declared {not found}, for {star_in_words(reading, star)}"

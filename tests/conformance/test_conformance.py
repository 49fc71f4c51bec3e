"""Every engine does what the reference does: every field of every step, of every program."""

from __future__ import annotations

from collections import Counter
from sqlite3 import connect

import pytest

from algolens.algorithms import algorithms
from tests.conformance.cases import Case, constructs, random_case, shipped_cases
from tests.conformance.engines import ENGINES, difference
from tests.conformance.in_sql import by_sql
from tests.effort import in_proportion, is_thorough

DECLARED = list(algorithms())
CHUNKS = 4  # of random declarations, so that processes share them
RANDOM = in_proportion(1200) // CHUNKS
AT_LEAST = 50  # times each construct stands in the random declarations of a run


@pytest.mark.parametrize("name", DECLARED)
def test_every_engine_carries_out_every_shipped_algorithm(name):
    taken: Counter[str] = Counter()
    for case in shipped_cases(name, seed=41, count=20 if is_thorough() else 2):
        taken["tried"] += "steps" in case.expected
        hold(case, taken)
    assert taken["tried"] > 4
    assert all(taken[engine] > taken["tried"] // 2 for engine in ENGINES), taken


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_every_engine_carries_out_random_declarations(chunk):
    ended, taken = Counter[str](), Counter[str]()
    for seed in range(chunk * RANDOM, (chunk + 1) * RANDOM):
        case = random_case(seed)
        hold(case, taken)
        ended[case.expected.get("ended", "refused")] += 1
    for how in ("by rule", "by count", "at its limit", "refused"):
        assert ended[how] > RANDOM // 40, ended
    assert all(taken[engine] > RANDOM // 2 for engine in ENGINES), taken


def hold(case: Case, taken: Counter[str]) -> None:
    """Every engine that takes a case does as the reference does."""
    for engine, run in ENGINES.items():
        found = run(case)
        if found is not None:
            taken[engine] += 1
            wrong = difference(case, found)
            assert wrong is None, f"{engine}: {wrong}; {case.words}"


def test_queries_of_results_alone_decide_alike():
    """What a database runs where nobody asks for what is seen on the way."""
    cases = [case for name in DECLARED for case in shipped_cases(name, seed=43, count=1)]
    cases += [random_case(seed) for seed in range(5000, 5000 + RANDOM // 3)]
    for case in cases:
        if not case.algorithm.declaration.in_python:
            found = by_sql(case, connect(":memory:"), sees=False)
            wrong = difference(case, found, sees=False)
            assert wrong is None, f"{wrong}; {case.words}"


def test_random_declarations_hold_every_construct_often():
    found: Counter[str] = Counter()
    for seed in range(CHUNKS * RANDOM):
        found += constructs(random_case(seed).program)
    rare = {name: number for name, number in found.items() if number < AT_LEAST}
    assert not rare, rare
    assert len(found) > 60

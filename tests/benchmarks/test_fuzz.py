"""The short form of `make fuzz`: some inputs at each gate, and every one that was a fault once."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest
from benchmarks.fuzz import __main__ as fuzz
from benchmarks.fuzz.gate import READ, REFUSED, Fault, Gate, Wrong, tried
from benchmarks.fuzz.gates import all_gates
from benchmarks.fuzz.running import input_of, keep, kept, run

FOUND = Path(__file__).parents[1] / "fuzzed"
TRIED = {"exports": 4, "command lines": 8, "runs with a damaged file": 6}  # of others, 30 each


@pytest.fixture(scope="module")
def gates() -> dict[str, Gate]:
    return {gate.name: gate for gate in all_gates()[0]}


def test_inputs_at_every_gate_are_read_or_refused(gates, tmp_path):
    for name, gate in gates.items():
        outcomes = [
            tried(gate, input_of(gate, 0, number), tmp_path)
            for number in range(TRIED.get(name, 30))
        ]
        faults = [one for one in outcomes if isinstance(one, Fault)]
        # the first command that needs them loads modules, for seconds
        assert [one for one in faults if one.kind != "slow"] == []


def test_what_was_a_fault_once_is_none(gates, tmp_path):
    for name, given in kept(FOUND):
        if name in gates:
            assert tried(gates[name], given, tmp_path) in (READ, REFUSED), given


class Broken(Gate):
    """A gate with every fault."""

    name, share = "broken", 1

    def draw(self, draw: random.Random) -> str:
        return draw.choice(["fine", "crash", "wrong", "dead"])

    def enter(self, given: str, folder: Path) -> None:
        match given:
            case "crash":
                raise KeyError("x")
            case "wrong":
                raise Wrong("x")
            case "dead":
                os._exit(7)


def test_every_fault_is_counted_kept_and_ends_nothing(tmp_path):
    counts, faults = run([Broken()], 40, seed=1, jobs=2, seconds=60)
    assert counts.total() == 40
    assert {kind for _, kind in counts} == {READ, "crash KeyError", "wrong", "dead 7"}
    assert len(faults) == 40 - counts["broken", READ]
    assert len(keep(faults, tmp_path)) == 3
    assert {given for _, given in kept(tmp_path)} == {"crash", "wrong", "dead"}
    assert "| broken | 40 |" in fuzz.table(counts)

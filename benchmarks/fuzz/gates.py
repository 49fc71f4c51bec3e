"""All gates that can be tried here."""

from __future__ import annotations

import importlib

from benchmarks.fuzz.gate import Gate

GATES = {
    "graph files": "graph_files:GraphFiles",
    "graph names": "graph_files:GraphNames",
    "statements and formulas": "language:Language",
    "program files": "programs:ProgramFiles",
    "files of runs": "run_files:RunFiles",
    "runs with a damaged file": "run_files:WholeRuns",
    "recorded runs": "recorded:Recorded",
    "command lines": "command_line:CommandLine",
    "exports": "programs:Exports",
    "minimiser": "minimiser:Minimiser",
    "graphs in the page": "page:PageGraphs",
}


def all_gates() -> tuple[list[Gate], dict[str, str]]:
    """Every gate, ready to be entered; and of those that are left out, why."""
    gates: list[Gate] = []
    left_out: dict[str, str] = {}
    for name, place in GATES.items():
        module, _, kind = place.partition(":")
        try:
            gate: Gate = getattr(importlib.import_module(f"benchmarks.fuzz.{module}"), kind)()
        except ImportError as problem:
            left_out[name] = str(problem)
            continue
        why = gate.missing()
        if why is None:
            gates.append(gate)
        else:
            left_out[name] = why
    return gates, left_out

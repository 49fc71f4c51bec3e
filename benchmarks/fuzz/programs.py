"""Gates for whole programs: their files, and what they are exported as, run and compared."""

from __future__ import annotations

import json
import random
import sqlite3
from pathlib import Path
from typing import Any

from tests.drawn import random_run
from tests.programs.in_sql import as_in_sql, by_sql

from algolens.algorithms import algorithm
from algolens.engines import Run, run_algorithm
from algolens.engines.program import Program
from benchmarks.fuzz.damage import damaged_bytes, damaged_value
from benchmarks.fuzz.gate import Gate, Wrong

NAMES = ("bfs", "bellman_ford", "bfs_tree", "matching", "kruskal", "graham_scan", "coloring")


class ProgramFiles(Gate):
    """A program is refused as the published schema or its meaning wants; else it comes back."""

    name, share = "program files", 150

    def __init__(self) -> None:
        self.whole = [Program.of(algorithm(name)).to_json() for name in NAMES]

    def draw(self, draw: random.Random) -> Any:
        whole = draw.choice(self.whole)
        if draw.random() < 0.3:
            return {"content": damaged_bytes(json.dumps(whole).encode(), draw).decode("latin-1")}
        return {"content": json.dumps(damaged_value(whole, draw))}

    def enter(self, given: Any, folder: Path) -> None:
        path = folder / "program.json"
        path.write_bytes(given["content"].encode("latin-1"))
        program = Program.load(path)
        program.save(path)
        if Program.load(path) != program:
            raise Wrong("the program does not come back from its own file")
        program.algorithm.declaration  # noqa: B018


class Exports(Gate):
    """A random program does in Python, in SQL and from its JSON what the library does."""

    name, share = "exports", 20

    def draw(self, draw: random.Random) -> Any:
        return {"program": draw.randrange(2**40)}

    def enter(self, given: Any, folder: Path) -> None:
        run = random_run(given["program"])
        if run is None:
            return
        outputs = tuple(run.algorithm.declaration.outputs)
        ours = [
            {name: run[name][step].astype(int).tolist() for name in outputs} for step in steps(run)
        ]
        program = Program.of(run.algorithm)
        for way, theirs in (
            ("Python", _by_python(program, run, outputs)),
            ("its JSON", _by_json(program, run, outputs)),
            ("SQL", _by_sql(program, run)),
        ):
            if theirs != (ours if way != "SQL" else _as_in_sql(run)):
                raise Wrong(f"program {given['program']} takes other steps in {way}")


def steps(run: Run) -> range:
    """The steps of a run."""
    return range(run.num_steps)


def _by_python(program: Program, run: Run, outputs: tuple[str, ...]) -> list[dict[str, Any]]:
    module: dict[str, Any] = {}
    exec(program.to_python_source(), module)
    graph = module["graph_of"](run.graph.num_nodes, run.graph.edges.T, run.graph.directed)
    taken, _ = module["run"](graph, dict(run.inputs))
    return [{name: step[name].astype(int).tolist() for name in outputs} for step in taken]


def _by_json(program: Program, run: Run, outputs: tuple[str, ...]) -> list[dict[str, Any]]:
    again = Program.from_json(json.loads(json.dumps(program.to_json()))).algorithm
    theirs = run_algorithm(again, run.graph, run.inputs, check=False)
    return [
        {name: theirs[name][step].astype(int).tolist() for name in outputs}
        for step in steps(theirs)
    ]


def _by_sql(program: Program, run: Run) -> list[dict[str, Any]]:
    return by_sql(program, run, sqlite3.connect(":memory:"))


def _as_in_sql(run: Run) -> list[dict[str, Any]]:
    return [as_in_sql(run, step) for step in steps(run)]

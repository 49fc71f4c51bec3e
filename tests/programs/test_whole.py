"""Programs that stand alone: whatever a program is written as, it does what the algorithm does."""

from __future__ import annotations

import sqlite3
from typing import Any

import networkx as nx
import numpy as np
import pytest
import torch

from algolens.algorithms import Algorithm, algorithm, algorithms
from algolens.execution import Run, execute
from algolens.fields import Category
from algolens.graphs import Graph
from algolens.programs import WholeProgram
from algolens.programs.sql import statements
from tests.looks.seeing import LOCATIONS, fill

DECLARED = [name for name, cls in algorithms().items() if cls().declaration.seen is not None]


def executed(chosen: Algorithm, seed: int = 5) -> Run:
    directed = chosen.graphs == "directed"
    graph = Graph.pack([7], nx.gnp_random_graph(7, 0.4, seed=seed).edges, directed=directed)
    return execute(chosen, graph, chosen.sample(graph, np.random.default_rng(3)))


@pytest.mark.parametrize("name", DECLARED)
def test_a_program_comes_back_from_its_file_and_runs_alike(name, tmp_path):
    chosen = algorithm(name)
    program = WholeProgram.of(chosen)
    program.save(tmp_path / "program.json")
    again = WholeProgram.load(tmp_path / "program.json")
    assert again == program
    ours = executed(chosen)
    theirs = execute(again.algorithm, ours.graph, ours.inputs)
    assert theirs.lengths.tolist() == ours.lengths.tolist()
    for each in (*chosen.declaration.outputs, *chosen.declaration.concepts):
        assert torch.equal(ours[each], theirs[each])


@pytest.mark.parametrize("name", DECLARED)
def test_python_that_needs_numpy_alone_runs_a_whole_graph(name):
    chosen = algorithm(name)
    run = executed(chosen)
    module: dict[str, Any] = {}
    exec(WholeProgram.of(chosen).to_python_source(), module)
    graph = module["graph_of"](run.graph.num_nodes, run.graph.edges.T.numpy(), run.graph.directed)
    steps, outcomes = module["run"](graph, {each: value.numpy() for each, value in run.inputs.items()})
    assert len(steps) == run.num_steps
    for step, given in enumerate(steps):
        for each in (*chosen.declaration.outputs, *chosen.declaration.concepts):
            assert given[each].tolist() == run[each][step].tolist()
    assert outcomes == {each: bool(value[0]) for each, value in run.outcomes.items()}


def by_sql(program: WholeProgram, run: Run, base: Any) -> list[dict[str, list[Any]]]:
    """The outputs of every step, as a database gives them."""
    parts, look = statements(program), program.look
    for statement in parts.tables:
        base.execute(statement)
    fields = {**look.scope.fields, **look.starting}
    for location in LOCATIONS:
        fill(base, fields, run.graph, location, dict(run.inputs))
    steps: list[dict[str, list[Any]]] = []
    for statement in (*parts.start, *parts.look):
        base.execute(statement)
    table = program.declaration.location.value
    while len(steps) < int(program.limit.on(run.graph)):
        for statement in (*parts.step, *parts.look):
            base.execute(statement)
        found = {}
        for name in program.declaration.outputs:
            rows = base.execute(f'SELECT "id", "{name}" FROM "{table}" ORDER BY "id"').fetchall()
            found[name] = [row[1] for row in rows]
        steps.append(found)
        if parts.goes_on is not None and base.execute(parts.goes_on).fetchall()[0][1] == 0:
            break
    return steps


def as_in_sql(run: Run, step: int) -> dict[str, list[Any]]:
    kinds = run.algorithm.declaration.outputs
    values = {name: run[name][step].long().tolist() for name in kinds}
    return {
        name: [kind.labels[value] for value in values[name]] if isinstance(kind, Category) else values[name]
        for name, kind in kinds.items()
    }


@pytest.mark.parametrize("name", DECLARED)
def test_sql_takes_the_steps_that_the_algorithm_takes(name):
    chosen = algorithm(name)
    run = executed(chosen)
    steps = by_sql(WholeProgram.of(chosen), run, sqlite3.connect(":memory:"))
    assert steps == [as_in_sql(run, step) for step in range(run.num_steps)]


@pytest.mark.parametrize("name", ["bfs", "coloring", "dijkstra", "kruskal"])
def test_duckdb_takes_the_steps_that_the_algorithm_takes(name):
    duckdb = pytest.importorskip("duckdb")
    chosen = algorithm(name)
    run = executed(chosen)
    steps = by_sql(WholeProgram.of(chosen), run, duckdb.connect(":memory:"))
    assert steps == [as_in_sql(run, step) for step in range(run.num_steps)]

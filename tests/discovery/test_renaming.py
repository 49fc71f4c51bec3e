"""Fields under other names: matched by what they are, and the same algorithm as before."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

import numpy as np
import pytest
import torch

import algolens as al
from algolens.algorithms import Declaration, Graph, Node, algorithm, mask, pointer
from algolens.discovery import AlgorithmOracle
from algolens.discovery.declaring import algorithm_of
from algolens.discovery.names import fields_as_in
from algolens.discovery.sampling import random_runs
from algolens.engines import run_algorithm
from algolens.errors import AlgoLensError
from algolens.proofs.equality.renaming import renamed


class Reach:
    """Breadth-first search, its fields under other names."""

    graphs = "any"
    inputs: ClassVar = {"begin": Graph(pointer(Node), start_only=True)}
    state: ClassVar = {"seen": Node(mask)}

    def start(self, graph):
        return {"seen": {node: node == graph.graph["begin"] for node in graph}}

    def step(self, graph, state):
        seen = state["seen"]
        before = graph.predecessors if graph.is_directed() else graph.neighbors
        then = {n: seen[n] or any(seen[other] for other in before(n)) for n in graph}
        return None if then == seen else {"seen": then}


class Stuck(Reach):
    """The same, but a node with three neighbours or more is never seen."""

    def step(self, graph, state):
        then = super().step(graph, state)
        if then is None:
            return None
        kept = {n: state["seen"][n] or (graph.degree(n) < 3 and then["seen"][n]) for n in graph}
        return None if kept == state["seen"] else {"seen": kept}


@pytest.mark.parametrize("name", ["bfs", "coloring", "dijkstra", "kruskal", "topological_sort"])
def test_a_declaration_under_other_names_takes_the_same_steps(name: str) -> None:
    ours = algorithm(name)
    declared = Declaration(ours.declaration.program)  # what is discovered has no phrases
    fields = [*declared.inputs, *declared.state]
    observations = [name for name in declared.statements if name not in fields]
    names = {word: f"other_{word}" for word in (*fields, *observations)}
    # a field is called as an observation was, which gives way
    names[fields[-1]] = observations[0]
    names.pop(observations[0])
    oracle = AlgorithmOracle(ours)
    theirs = algorithm_of(oracle.schema, renamed(declared, names), "other")
    for some in random_runs(oracle, 12, (2, 9), np.random.default_rng(3)):
        inputs = {names[key]: value for key, value in some.inputs.items()}
        run = run_algorithm(theirs, some.graph, inputs, check=False)
        assert torch.equal(some.lengths, run.lengths)
        for number, frame in enumerate(some.frames[1:]):
            for field in declared.state:
                assert torch.equal(frame[field], run[names[field]][number])


def test_fields_are_matched_or_refused_in_a_line() -> None:
    schema = al.discover(Reach, runs=4, nodes=2).discovery.schema
    assert fields_as_in(schema, algorithm("bfs"), {}) == {"begin": "source", "seen": "visited"}
    with pytest.raises(AlgoLensError, match="declare the same fields"):
        fields_as_in(schema, algorithm("k_core"), {})
    many = AlgorithmOracle(algorithm("dfs")).schema
    others = {f"my_{name}": field for name, field in many.state.items()}
    outputs = {f"my_{name}": field for name, field in many.outputs.items()}
    unnamed = replace(many, state=others, outputs=outputs)
    with pytest.raises(AlgoLensError, match="is not clear"):
        fields_as_in(unnamed, algorithm("dfs"), {})
    given = {name: name.removeprefix("my_") for name in others}
    assert fields_as_in(unnamed, algorithm("dfs"), given) == given


def test_what_was_discovered_is_proven_equal_or_told_apart() -> None:
    same = al.discover(Reach, runs=6, nodes=3).prove("bfs", seconds=30)
    assert same.same_as is not None
    assert same.same_as.proven
    assert same.to_json()["same_as"]["proven"] is True
    assert "That is proven" in str(same)
    other = al.discover(Stuck, runs=12, nodes=4).prove("bfs", seconds=30)
    assert other.same_as is not None
    assert not other.same_as.proven
    assert other.to_json()["same_as"]["equal"] is False

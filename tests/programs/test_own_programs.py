"""Inputs at links and comparisons with numbers: in every export, on the page, and in proofs."""

from __future__ import annotations

import sqlite3
from typing import Any

import networkx as nx
import numpy as np
import pytest
import torch

import algolens as al
from algolens.algorithms import Algorithm
from algolens.engines import Run, run_algorithm
from algolens.engines.program import Program
from algolens.graphs import Graph
from algolens.proofs.network import prove
from algolens.proofs.smt import check_with, obligations, solver
from tests.player.in_node import in_node, needs_node
from tests.player.runs import data_of, trace_rows
from tests.player.test_program import RUN, as_texts
from tests.programs.in_sql import as_in_sql, by_sql
from tests.ranked import Ranked
from tests.test_checker import by_checker, by_prover, write_weights
from tests.two_way import TwoWay

BOTH = pytest.mark.parametrize("chosen", [TwoWay(), Ranked()], ids=lambda chosen: chosen.name)


def runs(chosen: Algorithm) -> list[Run]:
    """On several graphs, where it runs for more than a step; directed where that is allowed."""
    made = []
    for seed in range(8):
        directed = chosen.graphs == "any" and seed % 2 == 1
        edges = nx.gnp_random_graph(8, 0.5, seed=seed, directed=directed).edges
        graph = Graph.pack([8], list(edges), directed=directed)
        inputs = chosen.sample(graph, np.random.default_rng(seed))
        made.append(run_algorithm(chosen, graph, inputs))
    assert sum(run.num_steps > 1 for run in made) > len(made) / 2
    return made


@BOTH
def test_it_is_what_networkx_finds(chosen: Algorithm) -> None:
    checked = al.check(chosen)
    assert checked, checked.problems
    assert checked.reviews[0].agreement is not None


@BOTH
def test_python_alone_takes_the_same_steps(chosen: Algorithm) -> None:
    module: dict[str, Any] = {}
    exec(Program.of(chosen).to_python_source(), module)
    for run in runs(chosen):
        ends = run.graph.edges.T
        graph = module["graph_of"](run.graph.num_nodes, ends, run.graph.directed)
        steps, _ = module["run"](graph, dict(run.inputs.items()))
        assert len(steps) == run.num_steps
        for step, given in enumerate(steps):
            for name in (*chosen.declaration.outputs, *chosen.declaration.concepts):
                assert given[name].tolist() == run[name][step].tolist()


@BOTH
def test_sql_takes_the_same_steps(chosen: Algorithm) -> None:
    for run in runs(chosen):
        steps = by_sql(Program.of(chosen), run, sqlite3.connect(":memory:"))
        assert steps == [as_in_sql(run, step) for step in range(run.num_steps)]


@BOTH
def test_its_file_takes_the_same_steps(chosen: Algorithm, tmp_path) -> None:
    Program.of(chosen).save(tmp_path / "program.json")
    again = Program.load(tmp_path / "program.json").algorithm
    for run in runs(chosen):
        theirs = run_algorithm(again, run.graph, run.inputs)
        for name in (*chosen.declaration.outputs, *chosen.declaration.concepts):
            assert run[name].equals(theirs[name])


@needs_node
@BOTH
def test_the_page_takes_the_same_steps(chosen: Algorithm) -> None:
    pages = [data_of(run) for run in runs(chosen)]
    answers = in_node(RUN, [{"page": page} for page in pages])
    for page, answer in zip(pages, answers, strict=True):
        for name in chosen.declaration.outputs:
            (side,) = page["sides"]
            rows = trace_rows(side["trace"][name], side["steps"])
            assert as_texts(step[name] for step in answer["steps"]) == as_texts(rows)


def test_a_network_that_compares_with_a_number_is_proven_by_all_three(tmp_path) -> None:
    pytest.importorskip("z3")
    folder = tmp_path / "model"
    graphs = [nx.cycle_graph(size) for size in range(3, 7)]
    model = al.train(Ranked, graphs=graphs, seeds=2, out=folder, progress=False)
    assert model.is_proven
    network = model.network.only(0)
    for change in (0.0, 30.0):
        with torch.no_grad():
            dict(network.named_parameters())["perceiver.stages.is_near.head_last.bias"].add_(change)
        write_weights(folder, network)
        assert by_checker(folder) == by_prover(network)
        wrong = {finding.part for finding in prove(network) if finding.check.failures}
        answers = check_with(solver("z3"), obligations(network))
        assert {answer.obligation.part for answer in answers if not answer.is_shown} == wrong
        assert wrong == ({"is_near"} if change else set())

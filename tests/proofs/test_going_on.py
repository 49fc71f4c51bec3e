"""Algorithms that go on while every element is so, or while none is: learnt, proven, and read
back.
"""

from __future__ import annotations

from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
import torch

from algolens import graphs
from algolens.algorithms import Algorithm, Graph, Node, mask, pointer
from algolens.data import fixed
from algolens.engines import Run, run_algorithm
from algolens.evaluation import free_run
from algolens.experiment.config import preset
from algolens.extraction.extract import extract
from algolens.extraction.grading import grade
from algolens.graphs import Recipe
from algolens.proofs.network import prove
from algolens.training import Fit
from tests.proofs.test_every_algorithm import random_graph


class Search(Algorithm):
    """Breadth-first search that stops as soon as its target is found."""

    recipe = Recipe(families=("tree", "erdos_renyi"), size=8, train=40, held_out=4, test_sizes=())

    source, target = Graph.input(pointer(Node)), Graph.input(pointer(Node))

    visited = Node.output(mask, start="me = graph's source", becomes="is_near")
    is_near = Node.concept("visited | some neighbour (visited)")
    is_found = Node.concept("visited & me = graph's target")

    goes_on = "no node (is_found)"


class SearchOfAll(Search):
    """The same, said of every node."""

    goes_on = "every node (~is_found)"


@pytest.mark.parametrize("chosen", [Search(), SearchOfAll()], ids=lambda each: each.name)
def test_stopping_at_the_first_that_is_so_is_learnt_proven_and_read_back(chosen: Algorithm) -> None:
    made = preset("exact", chosen)
    fit = Fit(
        fixed(chosen),
        made.architecture,
        replace(made.schedule, enough=1),
        (0,),
        torch.device("cpu"),
    )
    list(fit)
    network = fit.result().only(0).eval()
    assert not any(finding.check.failures for finding in prove(network))

    rng = np.random.default_rng(0)
    graph = graphs.Graph.join(
        [random_graph(rng, nodes, directed=False) for nodes in (2, 5, 9, 14) for _ in range(5)]
    )
    truth = run_algorithm(chosen, graph, chosen.sample(graph, rng))
    assert free_run(network, truth).equals(truth)
    for number in range(graph.num_graphs):
        _check_steps(truth.take([number]))

    found = extract(network, fixed(chosen).train)
    assert found.rule_set.continues is not None
    assert str(found.rule_set.continues) == "no n: is_found"
    assert grade(found.rule_set, chosen).equal_on_all


def _check_steps(run: Run) -> None:
    """As many steps as the target is far; a step at least, and as many as there may be where it
    cannot be reached.
    """
    graph = nx.Graph(list(zip(*run.graph.edges.tolist(), strict=True)))
    graph.add_nodes_from(range(run.graph.num_nodes))
    source, target = int(run.inputs["source"][0]), int(run.inputs["target"][0])
    most = int(run.algorithm.max_steps(run.graph)[0])
    far = (
        nx.shortest_path_length(graph, source, target)
        if nx.has_path(graph, source, target)
        else most
    )
    assert run.num_steps == min(max(1, far), most)

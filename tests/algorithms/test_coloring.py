"""Parallel coloring, step by step, against its definition."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given

from algolens.algorithms import algorithm
from algolens.engines import run_algorithm
from algolens.errors import GraphError
from algolens.graphs import Graph, from_networkx, sample, stream
from tests.strategies import batches, parts, streams

ROOMY = algorithm("coloring", colors=9)  # as many colors as a graph of the tests has nodes
PAPER = algorithm("coloring")


@given(batches(), streams())
def test_every_step_colors_the_local_maxima_with_the_first_free_color(graph, rng):
    inputs = ROOMY.sample(graph, rng)
    run = run_algorithm(ROOMY, graph, inputs)
    priority, color = inputs["priority"].tolist(), run.state("color").dense().tolist()
    for i, part in enumerate(parts(graph)):
        first = int(graph.first_node[i])
        for step in range(int(run.lengths[i])):
            before, after = color[step], color[step + 1]
            for node in part:
                around = [first + j for j in part[node]]
                here = first + node
                is_maximum = before[here] == 0 and all(
                    priority[j] < priority[here] for j in around if before[j] == 0
                )
                free = min(set(range(1, 11)) - {before[j] for j in around})
                assert after[here] == (free if is_maximum else before[here])
                assert run["has_priority"][step][here] == is_maximum
        final = color[int(run.lengths[i])]
        assert all(final[first + u] != final[first + v] for u, v in part.edges)
        assert all(final[first + node] > 0 for node in part)


@pytest.mark.parametrize(("num_nodes", "count"), [(20, 300), (100, 50), (5000, 2)])
def test_five_colors_suffice_and_neighbours_differ_at_any_size(num_nodes, count):
    graph = sample("configuration", num_nodes, count, stream(1))
    inputs = PAPER.sample(graph, stream(2))
    priority = inputs["priority"]
    assert (priority[graph.edges[0]] != priority[graph.edges[1]]).all()
    assert int(priority.min()) >= 0
    assert int(priority.max()) <= 255
    color = run_algorithm(PAPER, graph, inputs).final("color")
    assert (color[graph.edges[0]] != color[graph.edges[1]]).all()
    assert int(color.min()) >= 1
    assert int(color.max()) <= 5


def test_only_what_clashes_is_drawn_again():
    graph = sample("configuration", 5000, 1, stream(1))
    kind = PAPER.declaration.inputs["priority"]
    first_draw = kind.draw(graph, stream(3))
    assert (PAPER.sample(graph, stream(3))["priority"] == first_draw).mean() > 0.9


def test_too_few_colors_are_named_with_a_way_out():
    with pytest.raises(
        GraphError, match=r"would need more than 5 colors under every priority tried.*colors=6"
    ):
        PAPER.sample(from_networkx(nx.complete_graph(6)), stream(0))
    graph = from_networkx(nx.complete_graph(6))
    given_ones = Graph(
        graph.node_counts,
        graph.edge_counts,
        graph.edges,
        graph.names,
        {"priority": np.arange(6)},
        graph.edge_attributes,
    )
    with pytest.raises(
        GraphError, match="node '0' would need more than 5 colors under these priorities"
    ):
        PAPER.read(given_ones, stream(0))
    assert np.array_equal(
        algorithm("coloring", colors=6).read(given_ones, stream(0))[0]["priority"], np.arange(6)
    )

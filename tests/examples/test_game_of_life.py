"""The example of an own algorithm is right: patterns that everyone knows do what they are known
for.
"""

from __future__ import annotations

import networkx as nx
import pytest
from examples.game_of_life import GameOfLife

from algolens.engines import run_algorithm
from algolens.evaluation.reference import agreement
from algolens.graphs import from_networkx, sample, stream

BLOCK = {(2, 2), (2, 3), (3, 2), (3, 3)}
BLINKER = {(3, 2), (3, 3), (3, 4)}
GLIDER = {(0, 1), (1, 2), (2, 0), (2, 1), (2, 2)}


@pytest.mark.parametrize(
    ("cells", "steps", "expected"),
    [
        (BLOCK, 5, BLOCK),
        (BLINKER, 1, {(2, 3), (3, 3), (4, 3)}),
        (BLINKER, 2, BLINKER),
        (GLIDER, 4, {(u + 1, v + 1) for u, v in GLIDER}),
        ({(1, 1)}, 1, set()),
    ],
)
def test_known_patterns(cells, steps, expected):
    board = nx.strong_product(nx.path_graph(8), nx.path_graph(8))
    nx.set_node_attributes(board, {cell: cell in cells for cell in board}, "living")
    graph, algorithm = from_networkx(board), GameOfLife(steps=steps)
    run = run_algorithm(algorithm, graph, algorithm.read(graph, stream(0))[0])
    alive = run.final("alive").tolist()
    assert {cell for cell, lives in zip(board, alive, strict=True) if lives} == expected


def test_on_any_graph_it_is_what_a_plain_program_gives():
    algorithm = GameOfLife()
    graph = sample("barabasi_albert", 12, 60, stream(0))
    found = agreement(run_algorithm(algorithm, graph, algorithm.sample(graph, stream(1))))
    assert found is not None
    assert (found.difference, found.graphs) == (None, 60)

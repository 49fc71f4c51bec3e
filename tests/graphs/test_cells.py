"""Cells of tables: what each has, and what is beside it, told by its two nodes alone."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from algolens.errors import GraphError
from algolens.graphs import Graph, cells_of

SEEDS = range(4)


def drawn(seed: int) -> Graph:
    """Up to six nodes with names and heights, joined at random by weighted edges."""
    rng = np.random.default_rng(seed)
    nodes, directed = int(rng.integers(1, 7)), bool(seed % 2)
    pairs = [(i, j) for i in range(nodes) for j in range(nodes) if rng.random() < 0.5]
    graph = Graph.pack([nodes], np.array(pairs, dtype=np.int64).reshape(-1, 2), directed=directed)
    return replace(
        graph,
        names=tuple(f"n{node}" for node in range(nodes)),
        node_attributes={"height": rng.integers(0, 9, nodes)},
        edge_attributes={"weight": rng.integers(1, 9, graph.num_edges)},
    )


@pytest.mark.parametrize("table", ["pairs", "intervals"])
@pytest.mark.parametrize("seed", SEEDS)
def test_a_cell_has_what_its_nodes_and_their_link_have(table: str, seed: int) -> None:
    graph = drawn(seed)
    cells, height = cells_of(graph, table), graph.node_attributes["height"].tolist()
    weights = np.array(graph.edge_attributes["weight"].tolist())
    both = zip(graph.links.T.tolist(), graph.at_links(weights).tolist(), strict=True)
    weight = {tuple(ends): value for ends, value in both}
    values = {name: column.tolist() for name, column in cells.node_attributes.items()}
    for place, pair in enumerate(pairs_of(graph, table)):
        i, j = pair
        has = {name: column[place] for name, column in values.items()}
        assert cells.name_of(place) == f"n{i}:n{j}"
        assert (has["row_height"], has["column_height"]) == (height[i], height[j])
        assert (has["adjacent"], has["weight"]) == (pair in weight or i == j, weight.get(pair, 0))


@pytest.mark.parametrize("table", ["pairs", "intervals"])
@pytest.mark.parametrize("seed", SEEDS)
def test_a_cell_points_to_those_beside_it_or_to_itself(table: str, seed: int) -> None:
    graph = drawn(seed)
    cells, pairs = cells_of(graph, table), pairs_of(graph, table)
    pointers = {name: column.tolist() for name, column in cells.node_attributes.items()}
    for place, (i, j) in enumerate(pairs):
        wanted = {"up": (i - 1, j), "down": (i + 1, j), "left": (i, j - 1), "right": (i, j + 1)}
        wanted["leftmost"] = min(pair for pair in pairs if pair[0] == i)
        wanted["topmost"] = min(pair for pair in pairs if pair[1] == j)
        for name, beside in wanted.items():
            to = beside if beside in pairs else (i, j)
            assert pointers[name][place] == f"n{to[0]}:n{to[1]}"


@pytest.mark.parametrize("seed", SEEDS)
def test_an_interval_has_an_edge_from_each_of_its_first_parts(seed: int) -> None:
    graph = drawn(seed)
    cells, pairs = cells_of(graph, "intervals"), pairs_of(graph, "intervals")
    ends = [(pairs[part], pairs[whole]) for part, whole in cells.edges.T.tolist()]
    rest = dict(zip(ends, cells.edge_attributes["rest"], strict=True))
    assert rest == {((i, k), (i, j)): f"n{k + 1}:n{j}" for i, j in pairs for k in range(i, j)}


def pairs_of(graph: Graph, table: str) -> list[tuple[int, int]]:
    nodes = range(graph.num_nodes)
    return [(i, j) for i in nodes for j in nodes if table == "pairs" or i <= j]


def test_cells_of_nodes_with_any_names_have_names_of_their_own() -> None:
    graph = replace(Graph.pack([3], []), names=("a", "a:a", "a:a:a"))
    cells = cells_of(graph, "pairs")
    assert cells.names is not None
    assert len(set(cells.names)) == 9


def test_too_many_cells_are_refused_before_they_are_made() -> None:
    with pytest.raises(GraphError, match="the intervals of 301 nodes are too many"):
        cells_of(Graph.pack([301], []), "intervals")
    with pytest.raises(GraphError, match="the cells of one graph are made, and 2 came"):
        cells_of(Graph.pack([1, 1], []), "pairs")

"""What came of a run, against NetworkX: trees with their paths, groups, sides, totals in the user's
own numbers.
"""

from __future__ import annotations

import io
from decimal import Decimal
from itertools import pairwise
from typing import Any

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from algolens.algorithms import algorithm
from algolens.engines import Run, run_algorithm
from algolens.graphs import from_networkx, stream
from algolens.text.names import total
from algolens.text.outcome import outcome_summary
from algolens.text.sentences import in_list
from tests.effort import examples
from tests.strategies import directed_graphs, simple_graphs

few = examples(40)


def ran(name: str, graph: nx.Graph, **arguments: Any) -> Run:
    found = from_networkx(graph)
    roomy = algorithm(name).with_room_for(found)
    return run_algorithm(roomy, found, roomy.read(found, stream(0), **arguments)[0])


def told(run: Run) -> list[str]:
    """The lines of a summary, without breaks."""
    file = io.StringIO()
    console = Console(file=file, width=10_000)
    for part in outcome_summary(run):
        console.print(part)
    return [line.strip() for line in file.getvalue().splitlines() if line.strip()]


def rows(lines: list[str]) -> dict[str, list[str]]:
    """The cells of a table by the node that stands first: what follows a line of dashes, and stands
    in columns.
    """
    start = next(i for i, line in enumerate(lines) if set(line) == {"─"})
    cells = [
        [cell.strip() for cell in line.split("   ") if cell.strip()] for line in lines[start + 1 :]
    ]
    return {row[0]: row[1:] for row in cells if len(row) > 1}


def weighted(data: st.DataObject, graph: nx.Graph) -> nx.Graph:
    for edge in graph.edges:
        graph.edges[edge]["weight"] = data.draw(st.decimals(0, 99, places=2))
    return graph


@given(simple_graphs() | directed_graphs(), st.data())
@few
def test_paths_are_ways_of_the_graph_as_long_as_the_distance(graph, data):
    weighted(data, graph)
    table = rows(told(ran("dijkstra", graph, source="0")))
    reached = nx.single_source_dijkstra_path_length(graph, 0)
    for node in graph:
        *_, distance, _, way = table[str(node)]
        if node not in reached:
            assert (distance, way) == ("-", "-")
            continue
        steps = list(map(int, way.split(" -> " if graph.is_directed() else " - ")))
        assert (steps[0], steps[-1]) == (0, node)
        assert nx.path_weight(graph, steps, "weight") == Decimal(distance) == reached[node]


@given(simple_graphs(), st.data())
@few
def test_trees_and_their_weight(graph, data):
    weighted(data, graph)
    part = graph.subgraph(nx.node_connected_component(graph, 0))
    for name, spanned in (("kruskal", graph), ("boruvka", graph), ("prim", part)):
        weights = [edge["weight"] for *_, edge in nx.minimum_spanning_edges(spanned)]
        lines = told(ran(name, graph))
        assert lines[-1] == f"total weight: {total(weights)}"
        assert lines[-2].count("(") == len(weights)


@given(simple_graphs())
@few
def test_groups_are_the_components(graph):
    lines = told(ran("components", graph))
    found = {frozenset(line.split(": ")[1].split(", ")) for line in lines[1:]}
    assert found == {frozenset(map(str, part)) for part in nx.connected_components(graph)}
    assert lines[0].startswith(f"{len(found)} group")


@given(simple_graphs())
@few
def test_two_sides_or_an_odd_cycle(graph):
    lines = told(ran("bipartite", graph))
    if nx.is_bipartite(graph):
        assert lines[0].startswith("is bipartite: yes (no two neighbours are on one side")
        sides = [set(line.split(": ")[1].split(", ")) for line in lines[1:]]
        assert all(
            len(sides) == 2 and (str(u) in sides[0]) != (str(v) in sides[0]) for u, v in graph.edges
        )
        return
    assert lines[0].startswith("is bipartite: no (")
    cycle = list(map(int, lines[1].removeprefix("an odd cycle: ").split(" - ")))
    assert cycle[0] == cycle[-1]
    assert len(cycle) % 2 == 0
    assert len(set(cycle)) == len(cycle) - 1
    assert all(graph.has_edge(u, v) for u, v in pairwise(cycle))


@given(directed_graphs())
@few
def test_an_order_from_top_to_bottom_or_who_is_left(graph):
    lines = told(ran("topological_sort", graph))
    order = [node for node, cells in rows(lines).items() if cells[0] == "yes"]
    place = {int(node): i for i, node in enumerate(order)}
    assert all(u in place and place[u] < place[v] for u, v in graph.edges if v in place)
    if nx.is_directed_acyclic_graph(graph):
        assert lines[0] == "is acyclic: yes (every node is placed: there is no cycle)."
        assert len(order) == len(graph)
    else:
        left = [str(node) for node in graph if node not in place]
        shown = f"{in_list(left)} cannot be placed: there is a cycle"
        assert lines[0] == f"is acyclic: no ({shown})."


def test_a_circle_of_pointers_ends():
    graph = nx.DiGraph([(0, 1, {"weight": 1}), (1, 2, {"weight": -3}), (2, 1, {"weight": 1})])
    lines = told(ran("bellman_ford", graph, source="0"))
    assert lines[0].startswith("has negative cycle: yes (")
    assert rows(lines)["2"][-1].startswith("... -> ")


@pytest.mark.parametrize(
    "name", ["bfs", "bfs_tree", "dfs", "components", "bipartite", "k_core", "matching", "coloring"]
)
def test_every_algorithm_has_one_on_a_lone_node_and_on_no_edges(name):
    for size in (1, 3):
        assert told(ran(name, nx.empty_graph(size)))

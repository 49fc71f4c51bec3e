"""Every declared algorithm against NetworkX, or a plain textbook's program, on graphs of every
shape, with ties.
"""

from __future__ import annotations

from collections.abc import Iterator

import networkx as nx
import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from algolens.algorithms import Algorithm, algorithm, algorithms
from algolens.engines import Run, Stopped, run_algorithm
from algolens.graphs import Graph
from tests.effort import examples
from tests.strategies import batches, graphs, streams

laws = examples(40)
any_graphs = graphs(max_graphs=3, max_nodes=8)


def run_of(name: str, graph: Graph, rng: np.random.Generator, most: int = 4, **options: int) -> Run:
    """A run with numbers so small that many are equal."""
    chosen = algorithm(name, **options)
    inputs = chosen.sample(graph, rng)
    for field, each in chosen.declaration.inputs.items():
        if each.kind == "number":
            low = -most if each.signed else each.low
            inputs[field] = torch.from_numpy(
                rng.integers(low, each.low + most, graph.count(each.at))
            )
    run = run_algorithm(chosen, graph, inputs)
    assert (
        run.stopped == (Stopped.BY_RULE if chosen.declaration.terminates else Stopped.BY_COUNT)
    ).all()
    return run


def each_of(run: Run) -> Iterator[tuple[Run, nx.Graph]]:
    """Every graph of a run alone, with its weights, as a NetworkX graph."""
    for place in range(run.graph.num_graphs):
        alone = run.take([place])
        graph = nx.DiGraph() if alone.graph.directed else nx.Graph()
        graph.add_nodes_from(range(alone.graph.num_nodes))
        for edge, (u, v) in enumerate(alone.graph.edges.T.tolist()):
            weight = int(alone.inputs["weight"][edge]) if "weight" in alone.inputs else 1
            graph.add_edge(u, v, weight=weight, number=edge)
        yield alone, graph


# ---- searches


@laws
@given(any_graphs, streams())
def test_bfs_tree(graph: Graph, rng: np.random.Generator) -> None:
    for run, plain in each_of(run_of("bfs_tree", graph, rng)):
        source = int(run.inputs["source"])
        distance = nx.single_source_shortest_path_length(plain, source)
        into = plain.predecessors if plain.is_directed() else plain.neighbors
        expected = [
            node
            if node == source or node not in distance
            else min(other for other in into(node) if distance.get(other) == distance[node] - 1)
            for node in plain
        ]
        assert run.final("parent").tolist() == expected
        assert run.final("visited").tolist() == [node in distance for node in plain]


def textbook_dfs(graph: nx.Graph) -> list[int]:
    """The parent of every node; roots are their own."""
    parent: dict[int, int] = {}

    def enter(node: int) -> None:
        for other in sorted(graph[node]):
            if other not in parent:
                parent[other] = node
                enter(other)

    for node in sorted(graph):
        if node not in parent:
            parent[node] = node
            enter(node)
    return [parent[node] for node in sorted(graph)]


@laws
@given(any_graphs, streams())
def test_dfs(graph: Graph, rng: np.random.Generator) -> None:
    for run, plain in each_of(run_of("dfs", graph, rng)):
        assert run.final("parent").tolist() == textbook_dfs(plain)
        assert run.final("visited").all()
        assert (run["current"].dense().sum(1) <= 1).all()


# ---- components


@laws
@given(batches(), streams())
def test_components(graph: Graph, rng: np.random.Generator) -> None:
    for run, plain in each_of(run_of("components", graph, rng)):
        expected = {node: min(part) for part in nx.connected_components(plain) for node in part}
        assert run.final("component").tolist() == [expected[node] for node in plain]


@laws
@given(batches(), streams())
def test_bipartite(graph: Graph, rng: np.random.Generator) -> None:
    for run, plain in each_of(run_of("bipartite", graph, rng)):
        side = run.final("side").tolist()
        assert all(side[min(part)] == 0 for part in nx.connected_components(plain))
        assert bool(run.outcomes["is_bipartite"]) == nx.is_bipartite(plain)
        assert all(side[u] != side[v] for u, v in plain.edges) == nx.is_bipartite(plain)


@laws
@given(batches(), st.integers(1, 4), streams())
def test_k_core(graph: Graph, k: int, rng: np.random.Generator) -> None:
    for run, plain in each_of(run_of("k_core", graph, rng, k=k)):
        core = set(nx.k_core(plain, k))
        assert {node for node in plain if run.final("in_core")[node]} == core


# ---- trees and matchings


def forest_of(plain: nx.Graph, edges: list[int]) -> nx.Graph:
    by_number = {data["number"]: (u, v) for u, v, data in plain.edges(data=True)}
    forest = nx.empty_graph(len(plain))
    forest.add_edges_from(by_number[edge] for edge in edges)
    return forest


@pytest.mark.parametrize("name", ["kruskal", "boruvka"])
@laws
@given(graph=batches(), rng=streams())
def test_minimum_spanning_forests(name: str, graph: Graph, rng: np.random.Generator) -> None:
    """Of equal weights, the lower number counts as the lighter: so the forest is one and no
    other.
    """
    for run, plain in each_of(run_of(name, graph, rng)):
        expected = textbook_kruskal(plain)
        assert run.final("in_mst").nonzero().flatten().tolist() == expected
        weight = sum(data["weight"] for *_, data in nx.minimum_spanning_edges(plain, data=True))
        assert sum(int(run.inputs["weight"][edge]) for edge in expected) == weight
        sets = run.final("root" if name == "boruvka" else "parent").tolist()
        assert {frozenset(part) for part in nx.connected_components(plain)} == {
            frozenset(node for node in plain if sets[node] == root) for root in set(sets)
        }


def textbook_kruskal(plain: nx.Graph) -> list[int]:
    forest, found = nx.empty_graph(len(plain)), []
    for u, v, data in sorted(
        plain.edges(data=True), key=lambda edge: (edge[2]["weight"], edge[2]["number"])
    ):
        if not nx.has_path(forest, u, v):
            forest.add_edge(u, v)
            found.append(data["number"])
    return sorted(found)


@laws
@given(batches(), streams())
def test_prim(graph: Graph, rng: np.random.Generator) -> None:
    for run, plain in each_of(run_of("prim", graph, rng)):
        source, parent = int(run.inputs["source"]), run.final("parent").tolist()
        reached = nx.node_connected_component(plain, source)
        assert run.final("in_tree").tolist() == [node in reached for node in plain]
        assert [node for node in plain if parent[node] == node] == [
            n for n in plain if n == source or n not in reached
        ]
        mine = sorted(plain[node][parent[node]]["number"] for node in plain if parent[node] != node)
        assert mine == [
            edge
            for edge in textbook_kruskal(plain)
            if forest_of(plain, [edge]).edges <= plain.subgraph(reached).edges
        ]


@laws
@given(batches(), streams())
def test_matching(graph: Graph, rng: np.random.Generator) -> None:
    """Edges by priority, each matched where it still can be; of equal ones, the higher number
    first.
    """
    for run, plain in each_of(run_of("matching", graph, rng)):
        priority, status = run.inputs["priority"].tolist(), run.final("status").tolist()
        ends = run.graph.edges.T.tolist()
        taken: set[int] = set()
        expected = []
        for edge in sorted(range(len(ends)), key=lambda edge: (-priority[edge], -edge)):
            if not taken & set(ends[edge]):
                taken |= set(ends[edge])
                expected.append(edge)
        assert [edge for edge in range(len(ends)) if status[edge] == 1] == sorted(expected)
        assert all(status[edge] for edge in range(len(ends)))  # none is undecided
        assert nx.is_maximal_matching(plain, {tuple(ends[edge]) for edge in expected})


# ---- paths


@laws
@given(any_graphs, streams())
def test_dijkstra(graph: Graph, rng: np.random.Generator) -> None:
    for run, plain in each_of(run_of("dijkstra", graph, rng)):
        source = int(run.inputs["source"])
        distance = nx.single_source_dijkstra_path_length(plain, source)
        assert (
            run.final("reached").tolist()
            == run.final("done").tolist()
            == [node in distance for node in plain]
        )
        check_distances(run, plain, source, distance)
        order = [int(step.nonzero()) for step in run["is_next"].dense() if step.any()]
        assert [distance[node] for node in order] == sorted(distance.values())


def check_distances(run: Run, plain: nx.Graph, source: int, distance: dict[int, int]) -> None:
    """Distances are the shortest, and parents lie on shortest paths."""
    found, parent = run.final("distance").tolist(), run.final("parent").tolist()
    for node in plain:
        if node in distance:
            assert found[node] == distance[node]
        if node in distance and node != source:
            assert (
                plain.edges[parent[node], node]["weight"] + distance[parent[node]] == distance[node]
            )
        else:
            assert parent[node] == node


@laws
@given(graphs(max_graphs=3, max_nodes=6, directed=True), st.integers(0, 4), streams())
def test_bellman_ford_on_directed_graphs(graph: Graph, lift: int, rng: np.random.Generator) -> None:
    """lift: added to all weights, so that some graphs have no cycle of negative weight, and some
    do.
    """
    chosen = algorithm("bellman_ford")
    inputs = {
        **chosen.sample(graph, rng),
        "weight": torch.from_numpy(rng.integers(-4, 5, graph.num_edges)) + lift,
    }
    for run, plain in each_of(run_algorithm(chosen, graph, inputs)):
        source = int(run.inputs["source"])
        reached = plain.subgraph({source} | nx.descendants(plain, source)).copy()
        has_cycle = nx.negative_edge_cycle(reached)
        assert (run.stopped == (Stopped.BY_LIMIT if has_cycle else Stopped.BY_RULE)).all()
        assert run.final("reached").tolist() == [node in reached for node in plain]
        assert bool(run.outcomes["has_negative_cycle"]) == has_cycle
        if not has_cycle:
            check_distances(
                run, plain, source, nx.single_source_bellman_ford_path_length(plain, source)
            )


@laws
@given(batches(), streams())
def test_bellman_ford_on_undirected_graphs(graph: Graph, rng: np.random.Generator) -> None:
    chosen = algorithm("bellman_ford")
    inputs = {
        **chosen.sample(graph, rng),
        "weight": torch.from_numpy(rng.integers(0, 5, graph.num_edges)),
    }
    for run, plain in each_of(run_algorithm(chosen, graph, inputs)):
        source = int(run.inputs["source"])
        check_distances(run, plain, source, nx.single_source_dijkstra_path_length(plain, source))


@laws
@given(graphs(max_graphs=3, max_nodes=7, directed=True), streams())
def test_topological_sort(graph: Graph, rng: np.random.Generator) -> None:
    for run, plain in each_of(run_of("topological_sort", graph, rng)):
        assert bool(run.outcomes["is_acyclic"]) == nx.is_directed_acyclic_graph(plain)
        placed, position = run.final("placed").tolist(), run.final("position").tolist()
        order = sorted((node for node in plain if placed[node]), key=position.__getitem__)
        assert [position[node] for node in order] == list(range(len(order)))
        if nx.is_directed_acyclic_graph(plain):
            assert order == list(nx.lexicographical_topological_sort(plain))
        else:  # what lies behind a cycle, or on it, is not placed
            behind = {
                node
                for node in plain
                if any(plain.subgraph(c).number_of_edges() for c in cycles_before(plain, node))
            }
            assert set(order) == set(plain) - behind


def cycles_before(plain: nx.DiGraph, node: int) -> list[set[int]]:
    """The strong components that lead to a node, its own among them."""
    before = {node} | nx.ancestors(plain, node)
    return [
        part for part in nx.strongly_connected_components(plain) if part <= before and len(part) > 1
    ]


# ---- all of them


ODD = {
    "one node": Graph.pack([1], []),
    "no edges": Graph.pack([4], []),
    "one edge": Graph.pack([2], [(0, 1)]),
    "in two parts": Graph.pack([6], [(0, 1), (1, 2), (0, 2), (3, 4)]),
    "complete": Graph.pack([6], [(u, v) for v in range(6) for u in range(v)]),
    "star": Graph.pack([7], [(3, v) for v in range(7) if v != 3]),
    "path": Graph.pack([9], [(v, v + 1) for v in range(8)]),
}


@pytest.mark.parametrize("name", sorted(algorithms()))
def test_odd_graphs_run_to_their_end(name: str) -> None:
    """Side by side, which is as alone (below)."""
    chosen, expected = roomy(name), Stopped.BY_RULE
    directed = chosen.graphs == "directed"
    shapes = [Graph.pack(odd.node_counts, odd.edges.T, directed=directed) for odd in ODD.values()]
    graph = Graph.join(3 * shapes)
    run = run_algorithm(chosen, graph, chosen.sample(graph, np.random.default_rng(0)))
    if not chosen.declaration.terminates:
        expected = Stopped.BY_COUNT
    for place, reason in enumerate(run.stopped.tolist()):
        # an edge of negative weight is a cycle, there and back
        may_be_cut = name == "bellman_ford" and reason == Stopped.BY_LIMIT
        assert may_be_cut or reason == expected, [*ODD][place % len(ODD)]


def roomy(name: str) -> Algorithm:
    """An algorithm with colors enough for any graph of seven nodes."""
    return algorithm(name, colors=7) if name == "coloring" else algorithm(name)


@examples(60)
@given(st.data(), st.sampled_from(sorted(algorithms())), streams())
def test_in_company_as_alone(data: st.DataObject, name: str, rng: np.random.Generator) -> None:
    chosen = roomy(name)
    directed = {"any": None, "directed": True, "undirected": False}[chosen.graphs]
    graph = data.draw(graphs(max_nodes=7, directed=directed))
    run = run_algorithm(chosen, graph, chosen.sample(graph, rng))
    for place in range(graph.num_graphs):
        alone = run.take([place])
        assert run_algorithm(chosen, alone.graph, alone.inputs).equals(alone)


def test_there_are_fourteen() -> None:
    assert len(algorithms()) >= 14
    assert all(not cls().declaration.in_python for cls in algorithms().values())

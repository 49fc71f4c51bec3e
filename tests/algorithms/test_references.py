"""One law for every algorithm: what it finds is what an independent implementation finds, on graphs
of all shapes.
"""

from __future__ import annotations

from functools import cache

import networkx as nx
import numpy as np
import pytest

from algolens.algorithms import Algorithm, algorithm, algorithms
from algolens.engines import run_algorithm
from algolens.evaluation.reference import agreement
from algolens.graphs import Graph, from_networkx
from tests.effort import in_proportion

RANDOM = in_proportion(200)  # graphs
NODES = 12  # of them, at most
ODD = {
    "one node": nx.empty_graph(1),
    "no edges": nx.empty_graph(5),
    "one edge": nx.path_graph(2),
    "in two parts": nx.disjoint_union(nx.cycle_graph(5), nx.star_graph(3)),
    "complete": nx.complete_graph(9),
    "star": nx.star_graph(12),
    "path": nx.path_graph(15),
    "cycle": nx.cycle_graph(14),
    "tree": nx.balanced_tree(2, 3),
    "two sides": nx.complete_bipartite_graph(3, 6),
}
MOST_WEIGHT = 6  # numbers so few that many are equal


@cache
def graphs_of_all_shapes() -> Graph:
    """Small graphs of every shape, each once; random ones, of any density; and odd ones."""
    rng = np.random.default_rng(16)
    shapes = zip(
        rng.integers(8, NODES + 1, RANDOM).tolist(), rng.random(RANDOM).tolist(), strict=True
    )
    drawn = [
        nx.gnp_random_graph(nodes, share, seed=place) for place, (nodes, share) in enumerate(shapes)
    ]
    # all of up to six nodes; all of seven, too, where ten times as much is tried
    atlas = nx.graph_atlas_g()[1 : in_proportion(420)]
    found = [from_networkx(graph) for graph in [*atlas, *drawn, *ODD.values()]]
    return Graph.join([Graph(each.node_counts, each.edge_counts, each.edges) for each in found])


@cache
def directed_graphs() -> Graph:
    """Of all shapes, with directions."""
    return with_directions(graphs_of_all_shapes(), np.random.default_rng(3))


def with_directions(graph: Graph, rng: np.random.Generator) -> Graph:
    """Half of the graphs without cycles, along a random order of their nodes; the others with edges
    either way, or both.
    """
    ends = graph.edges.T
    owner = np.repeat(np.arange(graph.num_graphs), graph.edge_counts)
    ordered = rng.random(graph.num_graphs)[owner] < 0.5
    rank = rng.random(graph.num_nodes)
    turned = np.where(ordered, rank[ends[:, 0]] > rank[ends[:, 1]], rng.random(len(ends)) < 0.5)
    back = ~ordered & (rng.random(len(ends)) < 0.3)
    first = np.cumsum(graph.node_counts) - graph.node_counts
    found = []
    for place, nodes in enumerate(graph.node_counts.tolist()):
        mine = owner == place
        edges = np.where(turned[mine, None], ends[mine, ::-1], ends[mine]) - first[place]
        edges = np.concatenate([edges, edges[back[mine], ::-1]])
        found.append(Graph.pack([nodes], edges.tolist(), directed=True))
    return Graph.join(found)


def roomy(name: str) -> Algorithm:
    """An algorithm with colors enough for all graphs here."""
    return algorithm(name, colors=NODES) if name == "coloring" else algorithm(name)


def inputs_with_ties(
    chosen: Algorithm, graph: Graph, rng: np.random.Generator
) -> dict[str, np.ndarray]:
    """Inputs as they are drawn, of few numbers where equals are allowed."""
    drawn = chosen.sample(graph, rng)
    for name, field in chosen.declaration.inputs.items():
        if name in ("weight", "key", "priority") and field.kind == "number" and not field.distinct:
            low = -1 if field.signed else field.low
            few = rng.integers(low, MOST_WEIGHT, graph.count(field.at))
            if chosen.name == "binary_search":  # in each graph, in order
                few = few[np.lexsort((few, graph.owner(field.at)))]
            drawn[name] = few
    return drawn


@pytest.mark.parametrize("name", sorted(algorithms()))
def test_it_finds_what_an_independent_implementation_finds(name: str) -> None:
    chosen = roomy(name)
    graphs = []
    if chosen.graphs != "directed":
        graphs.append(graphs_of_all_shapes())
    if chosen.graphs != "undirected":
        directed = directed_graphs()
        graphs.append(
            directed
            if not graphs
            else directed.take(range(directed.num_graphs // 2, directed.num_graphs)).graph
        )
    for graph in graphs:
        found = agreement(
            run_algorithm(chosen, graph, inputs_with_ties(chosen, graph, np.random.default_rng(7)))
        )
        assert found is not None, f"{name} has no reference()"
        assert found.difference is None
        assert (found.graphs, bool(found.compared)) == (graph.num_graphs, True)

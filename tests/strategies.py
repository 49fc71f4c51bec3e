"""Random things for the laws: graphs of every awkward shape, batches of them, formulas."""

from __future__ import annotations

import networkx as nx
import numpy as np
from hypothesis import strategies as st

from algolens.graphs import Graph, from_networkx
from algolens.logic import FALSE, TRUE, Formula, concepts

NAMES = ("a", "b", "c", "d")


@st.composite
def simple_graphs(draw: st.DrawFn, max_nodes: int = 9) -> nx.Graph:
    """One NetworkX graph: arbitrary (so often disconnected), single-node, edgeless, complete, a
    star or a path.
    """
    num_nodes = draw(st.integers(1, max_nodes))
    shape = draw(st.sampled_from(["any", "any", "any", "edgeless", "complete", "star", "path"]))
    if shape == "any":
        graph = nx.empty_graph(num_nodes)
        pairs = [(u, v) for v in range(num_nodes) for u in range(v)]
        if pairs:
            graph.add_edges_from(draw(st.lists(st.sampled_from(pairs), unique=True, max_size=20)))
        return graph
    made = {
        "edgeless": nx.empty_graph,
        "complete": nx.complete_graph,
        "star": lambda n: nx.star_graph(n - 1),
        "path": nx.path_graph,
    }
    return made[shape](num_nodes)


@st.composite
def directed_graphs(draw: st.DrawFn, max_nodes: int = 8) -> nx.DiGraph:
    """One NetworkX graph whose edges lead one way, or both: often with cycles, often without, or
    edgeless.
    """
    num_nodes = draw(st.integers(1, max_nodes))
    graph = nx.empty_graph(num_nodes, create_using=nx.DiGraph)
    is_acyclic = draw(st.booleans())
    order = draw(st.permutations(range(num_nodes)))
    pairs = [
        (order[i], order[j])
        for i in range(num_nodes)
        for j in range(num_nodes)
        if (i < j if is_acyclic else i != j)
    ]
    if pairs:
        graph.add_edges_from(draw(st.lists(st.sampled_from(pairs), unique=True, max_size=20)))
    return graph


def batches(max_graphs: int = 4, max_nodes: int = 9) -> st.SearchStrategy[Graph]:
    """Some graphs of mixed sizes, side by side, without names."""
    several = st.lists(simple_graphs(max_nodes), min_size=1, max_size=max_graphs)
    return several.map(lambda graphs: Graph.join([nameless(graph) for graph in graphs]).to("cpu"))


@st.composite
def graphs(
    draw: st.DrawFn, max_graphs: int = 3, max_nodes: int = 5, *, directed: bool | None = None
) -> Graph:
    """Some graphs side by side, of one kind: undirected, or directed with edges either way or
    both.
    """
    directed = draw(st.booleans()) if directed is None else directed
    found = []
    for _ in range(draw(st.integers(1, max_graphs))):
        graph = draw(simple_graphs(max_nodes))
        edges = (
            [(u, v) if draw(st.booleans()) else (v, u) for u, v in graph.edges]
            if directed
            else list(graph.edges)
        )
        if directed:
            edges += [(v, u) for u, v in edges if draw(st.booleans())]
        found.append(Graph.pack([len(graph)], edges, directed=directed))
    return Graph.join(found).to("cpu")


def nameless(graph: nx.Graph) -> Graph:
    packed = from_networkx(graph)
    return Graph(packed.node_counts, packed.edge_counts, packed.edges).to("cpu")


def streams() -> st.SearchStrategy[np.random.Generator]:
    """A random stream."""
    return st.integers(0, 2**32 - 1).map(np.random.default_rng)


def formulas(names: tuple[str, ...] = NAMES) -> st.SearchStrategy[Formula]:
    """Any formula over a few concepts."""
    leaves = st.sampled_from([*concepts(*names), TRUE, FALSE])
    return st.recursive(
        leaves,
        lambda inner: st.one_of(
            inner.map(lambda f: ~f),
            st.tuples(inner, inner).map(lambda pair: pair[0] & pair[1]),
            st.tuples(inner, inner).map(lambda pair: pair[0] | pair[1]),
        ),
        max_leaves=12,
    )


def parts(graph: Graph) -> list[nx.Graph]:
    """Each graph of a batch as a NetworkX graph on its places 0, 1, ..."""
    result = []
    for i in range(graph.num_graphs):
        part = graph.take([i]).graph
        alone = nx.empty_graph(part.num_nodes)
        alone.add_edges_from(part.edges.T.tolist())
        result.append(alone)
    return result

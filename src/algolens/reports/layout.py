"""Where the nodes of a graph are drawn: by NetworkX, with paths, trees and grids as such."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import networkx as nx
import numpy as np
from scipy.sparse.csgraph import shortest_path
from scipy.spatial import cKDTree
from sklearn.decomposition import PCA

from algolens.graphs import Graph
from algolens.layouts import Layered, Layout

SEED = 0
PIVOTS = 50  # nodes to which distances are compared in the first drawing
MOST_SPRUNG = 1_000  # of more nodes, springs take long
ROW = 12  # nodes of a path in one row
GAP = 1.2  # between the parts of a graph
NEAREST = 0.75  # nodes are pushed apart to this share of the usual length of an edge
WIDE = 1.5  # how much wider than high a graph of several parts is
COLUMN = 1.3  # between the layers of a graph without cycles
SWEEPS = 8  # over its layers, to and fro
Place = tuple[float, float]


@dataclass(frozen=True, eq=False)
class Drawn:
    """Where each node is drawn, an edge being about 1 long, and in what form."""

    places: np.ndarray  # [N, 2], from 0 on
    form: str  # of the largest part: "a path", "a tree", ...


def laid_out(graph: Graph, root: int | None = None, layout: Layout | None = None) -> Drawn:
    """Places for the nodes of one graph, part by part; a tree hangs from its root.

    layout: as the algorithm has it; layers need directed edges, and no cycle of them.

    >>> laid_out(Graph.pack([4], [(0, 1), (1, 2), (2, 3)])).places.tolist()
    [[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [3.0, 0.0]]
    """
    layers = _in_layers(graph) if isinstance(layout, Layered) and graph.directed else None
    if layers is not None:
        return Drawn(layers, "layers")
    whole = nx.empty_graph(graph.num_nodes)
    whole.add_edges_from(graph.edges.T.tolist())
    parts = sorted(map(sorted, nx.connected_components(whole)), key=len, reverse=True)
    places, forms, sizes = np.zeros((graph.num_nodes, 2)), ["nothing"], []
    for part in parts:
        form, part_places = _part(whole.subgraph(part), root if root in part else None)
        places[part] = [part_places[node] for node in part]
        places[part] -= places[part].min(0)
        forms.append(form)
        sizes.append(places[part].max(0) + GAP)
    for part, corner in zip(parts, _corners(sizes), strict=True):
        places[part] += corner
    return Drawn(places, forms[min(1, len(parts))])


def _in_layers(graph: Graph) -> np.ndarray | None:
    """[N, 2] places with every edge from left to right; None where edges go in a circle."""
    whole = nx.empty_graph(graph.num_nodes, create_using=nx.DiGraph)
    whole.add_edges_from(graph.edges.T.tolist())
    if not nx.is_directed_acyclic_graph(whole):
        return None
    column = {
        node: number
        for number, nodes in enumerate(nx.topological_generations(whole))
        for node in nodes
    }
    # an edge over several columns has a place in each, so that no node stands on it
    layers: list[list[Hashable]] = [[] for _ in range(max(column.values(), default=0) + 1)]
    beside: dict[Hashable, list[Hashable]] = {}
    for node, number in sorted(column.items()):
        layers[number].append(node)
    for u, v in sorted(whole.edges):
        way = [u, *((u, v, at) for at in range(column[u] + 1, column[v])), v]
        for at, stop in enumerate(way[1:-1], column[u] + 1):
            layers[at].append(stop)
        for one, other in pairwise(way):
            beside.setdefault(one, []).append(other)
            beside.setdefault(other, []).append(one)
    across = _across(layers, beside)
    places = np.array([[COLUMN * column[node], across[node]] for node in range(graph.num_nodes)])
    return places.reshape(-1, 2)


def _across(
    layers: Sequence[list[Hashable]], beside: Mapping[Hashable, Sequence[Hashable]]
) -> dict[Hashable, float]:
    """How far down each of a layer stands: near the middle of those beside it (Sugiyama 1981)."""
    across: dict[Hashable, float] = {}
    for layer in layers:
        across |= {node: place - (len(layer) - 1) / 2 for place, node in enumerate(layer)}
    for sweep in range(SWEEPS):
        for layer in layers if sweep % 2 == 0 else reversed(layers):
            wanted = {
                node: float(np.mean([across[other] for other in beside[node]]))
                if beside.get(node)
                else across[node]
                for node in layer
            }
            layer.sort(key=wanted.__getitem__)
            middle = float(np.mean(list(wanted.values())))
            for place, node in enumerate(layer):
                across[node] = middle + place - (len(layer) - 1) / 2
    least = min(across.values(), default=0.0)
    return {node: place - least for node, place in across.items()}


def _part(part: nx.Graph, root: int | None) -> tuple[str, dict[int, Place]]:
    """The form of a connected graph, and its places."""
    count, most = len(part), max(degree for _, degree in part.degree)
    around = count / (2 * np.pi)  # the radius of a circle on which nodes are 1 apart
    if nx.is_tree(part):
        return ("a path", _path(part, root)) if most <= 2 else ("a tree", _tree(part, root))
    if part.number_of_edges() == count and most == 2:
        order = nx.dfs_preorder_nodes(part, min(part))
        return "a cycle", nx.circular_layout(list(order), scale=around)
    if nx.density(part) == 1:
        return "a complete graph", nx.circular_layout(sorted(part), scale=1.5 * around)
    if (grid := _grid(part)) is not None:
        return "a grid", grid
    return "a graph", _by_springs(part)


def _path(part: nx.Graph, root: int | None) -> dict[int, Place]:
    """In one row, or in rows that turn at their ends."""
    ends = [node for node in sorted(part) if part.degree(node) <= 1]
    places = {}
    for number, node in enumerate(nx.dfs_preorder_nodes(part, root if root in ends else ends[0])):
        row, column = divmod(number, ROW)
        places[node] = (float(ROW - 1 - column if row % 2 else column), float(row))
    return places


def _tree(part: nx.Graph, root: int | None) -> dict[int, Place]:
    """Level by level below its root; in rings around it where that would be too wide."""
    top = min(nx.center(part)) if root is None else root
    depth = nx.single_source_shortest_path_length(part, top)
    across: dict[int, float] = {}
    leaves = 0
    for node in nx.dfs_postorder_nodes(part, top, sort_neighbors=sorted):
        below = [across[child] for child in part[node] if depth[child] > depth[node]]
        across[node] = (min(below) + max(below)) / 2 if below else float(leaves)
        leaves += not below
    deepest = max(depth.values())
    if leaves <= 4 * (deepest + 1):
        return {node: (across[node], 1.3 * depth[node]) for node in part}
    ring = max(1.0, 0.9 * leaves / (2 * np.pi * deepest))  # leaves have room on the last
    turn = 2j * np.pi / leaves
    places = {node: ring * depth[node] * np.exp(turn * across[node]) for node in part}
    return {node: (place.real, place.imag) for node, place in places.items()}


def _grid(part: nx.Graph) -> dict[int, Place] | None:
    """Rows and columns, by the distances to two corners of a longest side; None: it is no grid."""
    corners = [node for node in sorted(part) if part.degree(node) == 2]
    if len(corners) != 4:
        return None
    first = nx.single_source_shortest_path_length(part, corners[0])
    _, _, corner, _ = sorted(corners, key=first.__getitem__)
    second = nx.single_source_shortest_path_length(part, corner)
    side = first[corner]
    places = {
        node: ((first[node] - second[node] + side) / 2, (first[node] + second[node] - side) / 2)
        for node in part
    }
    columns, rows = np.max(list(places.values()), axis=0).astype(int) + 1
    grid = nx.grid_2d_graph(columns, rows)
    return places if nx.utils.graphs_equal(nx.relabel_nodes(part, places), grid) else None


def _by_springs(part: nx.Graph) -> dict[int, Place]:
    """From places whose distances are about as many edges as lie between (Brandes, Pich 2006)."""
    nodes, rng = sorted(part), np.random.default_rng(SEED)
    joined = nx.to_scipy_sparse_array(part, nodes)
    pivots = np.unique(np.linspace(0, len(part) - 1, PIVOTS).astype(int))
    squares = shortest_path(joined, unweighted=True, indices=pivots).T ** 2
    places = PCA(2).fit_transform(squares - squares.mean(1, keepdims=True))
    places += rng.normal(scale=1e-3, size=places.shape)  # two nodes on one place would never part
    if len(part) <= MOST_SPRUNG:
        begin = dict(zip(nodes, places / np.abs(places).max(), strict=True))
        sprung = nx.spring_layout(part, pos=begin, seed=SEED)
        places = PCA(2).fit_transform([sprung[node] for node in nodes])
    one, other = joined.nonzero()
    places /= np.median(np.linalg.norm(places[one] - places[other], axis=1))
    return dict(zip(nodes, _apart(places), strict=True))


def _apart(places: np.ndarray) -> np.ndarray:
    """Pushes nodes apart that lie near each other."""
    for _ in range(60):
        one, other = cKDTree(places).query_pairs(NEAREST, output_type="ndarray").T
        between = places[one] - places[other]
        distance = np.linalg.norm(between, axis=1, keepdims=True)
        push = between / distance * (NEAREST - distance) / 2
        np.add.at(places, one, push)
        np.add.at(places, other, -push)
    return places


def _corners(sizes: Sequence[np.ndarray]) -> Iterator[np.ndarray]:
    """Where each part begins: in rows, as wide as the whole is to be."""
    area = sum(float(np.prod(size)) for size in sizes)
    widest = max([(WIDE * area) ** 0.5, *(float(size[0]) for size in sizes)])
    x = y = height = 0.0
    for size in sizes:
        if x and x + size[0] > widest:
            x, y, height = 0.0, y + height, 0.0
        yield np.array([x, y])
        x, height = x + float(size[0]), max(height, float(size[1]))

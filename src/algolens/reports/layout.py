"""Where the nodes of a graph are drawn: by igraph, each connected part by its form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csr_array
from scipy.spatial import cKDTree
from sklearn.isotonic import isotonic_regression

from algolens.graphs import Graph
from algolens.language.layouts import Layered, Layout
from algolens.lazy import Library

igraph = Library("igraph")
MOST_EXACT = (
    1_200  # nodes that Kamada and Kawai's method places; Fruchterman and Reingold's where more
)
MOVES, ROUNDS = 20, 100  # of each node by the first method, of all by the second
ROW = 12  # nodes of a path in one row
GAP = 1.2  # between the parts of a graph
NEAREST = 0.75  # nodes are pushed apart to this share of the usual length of an edge
WIDE = 1.5  # how much wider than high a graph of several parts is
COLUMN = 1.3  # between the layers of a graph without cycles
LEVEL = 1.3  # between the levels of a tree
BROADEST = 4  # levels of a tree for each leaf; a broader tree is drawn in rings
# of graphs without cycles, layer by layer
SWEEPS = 12  # each from left to right and back
MOST_BENDS = 20_000  # of long edges; where more, edges may cross nodes
BEND = 0.7  # the room of a bend, a node's being 1


@dataclass(frozen=True, eq=False)
class Drawn:
    """Where each node is drawn, an edge being about 1 long, and in what form."""

    places: np.ndarray  # [N, 2], from 0 on
    form: str  # of the largest part: "a path", "a tree", ...


def laid_out(graph: Graph, root: int | None = None, layout: Layout | None = None) -> Drawn:
    """Places for the nodes of one graph, part by part; a tree hangs from its root.

    Directed edges without a cycle lead from left to right, layer by layer, where the algorithm's
    layout says so or it is more than a tree.

    >>> laid_out(Graph.pack([4], [(0, 1), (1, 2), (2, 3)])).places.tolist()
    [[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [3.0, 0.0]]
    """
    whole = igraph.Graph(graph.num_nodes, graph.edges.T.tolist(), directed=graph.directed)
    is_layered = isinstance(layout, Layered) or whole.ecount() >= whole.vcount()
    if graph.directed and whole.is_dag() and is_layered:
        return Drawn(_in_layers(whole), "layers")
    whole.to_undirected()
    whole.simplify()
    parts = sorted(whole.connected_components(), key=lambda part: (-len(part), part))
    places, forms, sizes = np.zeros((graph.num_nodes, 2)), ["nothing"], []
    for part in parts:
        top = part.index(root) if root in part else None
        form, placed = _part(whole.induced_subgraph(part), top)
        places[part] = placed - placed.min(0)
        forms.append(form)
        sizes.append(places[part].max(0) + GAP)
    for part, corner in zip(parts, _corners(sizes), strict=True):
        places[part] += corner
    return Drawn(places, forms[min(1, len(parts))])


def _in_layers(whole: Any) -> np.ndarray:
    """[N, 2] places with every edge from left to right.

    igraph's own `layout_sugiyama` reads beyond its memory (1.0.0), which can end the process.
    """
    layer = [0] * whole.vcount()
    for node in whole.topological_sorting():
        layer[node] = 1 + max((layer[before] for before in whole.predecessors(node)), default=-1)
    return np.stack([COLUMN * np.array(layer), heights(layer, whole.get_edgelist())], 1)


def heights(layer: Sequence[int], edges: Sequence[tuple[int, int]]) -> np.ndarray:
    """[N] a height for every node, at least 1 apart in a layer, near those of its neighbours.

    After Sugiyama, Tagawa and Toda (1981): an edge over several layers gets a bend in each layer
    between, then every layer in turn is ordered by the mean height of its neighbours. The heights
    of a layer are those nearest to these means (least squares) that keep the order and the room.

    >>> heights([0, 1, 1, 2], [(0, 1), (0, 2), (1, 3), (2, 3)]).round(3).tolist()
    [0.5, 0.0, 1.0, 0.5]
    """
    layers, ends, room = _with_bends(np.asarray(layer, dtype=int), sorted(set(edges)))
    senders, receivers = np.array(ends, dtype=int).reshape(-1, 2).T
    both = np.concatenate([senders, receivers]), np.concatenate([receivers, senders])
    links = csr_array((np.ones(len(both[0])), both), shape=(len(layers), len(layers)))
    degree = links.sum(1)
    members = [np.flatnonzero(layers == each) for each in range(int(layers.max(initial=-1)) + 1)]
    height = np.zeros(len(layers))
    for nodes in members:
        height[nodes] = np.arange(len(nodes))
    for nodes in SWEEPS * (members + members[::-1]):
        wanted = np.where(degree[nodes] > 0, links[nodes] @ height, height[nodes])
        wanted = wanted / np.maximum(degree[nodes], 1)
        order = np.lexsort([height[nodes], wanted.round(9)])
        middle = np.cumsum(room[nodes][order]) - room[nodes][order] / 2
        height[nodes[order]] = isotonic_regression(wanted[order] - middle) + middle
    height = height[: len(layer)]
    return height - min(height, default=0.0)


def _with_bends(
    layer: np.ndarray, edges: Sequence[tuple[int, int]]
) -> tuple[np.ndarray, list[tuple[int, int]], np.ndarray]:
    """Layers, edges and rooms of the nodes and, after them, of the bends of long edges."""
    bends = sum(layer[receiver] - layer[sender] - 1 for sender, receiver in edges)
    if bends > MOST_BENDS:
        return layer, list(edges), np.ones(len(layer))
    layers, ends = layer.tolist(), []
    for sender, receiver in edges:
        before = sender
        for between in range(layer[sender] + 1, layer[receiver]):
            layers.append(between)
            ends.append((before, len(layers) - 1))
            before = len(layers) - 1
        ends.append((before, receiver))
    room = np.full(len(layers), BEND)
    room[: len(layer)] = 1
    return np.array(layers, dtype=int), ends, room


def _coordinates(placed: Any) -> np.ndarray:
    """[2, N]."""
    return np.array(placed.coords, dtype=float).reshape(-1, 2).T


def _part(part: Any, root: int | None) -> tuple[str, np.ndarray]:
    """The form of a connected graph, and its places."""
    count, most = part.vcount(), part.maxdegree()
    around = count / (2 * np.pi)  # the radius of a circle on which nodes are 1 apart
    if part.is_tree():
        return ("a path", _path(part, root)) if most <= 2 else ("a tree", _tree(part, root))
    if part.ecount() == count and most == 2:
        order = part.dfs(0)[0]
        return "a cycle", around * _coordinates(part.layout_circle(order=order)).T
    if part.density() == 1:
        return "a complete graph", 1.5 * around * _coordinates(part.layout_circle()).T
    if (grid := _grid(part)) is not None:
        return "a grid", grid
    return "a graph", _by_distances(part)


def _path(part: Any, root: int | None) -> np.ndarray:
    """In one row, or in rows that turn at their ends."""
    ends = [node for node in range(part.vcount()) if part.degree(node) <= 1]
    places = np.zeros((part.vcount(), 2))
    for number, node in enumerate(part.dfs(root if root in ends else ends[0])[0]):
        row, column = divmod(number, ROW)
        places[node] = (ROW - 1 - column if row % 2 else column, row)
    return places


def _tree(part: Any, root: int | None) -> np.ndarray:
    """Level by level below its root; in rings around it where that would be too wide."""
    top = int(np.argmin(part.eccentricity())) if root is None else root
    placed = _coordinates(part.layout_reingold_tilford(root=[top])).T
    leaves = sum(degree <= 1 for degree in part.degree())
    deepest = int(placed[:, 1].max())
    if leaves <= BROADEST * (deepest + 1):
        return placed * [1, LEVEL]
    ring = max(1.0, 0.9 * leaves / (2 * np.pi * deepest))  # leaves have room on the last
    rings: np.ndarray = _coordinates(part.layout_reingold_tilford_circular(root=[top])).T
    return ring * rings


def _grid(part: Any) -> np.ndarray | None:
    """Rows and columns, by the distances to two corners of a longest side; None: it is no grid."""
    corners = [node for node, degree in enumerate(part.degree()) if degree == 2]
    if len(corners) != 4:
        return None
    first = np.array(part.distances(corners[0])[0], dtype=int)
    corner = sorted(corners, key=first.__getitem__)[2]
    second, side = np.array(part.distances(corner)[0], dtype=int), first[corner]
    places = np.stack([first - second + side, first + second - side], 1) / 2
    columns, rows = places.max(0).astype(int) + 1
    ends = places[[edge.tuple for edge in part.es]]
    is_grid = (
        part.ecount() == columns * (rows - 1) + rows * (columns - 1)
        and len(np.unique(places, axis=0)) == columns * rows == part.vcount()
        and (np.abs(ends[:, 0] - ends[:, 1]).sum(1) == 1).all()
    )
    return places if is_grid else None


def _by_distances(part: Any) -> np.ndarray:
    """Nodes about as far apart as edges lie between them, the longer side across."""
    circle = part.layout_circle()
    if part.vcount() <= MOST_EXACT:
        placed = part.layout_kamada_kawai(seed=circle, maxiter=MOVES * part.vcount())
    else:
        placed = part.layout_fruchterman_reingold(seed=circle, niter=ROUNDS, grid=True)
    places = _coordinates(placed).T
    places -= places.mean(0)
    places @= np.linalg.svd(places, full_matrices=False)[2].T
    one, other = np.array([edge.tuple for edge in part.es]).T
    places /= np.median(np.linalg.norm(places[one] - places[other], axis=1)) or 1
    return _apart(places)


def _apart(places: np.ndarray) -> np.ndarray:
    """Pushes nodes apart that lie near each other."""
    places = places + 1e-4 * np.stack([np.arange(len(places)), -np.arange(len(places))], 1)
    for _ in range(60):
        one, other = cKDTree(places).query_pairs(NEAREST, output_type="ndarray").T
        between = places[one] - places[other]
        distance = np.linalg.norm(between, axis=1, keepdims=True)
        push = between / distance * (NEAREST - distance) / 2
        np.add.at(places, one, push)
        np.add.at(places, other, -push)
    return places


def _corners(sizes: Sequence[np.ndarray]) -> list[np.ndarray]:
    """Where each part begins: in rows, as wide as makes the whole most like a screen."""
    widths = np.cumsum([float(size[0]) for size in sizes])
    least = max((float(size[0]) for size in sizes), default=0.0)
    packed = [_in_rows(sizes, width) for width in widths if width >= least - 1e-9]
    if not packed:
        return []
    reach = [np.max([c + s for c, s in zip(some, sizes, strict=True)], axis=0) for some in packed]
    return packed[int(np.argmin([max(x / WIDE, y) for x, y in reach]))]


def _in_rows(sizes: Sequence[np.ndarray], widest: float) -> list[np.ndarray]:
    """Where each part begins in rows of a width; a low part stands below another that is low."""
    corners: list[np.ndarray] = []
    x = y = height = below = 0.0
    for size in sizes:
        wide, high = map(float, size)
        if x and below + high <= height + 1e-9 and corners and wide <= x - corners[-1][0] + 1e-9:
            corners.append(np.array([corners[-1][0], y + below]))
            below += high
            continue
        if x and x + wide > widest + 1e-9:
            x, y, height = 0.0, y + height, 0.0
        corners.append(np.array([x, y]))
        x, height, below = x + wide, max(height, high), high
    return corners

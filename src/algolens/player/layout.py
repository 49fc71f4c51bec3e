"""Where the nodes of a graph are drawn: paths, cycles, trees and grids as such, others with
neighbours near each other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import networkx as nx
import numpy as np
from scipy.sparse.csgraph import shortest_path
from scipy.spatial import cKDTree
from scipy.spatial.distance import cdist

from algolens.graphs import Graph

SEED = 0  # of what is drawn at random
# after so many rounds a drawing hardly changes; of many nodes it takes long, and there are fewer
ROUNDS, MANY = 150, 300
MOST_PAIRS = 1_000  # nodes of which all distances are compared; of more, those to a few of them
PIVOTS = 50  # these few
ROW = 12  # nodes of a path in one row
GAP = 1.2  # between the parts of a graph
# two nodes of one part are pushed apart to this share of the usual length of an edge
NEAREST = 0.75
WIDE = 1.5  # how much wider than high a graph of several parts is


@dataclass(frozen=True, eq=False)
class Drawn:
    """Where each node is drawn, an edge being about 1 long, and in what form."""

    places: np.ndarray  # [N, 2], from 0 on
    form: str  # of the largest part: "a path", "a tree", ...


def laid_out(graph: Graph, root: int | None = None) -> Drawn:
    """Places for the nodes of one graph, part by part. root: the node that a tree hangs from, where
    it is one.

    >>> laid_out(Graph.pack([4], [(0, 1), (1, 2), (2, 3)])).places.tolist()
    [[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [3.0, 0.0]]
    """
    whole: nx.Graph = nx.Graph()
    whole.add_nodes_from(range(graph.num_nodes))
    whole.add_edges_from(graph.edges.T.tolist())
    parts = sorted((sorted(part) for part in nx.connected_components(whole)), key=len, reverse=True)
    drawn = [_part(whole.subgraph(part), root if root in part else None) for part in parts]
    places = np.zeros((graph.num_nodes, 2))
    for part, corner, each in zip(
        parts, _side_by_side([each.places for each in drawn]), drawn, strict=True
    ):
        places[part] = each.places + corner
    return Drawn(places, drawn[0].form if drawn else "nothing")


def _part(part: nx.Graph, root: int | None) -> Drawn:
    """A connected graph; places in the order of its sorted nodes."""
    for form in FORMS:
        found = form(part, root)
        if found is not None:
            name, places = found
            return Drawn(_from_zero(places), name)
    raise AssertionError("the last form fits every graph")


Form = Callable[[nx.Graph, int | None], tuple[str, np.ndarray] | None]


def _path(part: nx.Graph, root: int | None) -> tuple[str, np.ndarray] | None:
    """In one row, or in rows that turn at their ends."""
    ends = [node for node in sorted(part) if part.degree(node) <= 1]
    if part.number_of_edges() != len(part) - 1 or max(dict(part.degree).values()) > 2:
        return None
    first = root if root in ends else ends[0]
    order = {node: number for number, node in enumerate(nx.dfs_preorder_nodes(part, first))}
    places = []
    for node in sorted(part):
        row, column = divmod(order[node], ROW)
        places.append((column if row % 2 == 0 else ROW - 1 - column, row))
    return "a path", np.array(places, float)


def _cycle(part: nx.Graph, root: int | None) -> tuple[str, np.ndarray] | None:
    if len(part) < 3 or any(degree != 2 for _, degree in part.degree):
        return None
    order = {node: number for number, node in enumerate(nx.dfs_preorder_nodes(part, min(part)))}
    return "a cycle", _circle(np.array([order[node] for node in sorted(part)]), len(part))


def _complete(part: nx.Graph, root: int | None) -> tuple[str, np.ndarray] | None:
    if len(part) < 4 or nx.density(part) < 1:
        return None
    return "a complete graph", _circle(np.arange(len(part)), len(part)) * 1.5


def _tree(part: nx.Graph, root: int | None) -> tuple[str, np.ndarray] | None:
    """Level by level below its root; in rings around it where a level would be too wide."""
    if not nx.is_tree(part):
        return None
    top = root if root is not None else min(nx.center(part))
    nodes = sorted(part)
    depth = nx.single_source_shortest_path_length(part, top)
    y = np.array([depth[node] for node in nodes], float)
    across = _near_each_other(part, top, depth)
    x = np.array([across[node] for node in nodes])
    if x.max() - x.min() + 1 <= 4 * (y.max() + 1):
        return "a tree", np.stack([x, y * 1.3], 1)
    across = _by_leaves(part, top, depth)
    x = np.array([across[node] for node in nodes])
    angle = 2 * np.pi * x / (x.max() + 1)
    # so far out that the leaves have room on the last ring
    radius = y * max(1.0, (x.max() + 1) * 0.9 / (2 * np.pi * max(y.max(), 1)))
    return "a tree", np.stack([radius * np.cos(angle), radius * np.sin(angle)], 1)


def _near_each_other(tree: nx.Graph, top: int, depth: dict[int, int]) -> dict[int, float]:
    """How far right each node stands: what hangs from a node as near together as 1 apart on every
    level allows, the node in the middle above it (Reingold and Tilford 1981).
    """
    right_of_parent: dict[int, float] = {top: 0.0}
    outlines: dict[
        int, tuple[list[float], list[float]]
    ] = {}  # the leftmost and the rightmost on each level, seen from the node
    for node in nx.dfs_postorder_nodes(tree, top, sort_neighbors=sorted):
        children = sorted(child for child in tree[node] if depth[child] > depth[node])
        left: list[float] = []
        right: list[float] = []
        for child in children:
            its_left, its_right = outlines.pop(child)
            at = (
                max(
                    (end - begin for end, begin in zip(right, its_left, strict=False)), default=-1.0
                )
                + 1
            )
            right_of_parent[child] = at
            left += [at + each for each in its_left[len(left) :]]
            right = [at + each for each in its_right] + right[len(its_right) :]
        middle = (
            (right_of_parent[children[0]] + right_of_parent[children[-1]]) / 2 if children else 0.0
        )
        for child in children:
            right_of_parent[child] -= middle
        outlines[node] = (
            [0.0, *(each - middle for each in left)],
            [0.0, *(each - middle for each in right)],
        )
    across: dict[int, float] = {}
    for node in nx.dfs_preorder_nodes(tree, top):
        above = next((other for other in tree[node] if depth[other] < depth[node]), None)
        across[node] = right_of_parent[node] + (0.0 if above is None else across[above])
    return across


def _by_leaves(tree: nx.Graph, top: int, depth: dict[int, int]) -> dict[int, float]:
    """How far round each node stands: leaves side by side, others in the middle of what hangs from
    them.
    """
    across: dict[int, float] = {}
    leaves = 0
    for node in nx.dfs_postorder_nodes(tree, top, sort_neighbors=sorted):
        below = [across[child] for child in tree[node] if depth[child] > depth[node]]
        across[node] = (min(below) + max(below)) / 2 if below else float(leaves)
        leaves += not below
    return across


def _grid(part: nx.Graph, root: int | None) -> tuple[str, np.ndarray] | None:
    """Rows and columns follow from the distances to two corners of one side."""
    corners = [node for node in sorted(part) if part.degree(node) == 2]
    if len(part) < 4 or len(corners) < 4 or max(dict(part.degree).values()) > 4:
        return None
    first = nx.single_source_shortest_path_length(part, corners[0])
    for corner in sorted(corners[1:], key=lambda node: -first[node]):
        side = first[corner]
        second = nx.single_source_shortest_path_length(part, corner)
        places = (
            np.array(
                [(first[n] - second[n] + side, first[n] + second[n] - side) for n in sorted(part)]
            )
            / 2
        )
        if _is_grid(part, places):
            columns, rows = places.max(0)
            return "a grid", places if columns >= rows else places[:, ::-1]
    return None


def _is_grid(part: nx.Graph, places: np.ndarray) -> bool:
    columns, rows = places.max(0) + 1
    at = dict(zip(sorted(part), map(tuple, places.tolist()), strict=True))
    whole = columns * rows == len(part) == len(set(at.values())) and bool(
        (places == places.round()).all()
    )
    joined = all(abs(at[u][0] - at[v][0]) + abs(at[u][1] - at[v][1]) == 1 for u, v in part.edges)
    return (
        whole and joined and part.number_of_edges() == columns * (rows - 1) + rows * (columns - 1)
    )


def _others(part: nx.Graph, root: int | None) -> tuple[str, np.ndarray]:
    """So that distances are as many edges as lie between; from a drawing without crossings where
    there is one.
    """
    nodes = sorted(part)
    joined = nx.to_scipy_sparse_array(part, nodes)
    if len(part) > MOST_PAIRS:
        return "a graph", _apart(_turned(_by_pivots(joined)))
    is_planar, _ = nx.check_planarity(part)
    begin = (
        nx.planar_layout(part, scale=len(part) ** 0.5)
        if is_planar
        else nx.spectral_layout(part, scale=len(part) ** 0.5)
    )
    places = _by_stress(
        np.array([begin[node] for node in nodes]), shortest_path(joined, unweighted=True)
    )
    return "a planar graph" if is_planar else "a graph", _apart(_turned(places))


def _by_pivots(joined: Any) -> np.ndarray:
    """Places whose distances to some nodes far from each other are as many edges as lie between
    (Brandes and Pich 2006).
    """
    pivots, distances = [0], []
    for _ in range(PIVOTS):
        distances.append(shortest_path(joined, unweighted=True, indices=pivots[-1]))
        pivots.append(int(np.min(distances, 0).argmax()))
    squares = np.stack(distances, 1) ** 2
    centered = squares - squares.mean(0) - squares.mean(1, keepdims=True) + squares.mean()
    _, axes = np.linalg.eigh(centered.T @ centered)
    places = centered @ axes[:, -2:]
    ends = joined.nonzero()
    return places / max(
        float(np.median(np.linalg.norm(places[ends[0]] - places[ends[1]], axis=1))), 1e-9
    )


def _by_stress(places: np.ndarray, distances: np.ndarray) -> np.ndarray:
    """Places whose distances differ least from the given ones, near pairs counting most (Gansner et
    al. 2004).
    """
    apart = ~np.eye(len(places), dtype=bool)
    weights = np.where(apart, np.maximum(distances, 1.0) ** -2.0, 0)
    # what is multiplied by it below sums up to zero: so it does as the pseudo-inverse would, which
    # takes long
    inverse = np.linalg.inv(np.diag(weights.sum(1)) - weights + 1 / len(places))
    # two nodes on one place would never part
    places = places + np.random.default_rng(SEED).normal(scale=1e-3, size=places.shape)
    for _ in range(ROUNDS if len(places) <= MANY else ROUNDS // 5):
        now = cdist(places, places)
        ratio = np.divide(weights * distances, now, out=np.zeros_like(now), where=now > 1e-12)
        places = inverse @ (ratio.sum(1)[:, None] * places - ratio @ places)
    return places


FORMS: tuple[Form, ...] = (_path, _cycle, _complete, _grid, _tree, _others)


def _circle(order: np.ndarray, count: int) -> np.ndarray:
    angle = 2 * np.pi * order / count - np.pi / 2
    return count / (2 * np.pi) * np.stack([np.cos(angle), np.sin(angle)], 1)


def _turned(places: np.ndarray) -> np.ndarray:
    """Turned so that the longest side lies across."""
    middle = places - places.mean(0)
    _, _, axes = np.linalg.svd(middle, full_matrices=False)
    # an axis has no sign of its own: the same graph is drawn the same way everywhere
    axes = axes * np.where(axes[np.arange(2), np.abs(axes).argmax(1)] < 0, -1, 1)[:, None]
    return middle @ axes.T


def _apart(places: np.ndarray) -> np.ndarray:
    """Nodes that lie on or near each other are pushed apart."""
    generator = np.random.default_rng(SEED)
    for _ in range(60):
        one, other = cKDTree(places).query_pairs(NEAREST, output_type="ndarray").T
        if not len(one):
            break
        apart = places[one] - places[other]
        distance = np.linalg.norm(apart, axis=1)
        same = distance < 1e-9
        apart[same] = generator.normal(size=(int(same.sum()), 2))
        push = apart / np.linalg.norm(apart, axis=1)[:, None] * (NEAREST - distance)[:, None] / 2
        places = places.copy()
        np.add.at(places, one, push)
        np.add.at(places, other, -push)
    return places


def _from_zero(places: np.ndarray) -> np.ndarray:
    return places - places.min(0)


def _side_by_side(parts: list[np.ndarray]) -> Iterator[np.ndarray]:
    """Where the corner of each part lies: in rows, as wide as the whole is to be."""
    sizes = [part.max(0) + GAP for part in parts]
    widest = max(
        [float(size[0]) for size in sizes]
        + [(WIDE * sum(float(np.prod(size)) for size in sizes)) ** 0.5]
    )
    x = y = height = 0.0
    for size in sizes:
        if x and x + size[0] > widest:
            x, y, height = 0.0, y + height, 0.0
        yield np.array([x, y])
        x, height = x + float(size[0]), max(height, float(size[1]))

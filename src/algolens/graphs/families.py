"""The families of random graphs of the paper's appendix, each made by the thousand at once.

A family is a function of (number of nodes, how many graphs, random stream) that gives the edges of
all the graphs as pairs [E, 2], the nodes numbered through all of them. ``sample`` makes them into a
Graph.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from algolens.errors import GraphError
from algolens.graphs.cells import Cells
from algolens.graphs.family_sizes import check_drawing
from algolens.graphs.graph import Graph
from algolens.graphs.random import MAX_ROUNDS, draw_distinct, successes
from algolens.lazy import csgraph, sparse

Family = Callable[[int, int, np.random.Generator], np.ndarray]


# share of directed graphs whose edges lead any way; in the others they lead along an order of the
# nodes
CYCLIC = 0.25


def sample(
    family: str, num_nodes: int, count: int, rng: np.random.Generator, *, directed: bool = False
) -> Graph:
    """``count`` graphs of a family with ``num_nodes`` nodes each.

    directed: each edge gets a direction; in most graphs along a random order of the nodes, so that
    there is no cycle.

    >>> from algolens.graphs import sample, stream
    >>> sample("tree", 20, 1000, stream(0, "trees"))
    Graph(1000 graphs, 20000 nodes, 19000 edges)
    """
    check_drawing({family: count}, num_nodes)
    edges = FAMILIES[family](num_nodes, count, rng)
    if directed:
        order, is_cyclic = rng.random(num_nodes * count), rng.random(count) < CYCLIC
        tail, head = edges.T
        flips = np.where(
            is_cyclic[tail // num_nodes], rng.random(len(edges)) < 0.5, order[tail] > order[head]
        )
        edges = np.where(flips[:, None], edges[:, ::-1], edges)
    return Graph.pack(np.full(count, num_nodes), edges, directed=directed)


def ladder(num_nodes: int, count: int, rng: np.random.Generator) -> np.ndarray:
    """Two rails of n // 2 nodes with a rung at every node; an odd last node prolongs a rail."""
    return _copies(_lattice(num_nodes, width=2), num_nodes, count)


def grid(num_nodes: int, count: int, rng: np.random.Generator) -> np.ndarray:
    """A 2D grid, as near square as the number allows.

    Rows times columns is the number of nodes, the nearest two factors (20 is 4 x 5, 100 is 10 x
    10). Where that gives only a ladder or a path (8, 14, 23), the rows are as long as the square
    root, and the last is shorter.
    """
    rows = max(rows for rows in range(1, math.isqrt(num_nodes) + 1) if num_nodes % rows == 0)
    width = num_nodes // rows if rows > 2 else math.ceil(math.sqrt(num_nodes))
    return _copies(_lattice(num_nodes, width), num_nodes, count)


def tree(num_nodes: int, count: int, rng: np.random.Generator) -> np.ndarray:
    """Trees, uniform among all labelled ones: decoded from random Prüfer sequences."""
    if num_nodes < 3:
        return _copies(_lattice(num_nodes, width=1), num_nodes, count)
    graphs = np.arange(count)
    codes = rng.integers(0, num_nodes, (count, num_nodes - 2))
    degree = 1 + np.bincount(
        (codes + graphs[:, None] * num_nodes).ravel(), minlength=count * num_nodes
    )
    degree = degree.reshape(count, num_nodes)
    pairs = np.empty((num_nodes - 1, count, 2), dtype=np.int64)
    for step in range(num_nodes - 2):
        # the smallest leaf is joined to the next node of the code, and then removed
        leaf, other = (degree == 1).argmax(1), codes[:, step]
        pairs[step] = np.stack([leaf, other], 1)
        degree[graphs, leaf] = 0
        degree[graphs, other] -= 1
    first = (degree == 1).argmax(1)
    degree[graphs, first] = 0
    pairs[-1] = np.stack([first, (degree == 1).argmax(1)], 1)
    return (pairs + graphs[None, :, None] * num_nodes).reshape(-1, 2)


def erdos_renyi(
    num_nodes: int, count: int, rng: np.random.Generator, probability: float | None = None
) -> np.ndarray:
    """Every pair joined with probability min(log2(n) / n, 0.5), or another that is given."""
    if probability is None:
        probability = min(math.log2(num_nodes) / num_nodes, 0.5)
    pairs_each = num_nodes * (num_nodes - 1) // 2
    # the pairs of all graphs stand one after the other, so that all edges are drawn at once
    places = successes(count * pairs_each, probability, rng)
    graph, pair = np.divmod(places, max(pairs_each, 1))
    return _pair(pair) + graph[:, None] * num_nodes


def barabasi_albert(num_nodes: int, count: int, rng: np.random.Generator) -> np.ndarray:
    """Every new node joined to 4 or 5 others (one number per graph), by preferential attachment."""
    links = rng.integers(4, 6, count)
    parts = [
        _attached(num_nodes, np.flatnonzero(links == number), min(number, num_nodes - 1), rng)
        for number in (4, 5)
    ]
    return np.concatenate(parts)


def barabasi_albert_5(num_nodes: int, count: int, rng: np.random.Generator) -> np.ndarray:
    """As Barabási-Albert, with 5 others for every new node: as the authors' code draws."""
    return _attached(num_nodes, np.arange(count), min(5, num_nodes - 1), rng)


def connected_erdos_renyi(num_nodes: int, count: int, rng: np.random.Generator) -> np.ndarray:
    """As Erdős-Rényi, each graph drawn again until it is connected."""
    edges, missing = np.empty((0, 2), dtype=np.int64), np.arange(count)
    for _ in range(MAX_ROUNDS):
        if not len(missing):
            return edges
        drawn = erdos_renyi(num_nodes, len(missing), rng)
        joined = sparse.coo_matrix(
            (np.ones(len(drawn)), drawn.T), shape=(num_nodes * len(missing),) * 2
        )
        part = csgraph.connected_components(joined, directed=False)[1].reshape(
            len(missing), num_nodes
        )
        is_connected = (part == part[:, :1]).all(1)
        graph, place = np.divmod(drawn, num_nodes)
        kept = is_connected[graph[:, 0]]
        edges = np.concatenate([edges, missing[graph[kept]] * num_nodes + place[kept]])
        missing = missing[~is_connected]
    raise GraphError(
        f"no connected Erdős-Rényi graph of {num_nodes} nodes was found in {MAX_ROUNDS} rounds."
    )


def community(num_nodes: int, count: int, rng: np.random.Generator) -> np.ndarray:
    """Four Erdős-Rényi graphs with probability 0.7; pairs across are joined with 0.01."""
    block = _blocks(num_nodes)
    across = erdos_renyi(num_nodes, count, rng, 0.01)
    across = across[block[across[:, 0] % num_nodes] != block[across[:, 1] % num_nodes]]
    return np.concatenate([_dense_blocks(num_nodes, count, 0.7, rng), across])


def community_by_number(num_nodes: int, count: int, rng: np.random.Generator) -> np.ndarray:
    """As community, joined across as in the code of the paper's authors.

    Nodes more than n / 4 apart in numbering are, with probability 0.01 for each order of the two.
    """
    across = erdos_renyi(num_nodes, count, rng, 1 - 0.99**2)
    across = across[np.abs(across[:, 0] - across[:, 1]) > num_nodes // 4]
    return np.concatenate([_dense_blocks(num_nodes, count, 0.7, rng), across])


def caveman(num_nodes: int, count: int, rng: np.random.Generator) -> np.ndarray:
    """Four cliques, each edge taken away with probability 0.7, then 0.025 n shortcuts between."""
    caves = _dense_blocks(num_nodes, count, 0.3, rng)
    shortcuts = math.floor(0.025 * num_nodes + 0.5) if num_nodes >= 4 else 0
    block = _blocks(num_nodes)

    def draw(needed: np.ndarray) -> np.ndarray:
        ends = rng.integers(0, num_nodes, (len(needed), 2))
        while (inside := block[ends[:, 0]] == block[ends[:, 1]]).any():
            ends[inside] = rng.integers(0, num_nodes, (int(inside.sum()), 2))
        ends.sort(1)
        return ends[:, 0] * num_nodes + ends[:, 1]

    graph = np.repeat(np.arange(count), shortcuts)
    pairs = np.stack(np.divmod(draw_distinct(graph, draw, span=num_nodes**2), num_nodes), 1)
    return np.concatenate([caves, pairs + graph[:, None] * num_nodes])


def intervals(num_nodes: int, count: int, rng: np.random.Generator) -> np.ndarray:
    """The intervals of a row, and an edge to each from each of its beginnings; as many as fit.

    A row of r has r (r + 1) / 2 of them. Nodes that are left over have no edges.
    """
    row = (math.isqrt(8 * num_nodes + 1) - 1) // 2
    return _copies(Cells.intervals(row).splits[0], num_nodes, count)


def configuration(num_nodes: int, count: int, rng: np.random.Generator) -> np.ndarray:
    """The configuration model with degree 5, made simple: loops and double edges are left out.

    Of an odd number of nodes, one node has a stub less.
    """
    stubs = np.repeat(np.arange(num_nodes), 5)
    stubs = stubs[: len(stubs) // 2 * 2]
    stubs = rng.permuted(np.broadcast_to(stubs, (count, len(stubs))), axis=1)
    return (stubs + np.arange(count)[:, None] * num_nodes).reshape(-1, 2)


FAMILIES: dict[str, Family] = {
    "ladder": ladder,
    "grid": grid,
    "tree": tree,
    "erdos_renyi": erdos_renyi,
    "barabasi_albert": barabasi_albert,
    "community": community,
    "caveman": caveman,
    "configuration": configuration,
    "intervals": intervals,
    "barabasi_albert_5": barabasi_albert_5,
    "connected_erdos_renyi": connected_erdos_renyi,
    "community_by_number": community_by_number,
}


# what these families are where the paper's text and code part, under the names of the protocol's
# facts
FACTS = {
    "erdos_renyi": {"erdos_renyi": "any"},
    "connected_erdos_renyi": {"erdos_renyi": "drawn again until connected"},
    "barabasi_albert": {"barabasi_albert": "4 or 5"},
    "barabasi_albert_5": {"barabasi_albert": "5"},
    "community": {"communities": "nodes of different communities"},
    "community_by_number": {"communities": "nodes more than n / 4 apart in numbering"},
    "configuration": {"degrees": "at most 5"},
}


def _lattice(num_nodes: int, width: int) -> np.ndarray:
    """The edges of a grid with rows of ``width`` nodes, the last row as long as the nodes reach."""
    nodes = np.arange(num_nodes)
    along = nodes[(nodes % width != width - 1) & (nodes + 1 < num_nodes)]
    down = nodes[nodes + width < num_nodes]
    return np.concatenate([np.stack([along, along + 1], 1), np.stack([down, down + width], 1)])


def _copies(pairs: np.ndarray, num_nodes: int, count: int) -> np.ndarray:
    return (pairs[None] + (np.arange(count) * num_nodes)[:, None, None]).reshape(-1, 2)


def _pair(number: np.ndarray) -> np.ndarray:
    """Pair number v(v-1)/2 + u, in the order (0,1), (0,2), (1,2), (0,3), ..., u < v."""
    v = ((1 + np.sqrt(1 + 8 * number.astype(np.float64))) / 2).astype(np.int64)
    v -= v * (v - 1) // 2 > number  # the square root of a large number may round up or down
    v += v * (v + 1) // 2 <= number
    return np.stack([number - v * (v - 1) // 2, v], 1)


def _attached(
    num_nodes: int, graphs: np.ndarray, links: int, rng: np.random.Generator
) -> np.ndarray:
    """Preferential attachment: ``links`` edges for each new node, from a star of links + 1 on."""
    count, new = len(graphs), max(num_nodes - links - 1, 0)
    if links < 1 or count == 0:
        return np.empty((0, 2), dtype=np.int64)
    # every edge's two ends: a node once per neighbour
    ends = np.empty((count, 2 * links * (new + 1)), dtype=np.int64)
    ends[:, 0 : 2 * links : 2], ends[:, 1 : 2 * links : 2] = 0, np.arange(1, links + 1)
    for node in range(links + 1, num_nodes):
        filled = 2 * links * (node - links)

        def draw(rows: np.ndarray, number: int, filled: int = filled) -> np.ndarray:
            return ends[rows[:, None], rng.integers(0, filled, (len(rows), number))]

        chosen = _first_distinct(draw, count, links)
        ends[:, filled : filled + 2 * links : 2] = chosen
        ends[:, filled + 1 : filled + 2 * links : 2] = node
    return ends.reshape(-1, 2) + np.repeat(graphs * num_nodes, links * (new + 1))[:, None]


def _first_distinct(
    draw: Callable[[np.ndarray, int], np.ndarray], count: int, number: int
) -> np.ndarray:
    """[count, number] the first different draws of each row; draw(rows, k) gives the next k."""
    chosen = np.empty((count, number), dtype=np.int64)
    rows, drawn = np.arange(count), draw(np.arange(count), 2 * number)
    while True:
        new = ~(
            (drawn[:, :, None] == drawn[:, None, :]) & np.tri(drawn.shape[1], k=-1, dtype=bool)
        ).any(2)
        rank = new.cumsum(1)
        done = rank[:, -1] >= number
        chosen[rows[done]] = drawn[new & (rank <= number) & done[:, None]].reshape(-1, number)
        if done.all():
            return chosen
        rows, drawn = rows[~done], drawn[~done]
        drawn = np.concatenate([drawn, draw(rows, 2 * number)], 1)


def _blocks(num_nodes: int) -> np.ndarray:
    """[n] which of four parts, as equal as can be, each node lies in."""
    return np.arange(num_nodes) * 4 // num_nodes


def _dense_blocks(
    num_nodes: int, count: int, probability: float, rng: np.random.Generator
) -> np.ndarray:
    """The edges of an Erdős-Rényi graph inside each of the four parts."""
    sizes = np.bincount(_blocks(num_nodes), minlength=4)
    parts = []
    for first, size in zip(np.cumsum(sizes) - sizes, sizes, strict=True):
        pairs = erdos_renyi(int(size), count, rng, probability)
        graph = pairs // max(size, 1)
        parts.append(pairs - graph * size + first + graph * num_nodes)
    return np.concatenate(parts)

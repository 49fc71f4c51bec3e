"""Each family has the degrees and edges that its definition implies."""

from __future__ import annotations

import math
from collections import Counter

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from algolens.errors import AlgoLensError, GraphError, UnknownNameError
from algolens.graphs import FAMILIES, Graph, sample, stream
from algolens.graphs.families import erdos_renyi
from algolens.graphs.random import draw_distinct, successes
from tests.strategies import parts

MANY = 2000
FIVE_SIGMA = 5


def within(observed: float, expected: float, deviation: float) -> bool:
    return abs(observed - expected) < FIVE_SIGMA * deviation


def degrees(graph: Graph) -> np.ndarray:
    return np.bincount(graph.edges.flatten(), minlength=graph.num_nodes).reshape(
        graph.num_graphs, -1
    )


@given(
    st.sampled_from(sorted(FAMILIES)), st.integers(1, 30), st.integers(0, 4), st.integers(0, 2**32)
)
def test_any_number_of_nodes_and_graphs(family, num_nodes, count, seed):
    graph = sample(family, num_nodes, count, stream(seed))
    assert graph.num_graphs == count
    assert (graph.node_counts == num_nodes).all()


@pytest.mark.parametrize("family", sorted(FAMILIES))
def test_the_seed_alone_decides(family):
    one, same, other = (sample(family, 20, 50, stream(seed, family)).edges for seed in (1, 1, 2))
    assert np.array_equal(one, same)
    if family not in ("ladder", "grid", "intervals"):
        assert not np.array_equal(one, other)


@pytest.mark.parametrize("half", [1, 4, 10, 25])
def test_ladder(half):
    assert all(
        nx.is_isomorphic(part, nx.ladder_graph(half))
        for part in parts(sample("ladder", 2 * half, 2, stream(0)))
    )


@pytest.mark.parametrize(
    ("num_nodes", "rows", "columns"),
    [(20, 4, 5), (50, 5, 10), (100, 10, 10), (12, 3, 4), (9, 3, 3), (4, 2, 2)],
)
def test_grid_is_as_near_square_as_the_number_allows(num_nodes, rows, columns):
    assert nx.is_isomorphic(
        parts(sample("grid", num_nodes, 1, stream(0)))[0], nx.grid_2d_graph(rows, columns)
    )


@pytest.mark.parametrize("num_nodes", [5, 7, 8, 10, 14, 23, 97])
def test_grid_of_an_awkward_number_is_no_ladder_and_no_path(num_nodes):
    grid = parts(sample("grid", num_nodes, 1, stream(0)))[0]
    width = math.ceil(math.sqrt(num_nodes))
    full = nx.convert_node_labels_to_integers(nx.grid_2d_graph(math.ceil(num_nodes / width), width))
    assert nx.is_isomorphic(grid, full.subgraph(range(num_nodes)))
    assert max(d for _, d in grid.degree) > 2


@given(st.integers(1, 40), st.integers(0, 2**32))
def test_trees_are_trees(num_nodes, seed):
    assert all(nx.is_tree(part) for part in parts(sample("tree", num_nodes, 5, stream(seed))))


def test_trees_are_uniform():
    # there are 4**2 labelled trees on 4 nodes
    graph = sample("tree", 4, 16_000, stream(0))
    counts = Counter(
        map(
            bytes,
            (graph.edges.reshape(2, -1, 3) % 4).transpose(1, 2, 0).reshape(-1, 6).astype(np.uint8),
        )
    )
    assert len(counts) == 16
    assert all(within(count, 1000, math.sqrt(1000)) for count in counts.values())


@pytest.mark.parametrize("num_nodes", [2, 3, 20, 50])
def test_erdos_renyi_joins_every_pair_alike(num_nodes):
    graph = sample("erdos_renyi", num_nodes, MANY, stream(0))
    p = min(math.log2(num_nodes) / num_nodes, 0.5)
    ends = graph.edges % num_nodes
    joined = np.zeros((num_nodes, num_nodes))
    np.add.at(joined, (ends[0], ends[1]), 1)
    above = joined[np.triu_indices(num_nodes, 1)]
    assert np.abs(above / MANY - p).max() < 6 * math.sqrt(p * (1 - p) / MANY)
    assert within(above.mean() / MANY, p, math.sqrt(p * (1 - p) / MANY / len(above)))


def test_erdos_renyi_at_a_million_nodes_costs_its_edges_only():
    pairs = erdos_renyi(1_000_000, 1, stream(0), 1e-6)
    assert within(len(pairs), 5e5, math.sqrt(5e5))
    assert (pairs[:, 0] < pairs[:, 1]).all()
    assert pairs.max() < 1_000_000
    assert len(np.unique(pairs, axis=0)) == len(pairs)


@pytest.mark.parametrize("num_nodes", [8, 20, 50])
def test_barabasi_albert_attaches_four_or_five(num_nodes):
    graph = sample("barabasi_albert", num_nodes, MANY, stream(0))
    fours, fives = (graph.edge_counts == m * (num_nodes - m) for m in (4, 5))
    assert (fours | fives).all()
    assert within(float(fours.mean()), 0.5, 0.5 / math.sqrt(MANY))
    assert all(nx.is_connected(part) for part in parts(graph.take(range(20)).graph))


def test_barabasi_albert_prefers_nodes_with_many_neighbours():
    ours = sample("barabasi_albert", 30, 600, stream(0))
    ours = (degrees(ours)[(ours.edge_counts == 5 * 25)] ** 2).mean(1)
    theirs = [
        sum(d**2 for _, d in nx.barabasi_albert_graph(30, 5, seed=seed).degree) / 30
        for seed in range(300)
    ]
    assert within(
        ours.mean(),
        np.mean(theirs),
        math.hypot(ours.std() / len(ours) ** 0.5, np.std(theirs) / len(theirs) ** 0.5),
    )


@pytest.mark.parametrize(("family", "inside"), [("community", 0.7), ("caveman", 0.3)])
def test_dense_blocks(family, inside):
    graph = sample(family, 20, MANY, stream(0))
    block = graph.edges % 20 // 5
    kept = int((block[0] == block[1]).sum())
    trials = MANY * 4 * 10
    assert within(kept / trials, inside, math.sqrt(inside * (1 - inside) / trials))


def test_communities_are_joined_across_with_one_percent():
    graph = sample("community", 20, MANY, stream(0))
    block = graph.edges % 20 // 5
    trials = MANY * (190 - 40)
    assert within(int((block[0] != block[1]).sum()) / trials, 0.01, math.sqrt(0.01 * 0.99 / trials))


@pytest.mark.parametrize(("num_nodes", "shortcuts"), [(20, 1), (40, 1), (100, 3), (400, 10)])
def test_caves_have_their_shortcuts(num_nodes, shortcuts):
    graph = sample("caveman", num_nodes, 20, stream(0))
    block = graph.edges % num_nodes * 4 // num_nodes
    across = np.bincount(graph.edge_owner[block[0] != block[1]], minlength=20)
    assert (across == shortcuts).all()


@pytest.mark.parametrize(("num_nodes", "share_of_five"), [(20, 0.57), (50, 0.81), (100, 0.91)])
def test_configuration_has_degree_five_but_for_loops_and_doubles(num_nodes, share_of_five):
    found = degrees(sample("configuration", num_nodes, MANY, stream(0)))
    assert found.max() == 5
    # shares as measured on the paper's own graphs
    assert abs((found == 5).mean() - share_of_five) < 0.02


@given(st.integers(1, 5000), st.floats(0, 1), st.integers(0, 2**32))
def test_successes_are_increasing_and_in_range(trials, probability, seed):
    places = successes(trials, probability, stream(seed))
    assert (np.diff(places) > 0).all()
    assert places.size == 0 or (places[0] >= 0 and places[-1] < trials)
    if probability == 1:
        assert len(places) == trials


@given(st.lists(st.integers(0, 4), max_size=40), st.integers(0, 2**32))
def test_distinct_draws_are_distinct(owner, seed):
    rng = stream(seed)
    values = draw_distinct(
        np.array(owner, dtype=np.int64), lambda needed: rng.integers(0, 40, len(needed)), span=40
    )
    assert len(set(zip(owner, values.tolist(), strict=True))) == len(owner)


def test_misuse_is_refused_with_a_hint():
    with pytest.raises(UnknownNameError, match="Did you mean 'ladder'"):
        sample("lader", 20, 1, stream(0))
    with pytest.raises(AlgoLensError, match="nodes of 'ladder' is 0: give a whole number from 1"):
        sample("ladder", 0, 1, stream(0))
    with pytest.raises(GraphError, match="41 different values are needed and only 40 exist"):
        draw_distinct(
            np.zeros(41, dtype=np.int64),
            lambda needed: np.zeros(len(needed), dtype=np.int64),
            span=40,
        )


# ---- as the code of the paper's authors draws them


@pytest.mark.parametrize("num_nodes", [8, 20])
def test_barabasi_albert_5_attaches_five(num_nodes):
    graph = sample("barabasi_albert_5", num_nodes, MANY, stream(0))
    assert (graph.edge_counts == 5 * (num_nodes - 5)).all()


@pytest.mark.parametrize("num_nodes", [1, 2, 3, 8, 20])
def test_connected_erdos_renyi_graphs_are_connected(num_nodes):
    assert all(
        nx.is_connected(part)
        for part in parts(sample("connected_erdos_renyi", num_nodes, 50, stream(0)))
    )


def test_connected_erdos_renyi_graphs_are_those_of_erdos_renyi_that_are_connected():
    """Of three nodes, each pair is joined or not with probability a half: three paths, and one
    triangle.
    """
    graph = sample("connected_erdos_renyi", 3, 4000, stream(0))
    assert set(graph.edge_counts.tolist()) == {2, 3}
    assert within(float((graph.edge_counts == 3).mean()), 0.25, math.sqrt(0.25 * 0.75 / 4000))


def test_community_by_number_joins_nodes_that_are_far_apart_in_numbering():
    graph = sample("community_by_number", 20, MANY, stream(0))
    tail, head = graph.edges - graph.first_node[graph.edge_owner]
    across = tail // 5 != head // 5
    assert (abs(tail - head)[across] > 5).all()
    # pairs, all of different communities
    far = MANY * sum(v - u > 5 for v in range(20) for u in range(v))
    share = 1 - 0.99**2
    assert within(across.sum() / far, share, math.sqrt(share * (1 - share) / far))
    near = MANY * 4 * 10
    assert within((~across).sum() / near, 0.7, math.sqrt(0.7 * 0.3 / near))

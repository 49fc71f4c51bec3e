"""Algorithms on tables, on graphs as users have them, beside the textbook's recursion."""

from __future__ import annotations

from functools import cache

import networkx as nx
import numpy as np
import pytest

import algolens as al
from algolens.errors import AlgoLensError

SEEDS = range(5)
WAYS = ("algorithm", "network", "rules")


def row(**columns: list[int]) -> nx.Graph:
    """A row of nodes with numbers."""
    graph = nx.Graph()
    for node in range(len(next(iter(columns.values())))):
        graph.add_node(node, **{name: values[node] for name, values in columns.items()})
    return graph


@pytest.mark.parametrize("seed", SEEDS)
def test_paths_between_all_pairs_are_those_of_networkx(seed: int) -> None:
    graph = nx.gnp_random_graph(7, 0.3, seed=seed, directed=bool(seed % 2))
    rng = np.random.default_rng(seed)
    for _, _, values in graph.edges(data=True):
        values["weight"] = float(rng.integers(1, 80)) / 16
    graph = nx.relabel_nodes(graph, {node: f"n{node}" for node in graph})
    wanted = nx.floyd_warshall(graph)
    result = al.execute("floyd_warshall", graph, by=WAYS[seed % 3]).result
    for one in graph:
        for other in graph:
            found = result["distance"][one, other]
            assert (float("inf") if found is None else found) == wanted[one][other]
            assert result["reached"][one, other] == nx.has_path(graph, one, other)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_last_edges_of_paths_lead_back_to_where_they_begin(seed: int) -> None:
    graph = nx.gnp_random_graph(7, 0.4, seed=seed)
    nx.set_edge_attributes(graph, {edge: 1 + sum(edge) % 5 for edge in graph.edges}, "weight")
    result = al.execute("floyd_warshall", graph).result
    for one, other in graph.edges:
        length, node = 0, other
        while node != one:
            before, after = result["last_edge"][one, node]
            assert after == node
            length, node = length + graph.edges[before, node]["weight"], before
        assert length == result["distance"][one, other]


@pytest.mark.parametrize("seed", SEEDS)
def test_what_two_words_have_in_common_is_as_long_as_can_be(seed: int) -> None:
    rng = np.random.default_rng(seed)
    first, second = (rng.integers(0, 3, rng.integers(1, 6)).tolist() for _ in range(2))

    @cache
    def longest(i: int, j: int) -> int:
        if i < 0 or j < 0:
            return 0
        taken = longest(i - 1, j - 1) + 1 if first[i] == second[j] else 0
        return max(taken, longest(i - 1, j), longest(i, j - 1))

    in_second = [0] * len(first) + [1] * len(second)
    given = row(letter=first + second, in_second=in_second)
    result = al.execute("lcs_length", given, by=WAYS[seed % 3]).result
    for i in range(len(first)):
        for j in range(len(second)):
            assert result["length"][i, len(first) + j] == longest(i, j)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_chain_is_multiplied_at_the_least_cost(seed: int) -> None:
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 30, rng.integers(2, 7)).tolist()

    @cache
    def least(i: int, j: int) -> int:
        ways = (
            least(i, k) + least(k + 1, j) + sizes[i - 1] * sizes[k] * sizes[j] for k in range(i, j)
        )
        return min(ways, default=0)

    result = al.execute("matrix_chain_order", row(size=sizes), by=WAYS[seed % 3]).result
    for i in range(1, len(sizes)):
        for j in range(i, len(sizes)):
            assert result["cost"][i, j] == least(i, j)
    assert not result["known"][0, len(sizes) - 1]  # the first size is no matrix


@pytest.mark.parametrize("seed", SEEDS)
def test_a_search_tree_has_the_least_cost(seed: int) -> None:
    rng = np.random.default_rng(seed)
    gap = (rng.integers(0, 40, rng.integers(1, 7)) / 8).tolist()
    key = [*(rng.integers(0, 40, len(gap) - 1) / 8).tolist(), 0.0]

    @cache
    def least(i: int, j: int) -> float:
        """Every number counts once for each comparison on the way to it."""
        inside = sum(gap[i : j + 1]) + sum(key[i:j])
        return inside + min((least(i, k) + least(k + 1, j) for k in range(i, j)), default=0.0)

    result = al.execute("optimal_bst", row(key=key, gap=gap), by=WAYS[seed % 3]).result
    for i in range(len(gap)):
        for j in range(i, len(gap)):
            assert result["cost"][i, j] == least(i, j)


def test_what_a_table_is_made_without_is_told_or_refused() -> None:
    graph = nx.DiGraph([(0, 1, {"weight": 2}), (0, 0, {"weight": 5})])
    execution = al.execute("floyd_warshall", graph)
    assert any("self-loop at node '0' is left out" in note for note in execution.notes)
    with pytest.raises(AlgoLensError, match="give the first word, then the second"):
        al.execute("lcs_length", row(letter=[1, 2, 3], in_second=[0, 1, 0]))
    with pytest.raises(AlgoLensError, match="'column_gap'"):
        al.execute("optimal_bst", row(key=[1, 2]))

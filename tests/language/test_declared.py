"""What ships is declared without pairs, and the paper's three name the paper's concepts."""

from __future__ import annotations

import pytest

from algolens.algorithms import algorithm, algorithms
from algolens.language import ir
from algolens.language.lower import lower

PAPERS = {
    "bfs": ("has_been_visited", "has_visited_neighbours"),
    "coloring": ("is_colored", "has_priority", *(f"color_{k}_seen" for k in range(1, 6))),
    "kruskal": ("lighter_edges_visited", "nodes_in_same_set", "edge_in_mst"),
}


@pytest.mark.parametrize("name", algorithms())
def test_no_shipped_algorithm_needs_pairs(name: str) -> None:
    lowered = lower(algorithm(name).declaration.program)
    for let in (*lowered.lets, *lowered.becomes):
        assert not ir.parts_of(let.value, ir.Pairs)


@pytest.mark.parametrize("name", PAPERS)
def test_the_paper_s_three_name_the_paper_s_concepts(name: str) -> None:
    assert algorithm(name).declaration.concepts == PAPERS[name]

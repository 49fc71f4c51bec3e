"""What ships is declared without pairs, and the paper's three name the paper's concepts."""

from __future__ import annotations

import pytest

from algolens.algorithms import (
    Algorithm,
    Graph,
    Node,
    algorithm,
    algorithms,
    category,
    mask,
    number,
    pointer,
)
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


class Short(Algorithm, part=True):
    """Nothing says how a field begins."""

    count = Graph.state(number(4), becomes="count + 1")
    status = Node.state(category("open", "closed"), becomes={"closed": "is_first"})
    parent = Node.output(pointer(Node), becomes="me where is_first")
    seen = Node.output(mask, becomes="seen | is_first", says="it has [not] been seen")
    shown = Node.output(mask, becomes="is_first")

    is_first = Node.derived("number = 0", says="it is [not] first")


def test_a_field_begins_as_nothing_and_an_output_that_nothing_reads_is_not_carried() -> None:
    program = type("Shorter", (Short,), {})().declaration.program
    assert {let.name: let.value for let in program.start} == {
        "count": ir.Const(0),
        "status": ir.Const(0),
        "parent": ir.ME,
        "seen": ir.FALSE,
    }
    assert "shown" in program.outputs.keys() - program.state.keys()


def test_a_sentence_says_both_that_it_holds_and_that_it_does_not() -> None:
    phrases = type("Shorter", (Short,), {})().declaration.words.phrases
    assert phrases["is_first"] == {"is_first": "it is first", "True": "it is not first"}
    assert phrases["is_seen"] == {
        "is_seen": "it has been seen",
        "True": "it has not been seen",
    }

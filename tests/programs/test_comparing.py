"""Two programs side by side."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from algolens.algorithms import algorithm
from algolens.errors import AlgoLensError
from algolens.execution import execute
from algolens.graphs import Graph
from algolens.logic import Program
from algolens.looks import parse_look
from algolens.programs import WholeProgram, compare

BFS, COLORING, SORT = (WholeProgram.of(algorithm(name)) for name in ("bfs", "coloring", "topological_sort"))


def saying(program: WholeProgram, **statements: str) -> WholeProgram:
    return program.with_statements({name: parse_look(text) for name, text in statements.items()})


def test_programs_that_say_the_same_in_other_words_are_proven_equal():
    again = saying(BFS, has_visited_neighbours="~(~visited & every predecessor (~visited))")
    assert again != BFS
    assert compare(BFS, again).proven
    again = saying(COLORING, has_priority="color is 0 & every neighbour (color is not 0 | its priority <= my priority)")
    assert compare(COLORING, again).proven
    # nodes of one graph have different numbers
    assert compare(SORT, saying(SORT, is_next="is_ready & no other node (is_ready & its number <= my number)")).proven


def test_programs_that_differ_are_told_apart_by_the_smallest_graph():
    other = saying(BFS, has_visited_neighbours="visited | some predecessor")
    found = compare(BFS, other)
    assert found.graph is not None
    assert found.graph.nodes == 3  # of two nodes, one is the source
    graph = Graph.pack([found.graph.nodes], found.graph.edges)
    source = {"source": torch.tensor([int(found.graph.values["source"][0])])}
    ours, theirs = (execute(each.algorithm, graph, source)["visited"] for each in (BFS, other))
    assert ours.shape != theirs.shape or not torch.equal(ours, theirs)
    assert "by the first" in str(found)


def test_other_rules_differ_too():
    rules = Program.parse(BFS.rules.concepts, {"visited": {"true": "has_been_visited", "false": "~has_been_visited"}}, "False")
    found = compare(BFS, BFS.with_rules(rules))
    assert found.differ
    assert found.to_json()["equal"] is False


def test_what_no_small_graph_shows_is_neither_equal_nor_different():
    far = replace(BFS, limit=replace(BFS.limit, times=2))  # it never takes so many
    found = compare(BFS, far)
    assert not found.proven
    assert not found.differ
    assert found.to_json()["equal"] is None
    assert "not proven" in str(found)


def test_programs_for_other_tasks_cannot_be_compared():
    with pytest.raises(AlgoLensError, match="only programs for one task"):
        compare(BFS, COLORING)

"""What ``execute`` refuses, and that it refuses nothing that was drawn."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
import torch
from hypothesis import assume, given
from hypothesis import strategies as st

from algolens.algorithms import algorithm
from algolens.engines import Intervention, run_algorithm
from algolens.errors import AlgoLensError, GraphError, InputError, UnknownNameError
from algolens.graphs import Graph, from_networkx
from tests.maze import Maze
from tests.strategies import batches, streams

ALGORITHMS = [
    algorithm("bfs"),
    algorithm("coloring", colors=9),
    algorithm("kruskal_union_find"),
    Maze(),
]
BFS, COLORING, KRUSKAL = (
    algorithm("bfs"),
    algorithm("coloring"),
    algorithm("kruskal_union_find"),
)
TREES = Graph.pack([5, 5], [(0, 1), (1, 2), (2, 3), (3, 4), (5, 6), (6, 7), (7, 8), (8, 9)])


def allowed(kind, graph, values, owner) -> bool:
    """By the plainest reading of a kind, one value at a time."""
    if kind.kind == "mask":
        return True
    if kind.kind == "category":
        return all(0 <= value < len(kind.labels) for value in values)
    if kind.kind == "pointer":
        return all(
            0 <= value < graph.counts(kind.to)[g] for value, g in zip(values, owner, strict=True)
        )
    if not all(kind.low <= value < 2**kind.bits for value in values):
        return False
    if kind.distinct == "neighbours":
        return all(values[u] != values[v] for u, v in graph.edges.T.tolist())
    return kind.distinct is None or len(set(zip(owner, values, strict=True))) == len(values)


@given(st.sampled_from(ALGORITHMS), batches(), streams(), st.data())
def test_what_is_drawn_runs_and_one_changed_value_is_refused_where_it_is_none(
    chosen, graph, rng, data
):
    inputs = chosen.sample(graph, rng)
    assert run_algorithm(chosen, graph, inputs).equals(
        run_algorithm(chosen, graph, inputs, check=False)
    )
    name = data.draw(st.sampled_from(sorted(inputs)))
    field = chosen.declaration.inputs[name]
    values = inputs[name].tolist()
    assume(values and field.kind != "mask")
    place = data.draw(st.integers(0, len(values) - 1))
    values[place] = data.draw(
        st.one_of(st.sampled_from(values), st.integers(-2, 12), st.sampled_from([2**10, 2**62]))
    )
    changed = inputs | {name: torch.tensor(values)}
    if allowed(field, graph, values, graph.owner(field.at).tolist()):
        run_algorithm(chosen, graph, changed)
        return
    with pytest.raises(InputError, match=f"'{name}' of .*: give ") as caught:
        run_algorithm(chosen, graph, changed)
    assert str(values[place]) in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("source", [7, 5, -1])
def test_a_source_outside_its_tree_marks_no_node_of_another(source):
    with pytest.raises(
        InputError,
        match=f"'source' of graph 1 is {source}: give a node of the same graph, numbered 0 to 4",
    ):
        run_algorithm(BFS, TREES, {"source": torch.tensor([0, source])})


def test_too_few_colors_are_refused():
    complete = from_networkx(nx.complete_graph(7))
    with pytest.raises(GraphError, match="would need more than 5 colors"):
        run_algorithm(COLORING, complete, {"priority": torch.arange(7)})


@pytest.mark.parametrize(
    ("values", "complaint"),
    [
        (
            torch.ones(8),
            (r"an array \[8\] of float32: give an array \[8\] of int, a value for every edge"),
        ),
        (torch.ones(8, dtype=torch.bool), "of bool: give"),
        (torch.ones(8, dtype=torch.int32), "of int32: give"),
        (torch.full((8,), torch.nan), "of float32: give"),
        (torch.arange(1, 8), r"an array \[7\] of int64: give an array \[8\]"),
        (torch.arange(1, 9)[:, None], r"an array \[8, 1\]"),
        (list(range(1, 9)), "a list: give an array"),
        (np.arange(1.0, 9.0), "of float64: give"),
        (
            torch.arange(1, 9, device="meta"),
            "'weight' is on meta and the graph on cpu: move one of them",
        ),
        (
            torch.arange(8),
            (
                r"'weight' of edge \(0, 1\) of graph 0 is 0: give whole numbers from 1 to 1023, "
                r"no two alike"
            ),
        ),
        (
            torch.tensor([1, 2, 3, 4, 1, 2, 3, 1]),
            (
                r"'weight' of edge \(0, 1\) of graph 1 and of edge \(3, 4\) of graph 1 are both 1: "
                r"give whole numbers from 1"
            ),
        ),
    ],
)
def test_a_weight_that_is_none_is_refused(values, complaint):
    priority = torch.arange(5).repeat(2)
    with pytest.raises(InputError, match=complaint):
        run_algorithm(KRUSKAL, TREES.to("cpu"), {"weight": values, "priority": priority})


def test_what_is_missing_or_unknown_is_named():
    with pytest.raises(
        InputError, match="bfs needs the input 'source', a value for every graph, and it is missing"
    ):
        run_algorithm(BFS, TREES, {})
    with pytest.raises(
        UnknownNameError, match=r"no input of bfs is called 'sources'.* Did you mean 'source'"
    ):
        run_algorithm(BFS, TREES, {"sources": torch.tensor([0, 0])})
    with pytest.raises(InputError, match="came as a Tensor: give a dictionary of arrays"):
        run_algorithm(BFS, TREES, torch.tensor([0, 0]))  # type: ignore[arg-type]
    with pytest.raises(
        GraphError,
        match=(
            r"a Graph of networkx.* came: convert it with from_networkx or from_pyg of "
            r"algolens.graphs"
        ),
    ):
        run_algorithm(BFS, nx.path_graph(3), {"source": torch.tensor([0])})


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (
            Intervention("has_been_visited", 7),  # type: ignore[arg-type]
            "sets 'has_been_visited' to 7; a concept is True or False",
        ),
        (
            Intervention("has_been_visited", True, torch.ones(10, dtype=torch.bool)),
            "by torch.bool: name them by number",
        ),
        (
            Intervention("has_been_visited", True, torch.tensor([0.5])),
            "by torch.float32: name them by number",
        ),
    ],
)
def test_interventions_that_would_mean_something_else_are_refused(change, complaint):
    with pytest.raises(AlgoLensError, match=complaint):
        run_algorithm(BFS, TREES, {"source": torch.tensor([0, 0])}, interventions=[change])

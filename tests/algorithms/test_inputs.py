"""Inputs from a user's graph: in every form the same, exactly, or refused with whose they are."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from itertools import product
from typing import Any

import networkx as nx
import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from torch_geometric.data import Data

from algolens.algorithms import algorithm
from algolens.engines import run_algorithm
from algolens.errors import GraphError, InputError
from algolens.graphs import from_networkx, from_pyg, read_graph_file, stream
from tests.effort import examples
from tests.forms import every_form
from tests.maze import Maze, reached
from tests.strategies import simple_graphs

MAZE, KRUSKAL, UNION_FIND = Maze(), algorithm("kruskal"), algorithm("kruskal_union_find")
with_files = settings(examples(40), suppress_health_check=[HealthCheck.function_scoped_fixture])


def drawn(data: st.DataObject, values: st.SearchStrategy[Any], count: int) -> list[Any]:
    return data.draw(st.lists(values, min_size=count, max_size=count))


# ---- masks and categories


@given(simple_graphs(), st.data())
@with_files
def test_masks_and_categories_are_read_alike_from_every_form(tmp_path, graph, data):
    for node, wall, terrain in zip(
        graph, drawn(data, st.booleans(), 9), drawn(data, st.integers(0, 2), 9), strict=False
    ):
        graph.nodes[node].update(wall=wall, terrain=terrain)
    doors = drawn(data, st.booleans(), graph.number_of_edges())
    for edge, is_open in zip(graph.edges, doors, strict=True):
        graph.edges[edge]["open"] = is_open
    source = data.draw(st.sampled_from(list(graph)))
    truth = reached(graph, source)
    for form, found in every_form(graph, tmp_path):
        inputs, notes = MAZE.read(found, stream(0), source=str(source), lives=3)
        assert inputs["wall"].tolist() == [graph.nodes[node]["wall"] for node in graph], form
        assert inputs["terrain"].tolist() == [graph.nodes[node]["terrain"] for node in graph], form
        assert inputs["lives"].tolist() == [3]
        assert notes == [], form
        assert (
            set(np.flatnonzero(run_algorithm(MAZE, found, inputs).final("reached")).tolist())
            == truth
        ), form


@pytest.mark.parametrize(
    ("attribute", "value", "complaint"),
    [
        ("wall", "brick", "'wall' of node '1' is 'brick': give true or false."),
        ("wall", 2, "'wall' of node '1' is '2': give true or false."),
        ("terrain", 3, "'terrain' of node '1' is '3': give one of the classes 0, 1, 2."),
        ("terrain", "mud", "'terrain' of node '1' is 'mud': give one of the classes 0, 1, 2."),
        ("terrain", True, "'terrain' of node '1' is '[Tt]rue': give one of the classes 0, 1, 2."),
        (
            "terrain",
            Decimal("0.5"),
            "'terrain' of node '1' is '0.5': give one of the classes 0, 1, 2.",
        ),
    ],
)
def test_a_value_of_another_kind_is_refused_with_its_node_from_every_form(
    tmp_path, attribute, value, complaint
):
    graph = nx.path_graph(3)
    for node in graph:
        graph.nodes[node].update(wall="false", terrain=str(node))
    graph.nodes[1][attribute] = value
    nx.set_edge_attributes(graph, "1", "open")
    for _, found in every_form(graph, tmp_path):
        with pytest.raises(InputError, match=complaint) as caught:
            MAZE.read(found, stream(0), lives=1)
        assert "\n" not in str(caught.value)


def test_a_value_that_some_nodes_lack_is_refused_with_the_first_of_them(tmp_path):
    (tmp_path / "g.csv").write_text("source,target,open\na,b,true\nb,c,true\n")
    lacking = "node 'b' has no 'wall': give true or false for every node, or for none"
    for nodes in (
        "node,wall,terrain\na,true,1\nb,,1\nc,true,1\n",
        "node,wall,terrain\na,true,1\nc,true,1\n",
    ):
        (tmp_path / "nodes.csv").write_text(nodes)
        with pytest.raises(InputError, match=lacking):
            MAZE.read(
                read_graph_file(tmp_path / "g.csv", tmp_path / "nodes.csv"), stream(0), lives=1
            )
    graph = nx.path_graph(3)
    nx.set_node_attributes(graph, {0: 5, 2: 7}, "priority")
    with pytest.raises(
        InputError, match="node '1' has no 'priority': give a finite number for every node"
    ):
        # drawn by nature, but not for some alone
        algorithm("coloring").read(from_networkx(graph), stream(0))
    with pytest.raises(
        GraphError,
        match=r"maze needs a 'wall' for every node, and the graph has none \(it has priority\)",
    ):
        MAZE.read(from_networkx(graph), stream(0), lives=1)


def test_an_input_of_the_whole_graph_is_given_by_name():
    graph = nx.path_graph(2)
    nx.set_node_attributes(graph, {0: {"wall": 0, "terrain": 0.0}, 1: {"wall": 1.0, "terrain": 2}})
    nx.set_edge_attributes(graph, "True", "open")
    found = from_networkx(graph)
    assert MAZE.read(found, stream(0), lives="15")[0]["lives"].tolist() == [15]
    for lives in ("16", "-1", "1.5", "many"):
        with pytest.raises(
            InputError, match=f"'lives' of the graph is '{lives}': give whole numbers from 0 to 15"
        ):
            MAZE.read(found, stream(0), lives=lives)
    with pytest.raises(
        GraphError, match=r"maze needs a 'lives' for the graph .* as in --input lives=VALUE"
    ):
        MAZE.read(found, stream(0))
    with pytest.raises(
        InputError, match="'wall' has a value for every node, and one argument came"
    ):
        MAZE.read(found, stream(0), lives=1, wall="true")


def test_tensors_of_any_type_are_read_as_what_they_say():
    ends = torch.tensor([[0, 1], [1, 2]])
    for dtype in (torch.bool, torch.uint8, torch.int64, torch.float32):
        data = Data(
            edge_index=ends, num_nodes=3, edge_open=torch.ones(2, dtype=dtype), lost=torch.zeros(7)
        )
        data.wall, data.terrain = torch.tensor([0, 1, 0]).to(dtype), torch.tensor([[2], [1], [0]])
        inputs, notes = MAZE.read(from_pyg(data), stream(0), source="0", lives=1)
        assert inputs["wall"].tolist() == [False, True, False]
        assert inputs["terrain"].tolist() == [2, 1, 0]
        assert inputs["open"].all()
        assert notes == [
            "left out is what has a row neither for each node nor for each edge: lost."
        ]


# ---- numbers

WRITTEN = st.one_of(
    st.integers(-(10**30), 10**30),
    st.sampled_from([2**53, 2**53 + 1, 2**63, 2**63 + 1, 10**20, 10**20 + 1]),
    st.decimals(allow_nan=False, allow_infinity=False, places=2, min_value=-99, max_value=99),
    st.sampled_from(
        [
            Decimal("0.1"),
            Decimal("0.10"),
            Decimal("0.1000000000000000000001"),
            Decimal("1E+400"),
            Decimal("9007199254740993.5"),
        ]
    ),
)


@given(simple_graphs(), st.data())
@with_files
def test_numbers_are_ranked_exactly_from_every_form_and_equals_by_place(tmp_path, graph, data):
    for edge, weight in zip(
        graph.edges, drawn(data, WRITTEN, graph.number_of_edges()), strict=True
    ):
        graph.edges[edge]["weight"] = weight
    weights = [Fraction(graph.edges[edge]["weight"]) for edge in sorted(map(sorted, graph.edges))]
    order = sorted(range(len(weights)), key=lambda i: (weights[i], i))
    for form, found in every_form(graph, tmp_path):
        inputs, notes = UNION_FIND.read(found, stream(0))
        assert inputs["weight"].argsort().tolist() == order, form
        ranked = inputs["weight"].tolist() != weights
        assert (
            any("the weight of each edge is replaced by its rank" in note for note in notes)
            == ranked
        ), form
        equal = len(weights) - len(set(weights))
        said = [
            note
            for note in notes
            if "of equals, the edge that stands first in the graph goes first" in note
        ]
        assert len(said) == bool(equal), form
        assert not equal or f"{equal} equal" in said[0]


@given(simple_graphs(), st.data())
@with_files
def test_where_only_the_order_counts_it_is_kept_with_its_ties_from_every_form(
    tmp_path, graph, data
):
    for edge, weight in zip(
        graph.edges, drawn(data, WRITTEN, graph.number_of_edges()), strict=True
    ):
        graph.edges[edge]["weight"] = weight
    weights = [Fraction(graph.edges[edge]["weight"]) for edge in sorted(map(sorted, graph.edges))]
    for form, found in every_form(graph, tmp_path):
        for one in (KRUSKAL, algorithm("boruvka"), algorithm("prim")):
            inputs, notes = one.read(found, stream(0))
            used = inputs["weight"].tolist()
            for i, j in product(range(len(weights)), repeat=2):
                assert (used[i] < used[j]) == (weights[i] < weights[j]), form
                assert (used[i] == used[j]) == (weights[i] == weights[j]), form
            ranked = used != weights
            assert (
                any("the weight of each edge is replaced by its rank" in note for note in notes)
                == ranked
            ), form
            # ranks are dense: few bits hold many edges
            assert not ranked or max(used) == len(set(weights))


NUMBERS = st.one_of(WRITTEN, st.floats(allow_nan=False, allow_infinity=False), st.fractions())


@given(st.lists(NUMBERS, min_size=1, max_size=8))
def test_numbers_of_every_type_stay_as_they_are_and_go_in_their_order(values):
    graph = nx.path_graph(len(values) + 1)
    for i, value in enumerate(values):
        graph.edges[i, i + 1]["weight"] = value
    found = from_networkx(graph)
    kept = found.edge_attributes["weight"].tolist()
    assert kept == values
    assert list(map(type, kept)) == list(map(type, values))
    ranks = UNION_FIND.read(found, stream(0))[0]["weight"].tolist()
    exact = list(map(Fraction, values))
    assert sorted(range(len(values)), key=lambda i: ranks[i]) == sorted(
        range(len(values)), key=lambda i: (exact[i], i)
    )


@pytest.mark.parametrize(
    "bad", [float("nan"), float("inf"), Decimal("NaN"), True, "heavy", None, 1j, [1]]
)
def test_what_is_no_finite_number_is_no_weight(bad):
    graph = nx.Graph([("a", "b", {"weight": 1}), ("b", "c", {"weight": bad})])
    with pytest.raises(
        InputError, match=r"edge \(b, c\)(.* is '|.* no 'weight').*: give a finite number"
    ):
        KRUSKAL.read(from_networkx(graph), stream(0))


def test_numbers_of_thousands_of_digits():
    graph = nx.Graph(
        [
            ("a", "b", {"weight": 10**6000 + 1}),
            ("b", "c", {"weight": 10**6000}),
            ("a", "c", {"weight": 1}),
        ]
    )
    inputs, _ = KRUSKAL.read(from_networkx(graph), stream(0))
    assert inputs["weight"].tolist() == [3, 1, 2]  # edges a-b, a-c, b-c
    graph.edges["a", "b"]["weight"] = 10**6000
    assert "thousands of digits" in UNION_FIND.read(from_networkx(graph), stream(0))[1][1]


def test_weights_with_many_bits_overflow_nothing():
    graph = nx.gnp_random_graph(40, 0.3, seed=3)
    for i, edge in enumerate(graph.edges):
        graph.edges[edge]["weight"] = 2**62 - 1 - (i * 7919) % 4001
    wide, found = algorithm("kruskal", bits=62), from_networkx(graph)
    inputs, _ = wide.read(found, stream(0))
    chosen = run_algorithm(wide, found, inputs).final("in_mst")
    assert int(inputs["weight"].max()) > 2**61
    assert {tuple(edge) for edge in found.edges[:, chosen].T.tolist()} == {
        tuple(sorted(edge)) for edge in nx.minimum_spanning_edges(graph, data=False)
    }

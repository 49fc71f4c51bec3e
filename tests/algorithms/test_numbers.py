"""Numbers that algorithms count with: a user's own, made whole exactly, and shown again as they
were.
"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import networkx as nx
import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from torch_geometric.data import Data

from algolens.algorithms import algorithm, algorithms
from algolens.engines import run_algorithm
from algolens.errors import GraphError, InputError
from algolens.graphs import from_networkx, from_pyg, stream
from algolens.graphs.scales import as_fraction
from tests.effort import examples
from tests.forms import every_form
from tests.strategies import directed_graphs, simple_graphs

with_files = settings(examples(30), suppress_health_check=[HealthCheck.function_scoped_fixture])
DIJKSTRA, BELLMAN_FORD = algorithm("dijkstra"), algorithm("bellman_ford")
WEIGHTS = st.one_of(
    st.integers(0, 10**6),
    st.decimals(0, 99, places=2),
    st.decimals(0, 1, places=7),
    st.sampled_from([Decimal("0.10"), Decimal("1E+3"), Decimal("12.750")]),
)


def with_weights(data: st.DataObject, graph: nx.Graph, weights: st.SearchStrategy) -> nx.Graph:
    for edge in graph.edges:
        graph.edges[edge]["weight"] = data.draw(weights)
    return graph


def found_distances(one, graph, source: str) -> dict[str, Fraction | None]:
    roomy = one.with_room_for(graph)
    inputs, _ = roomy.read(graph, stream(0), source=source)
    shown = run_algorithm(roomy, graph, inputs).shown("distance")
    return {
        graph.name_of(i): None if value is None else as_fraction(value)
        for i, value in enumerate(shown)
    }


@given(simple_graphs() | directed_graphs(), st.data())
@with_files
def test_distances_are_exact_in_the_users_own_weights_from_every_form(tmp_path, graph, data):
    with_weights(data, graph, WEIGHTS)
    exact = graph.copy()
    for edge in exact.edges:
        exact.edges[edge]["weight"] = Fraction(exact.edges[edge]["weight"])
    source = data.draw(st.sampled_from(list(graph)))
    truth = nx.single_source_dijkstra_path_length(exact, source)
    for form, found in every_form(graph, tmp_path):
        expected = {str(node): truth.get(node) for node in graph}
        assert found_distances(DIJKSTRA, found, str(source)) == expected, form
        assert found_distances(BELLMAN_FORD, found, str(source)) == expected, form


@given(directed_graphs(), st.data())
def test_negative_weights_are_counted_and_a_negative_cycle_is_an_outcome(graph, data):
    with_weights(data, graph, st.decimals(-3, 9, places=1))
    for edge in graph.edges:
        graph.edges[edge]["weight"] = Decimal(graph.edges[edge]["weight"])
    exact = graph.copy()
    for edge in exact.edges:
        exact.edges[edge]["weight"] = Fraction(exact.edges[edge]["weight"])
    found = from_networkx(graph)
    roomy = BELLMAN_FORD.with_room_for(found)
    run = run_algorithm(roomy, found, roomy.read(found, stream(0), source="0")[0])
    try:
        truth = nx.single_source_bellman_ford_path_length(exact, 0)
    except nx.NetworkXUnbounded:
        assert run.outcomes["has_negative_cycle"].tolist() == [True]
        return
    assert run.outcomes["has_negative_cycle"].tolist() == [False]
    assert dict(zip(graph, run.shown("distance"), strict=True)) == {
        node: truth.get(node) for node in graph
    }


def path(*weights, create_using=nx.Graph) -> nx.Graph:
    graph = nx.path_graph(len(weights) + 1, create_using)
    for i, weight in enumerate(weights):
        graph.edges[i, i + 1]["weight"] = weight
    return graph


@pytest.mark.parametrize("weight", [-3, "-0.5", Decimal("-1E-9")])
def test_negative_weights_are_refused_where_they_are_not_counted(weight):
    found = from_networkx(path(1, weight))
    with pytest.raises(
        InputError,
        match=(
            r"dijkstra needs a weight that is not negative: edge \(1, 2\) has -.*; use "
            r"bellman_ford"
        ),
    ):
        DIJKSTRA.with_room_for(found).read(found, stream(0))
    algorithm("prim").read(found, stream(0))  # of which only the order counts
    widest = algorithm("widest_path")
    with pytest.raises(
        InputError,
        match=r"widest_path needs a weight that is not negative: edge \(1, 2\) has -[^;]*\.$",
    ):
        widest.with_room_for(found).read(found, stream(0))  # no other finds widths


def test_floats_are_what_they_are_written_as():
    assert list(found_distances(DIJKSTRA, from_networkx(path(0.1, 0.2)), "0").values()) == [
        0,
        Fraction(1, 10),
        Fraction(3, 10),
    ]
    data = Data(
        edge_index=torch.tensor([[0, 1], [1, 2]]), edge_weight=torch.tensor([0.1, 0.2]), num_nodes=3
    )
    assert list(found_distances(DIJKSTRA, from_pyg(data), "0").values()) == [
        0,
        Fraction(1, 10),
        Fraction(3, 10),
    ]
    thirds = from_networkx(path(Fraction(1, 3), Fraction(1, 2)))
    assert list(found_distances(DIJKSTRA, thirds, "0").values()) == [
        0,
        Fraction(1, 3),
        Fraction(5, 6),
    ]


@pytest.mark.parametrize(
    "weight", ["1e-30", "123456789012345678901", "1e400000000", "1e-400000000", "9" * 6000]
)
def test_what_has_no_room_in_62_bits_is_refused_in_one_line(weight):
    found = from_networkx(path(1, weight))
    with pytest.raises(
        InputError, match=r"'weight' of edge \(\d, \d\) is '.*: .*give whole numbers from 0 to \d+"
    ) as caught:
        DIJKSTRA.with_room_for(found).read(found, stream(0))
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400


WEIGHED = [
    name
    for name in sorted(algorithms())
    if (field := algorithm(name).declaration.inputs.get("weight")) is not None
    and field.at == "edge"
]


@pytest.mark.parametrize("name", WEIGHED)
@pytest.mark.parametrize("weight", [float("nan"), float("inf"), "heavy"])
def test_a_weight_that_is_no_number_is_refused_without_a_bound_that_is_none(name, weight):
    """The message asks for a finite number, and where it names no other bound, every such number is
    taken.
    """
    chosen = algorithm(name)
    create_using = nx.DiGraph if chosen.graphs == "directed" else nx.Graph
    found = from_networkx(path(1, weight, create_using=create_using))
    with pytest.raises(
        InputError, match=r"'weight' of edge \(1, 2\) is '.*': give a finite number( from 0 on)?\."
    ) as caught:
        chosen.with_room_for(found).read(found, stream(0))
    lowest = 0 if "from 0 on" in str(caught.value) else -5
    for other in (lowest, lowest + 0.5, 1023, 1024, 10**12, "0.125"):
        taken = from_networkx(path(1, other, create_using=create_using))
        chosen.with_room_for(taken).read(taken, stream(0))


def test_bits_grow_where_an_algorithm_has_them_and_are_named_where_they_are_too_few():
    found = from_networkx(path(2**40, "0.5"))
    assert DIJKSTRA.with_room_for(found).options["bits"] == 42
    with pytest.raises(
        InputError,
        match=(
            r"is '1099511627776', which is 2199023255552 when all are multiplied by 2 .* allow 42 "
            r"bits"
        ),
    ):
        DIJKSTRA.read(found, stream(0))
    assert BELLMAN_FORD.with_room_for(from_networkx(path(-(2**12), 5))).options["bits"] == 13


def test_sums_beyond_62_bits_are_refused():
    found = from_networkx(path(2**60, 2**60))
    roomy = DIJKSTRA.with_room_for(found)
    inputs, _ = roomy.read(found, stream(0))
    with pytest.raises(GraphError, match="'offer' grows beyond 62 bits on this graph"):
        run_algorithm(roomy, found, inputs)


def test_other_inputs_than_the_graphs_own_are_shown_as_they_are():
    found = from_networkx(path("0.5", "2"))
    run = run_algorithm(
        DIJKSTRA, found, {"weight": torch.tensor([3, 5]), "source": torch.tensor([0])}
    )
    assert run.shown("distance") == [0, 3, 8]

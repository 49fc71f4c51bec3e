"""Floats as people have them: exact, in their own type, or refused with the rounding that fits."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

import algolens as al
from algolens.algorithms import algorithm, algorithms, shipped_folder
from algolens.api.executing import _without_room
from algolens.errors import AlgoLensError
from algolens.experiment.config import preset
from algolens.graphs import from_networkx
from tests.effort import covering, examples
from tests.strategies import simple_graphs

UNIFORM = st.integers(0, 2**53 - 1).map(lambda number: number / 2**53)  # as random.random() draws
FLOATS = st.floats(0, allow_nan=False, allow_infinity=False)


def weighted(data: st.DataObject, graph: nx.Graph, weights: st.SearchStrategy[float]) -> nx.Graph:
    for edge in graph.edges:
        graph.edges[edge]["weight"] = data.draw(weights)
    return graph


def true_distances(graph: nx.Graph, read) -> dict[int, float | None]:
    """The nearest floats to NetworkX's distances in exact arithmetic. read: of one weight."""
    exact = nx.Graph(graph)
    for edge in exact.edges:
        exact.edges[edge]["weight"] = read(graph.edges[edge]["weight"])
    lengths = nx.single_source_dijkstra_path_length(exact, 0)
    return {node: float(lengths[node]) if node in lengths else None for node in graph}


def as_written(number: float) -> Fraction:
    return Fraction(repr(number))


@given(simple_graphs(), st.data())
@examples(40)
def test_uniform_floats_are_taken_exactly(graph, data):
    weighted(data, graph, UNIFORM)
    truths = [true_distances(graph, as_written), true_distances(graph, Fraction)]
    for name in ("dijkstra", "bellman_ford"):
        distances = al.execute(name, graph, source=0).result["distance"]
        assert distances in truths
        kept = float if graph.edges else int  # without edges nothing was given
        assert all(type(value) is kept for value in distances.values() if value is not None)
        json.dumps(distances)


@given(simple_graphs(), st.data())
@examples(40)
def test_floats_of_any_size_are_exact_or_fit_by_the_rounding_that_is_named(graph, data):
    weighted(data, graph, st.one_of(FLOATS, st.floats(1e-9, 1e9), UNIFORM))
    for name in ("dijkstra", "bellman_ford"):
        distances, refusal = executed(name, graph)
        if distances is not None:
            assert distances in (true_distances(graph, as_written), true_distances(graph, Fraction))
            continue
        assert "\n" not in refusal
        if sum(weight for *_, weight in graph.edges(data="weight")) >= 2**59:
            continue  # sums of whole numbers have no room
        offered = re.search(r"--round (\d+); in Python, round=\1\)", refusal)
        assert offered is not None
        places = int(offered[1])
        rounded = nx.Graph(graph)
        for edge in rounded.edges:
            rounded.edges[edge]["weight"] = round(graph.edges[edge]["weight"], places)
        execution = al.execute(name, graph, source=0, round=places)
        assert execution.result["distance"] == true_distances(rounded, as_written)
        assert any(f"rounded to {places} decimal" in note for note in execution.notes)


def executed(name: str, graph: nx.Graph) -> tuple[Mapping[int, float] | None, str]:
    """Distances from node 0, or the refusal."""
    try:
        return al.execute(name, graph, source=0).result["distance"], ""
    except AlgoLensError as refusal:
        return None, str(refusal)


@given(simple_graphs(), st.data())
@examples(40)
def test_where_only_order_counts_every_float_is_taken(graph, data):
    weighted(data, graph, st.floats(allow_nan=False, allow_infinity=False))
    exact = nx.Graph(graph)
    for edge in exact.edges:
        exact.edges[edge]["weight"] = Fraction(graph.edges[edge]["weight"])
    least = nx.minimum_spanning_tree(exact).size("weight")
    chosen = al.execute("kruskal", graph).result["in_mst"]
    assert sum(exact.edges[edge]["weight"] for edge in chosen if chosen[edge]) == least
    component = exact.subgraph(nx.node_connected_component(exact, 0))
    parents = al.execute("prim", graph, source=0).result["parent"]
    total = sum(exact.edges[n, p]["weight"] for n, p in parents.items() if p is not None)
    assert total == nx.minimum_spanning_tree(component).size("weight")


PATH = [(0, 1), (1, 2)]


@pytest.mark.parametrize(
    ("weights", "kept"),
    [
        ((2, 3), int),
        ((0.5, 0.5), float),
        ((2.0, 3), float),
        ((Decimal("0.5"), Decimal("0.5")), Decimal),
        ((Decimal("0.5"), 2), Decimal),
        ((Fraction(1, 3), 1), Fraction),
        (("0.5", "2"), float),
    ],
)
def test_numbers_come_back_in_the_type_they_came_in(weights, kept):
    graph = nx.Graph([(*ends, {"weight": w}) for ends, w in zip(PATH, weights, strict=True)])
    execution = al.execute("dijkstra", graph, source=0)
    found = execution.result["distance"]
    assert {type(value) for value in found.values()} == {kept}
    assert found[2] == sum(map(Fraction, weights))
    assert execution.truth.result == execution.result


@pytest.mark.parametrize("name", ["roads.csv", "roads.json"])
def test_decimals_of_a_file_are_floats_in_python(tmp_path, name):
    path = tmp_path / name
    if name.endswith("csv"):
        path.write_text("source,target,weight\na,b,0.10\nb,c,2\n")
    else:
        edges = [("a", "b", 0.1), ("b", "c", 2)]
        rows = [{"source": u, "target": v, "weight": weight} for u, v, weight in edges]
        path.write_text(json.dumps({"nodes": [{"id": node} for node in "abc"], "edges": rows}))
    execution = al.execute("dijkstra", path, source="a")
    assert json.loads(json.dumps(execution.result["distance"])) == {"a": 0.0, "b": 0.1, "c": 2.1}
    network = execution.to_networkx()
    assert {type(weight) for *_, weight in network.edges(data="weight")} == {float}


def test_rounding_and_the_ties_that_it_makes_are_told():
    graph = nx.Graph([(0, 1, {"weight": 0.111}), (1, 2, {"weight": 0.112}), (0, 2, {"weight": 1})])
    notes = al.execute("kruskal", graph, round=2).notes
    assert "the weight of each edge is rounded to 2 decimals: 2 of 3 change." in notes
    ties = "rounding makes 1 tie in weight (edge (0, 1) and edge (1, 2), say, are now both 0.11)."
    assert ties in notes
    assert not any("tie" in note for note in al.execute("kruskal", graph, round=3).notes)
    assert not any("rounded" in note for note in al.execute("kruskal", graph).notes)
    with pytest.raises(AlgoLensError, match=r"decimals to round to is -1: give a whole"):
        al.execute("kruskal", graph, round=-1)


def test_a_network_of_few_bits_names_the_rounding_that_it_can_read():
    found = from_networkx(nx.Graph([(0, 1, {"weight": 0.123}), (1, 2, {"weight": 9.5})]))
    few = algorithm("dijkstra")
    refusal = _without_room(few, few.with_room_for(found), found)
    assert "the network reads 10: round to 2 decimals (--round 2; in Python, round=2)" in refusal


def test_check_names_the_numbers_that_are_taken():
    shown = str(al.check("dijkstra"))
    assert "a number from 0 to 1023 at each edge (of your graph, a finite number from 0 on)" in (
        " ".join(shown.split())
    )


READERS = [
    name
    for name, cls in algorithms().items()
    if shipped_folder(name) is not None
    and any(field.kind == "number" for field in cls().declaration.inputs.values())
]


@pytest.mark.parametrize("name", covering(READERS))
def test_the_network_that_ships_takes_ordinary_floats(name):
    """It reads as many bits as the declaration has room for, and runs as the algorithm does."""
    chosen, model, rng = algorithm(name), al.load(name), random.Random(0)
    assert model.algorithm.options.get("bits") == preset("exact", chosen).options.get("bits")
    if chosen.table is not None:
        return  # what stands in cells is made from other graphs, in tests/algorithms/test_tables.py
    graph = nx.gnp_random_graph(7, 0.5, seed=1, directed=chosen.graphs == "directed")
    given_to_graph: dict[str, Any] = {}
    for place, (field_name, field) in enumerate(chosen.declaration.inputs.items()):
        if field.kind != "number":
            if field.at == "graph":
                given_to_graph[field_name] = 0
            continue
        unit = chosen.declaration.units.get(field_name)
        is_whole = unit is None or unit.is_whole
        digits = 6 if unit is not None and unit.degree > 1 else 17  # products leave less room
        elements = {"node": graph.nodes, "edge": graph.edges}.get(field.at)
        if elements is None:
            given_to_graph[field_name] = rng.randint(1, 9) if is_whole else rng.random()
            continue
        for count, element in enumerate(elements):
            # in order, and a field after those before it: an end is not before its beginning
            drawn = place + (count + rng.random()) / len(elements)
            elements[element][field_name] = 1 + count if is_whole else round(drawn, digits)
    if "in_pattern" in chosen.declaration.inputs:
        nx.set_node_attributes(graph, {node: node > 4 for node in graph}, "in_pattern")
    assert model.execute(graph, **given_to_graph).agrees

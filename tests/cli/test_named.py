"""What a run gives is called by its name: classes, nodes that are pointed to, numbers that were
found, outcomes.
"""

from __future__ import annotations

import json

import networkx as nx
import pytest
import torch
from hypothesis import given

from algolens.algorithms import algorithm
from algolens.algorithms.bellman_ford import BellmanFord
from algolens.engines import Intervention, run_algorithm
from algolens.errors import DefinitionError
from algolens.evaluation import first_mistakes
from algolens.graphs import Graph
from algolens.language.fields import Field
from tests.effort import examples
from tests.other_runs import with_field
from tests.strategies import batches, parts, streams

ROADS = "source,target,weight\nMill,Well,3\nWell,Ford,4\nMill,Ford,9\nIsland,Ferry,1\n"


@pytest.fixture
def roads(tmp_path):
    (tmp_path / "roads.csv").write_text(ROADS)
    return str(tmp_path / "roads.csv")


def executed(run, *words):
    status, out, _ = run("execute", *words, "--json", "--trace")
    assert status == 0
    return json.loads(out)


def test_pointers_and_numbers_are_given_by_name_and_null_where_there_is_none(run, roads):
    found = executed(run, "dijkstra", roads, "--source", "Mill")
    assert found["outputs"]["distance"] == {
        "Mill": 0,
        "Well": 3,
        "Ford": 7,
        "Island": None,
        "Ferry": None,
    }
    assert found["outputs"]["parent"] == {
        "Mill": None,
        "Well": "Mill",
        "Ford": "Well",
        "Island": None,
        "Ferry": None,
    }
    assert found["trace"][0]["outputs"]["distance"] == {
        "Mill": 0,
        "Well": 3,
        "Ford": 9,
        "Island": None,
        "Ferry": None,
    }
    assert set(found["trace"][0]["because"]) == {"reached", "done"}
    assert executed(run, "components", roads)["outputs"]["component"] == {
        **dict.fromkeys(["Mill", "Well", "Ford"], "Mill"),
        **dict.fromkeys(["Island", "Ferry"], "Island"),
    }


def test_classes_are_given_by_name_and_by_number_where_they_are_called_so(run, roads):
    edges = executed(run, "matching", roads)
    assert {each["value"] for each in edges["outputs"]["status"]} == {"matched", "out"}
    assert {each["value"] for each in edges["trace"][0]["outputs"]["status"]} <= {
        "undecided",
        "matched",
        "out",
    }
    assert all(
        type(color) is int
        for color in executed(run, "coloring", roads)["outputs"]["color"].values()
    )


def test_steps_show_names(run, roads):
    _, out, _ = run("execute", "bellman_ford", roads, "--source", "Mill")
    assert "has negative cycle: no (" in out
    rows = [line.split()[:4] for line in out[out.index("Finished after") :].splitlines()]
    assert ["Ford", "yes", "7", "Well"] in rows
    assert ["Island", "no", "-", "-"] in rows
    _, out, _ = run("execute", "bipartite", roads)
    assert "second" in out
    assert "is bipartite: no (" in out


@examples(30)
@given(batches(), streams())
def test_outcomes_are_what_is_seen_when_all_is_done(graph, rng):
    """In a batch as alone, also where a graph ended long before others."""
    chosen = algorithm("bipartite")
    found = run_algorithm(chosen, graph, chosen.sample(graph, rng))
    assert found.outcomes["is_bipartite"].tolist() == [
        nx.is_bipartite(part) for part in parts(graph)
    ]
    last = graph.num_graphs - 1
    assert (
        found.take([last]).outcomes["is_bipartite"].tolist()
        == found.outcomes["is_bipartite"][last:].tolist()
    )
    again = type(found).from_tensors(chosen, found.tensors())
    assert again.equals(found)
    assert again.outcomes.keys() == found.outcomes.keys()


def test_kinds_call_their_values_by_name():
    graph = Graph.pack([2, 3], [(0, 1), (2, 3)])
    places = torch.tensor([0, 0, 0, 0, 2])
    assert Field("node", "pointer", to="node").shown(places, graph) == ["0", "0", "0", "0", "2"]
    assert Field("node", "pointer", to="node", itself_is_none=True).shown(places, graph) == [
        None,
        "0",
        None,
        "0",
        None,
    ]
    assert Field("graph", "pointer", to="edge").shown(torch.tensor([0, 0]), graph) == [
        "0 - 1",
        "0 - 1",
    ]
    values = torch.tensor([2, 0, 1])
    assert Field("node", "category", ("undecided", "chosen", "out")).shown(values, graph) == [
        "out",
        "undecided",
        "chosen",
    ]
    assert Field("node", "category", ("0", "1", "2")).shown(values, graph) == [2, 0, 1]


def test_a_mistake_names_what_is_pointed_to():
    chosen, path = algorithm("bfs_tree"), Graph.pack([3], [(0, 1), (1, 2), (0, 2)])
    inputs = {"source": torch.tensor([0])}
    truth = run_algorithm(chosen, path, inputs)
    parent = truth["parent"].dense().clone()
    parent[0, 1] = 2
    spoilt = with_field(truth, "parent", parent)
    mistake = first_mistakes(spoilt, truth)[1][0]
    assert (mistake.field, mistake.found, mistake.true) == ("parent", "2", "0")
    blind = run_algorithm(chosen, path, inputs, interventions=[Intervention("is_reached", False)])
    assert first_mistakes(blind, truth)[1][0].field == "is_reached"


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"distance": {"only_where": "far"}}, "'distance' is told only where 'far' holds: name an"),
        ({"distance": {"only_where": "parent"}}, "name an output that is a mask"),
        ({"outcomes": ("is_improved",)}, "outcome 'is_improved' is no feature of the graph"),
        ({"outcomes": ("nothing",)}, "outcome 'nothing' is no feature of the graph"),
    ],
)
def test_what_is_shown_must_be_there(change, complaint):
    changed = {
        name: getattr(BellmanFord, name).but(**value) if isinstance(value, dict) else value
        for name, value in change.items()
    }
    with pytest.raises(DefinitionError, match=complaint):
        type("Wrong", (BellmanFord,), changed)

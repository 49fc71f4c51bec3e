"""Inputs at links: a value for each direction, the same from every form, drawn as any other."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from torch_geometric.data import Data

import algolens as al
from algolens.data.small_graphs import EveryInput, numbered_graphs, small_trials
from algolens.errors import GraphError, InputError
from algolens.graphs import Graph, from_networkx, from_pyg, stream, to_networkx, to_pyg, undirected
from algolens.language.fields import Field
from algolens.language.values import fit
from tests.effort import examples
from tests.strategies import simple_graphs
from tests.two_way import TwoWay

with_files = settings(examples(40), suppress_health_check=[HealthCheck.function_scoped_fixture])


@st.composite
def ways(draw: st.DrawFn) -> nx.DiGraph:
    """Both directions of every edge of a graph, each with a cost; nodes in any order."""
    graph = draw(simple_graphs(max_nodes=7))
    both = [*graph.edges, *(edge[::-1] for edge in graph.edges)]
    made = nx.DiGraph()
    made.add_nodes_from(draw(st.permutations(list(graph))))
    made.add_edges_from((u, v, {"cost": draw(st.integers(0, 255))}) for u, v in both)
    return made


def forms(graph: nx.DiGraph, folder: Path) -> Iterator[tuple[str, Any, dict[str, Any]]]:
    """By name: both directions in every form, and what `al.execute` is told besides."""
    as_undirected: dict[str, Any] = {"directed": False}
    cost = nx.get_edge_attributes(graph, "cost")
    # the cheaper direction is the one that is written: it leads to earlier nodes as to later ones
    cheaper = [(u, v) for u, v in graph.edges if (cost[u, v], u) < (cost[v, u], v)]
    pairs = [(u, v, cost[u, v], cost[v, u]) for u, v in cheaper]
    named = [{"source": u, "target": v, "cost": c, "cost_back": b} for u, v, c, b in pairs]
    nodes = [{"id": node} for node in graph]

    yield "DiGraph", graph, as_undirected
    lower = nx.Graph()  # NetworkX keeps no ends in order: a cost leads from the earlier node
    lower.add_nodes_from(graph)
    place = {node: number for number, node in enumerate(graph)}
    for u, v, there, back in pairs:
        is_turned = place[u] > place[v]
        costs = (back, there) if is_turned else (there, back)
        lower.add_edge(u, v, **dict(zip(("cost", "cost_back"), costs, strict=True)))
    yield "Graph", lower, {}

    alone = "".join(f"{node}\n" for node in graph)
    table = folder / "columns.csv"
    lines = "".join(f"{u},{v},{there},{back}\n" for u, v, there, back in pairs)
    table.write_text(f"source,target,cost,cost_back\n{alone}{lines}")
    yield "a column each way", table, {}
    table = folder / "rows.csv"
    lines = "".join(f"{u},{v},{cost[u, v]}\n" for u, v in graph.edges)
    table.write_text(f"source,target,cost\n{alone}{lines}")
    yield "a row each way", table, as_undirected
    if pairs:
        frame = pd.DataFrame([{"source": node} for node in graph] + named, dtype=object)
        yield "pandas", frame, {}

    (folder / "one.json").write_text(json.dumps({"nodes": nodes, "edges": named}))
    yield "undirected JSON", folder / "one.json", {}
    nx.write_graphml(graph, folder / "two.graphml")
    yield "directed GraphML", folder / "two.graphml", as_undirected
    keys = "".join(
        f'<key id="{name}" for="edge" attr.name="{name}" attr.type="int"/>'
        for name in ("cost", "cost_back")
    )
    edges = "".join(
        f'<edge source="{u}" target="{v}"><data key="cost">{there}</data>'
        f'<data key="cost_back">{back}</data></edge>'
        for u, v, there, back in pairs
    )
    listed = "".join(f'<node id="{node}"/>' for node in graph)
    inside = f'<graph edgedefault="undirected">{listed}{edges}</graph>'
    namespace = 'xmlns="http://graphml.graphdrawing.org/xmlns"'
    (folder / "one.graphml").write_text(f"<graphml {namespace}>{keys}{inside}</graphml>")
    yield "undirected GraphML", folder / "one.graphml", {}

    ends = torch.tensor(list(graph.edges), dtype=torch.int64).reshape(-1, 2).T
    data = Data(edge_index=ends, num_nodes=len(graph))
    data.edge_cost = torch.tensor([cost[u, v] for u, v in graph.edges])
    yield "PyG", data, {}


@given(ways(), st.data())
@with_files
def test_every_form_gives_the_run_that_networkx_gives_on_the_two_directions(tmp_path, graph, data):
    source = data.draw(st.sampled_from(list(graph)))
    expected = nx.single_source_dijkstra_path_length(graph, source, weight="cost")
    given = [*forms(graph, tmp_path), ("directed", graph, {})]
    for form, one, told in given:
        run = al.execute(TwoWay, one, source=source, **told)
        distance = {str(node): value for node, value in run.result["distance"].items()}
        reached = {str(node): length for node, length in expected.items()}
        assert distance == {str(node): reached.get(str(node)) for node in graph}, form


@given(ways())
@settings(examples(40))
def test_a_way_back_goes_through_every_conversion(graph):
    one = undirected(from_networkx(nx.convert_node_labels_to_integers(graph)))
    inputs, _ = TwoWay().read(one, stream(0), source=one.name_of(0)) if one.num_edges else ({}, [])
    for other in (from_networkx(to_networkx(one)), from_pyg(to_pyg(one))):
        assert other.edges.tolist() == one.edges.tolist()
        if one.num_edges:
            again, _ = TwoWay().read(other, stream(0), source=other.name_of(0))
            assert np.array_equal(again["cost"], inputs["cost"])


def test_costs_are_drawn_for_each_direction_and_checked_against_the_reference():
    checked = al.check(TwoWay)
    assert checked
    assert "agrees with its reference on" in str(checked)
    grid = al.execute(TwoWay, "grid:9", seed=3)
    there, back = grid.run.inputs["cost"].reshape(2, -1)
    assert not np.array_equal(there, back)


@pytest.mark.parametrize("directed", [False, True])
def test_trials_go_through_every_value_of_every_link(directed):
    few = TwoWay(bits=1)
    graph = numbered_graphs(3, directed=directed)
    which, inputs = EveryInput(few, 3).of(graph)
    batch = graph.take(which).graph
    owner = batch.owner("link")
    seen = {
        (int(of), int(source), tuple(inputs["cost"][owner == run].tolist()))
        for run, (of, source) in enumerate(zip(which, inputs["source"], strict=True))
    }
    links = graph.counts("link").tolist()
    assert len(seen) == len(which) == sum(3 * 2**count for count in links)
    every = [run for trial in small_trials(few) for run in trial.runs]
    for run in every[:: max(1, len(every) // 20)]:
        one = run.take([0])
        cost = one.inputs["cost"].tolist()
        two = nx.DiGraph()
        two.add_nodes_from(range(one.graph.num_nodes))
        ends = one.graph.links.T.tolist()
        two.add_edges_from((u, v, {"cost": c}) for (u, v), c in zip(ends, cost, strict=True))
        source = int(one.inputs["source"][0])
        lengths = nx.single_source_dijkstra_path_length(two, source, weight="cost")
        assert one.shown("distance") == [lengths.get(node) for node in two]


@given(st.lists(simple_graphs(max_nodes=5), min_size=1, max_size=4), st.data())
@settings(examples(40))
def test_ranks_of_links_are_those_of_each_graph_alone(graphs, data):
    parts = [from_networkx(graph) for graph in graphs]
    batch, field = Graph.join(parts), Field("link", "number", bits=6)
    numbers = [data.draw(st.integers(0, 9)) / 2 + 0.25 for _ in range(batch.num_links)]
    ranks, _ = fit(field, batch, numbers) if numbers else (torch.zeros(0), None)
    owner = batch.owner("link")
    for place in range(batch.num_graphs if numbers else 0):
        own = [number for number, of in zip(numbers, owner, strict=True) if of == place]
        places = sorted(set(own))
        assert ranks[owner == place].tolist() == [places.index(number) for number in own]


REFUSED = [
    ({}, {}, "needs a 'cost' for every link.*give edges a 'cost' and, for the way back, a 'cost_b"),
    ({"cost": 3, "cost_back": "far"}, {}, r"'cost' of link \(b, a\) is 'far'"),
    ({"cost": 3, "cost_back": None}, {}, r"link \(b, a\) has no 'cost'"),
    ({"cost": -3, "cost_back": 1}, {}, r"not negative: link \(a, b\) has -3"),
    ({"cost": 1}, {"cost": 3}, "give it as an attribute of the graph's edges"),
]


@pytest.mark.parametrize(("costs", "told", "message"), REFUSED)
def test_what_is_wrong_is_told_in_one_line(costs, told, message):
    graph = nx.Graph([("a", "b", costs), ("b", "c", {**costs, "cost_back": 1} if costs else {})])
    with pytest.raises((GraphError, InputError), match=message) as caught:
        al.execute(TwoWay, graph, source="a", **told)
    assert "\n" not in str(caught.value)


def test_one_value_counts_both_ways_and_two_are_never_taken_for_one():
    graph = nx.Graph([("a", "b", {"cost": 3, "weight": 3})])
    run = al.execute(TwoWay, graph, source="b")
    assert run.result["distance"] == {"a": 3, "b": 0}
    assert "the cost of each edge counts both ways: the graph has no cost_back." in run.notes
    graph.edges["a", "b"]["weight_back"] = 3.0
    assert al.execute("dijkstra", graph, source="a").result["distance"]["b"] == 3
    graph.edges["a", "b"]["weight_back"] = 4
    wanted = "dijkstra reads one weight for every edge, and edge (a, b) has 3, and 4 back"
    with pytest.raises(GraphError, match=re.escape(wanted)):
        al.execute("dijkstra", graph, source="a")
    leads = nx.DiGraph([("a", "b", {"cost": 3, "cost_back": 4})])
    with pytest.raises(GraphError, match="as an edge of its own with a cost, or read it with --un"):
        al.execute(TwoWay, leads, source="a")
    run = al.execute(TwoWay, leads, source="b", directed=False)
    assert run.result["distance"]["a"] == 4
    leads.add_edge("b", "a", cost=5, cost_back=3)
    with pytest.raises(
        GraphError, match=r"edges \(a, b\) and \(b, a\) disagree on cost and cost_b"
    ):
        al.execute(TwoWay, leads, source="a", directed=False)


def test_errors_name_edges_as_the_user_did(tmp_path):
    """In the order of their rows, each from its first node to its second."""
    rows = tmp_path / "edges.csv"
    rows.write_text("source,target,weight,weight_back\na,b,1,1\nc,b,3,5\n")
    with pytest.raises(GraphError, match=re.escape("edge (c, b) has 3, and 5 back")):
        al.execute("dijkstra", str(rows), source="a")
    nodes = [{"id": name} for name in "abc"]
    edges = [
        {"source": u, "target": v, "cost": cost, "cost_back": 9}
        for u, v, cost in (("a", "b", 1), ("c", "b", 2), ("b", "c", 3))
    ]
    for way in (1, -1):
        told = edges[::way]
        graph = tmp_path / "graph.json"
        graph.write_text(json.dumps({"directed": True, "nodes": nodes, "edges": told}))
        first, other = ("(c, b)", "(b, c)")[::way]
        with pytest.raises(GraphError, match=re.escape(f"edges {first} and {other} disagree")):
            al.execute(TwoWay, str(graph), source="a", directed=False)

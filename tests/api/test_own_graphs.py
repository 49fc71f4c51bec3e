"""Models scored on graphs of a user: lists, folders, inputs given or drawn."""

from __future__ import annotations

import json
import random

import networkx as nx
import pytest
import torch

import algolens as al
from algolens.algorithms import algorithm
from algolens.api.own_data import Reader, own_test_sets
from algolens.errors import AlgoLensError
from algolens.evaluation import score_network
from tests.cli.conftest import bfs_that_is_right, run

__all__ = ["bfs_that_is_right", "run"]


def drawn_graphs(count: int = 12) -> list[nx.Graph]:
    """Graphs of many sizes, some not connected, all with a source."""
    rng = random.Random(0)
    graphs = [nx.gnp_random_graph(rng.randint(1, 15), 0.2, seed=place) for place in range(count)]
    for graph in graphs:
        graph.graph["source"] = rng.randrange(len(graph))
    return graphs


def test_a_list_is_scored_as_its_graphs_one_by_one(bfs_that_is_right):
    model = al.load(bfs_that_is_right)
    graphs = drawn_graphs()
    agree = [True]
    generator = torch.Generator().manual_seed(0)
    while sum(agree) == len(agree):  # until its weights are so disturbed that some are wrong
        for weight in model.network.parameters():
            weight.data += (
                0.02 * torch.randn(weight.shape, generator=generator) * weight.abs().max()
            )
        agree = [model.execute(graph, source=graph.graph["source"]).agrees for graph in graphs]
    assert 0 < sum(agree) < len(agree)
    sets = own_test_sets(model.experiment, graphs, 0)
    assert (sets.graphs["given"], sets.graphs["drawn"]) == (len(graphs), {})
    (scores,) = score_network(model.network, sets.traces)["given"]  # type: ignore[index]
    assert scores.graphs_right == pytest.approx(sum(agree) / len(agree))
    (entry,) = sets.mistakes(model.network)["given"]
    assert entry["graphs_wrong"] == len(agree) - sum(agree)
    assert not any(agree[mistake["graph"]] for mistake in entry["mistakes"])


def test_shipped_models_are_right_on_given_and_drawn_inputs():
    graphs = [nx.gnm_random_graph(n, 2 * n, seed=n) for n in range(5, 12)]
    for place, graph in enumerate(graphs[:3]):
        for u, v in graph.edges:
            graph[u][v]["weight"] = (u * v + place) % 9 + 1
    one, same, other = (al.load("dijkstra").evaluate(graphs=graphs, data_seed=s) for s in (1, 1, 2))
    assert one.scores == same.scores
    assert other.scores["test_graphs"]["data_seed"] == 2
    assert one["given"]["graphs_right"] == 100
    assert one.scores["test_graphs"]["drawn"] == {"weight": 4, "source": 7}
    assert "7 of 5 to 11 nodes. Drawn with data seed 1: source (7 graphs), weight (4" in str(one)


def test_graphs_of_pytorch_geometric_are_scored_as_those_of_networkx():
    utils = pytest.importorskip("torch_geometric.utils")
    graphs = [nx.gnm_random_graph(n, 2 * n, seed=n) for n in range(5, 9)]
    for graph in graphs:
        nx.set_edge_attributes(graph, {(u, v): u + v for u, v in graph.edges}, "weight")
    converted = [utils.from_networkx(graph) for graph in graphs]
    for graph, data in zip(graphs, converted, strict=True):
        graph.graph["source"] = data.source = 2
    model = al.load("dijkstra")
    one, other = model.evaluate(graphs=graphs), model.evaluate(graphs=converted)
    assert one.scores == other.scores
    assert one.scores["test_graphs"]["drawn"] == {}


def test_a_folder_is_scored_by_the_command_as_from_python(run, tmp_path):
    for place, graph in enumerate(drawn_graphs(4)):
        (tmp_path / f"{place}.json").write_text(json.dumps(nx.node_link_data(graph, edges="edges")))
    (tmp_path / "remarks.txt").write_text("no graph")
    status, out, _ = run("evaluate", "bfs", "--graphs", str(tmp_path), "--json")
    assert status == 0
    assert json.loads(out) == al.load("bfs").evaluate(graphs=tmp_path, device="cpu").scores
    assert json.loads(out)["sizes"]["given"]["graphs"] == 4
    status, out, _ = run("evaluate", "bfs", "--graphs", str(tmp_path))
    assert "Whether it was trained on any of them was not checked." in " ".join(out.split())


def test_files_keep_what_the_whole_graph_has_one_of(tmp_path):
    graphs = drawn_graphs(8)
    for place, graph in enumerate(graphs):
        if place % 2:
            nx.write_graphml(graph, tmp_path / f"{place}.graphml")
        else:
            text = json.dumps(nx.node_link_data(graph, edges="edges"))
            (tmp_path / f"{place}.json").write_text(text)
    for given in (tmp_path, graphs):
        reader = Reader(algorithm("bfs"), 0)
        read = reader.read(given)
        assert not any(drawn for _, drawn in read)
        assert reader.joined(read).inputs["source"].tolist() == [g.graph["source"] for g in graphs]
    one = max(range(8), key=lambda place: graphs[place].graph["source"])
    (path,) = tmp_path.glob(f"{one}.*")
    assert al.execute("bfs", path).run.inputs["source"].tolist() == [graphs[one].graph["source"]]
    said = al.execute("bfs", graphs[one], source=0)  # which wins
    assert said.run.inputs["source"].tolist() == [0]
    graphs[0].graph["source"] = "nowhere"
    with pytest.raises(AlgoLensError, match="graph 0: no node is called 'nowhere'"):
        Reader(algorithm("bfs"), 0).read(graphs)


@pytest.mark.parametrize(
    ("graphs", "complaint"),
    [
        ([], "graphs= is empty"),
        (nx.path_graph(3), "a Graph came"),
        ([nx.path_graph(3), 7], "graph 1: a graph is a NetworkX graph"),
        ([nx.path_graph(3), nx.DiGraph([(0, 1)])], "directed"),
        (0, "the number of graphs is 0: give a whole number from 1"),
        ("nowhere", "there is no such file"),
    ],
)
def test_what_are_no_graphs_gets_one_line(graphs, complaint):
    with pytest.raises(AlgoLensError, match=complaint) as refused:
        al.load("bfs").evaluate(graphs=graphs)
    assert "\n" not in str(refused.value)


def test_a_folder_without_graphs_is_named(tmp_path):
    with pytest.raises(AlgoLensError, match="holds no graph"):
        al.load("bfs").evaluate(graphs=tmp_path)

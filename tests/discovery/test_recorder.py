"""A loop of one's own that was recorded is a oracle like any other."""

import json

import networkx as nx
import pytest

import algolens as al
from algolens.algorithms import Edge, Graph, Node, category, mask, number, pointer
from algolens.errors import AlgoLensError
from algolens.language.text import Text


def spread(recorder, graph, source):
    """A plain loop, which says what it does at every step."""
    hot = {source}
    graph.graph["source"] = source
    recorder.begin(graph, hot={node: node in hot for node in graph})
    while True:
        wider = hot | {other for node in hot for other in graph[node]}
        if wider == hot:
            break
        hot = wider
        recorder.step(hot={node: node in hot for node in graph})
    recorder.end()


@pytest.fixture
def recorder():
    made = al.Recorder(
        state={"hot": Node(mask)},
        inputs={"source": Graph(pointer(Node), start_only=True)},
        name="spread",
    )
    for seed in range(8):
        graph = nx.gnp_random_graph(8, 0.25, seed=seed)
        spread(made, nx.relabel_nodes(graph, {node: f"n{node}" for node in graph}), f"n{seed}")
    return made


def test_what_was_recorded_is_discovered(recorder, tmp_path):
    found = al.discover(str(recorder.save(tmp_path / "runs.json")))
    texts = [entry.text for entry in found.declaration.statements.values()]
    assert sorted(texts) == ["hot", "some neighbour (hot)"]
    (start,) = found.declaration.program.start
    assert Text({})(start.value) == "me = graph's source"


def test_values_are_noted_down_when_they_are_given():
    recorder = al.Recorder(
        state={
            "phase": Graph(number(4)),
            "kind": Node(category("low", "high")),
        },
        inputs={"weight": Edge(number(8))},
    )
    graph = nx.path_graph(3)
    nx.set_edge_attributes(graph, {(0, 1): 5, (1, 2): 7}, "weight")
    kind = {0: "low", 1: "low", 2: "high"}
    recorder.begin(graph, phase=0, kind=kind)
    kind[0] = "high"
    recorder.step(phase=1, kind=kind)
    (run,) = recorder.runs
    assert run["start"] == {"phase": 0, "kind": ["low", "low", "high"]}
    assert run["trace"][0]["state"] == {"phase": 1, "kind": ["high", "low", "high"]}
    assert run["inputs"] == {"weight": [5, 7]}
    assert run["stopped"] == "limit"
    recorder.end()
    assert run["stopped"] == "rule"


def test_a_wrong_value_is_named_with_its_run_and_step(tmp_path):
    field = {"at": "node", "kind": "mask"}
    graph = {"nodes": [{"id": 0}, {"id": 1}], "edges": [{"source": 0, "target": 1}]}
    good = {"graph": graph, "start": {"hot": [True, False]}, "trace": [{"state": {"hot": [1, 1]}}]}
    document = {"name": "spread", "state": {"hot": field}}
    other = {**graph, "edges": [{"source": 0, "target": 7}]}
    for wrong, message in (
        (
            {**good, "trace": [{"state": {"hot": [True, 5]}}]},
            "run 1: step 1: 'hot' has the value 5",
        ),
        ({**good, "trace": [{"state": {}}]}, "run 1: step 1: 'hot' is missing"),
        ({**good, "graph": other}, "run 1: an edge leads to 7, which is none of its nodes"),
    ):
        path = tmp_path / "runs.json"
        path.write_text(json.dumps({**document, "runs": [good, wrong]}))
        with pytest.raises(AlgoLensError, match=message):
            al.discover(str(path))


@pytest.mark.parametrize(
    ("mistake", "message"),
    [
        (lambda recorder: recorder.step(hot={}), "no run is open"),
        (lambda recorder: recorder.begin(nx.path_graph(2), hot=[True]), "has 1 values on a graph"),
        (lambda recorder: recorder.begin(nx.path_graph(2)), "'hot' is missing"),
        (lambda recorder: recorder.begin(nx.path_graph(2), hat=1), "'hat'"),
        (lambda recorder: recorder.begin(nx.MultiGraph(), hot=[]), "without parallel edges"),
    ],
)
def test_mistakes_are_refused_in_a_line(mistake, message):
    recorder = al.Recorder(state={"hot": Node(mask)})
    with pytest.raises(AlgoLensError, match=message) as refused:
        mistake(recorder)
    assert "\n" not in str(refused.value)
    with pytest.raises(AlgoLensError, match="no run is open"):
        recorder.step(hot=[True, False])


def test_fields_are_declared():
    with pytest.raises(AlgoLensError, match="give fields by name"):
        al.Recorder(state={"hot": bool})  # type: ignore[dict-item]
    with pytest.raises(AlgoLensError, match="'no_such'"):
        al.Recorder(state={"hot": Node(mask)}, outputs=["no_such"])

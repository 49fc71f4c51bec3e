"""What is discovered takes the steps of the black box, on graphs that the search never saw."""

import json
from typing import Any, ClassVar

import numpy as np
import pytest
import torch

import algolens as al
from algolens.algorithms import Node, _discovery, algorithm, algorithms, mask, number, pointer
from algolens.discovery import AlgorithmOracle, BlackBox
from algolens.discovery.differences import first_difference
from algolens.discovery.oracle import Episodes
from algolens.discovery.recorded import RecordedRuns
from algolens.discovery.sampling import random_runs
from algolens.engines import run_algorithm
from algolens.errors import AlgoLensError
from algolens.graphs import Graph

from .boxes import Cover, Leader, Luby, Rounds, Secretive, Sickness, Token


def agrees(oracle, discovered, seed=99, count=20):
    """Whether both take the same steps on fresh graphs of up to 24 nodes."""
    episodes = list(random_runs(oracle, count, (2, 24), np.random.default_rng(seed)))
    for some in episodes:
        ours = Episodes.of(
            run_algorithm(discovered.algorithm, some.graph, some.inputs, check=False)
        )
        if bool((first_difference(oracle.schema, some, ours) >= 0).any()):
            return False
    return sum(some.graph.num_graphs for some in episodes) >= count


def statements(discovered):
    return {entry.text for entry in discovered.declaration.statements.values()}


@pytest.mark.parametrize("name", ["bfs", "k_core", "independent_set"])
def test_of_masks_and_classes(name):
    found = al.discover(name, runs=6, nodes=4)
    assert found.discovery.known.error is None
    assert agrees(AlgorithmOracle(algorithm(name)), found)
    ours = algorithm(name).declaration
    assert len(found.declaration.statements) <= len(ours.statements)


def test_of_a_network_without_its_labels():
    found = al.discover(al.load("bfs"), runs=4, nodes=3)
    assert statements(found) == {"visited", "some predecessor (visited)"}


class Chain:
    """A token walks to the lowest unvisited neighbour; each visited node remembers from whom."""

    graphs = "undirected"
    inputs: ClassVar = {"source": al.algorithms.Graph(pointer(Node), start_only=True)}
    state: ClassVar = {
        "reached": Node(mask),
        "from_whom": Node(pointer(Node)),
    }

    def start(self, graph):
        source = graph.graph["source"]
        return {
            "reached": {node: node == source for node in graph},
            "from_whom": {node: node for node in graph},
        }

    def step(self, graph, state):
        reached, pointer = dict(state["reached"]), dict(state["from_whom"])
        for node in graph:
            near = [other for other in graph[node] if state["reached"][other]]
            if near and not state["reached"][node]:
                reached[node], pointer[node] = True, max(near)
        return None if reached == state["reached"] else {"reached": reached, "from_whom": pointer}


def test_of_a_pointer_from_a_class_in_python():
    found = al.discover(Chain, runs=6, nodes=4)
    assert found.discovery.known.error is None
    assert agrees(BlackBox(Chain), found, count=10)
    assert "from_whom" in found.declaration.moved


class Flood:
    """The lowest dry node beside water is flooded next; it is found as a choice, two looks deep."""

    inputs: ClassVar = {
        "height": Node(number(4)),
        "spring": al.algorithms.Graph(pointer(Node), start_only=True),
    }
    state: ClassVar = {"wet": Node(mask)}

    def start(self, graph):
        return {"wet": {node: node == graph.graph["spring"] for node in graph}}

    def step(self, graph, state):
        wet = state["wet"]
        beside = [node for node in graph if not wet[node] and any(wet[x] for x in graph[node])]
        if not beside:
            return None
        lowest = min(beside, key=lambda node: (graph.nodes[node]["height"], node))
        return {"wet": {**wet, lowest: True}}


def test_of_a_choice_that_nobody_named():
    found = al.discover(Flood, runs=12, nodes=4)
    assert found.discovery.known.error is None
    assert agrees(BlackBox(Flood), found, count=10)
    assert "is_next_wet" in found.declaration.statements


@pytest.mark.parametrize("name", ["topological_sort", "prim"])
def test_of_choices_and_moves(name):
    found = al.discover(name, runs=12, nodes=3)
    assert found.discovery.known.error is None
    assert agrees(AlgorithmOracle(algorithm(name)), found)


@pytest.mark.parametrize("box", [Sickness, Token, Cover, Leader])
def test_of_black_boxes_that_are_none_of_ours(box):
    found = al.discover(box, runs=20, seed=5, nodes=3)
    assert found.discovery.known.error is None
    assert agrees(BlackBox(box), found, count=10)


def test_names_do_not_matter():
    class Renamed(Chain):
        state: ClassVar = {"zz": Node(mask)}

        def start(self, graph):
            return {"zz": super().start(graph)["reached"]}

        def step(self, graph, state):
            after = super().step(
                graph, {"reached": state["zz"], "from_whom": {node: node for node in graph}}
            )
            return None if after is None else {"zz": after["reached"]}

    found = al.discover(Renamed, runs=4, nodes=3)
    assert statements(found) == {"zz", "some neighbour (zz)"}


@pytest.fixture
def no_files(monkeypatch):
    """What a test adds is taken away again."""
    monkeypatch.setattr(_discovery, "ADDED", {})
    yield
    algorithms.cache_clear()


@pytest.mark.usefixtures("no_files")
def test_a_file_that_commands_take(tmp_path):
    found = al.discover("bfs", runs=4, nodes=3, name="mine").rename(
        has_visited_predecessor="is_near"
    )
    path = found.save(tmp_path / "mine.py")
    checked = al.check(path)
    assert checked
    assert checked.is_provable
    again = checked.reviews[0].algorithm.declaration
    assert again.program.becomes == found.declaration.program.becomes
    assert again.concepts == ("is_visited", "is_near")
    with pytest.raises(AlgoLensError, match="no_such"):
        found.rename(no_such="x")


def test_recorded_runs(tmp_path):
    runs = []
    for seed in range(8):
        made = al.execute("bfs", "erdos_renyi:9", source=str(seed), seed=seed)
        runs.append(made.to_json(trace=True))
    path = tmp_path / "runs.json"
    path.write_text(json.dumps(runs))
    found = al.discover(str(path))
    assert "some neighbour (visited)" in statements(found)
    assert "nothing else could be asked" in found.known
    with pytest.raises(AlgoLensError, match="no other"):
        RecordedRuns.read(path).run(Graph.pack([1], []), {})


class Coin:
    """Each node is marked by chance: nothing settles it."""

    state: ClassVar = {"marked": Node(mask)}

    def __init__(self):
        self.rng = np.random.default_rng(0)

    def start(self, graph):
        return {"marked": dict.fromkeys(graph, False)}

    def step(self, graph, state):
        if any(state["marked"].values()):
            return None
        return {"marked": {node: bool(self.rng.random() < 0.5) for node in graph}}


def test_what_is_not_settled_is_said():
    with pytest.raises(AlgoLensError, match="'marked': not settled"):
        al.discover(Coin, runs=4, seconds=1, nodes=3)


@pytest.mark.parametrize(
    ("oracle", "message"),
    [
        ("no_such", "is not a black box"),
        (object(), "has no start"),
        ("missing.json", "cannot be read"),
    ],
)
def test_refusals_are_one_line(oracle, message):
    with pytest.raises(AlgoLensError, match=message) as refused:
        al.discover(oracle)
    assert "\n" not in str(refused.value)


def test_a_value_of_the_wrong_kind_is_named():
    class Wrong(Chain):
        def start(self, graph):
            return {"reached": {}, "from_whom": {}}

    with pytest.raises(AlgoLensError, match="'reached' has no value for 0"):
        BlackBox(Wrong).run(*next(iter(_one_graph())))


def test_what_fails_inside_is_told_in_a_line():
    class Failing(Chain):
        def step(self, graph, state):
            raise KeyError("weight")

    with pytest.raises(AlgoLensError, match=r"step\(\) of Failing failed \(KeyError: 'weight'\)"):
        al.discover(Failing)


class _NoLocation(Chain):
    state: ClassVar[dict[str, Any]] = {"reached": mask}


class _WithArguments(Chain):
    def __init__(self, size):
        pass


class _GivesAList(Chain):
    def start(self, graph):
        return [True] * len(graph)


class _GivesMore(Chain):
    def start(self, graph):
        return {**super().start(graph), "more": 1}


@pytest.mark.parametrize(
    ("box", "message"),
    [
        (_NoLocation, r"declares 'reached' as a mask: say where it sits"),
        (_WithArguments, "is made without arguments"),
        (_GivesAList, "gave a list as a state"),
        (_GivesMore, "gave 'more', which is no state"),
    ],
)
def test_mistakes_in_a_class_are_told_in_a_line(box, message):
    with pytest.raises(AlgoLensError, match=message) as refused:
        al.discover(box)
    assert "\n" not in str(refused.value)


def test_a_file_is_not_written_over_unless_that_is_said(tmp_path):
    found, path = al.discover("bfs", runs=4, nodes=2), tmp_path / "mine.py"
    found.save(path)
    path.write_text(path.read_text() + "# by hand\n")
    with pytest.raises(AlgoLensError, match="is there already"):
        found.save(path)
    assert path.read_text().endswith("# by hand\n")
    found.save(path, overwrite=True)
    assert not path.read_text().endswith("# by hand\n")


def test_what_errs_by_no_chance_is_tried_on_all_small_graphs():
    """One after the other, nodes wake their neighbours: the language cannot say how far."""

    class Sequential:
        inputs: ClassVar = {"first": Node(mask, start_only=True)}
        state: ClassVar = {"awake": Node(mask)}

        def start(self, graph):
            return {"awake": {node: graph.nodes[node]["first"] for node in graph}}

        def step(self, graph, state):
            awake = dict(state["awake"])
            for node in graph:
                awake[node] = awake[node] or any(awake[other] for other in graph[node])
            return None if awake == state["awake"] else {"awake": awake}

    found = al.discover(Sequential, seconds=20, nodes=3)
    known = found.discovery.known
    assert known.error is not None or known.tried
    assert "is not proven" in found.known


def _one_graph():
    yield Graph.pack([2], [(0, 1)]), {"source": torch.tensor([0])}


def test_of_classes_that_depend_on_one_another_in_a_step():
    discovered = al.discover(Luby, runs=20, nodes=3)
    assert discovered.discovery.known.error is None
    assert agrees(BlackBox(Luby), discovered)


def test_a_box_that_keeps_something_to_itself_is_refused():
    with pytest.raises(AlgoLensError, match="Put what it keeps into the state"):
        al.discover(Secretive)


def test_of_a_fixed_number_of_steps():
    discovered = al.discover(Rounds, runs=20, nodes=3)
    assert not discovered.declaration.terminates
    assert agrees(BlackBox(Rounds), discovered)
    assert "at least 4 neighbours (on)" in statements(discovered)

"""What authors of algorithms write, and what the commands say of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from algolens.algorithms import _discovery, algorithms

HEAD = """
import networkx as nx

from algolens.algorithms import Algorithm, Declaration
from algolens.errors import GraphError
from algolens.fields import Category, Location, Mask, Number, at_graph, at_node
from algolens.graphs import Recipe

"""
SPREAD = '''
class Spread(Algorithm):
    """A node that has a reached neighbour is reached."""

    name = "spread"

    def declare(self):
        return Declaration(
            location=Location.NODE,
            inputs={"first": at_node(Mask(), start_only=True)},
            state=("reached",),
            start={"reached": "first"},
            look={
                "is_reached": at_node("reached"),
                "is_near": at_node("some neighbour (reached)"),
            },
            concepts=("is_reached", "is_near"),
            outputs={"reached": Mask()},
            rules={"reached": {"true": "is_reached | is_near", "false": "~is_reached & ~is_near"}},
            continues="~is_reached & is_near",
        )

    def reference(self, graph, inputs):
        first = {node for node in graph if graph.nodes[node]["first"]}
        parts = nx.connected_components(graph)
        return {"reached": {node: bool(part & first) for part in parts for node in part}}
'''
ROADS = "source,target\na,b\nb,c\nd,e\n"
NODES = "node,first\na,1\nb,0\nc,0\nd,0\ne,0\n"


@pytest.fixture(autouse=True)
def folder(monkeypatch, tmp_path):
    """An empty folder to work in, where no file of an algorithm is known."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ALGOLENS_ALGORITHMS", raising=False)
    monkeypatch.setenv("ALGOLENS_CACHE", str(tmp_path / "cache"))
    forget()
    yield tmp_path
    forget()


def forget() -> None:
    """As in a new process."""
    _discovery.ADDED.clear()
    _discovery._HASHES.clear()
    algorithms.cache_clear()


def write(name: str, *classes: str) -> str:
    """A file of algorithms; each is Spread with other words."""
    Path(name).write_text(HEAD + "\n\n".join(classes))
    return name


def changed(*changes: tuple[str, str]) -> str:
    """Spread with other words."""
    text = SPREAD
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return text


def wrong(run, file: str) -> str:
    """The one line that `check` finds wrong with a file."""
    status, out, err = run("check", file)
    assert status == 1
    assert "Traceback" not in out + err
    (line,) = [line for line in out.splitlines() if line.startswith("Wrong: ")]
    return line


# ---- what a state may hold


@pytest.mark.parametrize(
    ("kind", "advice"),
    [
        ("Mask()", "take it out of hints, and say in look['been'] when it holds"),
        ('Category("new", "old")', "make it an output with rules"),
    ],
)
@pytest.mark.parametrize("is_state", [True, False])
def test_a_mask_or_category_in_hints_is_refused_with_what_to_write(run, kind, advice, is_state):
    state = '"reached", "been"' if is_state else '"reached",'
    started = '"first", "been": "first"' if is_state else '"first"'
    spoilt = changed(
        ('state=("reached",)', f"state=({state})"),
        ('start={"reached": "first"}', f'start={{"reached": {started}}}'),
        ("concepts=(", f'hints={{"been": at_node({kind})}},\n            concepts=('),
    )
    line = wrong(run, write("spread.py", spoilt))
    assert "hint 'been' is a" in line
    assert advice in line


def test_a_number_in_hints_that_is_not_carried_is_refused_with_what_to_write(run):
    spoilt = changed(("concepts=(", 'hints={"age": at_node(Number(3))},\n            concepts=('))
    assert "name it in state, and say in moves" in wrong(run, write("spread.py", spoilt))


def test_a_mask_in_the_state_that_is_no_output_stands_in_look(run):
    """It remembers the nodes that waited: all that are reached, but the first."""
    remembering = changed(
        ('state=("reached",)', 'state=("reached", "waited")'),
        ('"first"}', '"first", "waited": "False"}'),
        (
            '"some neighbour (reached)"),',
            '"some neighbour (reached)"),\n                "waited": '
            'at_node("last waited | (is_near & ~is_reached)"),',
        ),
        ('concepts=("is_reached", ', 'concepts=("waited", "is_reached", '),
        ("outputs={", 'outputs={"came_later": Mask(), '),
        ("rules={", 'rules={"came_later": {"true": "waited", "false": "~waited"}, '),
        (
            "        return {",
            "        later = {node: bool(part & first) and node not in first for part in "
            "list(nx.connected_components(graph)) for node in part}\n        return "
            '{"came_later": later, ',
        ),
    )
    status, out, _ = run("check", write("spread.py", remembering), "--json")
    (found,) = json.loads(out)["algorithms"]
    assert status == 0
    assert found["reference"]["agrees"]
    assert set(found["reference"]["compared"]) == {"came_later", "reached"}
    assert found["provable"]


# ---- files in the place of names


@pytest.fixture
def roads():
    Path("roads.csv").write_text(ROADS)
    Path("nodes.csv").write_text(NODES)
    return ("roads.csv", "--nodes", "nodes.csv")


OTHER = changed(('"spread"', '"flood"'), ("class Spread", "class Flood"))


@pytest.mark.parametrize("named", ["spread.py", "two.py:Spread"])
def test_commands_take_a_file_in_the_place_of_a_name(run, roads, named):
    write("spread.py", SPREAD)
    write("two.py", SPREAD, OTHER)
    status, out, _ = run("execute", named, *roads, "--json")
    assert status == 0
    reached = json.loads(out)["outputs"]["reached"]
    assert reached == {"a": True, "b": True, "c": True, "d": False, "e": False}
    assert run("play", named, *roads, "--html", "page.html")[0] == 0
    assert "spread" in Path("page.html").read_text()
    assert run("check", named)[0] == 0
    assert run("compare", named, named)[0] == 0
    status, out, _ = run("discover", named, "--runs", "4", "--nodes", "2", "--json")
    assert status == 0
    assert Path("discovered_spread.py").is_file()


def test_two_algorithms_of_one_file_are_played_side_by_side(run, roads):
    write("two.py", SPREAD, OTHER)
    assert run("play", "two.py:Spread", "two.py:Flood", *roads, "--html", "page.html")[0] == 0
    page = Path("page.html").read_text()
    assert "Spread" in page
    assert "Flood" in page


def test_a_file_that_has_changed_is_read_anew(run, roads):
    write("spread.py", SPREAD)
    assert run("execute", "spread.py", *roads, "--json")[0] == 0
    write("spread.py", changed(("~is_reached & is_near", "False")))
    status, out, _ = run("execute", "spread.py", *roads, "--json")
    assert status == 0
    assert not json.loads(out)["outputs"]["reached"]["c"]


@pytest.mark.parametrize("command", ["execute", "play", "train", "check"])
def test_a_file_with_several_algorithms_asks_which(run, command):
    write("two.py", SPREAD, OTHER)
    if command == "check":  # which looks over all of them
        assert run("check", "two.py")[0] == 0
        named = "two.py:Flod"
    else:
        more = () if command == "train" else ("grid:5",)
        status, _, err = run(command, "two.py", *more)
        assert (status, err.count("\n")) == (2, 1)
        assert "two.py defines several algorithms: give two.py:Spread or two.py:Flood." in err
        named = "two.py:Flod"
    status, _, err = run(command, named, *(("grid:5",) if command in ("execute", "play") else ()))
    assert (status, err.count("\n")) == (2, 1)
    assert "Did you mean 'Flood'?" in err


def test_a_model_of_a_file_is_trained_and_says_how_it_is_found_again(run, roads, monkeypatch):
    write("spread.py", SPREAD)
    status, _, err = run("train", "spread.py", "--sizes", "20", "--no-picture")
    assert status == 0, err
    assert Path("runs/spread-exact").is_dir()
    assert run("execute", "runs/spread-exact", *roads)[0] == 0
    forget()
    for command in ("execute", "explain", "evaluate", "certify", "report"):
        more = roads if command == "execute" else ()
        status, _, err = run(command, "runs/spread-exact", *more)
        assert (status, err.count("\n")) == (2, 1)
        assert "export ALGOLENS_ALGORITHMS=spread.py" in err, command
        assert "instead of" not in err
    monkeypatch.setenv("ALGOLENS_ALGORITHMS", "spread.py")
    forget()
    assert run("certify", "runs/spread-exact")[0] == 0


@pytest.mark.parametrize("command", ["execute", "play", "train"])
def test_a_name_whose_file_lies_here_says_so(run, command):
    write("spread.py", SPREAD)
    status, _, err = run(command, "spread", *(() if command == "train" else ("grid:5",)))
    assert (status, err.count("\n")) == (2, 1)
    assert "spread.py is here: give spread.py instead of spread" in err
    assert "export ALGOLENS_ALGORITHMS=spread.py" in err


@pytest.mark.parametrize("words", [("list",), ("execute", "bfs", "grid:5"), ("check", "bfs")])
def test_a_file_that_the_variable_names_and_that_is_missing_is_an_error(run, monkeypatch, words):
    monkeypatch.setenv("ALGOLENS_ALGORITHMS", "sprad.py")
    forget()
    status, out, err = run(*words)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert "ALGOLENS_ALGORITHMS names sprad.py, and no such file is there" in err


def test_the_machines_of_a_cluster_need_the_variable(run):
    write("spread.py", SPREAD)
    status, _, err = run("train", "spread.py", "--cluster", "ray")
    assert (status, err.count("\n")) == (2, 1)
    assert "export ALGOLENS_ALGORITHMS" in err

"""What ``algolens check`` says of an algorithm, and what ``algolens new`` writes."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from algolens.algorithms import Algorithm, _discovery, algorithm, algorithms
from tests.effort import covering

GAME_OF_LIFE = str(Path(__file__).parents[2] / "examples" / "game_of_life.py")


@pytest.fixture(autouse=True)
def own_registry(monkeypatch, tmp_path):
    """Files that are added here are not known to other tests; and a folder of one's own."""
    monkeypatch.setattr(_discovery, "ADDED", {})
    monkeypatch.chdir(tmp_path)
    yield
    algorithms.cache_clear()


@pytest.mark.parametrize("at", ["node", "edge"])
def test_a_new_file_is_accepted_at_once(run, at):
    status, out, _ = run("new", "my_own", "--at", at)
    assert status == 0
    assert "algolens check my_own.py" in out
    status, out, _ = run("check", "my_own.py", "--json")
    assert status == 0
    found = json.loads(out)
    assert (found["right"], found["problems"]) == (True, [])
    (checked,) = found["algorithms"]
    assert checked["name"] == "my_own"
    assert checked["declares"]["location"] == at
    assert checked["presets"]["exact"] is None
    assert checked["provable"]
    assert checked["reference"]["agrees"]
    assert checked["reference"]["graphs"] > 100
    assert "TODO" not in Path("my_own.py").read_text()


def test_new_overwrites_nothing_and_takes_no_name_that_is_taken(run):
    assert run("new", "my_own")[0] == 0
    Path("my_own.py").write_text("mine")
    for words, complaint in (
        (("new", "my_own"), "my_own.py is there already"),
        (("new", "bfs"), "an algorithm 'bfs' is there already"),
        (("new", "my own"), "'my own' cannot name an algorithm"),
        (("new", "other", "--out", "my_own.py/in/other.py"), "cannot be written"),
    ):
        status, out, err = run(*words)
        assert (status, out, err.count("\n")) == (2, "", 1)
        assert complaint in err
    assert Path("my_own.py").read_text() == "mine"


@pytest.mark.parametrize("name", covering(algorithms()))
def test_every_algorithm_that_is_there_agrees_with_its_reference(run, name):
    status, out, _ = run("check", name, "--json")
    (found,) = json.loads(out)["algorithms"]
    assert (status, found["problems"]) == (0, [])
    has_one = type(algorithm(name)).reference is not Algorithm.reference
    assert (found["reference"] is not None) == has_one
    assert not has_one or found["reference"]["agrees"]
    assert found["provable"]
    assert sum(found["proof_cases"].values()) > 0
    assert {each["name"] for each in found["declares"]["look"]} | {"goes_on"} >= set(
        found["proof_cases"]
    ) - {part for part in found["proof_cases"] if part.startswith(("output ", "order of numbers "))}
    assert found["example"]["outputs"]


def test_it_is_told_in_words(run):
    status, out, _ = run("check", GAME_OF_LIFE)
    assert status == 0
    for part in (
        "Game of life (game_of_life)",
        "input living: true or false at each node",
        "state alive: true or false at each node",
        "at least 3 neighbours (alive)",
        "alive = true: ~is_crowded & (has_three | (has_two & is_alive))",
        "Learnt by the presets: exact.",
        "Provable by the preset exact, in at most",
        "It agrees with its reference on 140 random graphs, in alive.",
        "Nothing is wrong.",
    ):
        assert part in out


def spoilt(old: str, new: str) -> str:
    """A file of one's own that was spoilt in one place."""
    text = Path("my_own.py").read_text()
    assert old in text
    Path("my_own.py").write_text(text.replace(old, new))
    return "my_own.py"


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("some neighbour (reached)", "some uncle (reached)", "no relation is called so"),
        ("some neighbour (reached)", "some neighbour (rached)", "a node has no rached"),
        ("me = graph's source", "you = graph's source", "start of 'reached'"),
        ("reached = Node.output(", "reached = Nothing(", "cannot be imported (NameError"),
        ("becomes=", "become=", "Node.output(...) takes no 'become'"),
        ("goes_on", "gos_on", "'gos_on' is no word of an algorithm. Did you mean 'goes_on'?"),
        ('name = "my_own"', 'name = "bfs"', "an algorithm 'bfs' is there already"),
        ('inputs["source"]', "0", "it differs from its reference: on "),
        (
            'return {"reached": dict',
            'return {"rached": dict',
            "reference() gives 'rached', which is no output",
        ),
        (
            "nx.node_connected_component(",
            "nx.nothing_like_this(",
            "reference() failed (AttributeError",
        ),
        ("some neighbour (reached)", "reached", "it differs from its reference"),
        (
            "some neighbour (reached)",
            "source > 3",
            "source sits at the graph, and this speaks of a node: name a step to it",
        ),
        (
            'name = "my_own"',
            'name, graphs = "my_own", "both"',
            "graphs is 'both': write 'undirected', 'directed', or 'any' for both.",
        ),
        (
            "source = Graph.input(",
            "id = Node.input(mask)\n    source = Graph.input(",
            "'id' cannot name a field: every element has an id, in SQL and in files: write "
            "another, as my_id.",
        ),
        (
            "source = Graph.input(",
            "node = Node.input(mask)\n    source = Graph.input(",
            "'node' cannot name a field: files of graphs call so what every node has",
        ),
        (
            "def reference(self, graph: nx.Graph, inputs: PlainValues)",
            "def reference(self, graph)",
            "reference cannot be called (too many positional arguments): write def "
            "reference(self, graph, inputs).",
        ),
        (
            "def reference(self, graph: nx.Graph, inputs: PlainValues)",
            "def sample(self)",
            "sample cannot be called (too many positional arguments): write def sample(self, "
            "graph, rng).",
        ),
        (
            'return {"reached": dict',
            'return [] or {"reached": []} or {"reached": dict',
            "reference() gives for 'reached' a list: give a dictionary by node, as in "
            "{'reached': {0: ...}}.",
        ),
        (
            'return {"reached": dict',
            'return [1] or {"reached": dict',
            "reference() gives a list: return a dictionary by output, as in {'reached': ...}.",
        ),
    ],
)
def test_what_is_wrong_is_said_in_one_line_with_status_1(run, old, new, complaint):
    run("new", "my_own")
    status, out, err = run("check", spoilt(old, new))
    assert status == 1
    (line,) = [line for line in out.splitlines() if line.startswith("Wrong: ")]
    assert complaint in line
    assert "Traceback" not in out + err
    status, out, _ = run("check", "my_own.py", "--json")
    found = json.loads(out)
    assert status == 1
    assert not found["right"]
    assert complaint in found["problems"][0]


def test_a_reference_is_optional_and_what_cannot_be_learnt_is_said(run):
    run("new", "my_own")
    text = Path("my_own.py").read_text()
    Path("my_own.py").write_text(text[: text.index("    def reference")])
    status, out, _ = run("check", "my_own.py")
    assert status == 0
    assert "It has no reference() to be compared with." in out


def test_a_number_that_a_reference_gives_as_text_is_told_by_its_type(run):
    run("new", "my_own", "--at", "edge")
    spoilt('category("undecided", "taken", "left")', "category(3)")
    for word, number in (("undecided", 0), ("taken", 1), ("left", 2)):
        spoilt(f'"{word}"', f'"{number}"')
        text = Path("my_own.py").read_text()
        Path("my_own.py").write_text(text.replace(f"status is {word}", f"status is {number}"))
    status, out, _ = run("check", "my_own.py")
    assert status == 1
    (line,) = [line for line in out.splitlines() if line.startswith("Wrong: ")]
    assert re.search(r"is ([12]), and '\1', of type str \(write \1\) by reference\(\)\.$", line)


@pytest.mark.parametrize(
    ("old", "new", "notice"),
    [
        (
            "def reference(",
            "def refrence(",
            "nothing calls refrence(): if reference() is meant, write def reference(...).",
        ),
        (
            "    def reference",
            "def reference",
            "reference() stands outside of the class, where nothing calls it: move it inside.",
        ),
        (
            "    def reference(",
            "    def max_steps(self, graph):\n        return graph.node_counts + 1\n\n"
            "    def reference(",
            "it cannot be exported: 'my_own' goes by Python, by its own max_steps(), and no "
            "program that stands alone holds that: write most_steps, as in most_steps = 2 *",
        ),
        (
            "source = Graph.input(",
            "ID = Node.input(mask)\n    source = Graph.input(",
            "it cannot be exported: in SQL, 'id' and 'ID' would be one column of nodes: rename",
        ),
    ],
)
def test_what_may_not_be_meant_is_noted_in_one_line_and_is_not_wrong(run, old, new, notice):
    run("new", "my_own")
    if "outside" in notice:
        text = Path("my_own.py").read_text()
        start = text.index("    def reference")
        outside = "\n".join(line[4:] for line in text[start:].splitlines())
        Path("my_own.py").write_text(text[:start] + outside.replace("(self, ", "(") + "\n")
    else:
        spoilt(old, new)
    status, out, _ = run("check", "my_own.py")
    assert status == 0
    (line,) = [line for line in out.splitlines() if line.startswith("Note: ")]
    assert notice in line
    _, out, _ = run("check", "my_own.py", "--json")
    (told,) = json.loads(out)["algorithms"][0]["notices"]
    assert notice in told


def test_a_reference_that_gives_nothing_is_told(run):
    run("new", "my_own")
    status, out, _ = run("check", spoilt('return {"reached": dict', 'known = {"reached": dict'))
    assert status == 0
    assert "Its reference() gave None, so nothing was compared: return a dictionary" in out


@pytest.mark.parametrize("target", ["nothing.py", "nothing"])
def test_what_is_not_there_is_a_mistake_of_the_command(run, target):
    status, out, err = run("check", target)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert "nothing" in err


def test_an_algorithm_is_checked_with_options(run):
    status, out, _ = run("check", "coloring", "--option", "colors=3", "--json")
    (found,) = json.loads(out)["algorithms"]
    assert status in (0, 1)  # three colors do not suffice on all random graphs
    assert found["declares"]["outputs"]["color"]["labels"] == ["0", "1", "2", "3"]
    run("new", "my_own")
    text = Path("my_own.py").read_text()
    Path("my_own.py").write_text(
        text.replace(
            '    name = "my_own"\n', '    name = "my_own"\n    bits = Option(4, 1, 9)\n'
        ).replace("import Algorithm,", "import Algorithm, Option,")
    )
    assert run("check", "my_own.py", "--option", "bits=9")[0] == 0
    status, out, err = run("check", "my_own.py", "--option", "colors=3")
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert "option of my_own" in err
    assert run("check", "bfs", "--option", "colors=3")[2].startswith(
        "error: option colors: bfs has no options"
    )


@pytest.mark.parametrize(
    ("at", "old", "new"),
    [
        ("edge", "most_steps = per(Edge)", "most_steps = per(Graph)"),
        ("node", 'goes_on = "some node (', 'goes_on = "some node (reached | '),
    ],
)
def test_a_run_that_is_cut_short_is_wrong(run, at, old, new):
    run("new", "my_own", "--at", at)
    text = Path(spoilt(old, new)).read_text()
    # which would differ as well
    text = text[: text.index("    def reference")].replace("Edge, Plain", "Edge, Graph, Plain")
    Path("my_own.py").write_text(text)
    status, out, _ = run("check", "my_own.py")
    (line,) = [line for line in out.splitlines() if line.startswith("Wrong: ")]
    assert status == 1
    assert "random graphs it is cut short" in line
    assert "most_steps" in line
    assert (
        json.loads(run("check", "my_own.py", "--json")[1])["algorithms"][0]["stopped_at_limit"] > 0
    )


def test_a_run_that_is_cut_short_is_right_where_the_reference_says_the_same(run):
    """Bellman-Ford finds a cycle of negative weight by asking for more steps than there are
    nodes.
    """
    status, out, _ = run("check", "bellman_ford")
    assert status == 0
    assert (
        "it is cut short by its step limit; what it gives then is as its reference says"
        in " ".join(out.split())
    )

"""What ``algolens check`` says of an algorithm, and what ``algolens new`` writes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from algolens.algorithms import Algorithm, _discovery, algorithm, algorithms

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
        (("new", "other", "--out", "nowhere/other.py"), "cannot be written"),
    ):
        status, out, err = run(*words)
        assert (status, out, err.count("\n")) == (2, "", 1)
        assert complaint in err
    assert Path("my_own.py").read_text() == "mine"


@pytest.mark.parametrize("name", sorted(algorithms()))
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
        "game_of_life: A cell lives in the next step where three neighbours live",
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
        (
            '"false": "~is_reached & ~has_reached_neighbour"',
            '"false": "~is_reached"',
            "both rules hold",
        ),
        (
            '"true": "is_reached | has_reached_neighbour"',
            '"true": "is_reached"',
            "neither rule holds",
        ),
        ("some neighbour (reached)", "some uncle (reached)", "no relation is called so"),
        ("some neighbour (reached)", "some neighbour (rached)", "a node has no rached"),
        ("me = graph's source", "you = graph's source", "start of 'reached'"),
        ("return Declaration(", "return Nothing(", "cannot be imported (NameError"),
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
        text.replace('    name = "my_own"\n', '    name = "my_own"\n    bits: int = 4\n')
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
        ("edge", "most_steps=Limit(per=Location.EDGE)", "most_steps=Limit(1, Location.GRAPH)"),
        ("node", 'continues="', 'continues="is_reached | '),
    ],
)
def test_a_run_that_is_cut_short_is_wrong(run, at, old, new):
    run("new", "my_own", "--at", at)
    text = Path(spoilt(old, new)).read_text()
    # which would differ as well
    Path("my_own.py").write_text(text[: text.index("    def reference")])
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

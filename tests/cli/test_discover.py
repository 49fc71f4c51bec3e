"""``algolens discover``: what errs is not called found."""

import json
import re

import networkx as nx
import pytest

from algolens.algorithms import _discovery, algorithms
from tests.discovery import boxes


@pytest.fixture
def discovered(run, tmp_path, monkeypatch):
    """The command on a box, in an empty folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(_discovery, "ADDED", {})

    def command(box, *options):
        path = f"{boxes.__file__}:{box.__name__}"
        return run("discover", path, "--nodes", "3", "--json", *options)

    yield command
    algorithms.cache_clear()


@pytest.mark.parametrize(
    ("box", "options"),
    [
        (boxes.OtherWhereLarge, ()),
        (boxes.OtherWhereLarge, ("--no-exceptions",)),
        (boxes.NeverWhereCrowded, ("--exceptions", "--seed", "3")),
        (boxes.Majority, ("--exceptions",)),
        (boxes.Remainder, ("--no-exceptions",)),
    ],
)
def test_what_errs_is_partial_with_status_1_and_says_what(discovered, tmp_path, box, options):
    status, printed, said = discovered(box, "--seconds", "8", *options)
    assert status == 1, said
    (written,) = tmp_path.glob("discovered_*.py")
    assert written.stem.endswith("_partial")
    assert f"It errs, so it was written as {written.name}" in said
    assert "more time" not in printed  # for it would not help
    made = json.loads(printed)
    errs = made["errs"]
    assert "errs in " in made["known"] or "The smallest: " in made["known"]
    assert len(made["known"]) < 6_000
    _check_that_it_errs(box, errs)


def _check_that_it_errs(box, text):
    """The box does what is said of it, in the state that is shown."""
    shown = re.fullmatch(r"(.*?),? on (\d+) nodes? \((.*?)\) with on \[(.*)\]", text)
    assert shown is not None
    what, nodes, edges, values = shown.groups()
    graph = nx.empty_graph(int(nodes))
    graph.add_edges_from(
        tuple(map(int, edge.split("-"))) for edge in edges.split(", ") if "-" in edge
    )
    state = {"on": dict(enumerate(value == "True" for value in values.split(", ")))}
    after = box().step(graph, state)
    if became := re.fullmatch(r"on of (\d+) becomes (True|False), not (True|False)", what):
        element, given, expected = became.groups()
        assert str((after or state)["on"][int(element)]) == given != expected
    else:
        assert what in ("the black box takes no further step", "the black box takes another step")
        assert ("no further" in what) == (after is None)


def test_what_does_not_err_is_written_with_status_0(discovered, tmp_path):
    status, printed, _ = discovered(boxes.Spread)
    assert status == 0
    assert json.loads(printed)["errs"] is None
    assert [path.name for path in tmp_path.iterdir()] == ["discovered_spread.py"]

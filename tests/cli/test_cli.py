"""The command as a whole."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import algolens as al
from algolens.algorithms import algorithms, shipped_names
from algolens.api.checking import GROUPS
from algolens.errors import AlgoLensWarning
from algolens.experiment.shipped import Shipped

VILLAGE = str(Path(__file__).parents[2] / "examples" / "village.csv")


def test_list(run):
    status, out, _ = run("list", "--json")
    listed = {each["name"]: each for each in json.loads(out)["algorithms"]}
    assert status == 0
    assert listed["bfs"]["concepts"] == ["has_been_visited", "has_visited_neighbours"]
    assert all({"name", "concepts", "presets", "shipped"} <= set(each) for each in listed.values())
    assert [name for name, each in listed.items() if each["shipped"]] == shipped_names()
    assert [name for name, each in listed.items() if "oracle" in each["presets"]] == ["coloring"]
    assert {"paper", "standard"} <= set(listed["kruskal"]["presets"])
    assert all(each["group"] in GROUPS for each in listed.values())
    assert {listed[name]["group"] for name in ("prim", "kruskal", "boruvka")} == {"trees"}
    assert listed["topological_sort"]["graphs"] == "directed"
    assert set(listed["bfs"]["graphs_right"].values()) == {100.0}
    shown = run("list")[1]
    assert all(name in shown for name in listed)
    assert all(title in shown for group, title in GROUPS.items() if group != "others")


@pytest.mark.parametrize(
    "words", [("execute",), ("nonsense",), ("execute", "bfs", VILLAGE, "--by", "magic")]
)
def test_wrong_usage_is_status_2(run, words):
    assert run(*words)[0] == 2


def test_help_and_version(run):
    assert "execute" in run("--help")[1]
    assert run("--version")[1].startswith("algolens ")


@pytest.mark.parametrize(
    "command", [[Path(sys.executable).parent / "algolens"], [sys.executable, "-m", "algolens"]]
)
def test_the_installed_command_works(command):
    done = subprocess.run([*command, "--version"], capture_output=True, check=True)
    assert done.stdout.startswith(b"algolens ")


def test_a_broken_file_breaks_only_what_needs_it(run, monkeypatch, tmp_path):
    broken = tmp_path / "mine.py"
    broken.write_text("x = (")
    monkeypatch.setenv("ALGOLENS_ALGORITHMS", str(broken))
    algorithms.cache_clear()
    try:
        told = f"Not read: ALGOLENS_ALGORITHMS: {broken} cannot be imported (SyntaxError"
        assert run("execute", "bfs", "grid:4", "--quiet")[0] == 0
        status, _, error = run("execute", "mine", "grid:4")
        assert (status, error.count("\n")) == (2, 1)
        assert "no algorithm is called 'mine'" in error
        assert told in error
        monkeypatch.setattr("algolens.experiment.shipped.Shipped.of", lambda _: Shipped())
        status, out, error = run("list")
        assert (status, "bfs" in out) == (0, True)
        assert told in " ".join((out + error).split())
        with pytest.warns(AlgoLensWarning, match="not read: ALGOLENS_ALGORITHMS"):
            assert "mine" not in al.list_algorithms()
    finally:
        monkeypatch.undo()
        algorithms.cache_clear()


@pytest.mark.parametrize("words", [("--version",), ("new", "spread"), ("list",)])
def test_what_needs_no_pytorch_does_not_load_it(words, tmp_path):
    code = (
        "import sys; from algolens.cli.app import app; "
        f"app({list(words)}, standalone_mode=False); "
        "print([name for name in ('torch', 'networkx', 'scipy', 'pandas') if name in sys.modules])"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path
    )
    assert ran.stdout.splitlines()[-1] == "[]"

"""The command as a whole."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from algolens.cli.algorithms import GROUPS

VILLAGE = str(Path(__file__).parents[2] / "examples" / "village.csv")


def test_list(run):
    status, out, _ = run("list", "--json")
    listed = {each["name"]: each for each in json.loads(out)["algorithms"]}
    assert status == 0
    assert listed["bfs"]["concepts"] == ["has_been_visited", "has_visited_neighbours"]
    assert all({"name", "concepts", "presets", "shipped"} <= set(each) for each in listed.values())
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

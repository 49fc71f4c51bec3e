"""What a new user does with ``algolens execute``, and what is said then."""

from __future__ import annotations

import json
from pathlib import Path

import networkx as nx
import pytest

from algolens.experiment import shipped

VILLAGE = str(Path(__file__).parents[2] / "examples" / "village.csv")


@pytest.fixture
def file(tmp_path):
    """Writes a graph's file and gives its name."""

    def write(text: str, name: str = "g.csv") -> str:
        (tmp_path / name).write_text(text)
        return str(tmp_path / name)

    return write


@pytest.mark.parametrize("heavy", ["99999999999999999999", "1e300", "-1e300", "9007199254740993"])
def test_weights_of_any_size_are_ranked(run, file, heavy):
    status, out, err = run("execute", "kruskal", file(f"a,b,{heavy}\nb,c,1\na,c,2.5\n"), "--json")
    chosen = {(each["source"], each["target"]) for each in json.loads(out)["outputs"]["in_mst"] if each["value"]}
    truth = nx.Graph()
    truth.add_weighted_edges_from([("a", "b", float(heavy)), ("b", "c", 1), ("a", "c", 2.5)])
    assert status == 0
    assert chosen == {tuple(sorted(edge)) for edge in nx.minimum_spanning_edges(truth, data=False)}
    assert "replaced by its rank" in err


@pytest.mark.parametrize("by", ["network", "rules"])
def test_an_algorithm_without_a_model_is_told_to_be_trained(run, monkeypatch, tmp_path, by):
    monkeypatch.setattr(shipped, "SHIPPED", tmp_path)
    status, out, err = run("execute", "bfs", VILLAGE, "--by", by)
    assert (status, out) == (2, "")
    assert err == "error: no model ships for bfs: train one (`algolens train bfs`) and give its folder.\n"


def test_help_says_what_a_folder_runs_by(run):
    assert "a run's folder by network" in " ".join(run("execute", "--help")[1].replace("│", " ").split())

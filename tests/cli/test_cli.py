"""The commands, as a person runs them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import networkx as nx
import pytest

from algolens.cli import main

VILLAGE = str(Path(__file__).parents[2] / "examples" / "village.csv")


@pytest.fixture
def run(monkeypatch, capsys):
    """Runs the command in this process: status, standard output, standard error."""

    def call(*words: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["algolens", *words])
        with pytest.raises(SystemExit) as left:
            main()
        printed = capsys.readouterr()
        return int(left.value.code or 0), printed.out, printed.err

    return call


def test_list(run):
    status, out, _ = run("list", "--json")
    listed = {each["name"]: each for each in json.loads(out)["algorithms"]}
    assert status == 0
    assert listed["bfs"]["concepts"] == ["has_been_visited", "has_visited_neighbours"]
    assert all({"name", "concepts", "presets", "shipped"} <= set(each) for each in listed.values())
    assert all(name in run("list")[1] for name in listed)


def test_bfs_on_a_file_keeps_the_users_names(run):
    status, out, _ = run("execute", "bfs", VILLAGE, "--source", "Mill", "--json")
    result = json.loads(out)
    assert status == 0
    assert result["outputs"]["visited"] == {
        **dict.fromkeys(["Mill", "Bridge", "Well", "Market", "Smithy", "Church", "School"], True),
        **dict.fromkeys(["Ferry", "Island"], False),
    }
    assert result["steps"] == 4
    assert result["stopped"] == "rule"
    assert result["by"] == "algorithm"
    assert result["agrees"] is True


def test_coloring_and_kruskal(run):
    karate = nx.karate_club_graph()
    colors = json.loads(run("execute", "coloring", "nx:karate_club", "--json")[1])["outputs"]["color"]
    assert all(colors[str(u)] != colors[str(v)] for u, v in karate.edges)
    edges = json.loads(run("execute", "kruskal", VILLAGE, "--json")[1])["outputs"]["in_mst"]
    assert sum(edge["value"] for edge in edges) == 7
    assert {"source": "Mill", "target": "Well", "value": False} in edges


def test_steps_are_shown_with_their_reason(run):
    _, out, err = run("execute", "bfs", VILLAGE)
    assert "step 4" in out
    assert "hVN" in out
    assert "has_visited_neighbours" in out
    assert "note: source is node 'Mill'" in err
    assert "Done after 4 steps" in out
    assert "visited: Mill, Bridge" in out


def test_large_graphs_show_what_changes(run):
    _, out, _ = run("execute", "coloring", "configuration:60")
    assert "of 60 nodes change" in out


def test_names_with_brackets_are_shown_as_they_are(run, tmp_path):
    (tmp_path / "g.csv").write_text("[red]a,[/]b\n")
    assert "[red]a" in run("execute", "bfs", str(tmp_path / "g.csv"))[1]


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("execute", "dfs", VILLAGE), "no algorithm is called 'dfs'; there are: bfs, coloring, kruskal"),
        (("execute", "bfs", "nowhere.csv"), "nowhere.csv: there is no such file"),
        (("execute", "bfs", "gird:20"), "no family of graphs is called 'gird'"),
        (("execute", "bfs", VILLAGE, "--source", "Mil"), "no node is called 'Mil'"),
        (("execute", "kruskal", VILLAGE, "--source", "Mill"), "no input of kruskal is called 'source'"),
        (("execute", "kruskal", "nx:petersen"), "kruskal needs a 'weight' for every edge"),
        (("execute", "coloring", "nx:octahedral", "--option", "colors=2"), "would need more than 2 colors"),
        (("execute", "coloring", "grid:9", "--option", "colours=2"), "Did you mean 'colors'"),
        (("execute", "coloring", "grid:9", "--option", "colors"), "as in colors=7"),
    ],
)
def test_a_mistake_gets_one_line_and_status_2(run, words, complaint):
    status, out, err = run(*words)
    assert status == 2
    assert complaint in err
    assert err.count("\n") == 1
    assert out == ""


@pytest.mark.parametrize("words", [("execute",), ("nonsense",), ("execute", "bfs", VILLAGE, "--by", "magic")])
def test_wrong_usage_is_status_2(run, words):
    assert run(*words)[0] == 2


def test_help_and_version(run):
    assert "execute" in run("--help")[1]
    assert run("--version")[1].startswith("algolens ")


def test_the_installed_command_works():
    done = subprocess.run([Path(sys.executable).parent / "algolens", "list", "--json"], capture_output=True, check=True)
    assert json.loads(done.stdout)["algorithms"]

"""What a new user does with ``algolens execute``, and what is said then."""

from __future__ import annotations

import json
import random
import re
import shutil
from pathlib import Path

import networkx as nx
import pytest
import torch

from algolens.algorithms import _discovery as shipped
from algolens.algorithms import algorithm
from algolens.logic import parse

VILLAGE = str(Path(__file__).parents[2] / "examples" / "village.csv")


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
    colors = json.loads(run("execute", "coloring", "nx:karate_club", "--json")[1])["outputs"][
        "color"
    ]
    assert all(colors[str(u)] != colors[str(v)] for u, v in karate.edges)
    edges = json.loads(run("execute", "kruskal", VILLAGE, "--json")[1])["outputs"]["in_mst"]
    assert sum(edge["value"] for edge in edges) == 7
    assert {"source": "Mill", "target": "Well", "value": False} in edges


def test_steps_are_shown_with_their_reason(run):
    _, out, err = run("execute", "bfs", VILLAGE)
    assert "step 4" in out
    assert "Bridge is reached from Mill" in out
    assert "has_visited_neighbours" not in out
    assert "has_visited_neighbours" in run("execute", "bfs", VILLAGE, "--trace", "--quiet")[1]
    assert "note: source is node 'Mill'" in err
    assert "Finished after 4 steps" in out
    assert "visited: Mill, Bridge" in out


def test_large_graphs_show_what_changes(run, tmp_path):
    path = tmp_path / "star.csv"
    path.write_text("".join(f"hub,leaf {i}\n" for i in range(60)))
    _, out, _ = run("execute", "bfs", str(path), "--source", "hub")
    assert "and 40 more, of which visited changes" in out


def test_names_with_brackets_are_shown_as_they_are(run, tmp_path):
    (tmp_path / "g.csv").write_text("[red]a,[/]b\n")
    assert "[red]a" in run("execute", "bfs", str(tmp_path / "g.csv"))[1]


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (
            ("execute", "dsf", VILLAGE),
            "no algorithm is called 'dsf'; there are: activity_selection",
        ),
        (("execute", "bfs", "nowhere.csv"), "nowhere.csv: there is no such file"),
        (("execute", "bfs", "gird:20"), "no family of graphs is called 'gird'"),
        (("execute", "bfs", VILLAGE, "--source", "Mil"), "no node is called 'Mil'"),
        (
            ("execute", "kruskal", VILLAGE, "--source", "Mill"),
            "no input of kruskal is called 'source'; there are: priority, weight",
        ),
        (("execute", "kruskal", "nx:petersen"), "kruskal needs a 'weight' for every edge"),
        (
            ("execute", "coloring", "nx:octahedral", "--option", "colors=2"),
            "would need more than 2 colors",
        ),
        (("execute", "coloring", "grid:9", "--option", "colours=2"), "Did you mean 'colors'"),
        (("execute", "coloring", "grid:9", "--option", "colors"), "as in colors=7"),
        (("execute", "bfs", "grid:9", "--option", "colors=6"), "option colors: bfs has no options"),
    ],
)
def test_a_mistake_gets_one_line_and_status_2(run, words, complaint):
    status, out, err = run(*words)
    assert status == 2
    assert complaint in err
    assert err.count("\n") == 1
    assert out == ""


def test_a_concept_set_by_hand_shows_what_follows(run):
    words = ("execute", "bfs", VILLAGE, "--source", "Mill", "--json")
    plain = json.loads(run(*words)[1])
    changed = json.loads(run(*words, "--set", "has_visited_neighbours=false@Bridge")[1])
    assert plain["agrees"]
    assert plain["outputs"]["visited"]["Bridge"]
    assert not changed["agrees"]
    assert not changed["outputs"]["visited"]["Bridge"]
    # it is true there anyway
    same = json.loads(run(*words, "--set", "has_visited_neighbours=true@Bridge#1")[1])
    assert same["agrees"]
    assert same["outputs"] == plain["outputs"]


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        ("has_priority", "should be a concept and its value"),
        ("visited=true", "concept"),
        ("has_been_visited=true@Mil", "Mill"),
    ],
)
def test_a_mistake_in_setting_by_hand_gets_one_line(run, given, complaint):
    status, out, err = run("execute", "bfs", VILLAGE, "--source", "Mill", "--set", given)
    assert (status, out) == (2, "")
    assert complaint in err


def test_a_folder_runs_by_its_network_unless_asked_otherwise(run, bfs_that_is_right):
    words = ("execute", str(bfs_that_is_right), VILLAGE, "--source", "Mill", "--json")
    found = json.loads(run(*words)[1])
    assert found == json.loads(run(*words, "--by", "network")[1])
    assert (found["by"], found["agrees"]) == ("network", True)
    assert json.loads(run(*words, "--by", "algorithm")[1])["by"] == "algorithm"
    assert json.loads(run("execute", "bfs", VILLAGE, "--json")[1])["by"] == "algorithm"


@pytest.mark.parametrize("heavy", ["99999999999999999999", "1e300", "-1e300", "9007199254740993"])
def test_weights_of_any_size_are_ranked(run, file, heavy):
    status, out, err = run("execute", "kruskal", file(f"a,b,{heavy}\nb,c,1\na,c,2.5\n"), "--json")
    chosen = {
        (each["source"], each["target"])
        for each in json.loads(out)["outputs"]["in_mst"]
        if each["value"]
    }
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
    assert (
        err == "error: no model ships for bfs: train one (`algolens train bfs`, or al.train in "
        "Python) and give that.\n"
    )


def test_help_says_what_a_folder_runs_by(run):
    assert "`network` for a model's folder" in " ".join(
        run("execute", "--help")[1].replace("│", " ").split()
    )


def test_self_loops_are_told(run, file):
    assert (
        "note: the self-loop at node 'b' is left out"
        in run("execute", "bfs", file("a,b\nb,b\n"))[2]
    )


@pytest.mark.parametrize("text", ["alone\n", "a\nb\nc\n"])
@pytest.mark.parametrize("by", ["algorithm", "network", "rules"])
def test_a_graph_without_edges_has_an_empty_tree(run, file, text, by):
    words = ("execute", "kruskal", file(text), "--by", by)
    status, out, _ = run(*words, "--json")
    found = json.loads(out)
    assert status == 0
    assert (found["steps"], found["outputs"], found["agrees"]) == (0, {"in_mst": []}, True)
    status, out, _ = run(*words)
    assert status == 0
    assert "in the tree: none" in out


def test_the_attribute_that_is_there_instead_is_named(run, file):
    status, _, err = run("execute", "kruskal", file("source,target,cost\na,b,1\n"))
    assert status == 2
    assert "and the graph has none (it has cost)" in err


@pytest.mark.parametrize("step", ["0", "x", "", "-1", "1.5", "9" * 5000])
@pytest.mark.parametrize("where", ["", "@Mill"])
def test_steps_are_numbered_from_1(run, where, step):
    status, out, err = run(
        "execute", "bfs", VILLAGE, "--set", f"has_been_visited=true{where}#{step}"
    )
    assert (status, out) == (2, "")
    # of a long one, the message shows a part
    assert f"steps are numbered from 1, as in #2 for the second; '#{step[:50]}" in err
    assert err.count("\n") == 1


def test_a_step_that_never_came_is_told(run):
    words = ("execute", "bfs", VILLAGE, "--source", "Mill", "--json")
    _, out, err = run(*words, "--set", "has_been_visited=true@Mill#99")
    assert "there is no step 99, the run ended after 4" in " ".join(err.split())
    assert json.loads(out)["outputs"] == json.loads(run(*words)[1])["outputs"]
    assert "there is no step" not in run(*words, "--set", "has_been_visited=true@Mill#4")[2]


def test_a_name_may_hold_a_number_sign(run, file):
    words = ("execute", "bfs", file("a,Room#2\nRoom#2,c\n"), "--json", "--set")
    for where in ("Room#2", "Room#2#1"):
        assert (
            json.loads(run(*words, f"has_visited_neighbours=false@{where}")[1])["agrees"] is False
        )


def test_one_is_one_and_none_is_told(run, file):
    out = run("execute", "bfs", file("a,b\n"), "--set", "has_visited_neighbours=false")[1]
    assert "1 edge," in out
    assert "visited: none" in out
    assert "1 node," in run("execute", "bfs", file("alone\n"))[1]


def test_a_long_run_is_told_shortly_and_its_tree_in_full(run, file):
    rng = random.Random(0)
    graph = nx.gnm_random_graph(20, 40, seed=1)
    weights = [round(rng.uniform(0, 9), 2) for _ in graph.edges]
    for (u, v), weight in zip(graph.edges, weights, strict=True):
        graph.edges[u, v]["weight"] = weight
    text = "\n".join(f"n{u},n{v},{weight}" for u, v, weight in graph.edges(data="weight"))
    _, out, _ = run("execute", "kruskal", file(text))
    words = " ".join(out.split())
    forest = list(nx.minimum_spanning_edges(graph))
    told = re.findall(r"n(\d+) - n(\d+) \(([\d.]+)\) is (accepted|rejected)", words)
    assert len(told) == 40  # every step is told once
    accepted = {
        (frozenset([int(u), int(v)]), float(weight))
        for u, v, weight, how in told
        if how == "accepted"
    }
    assert accepted == {(frozenset([u, v]), data["weight"]) for u, v, data in forest}
    assert f"total weight: {round(sum(data['weight'] for *_, data in forest), 2):g}" in words
    _, whole, _ = run("execute", "kruskal", file(text), "--trace")
    assert len(re.findall(r"^ *step \d+ *$", whole, re.MULTILINE)) == 40


def test_json_tells_what_was_read(run, file):
    name = file("a,b,7\nb,c,9\n")
    assert json.loads(run("execute", "bfs", name, "--source", "b", "--json")[1])["inputs"] == {
        "source": "b"
    }
    inputs = json.loads(run("execute", "kruskal", name, "--json")[1])["inputs"]
    assert inputs["weight"] == [
        {"source": "a", "target": "b", "value": 7},
        {"source": "b", "target": "c", "value": 9},
    ]
    assert set(inputs["priority"]) == {"a", "b", "c"}
    assert len(set(inputs["priority"].values())) == 3


@pytest.mark.parametrize("name", ["bfs", "coloring", "kruskal"])
def test_a_trace_has_every_step_and_follows_from_its_concepts(run, name):
    words = ("execute", name, VILLAGE, "--json")
    plain, traced = json.loads(run(*words)[1]), json.loads(run(*words, "--trace")[1])
    trace = traced.pop("trace")
    assert traced == plain
    assert [each["step"] for each in trace] == list(range(1, plain["steps"] + 1))
    assert trace[-1]["outputs"] == plain["outputs"]
    rule_set = algorithm(name).declaration.rule_set
    for each in trace:
        seen = {
            concept: torch.tensor(_flat(values)) for concept, values in each["concepts"].items()
        }
        given = rule_set.decide(torch.stack([seen[concept] for concept in rule_set.concepts], 1))
        for output, values in each["outputs"].items():
            assert _flat(values) == given[output].tolist()
            for i, why in enumerate(_flat(each["because"][output])):
                assert parse(why).evaluate(
                    {concept: bool(value[i]) for concept, value in seen.items()}
                )


def test_a_network_says_why_by_its_own_rules(run, tmp_path):
    """And where it decides otherwise than the rule says, what stood against it."""
    shutil.copytree(Path(__file__).parents[2] / "results" / "runs" / "bfs-paper", tmp_path / "own")
    told = json.loads((tmp_path / "own" / "rule_sets.json").read_text())
    told["seeds"][0]["rule_set"]["rules"]["visited"] = {
        "true": "has_been_visited",
        "false": ["not", "has_been_visited"],
    }
    (tmp_path / "own" / "rule_sets.json").write_text(json.dumps(told))
    _, out, _ = run(
        "execute", str(tmp_path / "own"), VILLAGE, "--source", "Mill", "--trace", "--json"
    )
    for each in json.loads(out)["trace"]:
        been = each["concepts"]["has_been_visited"]
        for node, visited in each["outputs"]["visited"].items():
            written = "has_been_visited" if been[node] else "~has_been_visited"
            assert each["because"]["visited"][node] == (
                written if visited == been[node] else f"although {written}"
            )


@pytest.mark.usefixtures("small_sets")
def test_a_network_without_a_bottleneck_has_no_concepts_to_show(run, tmp_path):
    folder = str(tmp_path / "run")
    run("train", "bfs", "--preset", "standard", "--epochs", "3", "--seeds", "0", "--out", folder)
    words = ("execute", folder, VILLAGE, "--source", "Mill")
    status, out, _ = run(*words)
    assert status == 0
    assert "because" not in out
    assert "has_been_visited" not in out
    shown = json.loads(run(*words, "--trace", "--json")[1])
    assert all(
        set(each) == {"step", "outputs", "hints", "goes_on", "told"} for each in shown["trace"]
    )
    assert shown["agrees"] or shown["first_mistake"]["field"] in ("visited", "going on")
    assert "has no concepts" in run(*words, "--set", "has_been_visited=true")[2]
    assert "without a bottleneck there are none" in run(*words, "--by", "rules")[2]


def _flat(values):
    return list(values.values()) if isinstance(values, dict) else [each["value"] for each in values]


def test_the_command_tells_what_was_asked(run, file):
    name = file("a,b,0.10\nb,c,2\n")
    words = (
        "execute",
        "kruskal",
        name,
        "--json",
        "--seed",
        "7",
        "--set",
        "edge_in_mst=true@a - b#2",
    )
    found = json.loads(run(*words)[1])
    assert found["asked"] == {"name": "kruskal", "graph": name, "seed": 7}
    assert found["interventions"] == [
        {
            "concept": "edge_in_mst",
            "value": True,
            "edges": [{"source": "a", "target": "b"}],
            "steps": [2],
        }
    ]
    assert found["graph"]["edges"][0] == {"source": "a", "target": "b", "weight": 0.1}
    again = file(json.dumps(found["graph"]), "again.json")
    assert (
        json.loads(run("execute", "kruskal", again, "--json", "--seed", "7")[1])["graph"]
        == found["graph"]
    )

"""The commands, as a person runs them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import networkx as nx
import pytest

from algolens.algorithms import algorithm, algorithms
from algolens.experiment import Experiment, TrainedRun, load_run, save_run
from algolens.graphs import Recipe
from algolens.training import Fit, Schedule
from tests.models.networks import right_bfs

VILLAGE = str(Path(__file__).parents[2] / "examples" / "village.csv")


def test_list(run):
    status, out, _ = run("list", "--json")
    listed = {each["name"]: each for each in json.loads(out)["algorithms"]}
    assert status == 0
    assert listed["bfs"]["concepts"] == ["has_been_visited", "has_visited_neighbours"]
    assert all({"name", "concepts", "presets", "shipped"} <= set(each) for each in listed.values())
    assert [name for name, each in listed.items() if "oracle" in each["presets"]] == ["coloring"]
    assert {"paper", "standard"} <= set(listed["kruskal"]["presets"])
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
        (("execute", "kruskal", VILLAGE, "--source", "Mill"), "--source: kruskal has no source, it is an input of bfs"),
        (("execute", "kruskal", "nx:petersen"), "kruskal needs a 'weight' for every edge"),
        (("execute", "coloring", "nx:octahedral", "--option", "colors=2"), "would need more than 2 colors"),
        (("execute", "coloring", "grid:9", "--option", "colours=2"), "Did you mean 'colors'"),
        (("execute", "coloring", "grid:9", "--option", "colors"), "as in colors=7"),
        (("execute", "bfs", "grid:9", "--option", "colors=6"), "--option colors: bfs has no options"),
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


@pytest.fixture
def small_sets(monkeypatch, tmp_path):
    """Sets of few and small graphs, and a cache of one's own."""
    monkeypatch.setenv("ALGOLENS_CACHE", str(tmp_path / "cache"))
    recipe = Recipe(families=("ladder", "tree"), size=8, train=10, held_out=3, test_sizes=(8, 12))
    for cls in algorithms().values():
        monkeypatch.setattr(cls, "recipe", recipe)


FIGURES = {
    "mean_step",
    "last_step",
    "termination",
    "formula_mean_step",
    "formula_last_step",
    "formula_termination",
    "concepts_mean_step",
    "concepts_last_step",
    "graphs_right",
}


@pytest.mark.usefixtures("small_sets")
@pytest.mark.parametrize(("seeds", "listed"), [("0-1", [0, 1]), ("5", [5]), ("3,0-1", [3, 0, 1])])
def test_train_then_evaluate(run, tmp_path, seeds, listed):
    folder = tmp_path / "runs" / "mine"
    status, out, _ = run("train", "bfs", "--epochs", "2", "--seeds", seeds, "--out", str(folder), "--json")
    trained = json.loads(out)
    assert status == 0
    assert trained["algorithm"] == "bfs"
    assert trained["seeds"] == listed
    assert set(trained["sizes"]) == {"8", "12"}
    files = {"experiment.json", "weights.safetensors", "program.json", "history.csv", "scores.json"}
    assert {path.name for path in folder.iterdir()} == files
    assert load_run(folder).experiment.schedule.epochs == 2
    assert len((folder / "history.csv").read_text().splitlines()) == 1 + 2 * len(listed)
    assert load_run(folder).about["command"].startswith("algolens train bfs --epochs 2")

    status, out, _ = run("evaluate", str(folder), "--sizes", "10,12", "--json")
    found = json.loads(out)
    assert status == 0
    assert (found["algorithm"], found["seeds"], list(found["sizes"])) == ("bfs", listed, ["10", "12"])
    for at_size in found["sizes"].values():
        assert at_size["graphs"] == 6
        assert set(at_size) >= FIGURES
        for figure in FIGURES:
            values = at_size[figure] if len(listed) > 1 else {"mean": at_size[figure], "std": 0.0}
            assert set(values) == {"mean", "std"}
            assert 0 <= values["mean"] <= 100
            assert 0 <= values["std"] <= 50
    assert found["sizes"]["12"] == trained["sizes"]["12"]  # the same graphs, whatever else is asked for

    status, out, _ = run("evaluate", str(folder), "--sizes", "8")
    assert status == 0
    assert "mean-step" in out
    assert ("±" in out) == (len(listed) > 1)


@pytest.mark.usefixtures("small_sets")
def test_train_takes_presets_options_and_processors(run, tmp_path):
    words = ("coloring", "--preset", "standard", "--option", "colors=6", "--processor", "GINConv", "--epochs", "1")
    status, out, _ = run("train", *words, "--out", str(tmp_path / "run"))
    made = load_run(tmp_path / "run").experiment
    assert status == 0
    assert "Written to" in out
    assert made.find_algorithm() == algorithm("coloring", colors=6)
    assert (made.preset, made.architecture.bottleneck, made.architecture.processor) == ("standard", False, "GINConv")
    found = json.loads(run("evaluate", str(tmp_path / "run"), "--sizes", "8", "--json")[1])["sizes"]["8"]
    assert "concepts_mean_step" not in found
    assert "termination" in found


@pytest.mark.usefixtures("small_sets")
@pytest.mark.parametrize(
    ("words", "concept"),
    [
        (("coloring", "--preset", "oracle"), "has_priority"),
        (("bfs", "--given", "has_visited_neighbours"), "has_visited_neighbours"),
        (("kruskal", "--given", "nodes_in_same_set"), "nodes_in_same_set"),
    ],
)
def test_a_concept_is_given_in_training_and_in_whatever_is_done_with_the_run(run, tmp_path, words, concept):
    folder = str(tmp_path / "run")
    assert run("train", *words, "--epochs", "1", "--out", folder)[0] == 0
    assert load_run(folder).experiment.architecture.given == (concept,)
    assert run("evaluate", folder, "--sizes", "8")[0] == 0
    first = json.loads(run("execute", folder, "grid:9", "--by", "network", "--json")[1]).get("first_mistake")
    assert first is None or (first["step"], first["field"]) != (1, concept)
    assert run("explain", folder)[0] == 0


@pytest.mark.usefixtures("small_sets")
def test_the_pruning_epoch_moves_along(run, tmp_path):
    run("train", "coloring", "--epochs", "3", "--out", str(tmp_path / "run"), "--json")
    schedule = load_run(tmp_path / "run").experiment.schedule
    assert (schedule.epochs, schedule.prune_epoch) == (3, 2)  # 3000 and 2000 in the paper
    assert min(load_run(tmp_path / "run").about["selected_epochs"]) >= 2


@pytest.mark.usefixtures("small_sets")
def test_a_folder_that_is_there_is_kept_unless_asked(run, tmp_path):
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / "mine.txt").write_text("precious")
    status, out, err = run("train", "bfs", "--epochs", "1", "--out", str(folder), "--json")
    assert status == 2
    assert out == ""
    assert err.count("\n") == 1
    assert "is there already" in err
    assert [path.name for path in folder.iterdir()] == ["mine.txt"]
    assert [path.name for path in tmp_path.iterdir()] == ["run"]
    assert run("train", "bfs", "--epochs", "1", "--out", str(folder), "--json", "--overwrite")[0] == 0
    assert (folder / "weights.safetensors").is_file()
    assert not (folder / "mine.txt").exists()


@pytest.mark.usefixtures("small_sets")
@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("--seeds", "one"), "--seeds 'one' should be whole numbers"),
        (("--seeds", "3-1"), "--seeds '3-1' should be whole numbers"),
        (("--seeds", "1,0-2"), "names a number twice"),
        (("--seeds", ""), "--seeds '' should be whole numbers"),
        (("--seeds", "99999999999999999999999"), "--seeds"),
        (("--device", "tpu"), "--device 'tpu' is none of auto, cpu, cuda"),
        (("--preset", "papper"), "Did you mean 'paper'"),
        (("--preset", "oracle"), "no concept of bfs is named for an oracle study; there is has_priority of coloring"),
        (("--given", "visited"), "no concept of bfs is called 'visited'"),
        (("--preset", "standard", "--given", "has_been_visited"), "without a bottleneck"),
        (("--processor", "GATv2Cnv"), "Did you mean 'GATv2Conv'"),
        (("--option", "colours=3"), "colours"),
    ],
)
def test_a_mistake_before_training_gets_one_line_and_writes_nothing(run, tmp_path, words, complaint):
    status, out, err = run("train", "bfs", "--epochs", "1", "--out", str(tmp_path / "run"), "--json", *words)
    assert status == 2
    assert complaint in err
    assert err.count("\n") == 1
    assert out == ""
    assert not (tmp_path / "run").exists()


@pytest.mark.usefixtures("small_sets")
def test_a_folder_that_cannot_be_written_is_known_before_training(run, tmp_path):
    (tmp_path / "file").write_text("")
    status, out, err = run("train", "bfs", "--epochs", "1", "--out", str(tmp_path / "file" / "run"), "--json")
    assert status == 2
    assert err.count("\n") == 1
    assert out == ""


@pytest.mark.usefixtures("small_sets")
@pytest.mark.parametrize("preset", ["paper", "standard"])
def test_an_algorithm_on_edges_trains_and_is_evaluated_like_the_others(run, tmp_path, preset):
    folder = str(tmp_path / "run")
    status, out, _ = run("train", "kruskal", "--preset", preset, "--epochs", "1", "--out", folder, "--json")
    assert status == 0
    trained = json.loads(out)["sizes"]["12"]
    status, out, _ = run("evaluate", folder, "--sizes", "12", "--json")
    assert status == 0
    found = json.loads(out)["sizes"]["12"]
    assert {name: found[name] for name in ("mean_step", "last_step", "graphs")} == {
        name: trained[name] for name in ("mean_step", "last_step", "graphs")
    }
    assert ("concepts_mean_step" in found) == (preset == "paper")
    assert "termination" not in found


@pytest.mark.usefixtures("small_sets")
def test_a_processor_that_does_not_fit_the_algorithm_is_refused_in_one_line(run, tmp_path):
    status, out, err = run("train", "kruskal", "--processor", "mpnn", "--epochs", "1", "--out", str(tmp_path / "run"))
    assert status == 2
    assert "'mpnn' learns algorithms whose concepts sit at nodes" in err
    assert err.count("\n") == 1
    assert out == ""


@pytest.mark.usefixtures("small_sets")
@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("--sizes", "ten"), "--sizes 'ten' should be whole numbers"),
        (("--sizes", "10,10"), "names a number twice"),
        (("--sizes", "10,"), "--sizes '10,' should be whole numbers"),
        (("--sizes", "0"), "a graph needs at least one node"),
        (("--sizes", "1"), "too few different graphs of 1 nodes"),
        (("--device", "tpu"), "--device 'tpu' is none of auto, cpu, cuda"),
    ],
)
def test_a_mistake_in_evaluating_gets_one_line(run, tmp_path, words, complaint):
    assert run("train", "bfs", "--epochs", "1", "--out", str(tmp_path / "run"), "--json")[0] == 0
    status, out, err = run("evaluate", str(tmp_path / "run"), "--json", *words)
    assert status == 2
    assert complaint in err
    assert err.count("\n") == 1
    assert out == ""


def test_evaluating_what_is_no_run_gets_one_line(run, tmp_path):
    status, _, err = run("evaluate", str(tmp_path / "nowhere"))
    assert status == 2
    assert "there is no run here" in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    "words", [("train", "bfs", "--epochs", "0"), ("train", "bfs", "--epochs", "some"), ("train",), ("evaluate",)]
)
def test_wrong_usage_of_training_is_status_2(run, words):
    assert run(*words)[0] == 2


def test_a_concept_set_by_hand_shows_what_follows(run):
    words = ("execute", "bfs", VILLAGE, "--source", "Mill", "--json")
    plain = json.loads(run(*words)[1])
    changed = json.loads(run(*words, "--set", "has_visited_neighbours=false@Bridge")[1])
    assert plain["agrees"]
    assert plain["outputs"]["visited"]["Bridge"]
    assert not changed["agrees"]
    assert not changed["outputs"]["visited"]["Bridge"]
    same = json.loads(run(*words, "--set", "has_visited_neighbours=true@Bridge#1")[1])  # it is true there anyway
    assert same["agrees"]
    assert same["outputs"] == plain["outputs"]


@pytest.mark.parametrize(
    ("given", "complaint"),
    [("has_priority", "should be a concept and its value"), ("visited=true", "concept"), ("has_been_visited=true@Mil", "Mill")],
)
def test_a_mistake_in_setting_by_hand_gets_one_line(run, given, complaint):
    status, out, err = run("execute", "bfs", VILLAGE, "--source", "Mill", "--set", given)
    assert (status, out) == (2, "")
    assert complaint in err


@pytest.fixture
def bfs_that_is_right(monkeypatch, tmp_path):
    """A run's folder, of a network whose weights are set by hand, without its program."""
    monkeypatch.setenv("ALGOLENS_CACHE", str(tmp_path / "cache"))
    recipe = Recipe(families=("ladder", "caveman"), size=12, train=10, held_out=3, test_sizes=(12,))  # not all is reached
    network = right_bfs()
    monkeypatch.setattr(type(network.algorithm), "recipe", recipe)
    made = Experiment("bfs", "paper", network.architecture, Schedule(), seeds=network.seeds)
    save_run(tmp_path / "right", TrainedRun(made, network, {}), [], {})
    return tmp_path / "right"


def test_a_folder_runs_by_its_network_unless_asked_otherwise(run, bfs_that_is_right):
    words = ("execute", str(bfs_that_is_right), VILLAGE, "--source", "Mill", "--json")
    found = json.loads(run(*words)[1])
    assert found == json.loads(run(*words, "--by", "network")[1])
    assert (found["by"], found["agrees"]) == ("network", True)
    assert json.loads(run(*words, "--by", "algorithm")[1])["by"] == "algorithm"
    assert json.loads(run("execute", "bfs", VILLAGE, "--json")[1])["by"] == "algorithm"


def test_explain_gives_the_true_rules_of_a_network_that_is_right(run, bfs_that_is_right):
    status, out, _ = run("explain", str(bfs_that_is_right), "--json")
    found = json.loads(out)
    assert status == 0
    assert found["rules"] == {"visited": {"true": "has_visited_neighbours", "false": "~has_visited_neighbours"}}
    assert found["continues"] == "~has_been_visited & has_visited_neighbours"
    assert found["equal_on_seen"] is found["equal_on_all"] is True
    status, out, _ = run("explain", str(bfs_that_is_right))
    assert status == 0
    assert "It fits all" in out
    assert "equal to the true rules on every pattern" in out
    status, out, _ = run("explain", str(bfs_that_is_right), "--unseen", "negative", "--json")
    assert json.loads(out)["rules"]["visited"]["false"] == "~has_been_visited & ~has_visited_neighbours"


@pytest.mark.parametrize("form", ["latex", "markdown", "python", "smtlib", "json"])
def test_explain_writes_every_format_alone_to_standard_output(run, bfs_that_is_right, form):
    status, out, _ = run("explain", str(bfs_that_is_right), "--format", form)
    assert status == 0
    assert "visited" in out
    if form == "python":
        space: dict[str, Any] = {}
        exec(out, space)
        assert space["decide"]([[False, True]])["visited"].tolist() == [True]


def test_explain_draws_the_tree(run, bfs_that_is_right, tmp_path):
    status, _, err = run("explain", str(bfs_that_is_right), "--tree", str(tmp_path / "tree.png"))
    assert status == 0
    assert (tmp_path / "tree.png").read_bytes().startswith(b"\x89PNG")
    status, _, err = run("explain", str(bfs_that_is_right), "--tree", str(tmp_path / "tree.txt"))
    assert status == 2
    assert ".svg" in err


def test_evaluating_by_rules_gives_the_formula_scores_alone(run, bfs_that_is_right):
    status, out, _ = run("evaluate", str(bfs_that_is_right), "--by", "rules", "--sizes", "12", "--json")
    found = json.loads(out)["sizes"]["12"]
    assert status == 0
    assert found["formula_mean_step"] == found["formula_last_step"] == found["formula_termination"] == 100.0
    assert "mean_step" not in found


@pytest.mark.parametrize("command", [["explain"], ["evaluate", "--by", "rules"]])
@pytest.mark.usefixtures("small_sets")
def test_a_run_without_a_bottleneck_says_that_it_has_no_rules(run, tmp_path, command):
    folder = str(tmp_path / "standard")
    assert run("train", "bfs", "--preset", "standard", "--epochs", "1", "--out", folder)[0] == 0
    status, out, err = run(command[0], folder, *command[1:])
    assert (status, out) == (2, "")
    assert "no bottleneck" in err


@pytest.mark.parametrize("content", ["{", "{}", '{"seeds": []}', '{"seeds": [{"seed": 0, "program": {"concepts": ["a"]}}]}'])
def test_a_damaged_program_is_named_with_what_to_do(run, bfs_that_is_right, content):
    (bfs_that_is_right / "program.json").write_text(content)
    status, _, err = run("explain", str(bfs_that_is_right))
    assert status == 2
    assert "program.json" in err
    assert "delete it" in err


def test_help_and_version(run):
    assert "execute" in run("--help")[1]
    assert run("--version")[1].startswith("algolens ")


def test_the_installed_command_works():
    done = subprocess.run([Path(sys.executable).parent / "algolens", "list", "--json"], capture_output=True, check=True)
    assert json.loads(done.stdout)["algorithms"]


# ---- interrupted, and again


@pytest.fixture
def interrupted_at(monkeypatch):
    """Presses Ctrl-C in the middle of an epoch, once; every validation is kept."""
    monkeypatch.setattr("algolens.training.checkpoint.EVERY", 0.0)
    batches = Fit._batches
    due: list[int] = []

    def watched(fit: Fit, epoch: int) -> list[list[int]]:
        if epoch in due:
            due.remove(epoch)
            raise KeyboardInterrupt
        return batches(fit, epoch)

    monkeypatch.setattr(Fit, "_batches", watched)
    return due.append


@pytest.mark.usefixtures("small_sets")
def test_after_ctrl_c_the_same_command_goes_on(run, tmp_path, interrupted_at):
    words = ("train", "bfs", "--epochs", "4", "--seeds", "0,1", "--json")
    assert run(*words, "--out", str(tmp_path / "whole"))[0] == 0
    interrupted_at(3)
    status, out, err = run(*words, "--out", str(tmp_path / "run"))
    assert (status, out) == (130, "")
    assert "Give the same command again, and it goes on" in err
    assert "Traceback" not in err
    assert sorted(path.name for path in tmp_path.glob("run*")) == ["run.unfinished"]
    status, out, err = run(*words, "--out", str(tmp_path / "run"))
    assert status == 0
    assert f"Going on after epoch 2 of 4, as kept in {tmp_path / 'run.unfinished'}" in err
    json.loads(out)  # and nothing else there
    assert sorted(path.name for path in tmp_path.glob("run*")) == ["run"]
    for name in ("weights.safetensors", "scores.json", "program.json"):
        assert (tmp_path / "run" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes(), name


@pytest.mark.usefixtures("small_sets")
def test_an_unfinished_training_of_another_kind_is_kept_unless_asked(run, tmp_path, interrupted_at):
    folder = ("--out", str(tmp_path / "run"), "--json")
    interrupted_at(2)
    run("train", "bfs", "--epochs", "4", *folder)
    status, out, err = run("train", "bfs", "--epochs", "3", *folder)
    assert (status, out) == (2, "")
    assert err.count("\n") == 1
    assert "schedule.epochs is 4 there, and 3 here" in err
    assert (tmp_path / "run.unfinished").is_dir()
    status, _, err = run("train", "bfs", "--epochs", "3", *folder, "--overwrite")
    assert status == 0
    assert "Going on" not in err
    assert sorted(path.name for path in tmp_path.glob("run*")) == ["run"]
    assert load_run(tmp_path / "run").experiment.schedule.epochs == 3

"""What a person does with ``algolens train``, and with what it leaves."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from typing import Any

import pytest

from algolens.algorithms import algorithm
from algolens.experiment.config import preset
from algolens.experiment.model import claim, load_model
from algolens.reproduction.departures import departures_of
from algolens.training import Schedule

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
@pytest.mark.parametrize(("seeds", "listed"), [("5", [5]), ("3,0-1", [3, 0, 1])])
def test_train_then_evaluate(run, tmp_path, seeds, listed):
    folder = tmp_path / "runs" / "mine"
    status, out, _ = run(
        "train",
        "bfs",
        "--preset",
        "paper",
        "--epochs",
        "2",
        "--seeds",
        seeds,
        "--out",
        str(folder),
        "--json",
    )
    trained = json.loads(out)
    assert status == 0
    assert trained["algorithm"] == "bfs"
    assert trained["seeds"] == listed
    assert set(trained["sizes"]) == {"8", "12"}
    files = {
        "experiment.json",
        "weights.safetensors",
        "rule_sets.json",
        "history.csv",
        "scores.json",
        "curves.png",
    }
    assert {path.name for path in folder.iterdir()} == files
    assert load_model(folder).experiment.schedule.epochs == 2
    assert len((folder / "history.csv").read_text().splitlines()) == 1 + 2 * len(listed)
    assert load_model(folder).about["command"].startswith("algolens train bfs --preset paper")

    status, out, _ = run("evaluate", str(folder), "--sizes", "10,12", "--json")
    found = json.loads(out)
    assert status == 0
    assert (found["algorithm"], found["seeds"], list(found["sizes"])) == (
        "bfs",
        listed,
        ["10", "12"],
    )
    for at_size in found["sizes"].values():
        assert at_size["graphs"] == 6
        assert set(at_size) >= FIGURES
        for figure in FIGURES:
            values = at_size[figure] if len(listed) > 1 else {"mean": at_size[figure], "std": 0.0}
            assert set(values) == {"mean", "std"}
            assert 0 <= values["mean"] <= 100
            assert 0 <= values["std"] <= 50
    # the same graphs, whatever else is asked for
    assert found["sizes"]["12"] == trained["sizes"]["12"]

    status, out, _ = run("evaluate", str(folder), "--sizes", "8")
    assert status == 0
    assert "mean-step" in out
    assert ("±" in out) == (len(listed) > 1)


@pytest.mark.usefixtures("small_sets")
def test_a_picture_that_cannot_be_drawn_loses_no_training(run, tmp_path, monkeypatch):
    def fail(*_given: Any) -> None:
        raise RuntimeError("no font is there")

    monkeypatch.setattr("algolens.reports.curves.draw_curves", fail)
    words = ("train", "bfs", "--preset", "paper", "--epochs", "1", "--json", "--out")
    status, out, err = run(*words, str(tmp_path / "one"))
    assert (status, json.loads(out)["picture"]) == (0, None)
    assert "could not be drawn (no font is there)" in err.replace("\n", " ")
    assert load_model(tmp_path / "one").experiment.schedule.epochs == 1
    status, out, _ = run(*words, str(tmp_path / "two"), "--no-picture")
    assert (status, json.loads(out)["picture"]) == (0, None)
    for name in ("one", "two"):
        assert not (tmp_path / name / "curves.png").exists()


@pytest.mark.usefixtures("small_sets")
def test_train_takes_presets_options_and_processors(run, tmp_path):
    words = (
        "coloring",
        "--preset",
        "standard",
        "--option",
        "colors=6",
        "--processor",
        "GINConv",
        "--epochs",
        "1",
    )
    status, out, _ = run("train", *words, "--out", str(tmp_path / "run"))
    made = load_model(tmp_path / "run").experiment
    assert status == 0
    assert "Written to" in out
    assert made.find_algorithm() == algorithm("coloring", colors=6)
    assert (made.preset, made.architecture.bottleneck, made.architecture.processor) == (
        "standard",
        False,
        "GINConv",
    )
    found = json.loads(run("evaluate", str(tmp_path / "run"), "--sizes", "8", "--json")[1])[
        "sizes"
    ]["8"]
    assert "concepts_mean_step" not in found
    assert "termination" in found


@pytest.mark.usefixtures("small_sets")
@pytest.mark.parametrize(
    ("words", "concept"),
    [
        (("coloring", "--preset", "oracle"), "has_priority"),
        (
            ("bfs", "--preset", "paper", "--set", "given=has_visited_neighbours"),
            "has_visited_neighbours",
        ),
        (("kruskal", "--preset", "paper", "--set", "given=nodes_in_same_set"), "nodes_in_same_set"),
    ],
)
def test_a_concept_is_given_in_training_and_in_whatever_is_done_with_the_run(
    run, tmp_path, words, concept
):
    folder = str(tmp_path / "run")
    assert run("train", *words, "--epochs", "1", "--out", folder)[0] == 0
    assert load_model(folder).experiment.architecture.given == (concept,)
    assert run("evaluate", folder, "--sizes", "8")[0] == 0
    first = json.loads(run("execute", folder, "grid:9", "--by", "network", "--json")[1]).get(
        "first_mistake"
    )
    assert first is None or (first["step"], first["field"]) != (1, concept)
    assert run("explain", folder)[0] == 0


@pytest.mark.usefixtures("small_sets")
def test_other_settings_are_recorded_and_said_to_depart(run, tmp_path):
    words = (
        "--set",
        "width=7",
        "--set",
        "learning_rate=0.02",
        "--set",
        "batch_size=5",
        "--set",
        "self_loops=false",
        "--set",
        "clip=0.5",
        "--set",
        "balanced_concepts=false",
    )
    folder = tmp_path / "run"
    assert (
        run(
            "train",
            "bfs",
            "--preset",
            "paper",
            "--epochs",
            "1",
            "--out",
            str(folder),
            "--json",
            *words,
        )[0]
        == 0
    )
    experiment = load_model(folder).experiment
    schedule = preset("paper", algorithm("bfs")).schedule
    changed: dict[str, Any] = {
        "epochs": 1,
        "learning_rate": 0.02,
        "batch_size": 5,
        "clip": 0.5,
        "balanced_concepts": False,
    }
    assert experiment.schedule == replace(schedule, **changed)
    assert experiment.architecture.width == 7
    told = {each.what: each.ours for each in departures_of(experiment)}
    assert told["width of latent states"] == 7
    assert told["initial learning rate"] == 0.02
    assert told["batch size"] == 5
    assert told["nodes send messages to themselves"] is False
    assert told["largest norm of a gradient, 0 for any"] == 0.5


@pytest.mark.usefixtures("small_sets")
def test_the_pruning_epoch_moves_along(run, tmp_path):
    run(
        "train",
        "coloring",
        "--preset",
        "paper",
        "--epochs",
        "3",
        "--out",
        str(tmp_path / "run"),
        "--json",
    )
    schedule = load_model(tmp_path / "run").experiment.schedule
    assert (schedule.epochs, schedule.prune_epoch) == (3, 2)  # 3000 and 2000 in the paper
    assert min(load_model(tmp_path / "run").about["selected_epochs"]) >= 2


@pytest.mark.usefixtures("small_sets")
def test_a_folder_that_is_there_is_kept_unless_asked(run, tmp_path):
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / "mine.txt").write_text("precious")
    status, out, err = run(
        "train", "bfs", "--preset", "paper", "--epochs", "1", "--out", str(folder), "--json"
    )
    assert status == 2
    assert out == ""
    assert err.count("\n") == 1
    assert "is there already" in err
    assert [path.name for path in folder.iterdir()] == ["mine.txt"]
    assert [path.name for path in tmp_path.iterdir()] == ["run"]
    status, out, err = run(
        "train",
        "bfs",
        "--preset",
        "paper",
        "--epochs",
        "1",
        "--out",
        str(folder),
        "--json",
        "--overwrite",
    )
    assert (status, out) == (2, "")
    assert err.count("\n") == 1
    assert "is no model of ours" in err
    assert (folder / "mine.txt").read_text() == "precious"
    assert [path.name for path in tmp_path.iterdir()] == ["run"]


@pytest.mark.usefixtures("small_sets")
def test_a_run_is_replaced_if_asked_and_what_is_not_of_it_is_kept(run, tmp_path):
    words = (
        "train",
        "bfs",
        "--preset",
        "paper",
        "--epochs",
        "1",
        "--out",
        str(tmp_path / "run"),
        "--json",
    )
    assert run(*words)[0] == 0
    assert run(*words)[0] == 2
    assert run(*words, "--seeds", "1", "--overwrite")[0] == 0
    assert load_model(tmp_path / "run").experiment.seeds == (1,)
    (tmp_path / "run" / "notes.txt").write_text("precious")
    (tmp_path / "run.unfinished").mkdir()
    (tmp_path / "run.unfinished" / "thesis.tex").write_text("precious")
    status, _, err = run(*words, "--overwrite")
    assert (status, "holds more than a model's files (notes.txt)" in err) == (2, True)
    assert load_model(tmp_path / "run").experiment.seeds == (1,)
    (tmp_path / "run" / "notes.txt").unlink()
    status, _, err = run(*words, "--overwrite")
    assert (status, "run.unfinished is no regular file" in err) == (2, True)
    assert (tmp_path / "run.unfinished" / "thesis.tex").read_text() == "precious"


@pytest.mark.usefixtures("small_sets")
def test_a_second_training_into_one_folder_gets_one_line(run, tmp_path):
    folder = tmp_path / "run"
    words = ("train", "bfs", "--preset", "paper", "--epochs", "1", "--json", "--out", str(folder))
    with claim(folder):
        for more in ((), ("--overwrite",)):
            status, out, err = run(*words, *more)
            assert (status, out) == (2, "")
            assert err.count("\n") == 1
            assert f"{folder} is being written by process {os.getpid()}" in err
    assert run(*words)[0] == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["cache", "run"]


@pytest.mark.usefixtures("small_sets")
@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("--seeds", "one"), "--seeds 'one' should be whole numbers"),
        (("--seeds", "3-1"), "--seeds '3-1' should be whole numbers"),
        (("--seeds", "1,0-2"), "names a number twice"),
        (("--seeds", ""), "--seeds '' should be whole numbers"),
        (("--seeds", "99999999999999999999999"), "--seeds"),
        (("--device", "tpu"), "device 'tpu' is none of auto, cpu, cuda"),
        (("--preset", "papper"), "Did you mean 'paper'"),
        (
            ("--preset", "oracle"),
            "no concept of bfs is named for an oracle study; there is has_priority of coloring",
        ),
        (("--set", "given=visited"), "no concept of bfs is called 'visited'"),
        (("--preset", "standard", "--set", "given=has_been_visited"), "without a bottleneck"),
        (("--processor", "GATv2Cnv"), "Did you mean 'GATv2Conv'"),
        (("--option", "colours=3"), "colours"),
        (("--set", "width=0"), "'width' of a network is 0: give a whole number from 1 to 4,096."),
        (("--set", "learning_rate=-0.1"), "a number from 1e-12 to 1,000; -0.1 came"),
        (("--set", "learning_rate=nan"), "a number from 1e-12 to 1,000; 'nan' came"),
        (("--set", "batch_size=0"), "a whole number from 1 to 1,000,000; 0 came"),
        (("--set", "self_loops=maybe"), "self_loops is maybe: give true or false"),
        (("--set", "processor=5"), "no convolution of PyTorch Geometric is called '5'"),
        (("--set", "beta3=1"), "no setting of the network or its schedule is called 'beta3'"),
        (("--set", "beta2"), "--set 'beta2' should be a name and a value, as in beta2=0.95"),
        (
            ("--set", "beta2=1"),
            "'beta2' of the schedule is a number from 0 to 0.999999; 1 came.",
        ),
        (("--set", "clip=[1]"), "'clip' of the schedule is a number from 0 to 1e+12; [1]"),
        (
            ("--set", "balanced_concepts=1"),
            "'balanced_concepts' of the schedule is true or false; 1 came.",
        ),
        (
            ("--set", "prune_epoch=3"),
            "'prune_epoch' of the schedule is 3, after the last of 1 epochs",
        ),
        (("--set", "epochs=2"), "epochs: it is given twice"),
        (("--processor", "GINConv", "--set", "processor=mpnn"), "processor: it is given twice"),
        (("--set", "clip=1", "--set", "clip=2"), "clip: it is given twice"),
        (("--set", 'concept_weights={"visited": 2}'), "no concept of bfs is called 'visited'"),
        (("--set", 'hint_weights={"keeps": {}}'), "no hint of bfs is called 'keeps'"),
    ],
)
def test_a_mistake_before_training_gets_one_line_and_writes_nothing(
    run, tmp_path, words, complaint
):
    status, out, err = run(
        "train",
        "bfs",
        "--preset",
        "paper",
        "--epochs",
        "1",
        "--out",
        str(tmp_path / "run"),
        "--json",
        *words,
    )
    assert status == 2
    assert complaint in err
    assert err.count("\n") == 1
    assert out == ""
    assert not (tmp_path / "run").exists()


@pytest.mark.usefixtures("small_sets")
def test_a_folder_that_cannot_be_written_is_known_before_training(run, tmp_path):
    (tmp_path / "file").write_text("")
    status, out, err = run(
        "train",
        "bfs",
        "--preset",
        "paper",
        "--epochs",
        "1",
        "--out",
        str(tmp_path / "file" / "run"),
        "--json",
    )
    assert status == 2
    assert err.count("\n") == 1
    assert out == ""


@pytest.mark.usefixtures("small_sets")
@pytest.mark.parametrize("preset", ["paper", "standard"])
def test_an_algorithm_on_edges_trains_and_is_evaluated_like_the_others(run, tmp_path, preset):
    folder = str(tmp_path / "run")
    status, out, _ = run(
        "train", "kruskal", "--preset", preset, "--epochs", "1", "--out", folder, "--json"
    )
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
    status, out, err = run(
        "train",
        "kruskal",
        "--preset",
        "paper",
        "--processor",
        "mpnn",
        "--epochs",
        "1",
        "--out",
        str(tmp_path / "run"),
    )
    assert status == 2
    assert (
        "'mpnn' learns concepts at nodes, and these sit at edges. What learns "
        "kruskal_union_find: the preset paper" in err
    )
    assert err.count("\n") == 1
    assert out == ""


@pytest.mark.parametrize(
    "words",
    [
        ("train", "bfs", "--preset", "paper", "--epochs", "0"),
        ("train", "bfs", "--preset", "paper", "--epochs", "some"),
        ("train",),
        ("evaluate",),
    ],
)
def test_wrong_usage_of_training_is_status_2(run, words):
    assert run(*words)[0] == 2


@pytest.fixture
def interrupted_at(monkeypatch):
    """Presses Ctrl-C in the middle of an epoch, once; every validation is kept."""
    monkeypatch.setattr("algolens.training.checkpoint.EVERY", 0.0)
    rate = Schedule.rate
    due: list[int] = []

    def watched(schedule: Schedule, epoch: int) -> float:
        if epoch in due:
            due.remove(epoch)
            raise KeyboardInterrupt
        return rate(schedule, epoch)

    monkeypatch.setattr(Schedule, "rate", watched)
    return due.append


@pytest.mark.usefixtures("small_sets")
def test_after_ctrl_c_the_same_command_goes_on(run, tmp_path, interrupted_at):
    words = ("train", "bfs", "--preset", "paper", "--epochs", "4", "--seeds", "0,1", "--json")
    assert run(*words, "--out", str(tmp_path / "whole"))[0] == 0
    interrupted_at(3)
    status, out, err = run(*words, "--out", str(tmp_path / "run"))
    assert (status, out) == (130, "")
    assert "Give the same command again, and it goes on" in err
    assert "Traceback" not in err
    assert sorted(path.name for path in tmp_path.glob("run*")) == ["run.unfinished"]
    status, out, err = run(*words, "--out", str(tmp_path / "run"))
    assert status == 0
    assert f"going on after epoch 2 of 4, as kept in {tmp_path / 'run.unfinished'}" in err
    json.loads(out)  # and nothing else there
    assert sorted(path.name for path in tmp_path.glob("run*")) == ["run"]
    for name in ("weights.safetensors", "scores.json", "rule_sets.json"):
        assert (tmp_path / "run" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes(), (
            name
        )


@pytest.mark.usefixtures("small_sets")
def test_an_unfinished_training_of_another_kind_is_kept_unless_asked(run, tmp_path, interrupted_at):
    folder = ("--out", str(tmp_path / "run"), "--json")
    interrupted_at(2)
    run("train", "bfs", "--preset", "paper", "--epochs", "4", *folder)
    status, out, err = run("train", "bfs", "--preset", "paper", "--epochs", "3", *folder)
    assert (status, out) == (2, "")
    assert err.count("\n") == 1
    assert "schedule.epochs is 4 there, and 3 here" in err
    assert (tmp_path / "run.unfinished").is_file()
    status, _, err = run(
        "train", "bfs", "--preset", "paper", "--epochs", "3", *folder, "--overwrite"
    )
    assert status == 0
    assert "Going on" not in err
    assert sorted(path.name for path in tmp_path.glob("run*")) == ["run"]
    assert load_model(tmp_path / "run").experiment.schedule.epochs == 3


@pytest.mark.usefixtures("small_sets")
def test_what_cannot_be_proven_is_refused_before_training(run, tmp_path, monkeypatch):
    monkeypatch.setattr(Schedule, "rate", lambda *_: pytest.fail("training began"))
    status, out, err = run(
        "train",
        "coloring",
        "--preset",
        "exact",
        "--option",
        "colors=20",
        "--out",
        str(tmp_path / "run"),
    )
    assert (status, out) == (2, "")
    assert err.count("\n") == 1
    assert "decides by 22 concepts" in err
    assert "What learns coloring with colors=20, bits=62: the preset paper" in err
    assert list(tmp_path.glob("run*")) == []


def test_it_is_scored_at_sizes_of_ones_own(run, tmp_path):
    status, out, _ = run(
        "train",
        "bfs",
        "--preset",
        "exact",
        "--sizes",
        "8,600",
        "--device",
        "cpu",
        "--out",
        str(tmp_path / "bfs"),
        "--json",
    )
    sizes = json.loads(out)["sizes"]
    assert status == 0
    assert {size: (values["graphs"], values["graphs_right"]) for size, values in sizes.items()} == {
        "8": (70, 100.0),
        "600": (7, 100.0),  # large ones: a graph of each family
    }

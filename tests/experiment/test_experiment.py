"""Experiments as records, presets, and runs on disk."""

from __future__ import annotations

import csv
import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from safetensors.torch import load_file, save_file

from algolens.algorithms import algorithm, algorithms
from algolens.data import fixed
from algolens.errors import AlgoLensError, UnknownNameError
from algolens.evaluation import free_run, score_network
from algolens.experiment.config import ORACLES, check_experiment, preset
from algolens.experiment.model import Model, history_csv, load_model
from algolens.experiment.train import train_networks
from algolens.graphs import Recipe
from algolens.models import Architecture, Network
from algolens.protocol import PRESETS
from algolens.records import Experiment
from algolens.training import Epoch, Schedule
from tests.models.networks import decoder

CPU = torch.device("cpu")
SMALL = Recipe(families=("ladder", "tree"), size=6, train=12, held_out=4, test_sizes=(6, 9))
SHORT = Schedule(epochs=3, batch_size=8, learning_rate=1e-2, validate_every=2)
FILES = {
    "experiment.json",
    "weights.safetensors",
    "history.csv",
    "scores.json",
}


@pytest.fixture(autouse=True)
def _small(tmp_path, monkeypatch):
    """A cache of one's own, and small sets."""
    monkeypatch.setenv("ALGOLENS_CACHE", str(tmp_path / "cache"))
    for cls in algorithms().values():
        monkeypatch.setattr(cls, "recipe", SMALL)


def small(name: str = "bfs", seeds: tuple[int, ...] = (0, 4), **parts: Any) -> Experiment:
    architecture = Architecture(**{"width": 6, **parts})
    variant = "kruskal_union_find" if name == "kruskal" else None
    return Experiment(name, "paper", architecture, SHORT, seeds, 1, {}, variant=variant)


@pytest.fixture
def trained() -> tuple[Model, list[Epoch], dict[str, object]]:
    done = train_networks(small(), CPU, "algolens train bfs")
    return done, list(done.history), dict(done.scores)


# ---- presets and records


@pytest.mark.parametrize("name", PRESETS)
@pytest.mark.parametrize(
    "chosen",
    [
        algorithm("bfs"),
        algorithm("coloring"),
        algorithm("coloring", colors=7),
        algorithm("kruskal"),
    ],
)
def test_every_preset_is_an_experiment_of_its_algorithm(name, chosen):
    if name == "oracle" and chosen.name not in ORACLES:
        with pytest.raises(
            AlgoLensError,
            match=f"no concept of {chosen.name} is named.*has_priority of coloring.*--set given",
        ):
            preset(name, chosen)
        return
    made = preset(name, chosen)
    assert made.preset == name
    # all bits, for numbers of a user; sets as the paper keeps them, for networks after the paper's
    others = {"bits": 62} if name == "exact" and "bits" in chosen.options else {}
    is_forest = chosen.name == "kruskal" and name != "exact"
    learnt = "kruskal_union_find" if is_forest else chosen.name
    assert made.find_algorithm() == algorithm(learnt, **{**chosen.options, **others})
    assert made.architecture.bottleneck == (name != "standard")
    assert made.architecture.given == ((ORACLES[chosen.name],) if name == "oracle" else ())
    regularised = name in ("paper", "paper-literal", "oracle") and chosen.name == "coloring"
    assert (made.schedule.l1 > 0) == (made.schedule.prune_epoch is not None) == regularised
    assert made.schedule.epochs >= (made.schedule.prune_epoch or 0)
    assert set(made.schedule.concept_weights) <= set(chosen.declaration.concepts)
    for hint, classes in made.schedule.hint_weights.items():
        assert set(classes) == set(made.find_algorithm().declaration.hints[hint].classes)
    check_experiment(made)
    assert Experiment.from_json(json.loads(json.dumps(made.to_json()))) == made


def test_an_oracle_is_the_papers_network_with_one_concept_given():
    given, paper = preset("oracle", algorithm("coloring")), preset("paper", algorithm("coloring"))
    assert replace(given.architecture, given=()) == paper.architecture
    assert given.schedule == paper.schedule


def test_an_unknown_preset_gets_a_hint():
    with pytest.raises(UnknownNameError, match="Did you mean 'standard'"):
        preset("standart", algorithm("bfs"))


schedules = st.builds(
    Schedule,
    epochs=st.integers(1, 5000),
    batch_size=st.integers(1, 64),
    learning_rate=st.floats(1e-6, 1),
    concept_weights=st.dictionaries(
        st.sampled_from(["has_priority", "is_colored"]), st.floats(0, 20)
    ),
    hint_weights=st.just({}) | st.just({"keeps_parent": {"false": 10.0, "true": 1.0}}),
    l1=st.floats(0, 1),
    validate_every=st.integers(1, 50),
).flatmap(
    lambda made: (st.none() | st.integers(1, made.epochs)).map(
        lambda epoch: replace(made, prune_epoch=epoch)
    )
)
experiments = st.builds(
    Experiment,
    algorithm=st.just("coloring"),
    preset=st.sampled_from(sorted(PRESETS)),
    architecture=st.builds(
        Architecture,
        st.integers(1, 64),
        st.sampled_from(["mpnn", "GATv2Conv"]),
        st.booleans(),
        given=st.lists(st.sampled_from(["has_priority", "is_colored"]), unique=True).map(tuple),
    ),
    schedule=schedules,
    seeds=st.lists(st.integers(0, 2**32), min_size=1, max_size=4, unique=True).map(tuple),
    data_seed=st.integers(0, 2**32),
    options=st.just({}) | st.just({"colors": 7}),
)


@given(experiments)
def test_json_round_trip(made):
    again = Experiment.from_json(json.loads(json.dumps(made.to_json())))
    assert again == made
    assert again.find_algorithm() == made.find_algorithm()


@given(experiments)
def test_a_record_from_before_concepts_could_be_given_gives_none(made):
    value = json.loads(json.dumps(made.to_json()))
    del value["architecture"]["given"]
    assert Experiment.from_json(value) == replace(
        made, architecture=replace(made.architecture, given=())
    )


@given(
    experiments,
    st.sampled_from(
        ["algorithm", "preset", "architecture", "schedule", "seeds", "data_seed", "options"]
    ),
)
def test_a_record_with_a_part_missing_is_refused(made, part):
    value = made.to_json()
    del value[part]
    with pytest.raises(AlgoLensError, match="the experiment: Object missing required field"):
        Experiment.from_json(value)


# ---- runs on disk


def test_saved_and_loaded_are_equal(trained, tmp_path):
    run, _history, scores = trained
    run.save(tmp_path / "deep" / "run")
    assert {path.name for path in (tmp_path / "deep" / "run").iterdir()} == FILES | {
        "rule_sets.json"
    }
    # nothing is left beside it
    assert [path.name for path in (tmp_path / "deep").iterdir()] == ["run"]
    again = load_model(tmp_path / "deep" / "run")
    assert again.experiment == run.experiment
    assert again.about == run.about
    before, after = run.network.state_dict(), again.network.state_dict()
    assert before.keys() == after.keys()
    assert all(torch.equal(before[name], after[name]) for name in before)
    tests = fixed(algorithm("bfs"), 1, SMALL).tests
    assert score_network(again.network, tests) == score_network(run.network, tests)
    assert kept_scores(tmp_path / "deep" / "run") == scores


def kept_scores(folder: Path) -> dict[str, Any]:
    """The scores in a folder, without which weights they are about."""
    scores: dict[str, Any] = json.loads((folder / "scores.json").read_text())
    del scores["about"]
    return scores


@pytest.mark.parametrize(
    "made",
    [
        small("coloring"),
        small(bottleneck=False),
        small(processor="GATv2Conv"),
        small(processor="PNAConv"),
        small(seeds=(7,)),
        small("kruskal", processor="nee+pgn"),
        small("coloring", given=("has_priority",)),
    ],
    ids=["coloring", "standard", "GATv2Conv", "PNAConv", "one seed", "kruskal", "oracle"],
)
def test_every_kind_of_network_comes_back(made, tmp_path):
    network = Network(made.find_algorithm(), made.architecture, made.seeds)
    for output in network.decoders:
        decoder(network, output).first.weight.data[:, 0] *= 0.01
        decoder(network, output).prune()
    Model(made, network, {}).save(tmp_path / "run")
    again = load_model(tmp_path / "run").network
    assert all(
        torch.equal(value, again.state_dict()[name]) for name, value in network.state_dict().items()
    )
    tests = fixed(network.algorithm, 1, SMALL).tests
    assert score_network(again, tests) == score_network(network, tests)


def test_a_run_that_is_there_is_replaced_whole_if_asked(trained, tmp_path):
    run, _history, scores = trained
    replace(run, scores={"old": 1}).save(tmp_path / "run")
    (tmp_path / "run" / "study.json").write_text("of the old one")
    with pytest.raises(AlgoLensError, match="is there already"):
        run.save(tmp_path / "run")
    assert kept_scores(tmp_path / "run") == {"old": 1}
    run.save(tmp_path / "run", overwrite=True)
    assert kept_scores(tmp_path / "run") == scores
    assert {path.name for path in (tmp_path / "run").iterdir()} == FILES | {"rule_sets.json"}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["cache", "run"]


def test_what_cannot_be_written_leaves_what_was_there(trained, tmp_path):
    run, _history, _scores = trained
    run.save(tmp_path / "run")
    before = {path.name: path.read_bytes() for path in (tmp_path / "run").iterdir()}
    with pytest.raises(TypeError):
        replace(run, scores={"not JSON": object()}).save(tmp_path / "run", overwrite=True)
    assert {path.name: path.read_bytes() for path in (tmp_path / "run").iterdir()} == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["cache", "run"]


def test_a_run_that_was_being_replaced_when_all_was_killed_is_loaded(trained, tmp_path):
    """As a kill between two renames leaves it."""
    run, _history, _scores = trained
    run.save(tmp_path / "run")
    (tmp_path / "run").rename(tmp_path / ".run.old")
    assert load_model(tmp_path / "run").experiment == run.experiment
    assert sorted(path.name for path in tmp_path.iterdir()) == ["cache", "run"]


def edited(**parts: object):
    """A damage: some parts of experiment.json changed."""

    def damage(folder: Path) -> None:
        path = folder / "experiment.json"
        path.write_text(json.dumps({**json.loads(path.read_text()), **parts}))

    return damage


def lose_a_weight(folder: Path) -> None:
    weights = load_file(folder / "weights.safetensors")
    del weights["perceiver.head_last.weight"]
    save_file(weights, folder / "weights.safetensors")


DAMAGES = {
    "no folder": shutil.rmtree,
    "no experiment": lambda folder: (folder / "experiment.json").unlink(),
    "no weights": lambda folder: (folder / "weights.safetensors").unlink(),
    "empty experiment": lambda folder: (folder / "experiment.json").write_text(""),
    "half an experiment": lambda folder: (folder / "experiment.json").write_text(
        '{"algorithm": "bfs", "pre'
    ),
    "another document": lambda folder: (folder / "experiment.json").write_text("[1, 2]"),
    "a number": lambda folder: (folder / "experiment.json").write_text("3"),
    "not text": lambda folder: (folder / "experiment.json").write_bytes(b"\xff\xfe\x00"),
    "empty weights": lambda folder: (folder / "weights.safetensors").write_bytes(b""),
    "half the weights": lambda folder: (folder / "weights.safetensors").write_bytes(
        (folder / "weights.safetensors").read_bytes()[:-100]
    ),
    "weights are text": lambda folder: (folder / "weights.safetensors").write_text("not a tensor"),
    "a weight is lost": lose_a_weight,
    "another width": edited(architecture={"width": 7, "processor": "mpnn", "bottleneck": True}),
    "a width that is none": edited(
        architecture={"width": "wide", "processor": "mpnn", "bottleneck": True}
    ),
    "another part": edited(architecture={"width": 6, "depth": 2}),
    "other seeds": edited(seeds=[0]),
    "seeds that are none": edited(seeds=["a", "b"]),
    "an unknown algorithm": edited(algorithm="dfs"),
    "an unknown option": edited(options={"colors": 7}),
    "a given concept that is none": edited(architecture={"width": 6, "given": ["has_priority"]}),
    "given concepts that are none": edited(architecture={"width": 6, "given": 3}),
    "an unknown processor": edited(
        architecture={"width": 6, "processor": "NoConv", "bottleneck": True}
    ),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_run_is_refused_in_one_line(damage, tmp_path):
    made = small()
    network = Network(made.find_algorithm(), made.architecture, made.seeds)
    Model(made, network, {}).save(tmp_path / "run")
    DAMAGES[damage](tmp_path / "run")
    with pytest.raises(AlgoLensError) as problem:
        load_model(tmp_path / "run")
    assert "\n" not in str(problem.value)


# ---- training


def test_training_twice_gives_the_same_run(trained):
    run, history, scores = trained
    other = train_networks(small(), CPU)
    again, other_history, other_scores = other, other.history, other.scores
    assert scores == other_scores
    one, two = run.network.state_dict(), again.network.state_dict()
    assert all(torch.equal(one[name], two[name]) for name in one)
    assert [(each.losses, each.validation) for each in history] == [
        (each.losses, each.validation) for each in other_history
    ]


def test_a_run_says_what_it_is(trained):
    run, history, scores = trained
    assert scores["algorithm"] == "bfs"
    assert scores["preset"] == "paper"
    assert scores["seeds"] == [0, 4]
    assert list(scores["sizes"]) == ["6", "9"]
    assert scores["sizes"]["6"]["graphs"] == 8
    assert len(run.about["selected_epochs"]) == 2
    assert run.about["command"] == "algolens train bfs"
    assert {"algolens", "torch"} <= set(run.about["versions"])
    assert [each.epoch for each in history] == [1, 2, 3]


def test_whoever_watches_sees_every_epoch():
    seen: list[Epoch] = []
    history = train_networks(small(seeds=(2,)), CPU, watch=seen.append).history
    assert seen == history


# ---- the history


@pytest.mark.parametrize("name", ["bfs", "coloring"])
@pytest.mark.parametrize("bottleneck", [True, False])
def test_the_history_has_a_line_for_each_epoch_and_seed(name, bottleneck):
    made = small(name, (3, 1), bottleneck=bottleneck)
    history = train_networks(made, CPU).history
    text = history_csv(made.seeds, history)
    lines = list(csv.DictReader(text.splitlines()))
    assert [(line["epoch"], line["seed"]) for line in lines] == [
        (str(e), str(s)) for e in (1, 2, 3) for s in (3, 1)
    ]
    concepts = algorithm(name).declaration.concepts if bottleneck else ()
    columns = [
        f"validation_{when}.{concept}"
        for when in ("mean_step", "last_step")
        for concept in concepts
    ]
    assert set(columns) == {column for column in lines[0] if "." in column}
    for line in lines:
        place, epoch = (3, 1).index(int(line["seed"])), history[int(line["epoch"]) - 1]
        for key, values in epoch.losses.items():
            assert float(line[f"loss_{key}"]) == pytest.approx(values[place], abs=1e-6)
        if epoch.validation is None:
            assert not any(
                value for column, value in line.items() if column.startswith("validation_")
            )
            continue
        found = epoch.validation[place]
        assert float(line["validation_mean_step"]) == pytest.approx(100 * found.mean_step, abs=1e-3)
        for concept in concepts:
            mean, last = found.per_concept_mean_step[concept], found.per_concept_last_step[concept]
            assert float(line[f"validation_mean_step.{concept}"]) == pytest.approx(
                100 * mean, abs=1e-3
            )
            assert float(line[f"validation_last_step.{concept}"]) == pytest.approx(
                100 * last, abs=1e-3
            )


def test_a_changed_schedule_is_another_experiment():
    assert small() == small()
    assert replace(small(), data_seed=2) != small()


# ---- concepts that are given


def test_a_given_concept_is_right_from_the_first_epoch_on_wherever_the_state_is(tmp_path):
    """Trained, saved, loaded: in the first step, where all states are the true ones, nothing else
    can be.
    """
    made = small("coloring", given=("has_priority",))
    done = train_networks(made, CPU)
    done.save(tmp_path / "run")
    again = load_model(tmp_path / "run")
    assert again.experiment == made
    assert again.rule_sets is not None
    for truth in fixed(algorithm("coloring"), 1, SMALL).tests.values():
        for place in range(2):
            run = free_run(again.network.only(place), truth)
            assert torch.equal(run["has_priority"][0], truth["has_priority"][0])
            assert run.equals(free_run(done.network.only(place), truth))
    first = Network(made.find_algorithm(), made.architecture, made.seeds).state_dict()[
        "perceiver.head_last.weight"
    ]
    place = algorithm("coloring").declaration.concepts.index("has_priority")
    last = again.network.state_dict()["perceiver.head_last.weight"]
    assert torch.equal(first[..., place], last[..., place])  # what is given is not learnt
    assert not torch.equal(first, last)

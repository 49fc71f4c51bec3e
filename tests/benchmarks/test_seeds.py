"""What is told of how a seed trained is what its validations say."""

from __future__ import annotations

import csv
import json
from dataclasses import replace

import pytest
from benchmarks.seeds import _read, _Record, history_of, seeds_of
from hypothesis import given
from hypothesis import strategies as st

from algolens.algorithms import algorithm
from algolens.errors import AlgoLensError
from algolens.evaluation import METRICS, Scores
from algolens.experiment.config import preset
from algolens.experiment.model import history_csv
from algolens.training import Epoch

EXPERIMENT = preset("paper", algorithm("bfs"))
RIGHT = {"graphs": 70} | {metric.name: 1.0 for metric in METRICS if not metric.by_rules}


def validated(epoch: int, right: list[bool]) -> Epoch:
    values = [1.0 if each else 0.75 for each in right]
    scores = [Scores(**RIGHT | {"termination": each}) for each in values]
    return Epoch(epoch, {}, scores, None, float(epoch))


@given(
    st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=12), st.integers(1, 3)
)
def test_a_seed_is_right_from_the_epoch_after_which_nothing_was_wrong(rights, every):
    history = [validated((i + 1) * every, list(each)) for i, each in enumerate(rights)]
    history.append(Epoch(history[-1].epoch + 1, {}, None, None, 99.0))  # not validated
    found = seeds_of(replace(EXPERIMENT, seeds=(3, 7)), history, [history[-2].epoch] * 2)
    assert [each.seed for each in found] == [3, 7]
    for place, seed in enumerate(found):
        epochs = {epoch.epoch: right[place] for epoch, right in zip(history, rights, strict=False)}
        steady = [
            first
            for first in epochs
            if all(right for epoch, right in epochs.items() if epoch >= first)
        ]
        first = next((epoch for epoch, right in epochs.items() if right), None)
        after = [right for epoch, right in epochs.items() if first is not None and epoch > first]
        assert seed.right_from == min(steady, default=None)
        assert seed.first_right == first
        assert (seed.wrong_after_right, seed.validations_after_right) == (
            after.count(False),
            len(after),
        )
        assert seed.selected_right == rights[-1][place]
        assert seed.last["termination"] == (100 if rights[-1][place] else 75)
        assert seed.least == [[epoch, 100 if right else 75] for epoch, right in epochs.items()]


@given(
    st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=12), st.integers(1, 3)
)
def test_a_runs_history_says_what_its_training_said(rights, every):
    experiment = replace(EXPERIMENT, seeds=(3, 7))
    history = [validated((i + 1) * every, list(each)) for i, each in enumerate(rights)]
    history.append(Epoch(history[-1].epoch + 1, {}, None, None, 99.0))  # not validated
    rows = list(csv.DictReader(history_csv(experiment.seeds, history).splitlines()))
    selected = [history[-2].epoch] * 2
    assert seeds_of(experiment, history_of(rows), selected) == seeds_of(
        experiment, history, selected
    )


def test_a_run_of_another_schedule_is_not_taken_into_the_table(tmp_path):
    run, out = tmp_path / "run", tmp_path / "seeds.json"
    with pytest.raises(AlgoLensError, match="is not a run"):
        _read(run, EXPERIMENT, out)
    run.mkdir()
    about = {"device": "cpu", "versions": {}, "selected_epochs": [1]}
    (run / "history.csv").write_text(history_csv((0,), [validated(1, [True])]))
    for beta2 in (EXPERIMENT.schedule.beta2, 0.5):
        made = replace(EXPERIMENT, schedule=replace(EXPERIMENT.schedule, beta2=beta2))
        (run / "experiment.json").write_text(json.dumps({**made.to_json(), "about": about}))
        if beta2 == 0.5:
            with pytest.raises(AlgoLensError, match=r"beta2 0\.5"):
                _read(run, EXPERIMENT, out)
        else:
            record = _read(run, EXPERIMENT, out)
    assert "Right in everything to the end: 1 of 1 seeds." in record.table()


def test_the_record_keeps_what_was_trained_and_refuses_another_schedule(tmp_path):
    cpu, out = "cpu", tmp_path / "seeds.json"
    for seed in (1, 0):
        _Record(out, EXPERIMENT, cpu, False, None).add(
            *seeds_of(replace(EXPERIMENT, seeds=(seed,)), [validated(1, [seed == 1])], [1])
        )
    record = _Record(out, EXPERIMENT, cpu, False, None)
    assert list(record.seeds) == [0, 1]
    text = record.table()
    assert "Right in everything to the end: 1 of 2 seeds." in text
    assert "| 0 | never | never |" in text
    assert (
        json.loads(out.read_text())["schedule"]["learning_rate"]
        == EXPERIMENT.schedule.learning_rate
    )
    other = replace(EXPERIMENT, schedule=replace(EXPERIMENT.schedule, beta2=0.5))
    with pytest.raises(AlgoLensError, match="another schedule or device"):
        _Record(out, other, cpu, False, None)

"""What is told of how a seed trained is what its validations say."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
import torch
from benchmarks.seeds import _overridden, _Record, seeds_of
from hypothesis import given
from hypothesis import strategies as st

from algolens.algorithms import algorithm
from algolens.errors import AlgoLensError
from algolens.evaluation import Scores
from algolens.experiment import preset
from algolens.training import Epoch

EXPERIMENT = preset("paper", algorithm("bfs"))


def validated(epoch: int, right: list[bool]) -> Epoch:
    values = [1.0 if each else 0.75 for each in right]
    scores = [Scores(70, 1.0, 1.0, each, 1.0, 1.0, {}, {}, 1.0, 1.0) for each in values]
    return Epoch(epoch, {}, scores, None, float(epoch))


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=12), st.integers(1, 3))
def test_a_seed_is_right_from_the_epoch_after_which_nothing_was_wrong(rights, every):
    history = [validated((i + 1) * every, list(each)) for i, each in enumerate(rights)]
    history.append(Epoch(history[-1].epoch + 1, {}, None, None, 99.0))  # not validated
    found = seeds_of(replace(EXPERIMENT, seeds=(3, 7)), history, [history[-2].epoch] * 2)
    assert [each.seed for each in found] == [3, 7]
    for place, seed in enumerate(found):
        epochs = {epoch.epoch: right[place] for epoch, right in zip(history, rights, strict=False)}
        steady = [first for first in epochs if all(right for epoch, right in epochs.items() if epoch >= first)]
        first = next((epoch for epoch, right in epochs.items() if right), None)
        after = [right for epoch, right in epochs.items() if first is not None and epoch > first]
        assert seed.right_from == min(steady, default=None)
        assert seed.first_right == first
        assert (seed.wrong_after_right, seed.validations_after_right) == (after.count(False), len(after))
        assert seed.selected_right == rights[-1][place]
        assert seed.last["termination"] == (100 if rights[-1][place] else 75)
        assert seed.least == [[epoch, 100 if right else 75] for epoch, right in epochs.items()]


def test_the_record_keeps_what_was_trained_and_refuses_another_schedule(tmp_path):
    cpu, out = torch.device("cpu"), tmp_path / "seeds.md"
    for seed in (1, 0):
        _Record(out, EXPERIMENT, cpu, False, None).add(
            *seeds_of(replace(EXPERIMENT, seeds=(seed,)), [validated(1, [seed == 1])], [1])
        )
    assert list(_Record(out, EXPERIMENT, cpu, False, None).seeds) == [0, 1]
    text = out.read_text()
    assert "Right in everything to the end: 1 of 2 seeds." in text
    assert "| 0 | never | never |" in text
    assert json.loads(out.with_suffix(".json").read_text())["schedule"]["learning_rate"] == EXPERIMENT.schedule.learning_rate
    other = replace(EXPERIMENT, schedule=replace(EXPERIMENT.schedule, beta2=0.5))
    with pytest.raises(AlgoLensError, match="another schedule or device"):
        _Record(out, other, cpu, False, None)


def test_a_schedule_is_overridden_by_name():
    found = _overridden(EXPERIMENT.schedule, 50, ["beta2=0.95", "prune_epoch=null"])
    assert (found.epochs, found.beta2, found.prune_epoch) == (50, 0.95, None)
    for wrong in ("beta3=1", "beta2", 'beta2="x"'):
        with pytest.raises(AlgoLensError):
            _overridden(EXPERIMENT.schedule, None, [wrong])

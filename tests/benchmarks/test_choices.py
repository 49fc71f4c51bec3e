"""Schedules to choose from are the preset's but for what they say, and their page shows what was
measured.
"""

from __future__ import annotations

from dataclasses import asdict, replace

import pytest
from benchmarks.choices import CHOSEN, SHOWN, TRIED, experiments, table

from algolens.algorithms import algorithm
from algolens.experiment.config import check_experiment, preset


@pytest.mark.parametrize("name", TRIED)
def test_each_schedule_differs_from_the_presets_in_what_it_says(name):
    usual = replace(preset("paper", algorithm(name)), seeds=(3, 4))
    found = experiments(name, (3, 4))
    assert found[CHOSEN] == usual
    for words, each in found.items():
        check_experiment(each)
        settings = asdict(each.schedule)
        differing = {key for key, value in asdict(usual.schedule).items() if settings[key] != value}
        # so no two are alike, and none repeats the preset
        assert differing == set(TRIED[name][words])


@pytest.mark.parametrize("name", TRIED)
def test_a_shorter_training_keeps_its_settings(name):
    for words, each in experiments(name, (0,), epochs=10).items():
        assert each.schedule.epochs == 10
        assert {key: getattr(each.schedule, key) for key in TRIED[name][words]} == TRIED[name][
            words
        ]


def test_the_page_has_a_row_for_each_schedule_and_says_how_it_was_made():
    cells = {
        size: {metric: {"mean": 97.5, "std": 0.25} for metric in SHOWN} for size in ("20", "50")
    }
    made = {
        "algorithm": "coloring",
        "command": "python -m benchmarks.choices coloring",
        "device": "cpu",
        "data_seed": 777,
        "graphs": 800,
        "epochs": 600,
        "seeds": [0, 1],
        "scores": dict.fromkeys(TRIED["coloring"], cells),
    }
    text = table(made)
    assert text.count("97.50 ± 0.25") == len(TRIED["coloring"]) * len(SHOWN) * 2
    assert "`python -m benchmarks.choices coloring`" in text
    assert "800 graphs of each size, of data seed 777" in text

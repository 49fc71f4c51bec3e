"""A reproduction in several processes."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from algolens.algorithms import algorithm, algorithms
from algolens.experiment.config import preset
from algolens.experiment.train import train_networks
from algolens.processes import Processes
from algolens.reproduction.plan import ReproductionPlan, carry_out, folder_of

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture
def _known(monkeypatch):
    # other processes know it too
    monkeypatch.setenv("ALGOLENS_ALGORITHMS", str(EXAMPLES / "paired.py"))
    algorithms.cache_clear()
    yield
    algorithms.cache_clear()


@pytest.mark.usefixtures("_known")
def test_a_reproduction_in_two_processes_gives_the_figures_of_one(tmp_path):
    cpu, paired = torch.device("cpu"), algorithm("paired")
    few = [replace(preset(name, paired), held_out=1) for name in ("standard", "paper")]
    runs = [replace(each, schedule=replace(each.schedule, epochs=1)) for each in few]
    seen: list[str] = []

    def watch(experiment: Any) -> Any:
        return nullcontext(lambda _epoch: seen.append(experiment.preset))

    plan = ReproductionPlan(("paired",), tuple(runs), {}, quick=True)
    carry_out(plan, tmp_path, cpu, "", watch, Processes(2))
    assert sorted(seen) == ["paper", "standard"]
    for run in runs:
        folder = folder_of(tmp_path, run)
        trained = train_networks(run, cpu)
        trained.save(tmp_path / "alone")
        assert (folder / "scores.json").read_text() == (
            tmp_path / "alone" / "scores.json"
        ).read_text()
        assert (folder / "study.json").exists() == run.architecture.bottleneck
        (tmp_path / "alone").rename(tmp_path / run.preset)

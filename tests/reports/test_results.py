"""Pages and tables say what the files hold."""

from __future__ import annotations

import io
import json

import pytest
from rich.console import Console

from algolens.errors import AlgoLensError
from algolens.reports import scores_table
from algolens.reports.results import published, results_page

SIZES = ("20", "50", "100")


def written(folder, name: str, preset: str, mean: float) -> None:
    """A run's files, with one figure everywhere."""
    cell = {"mean": mean, "std": 0.25}
    metrics = ("mean_step", "last_step", "termination", "graphs_right")
    scores = {
        "algorithm": name,
        "preset": preset,
        "seeds": [0, 1],
        "sizes": {size: {"graphs": 80, **dict.fromkeys(metrics, cell)} for size in SIZES},
    }
    about = {
        "command": f"algolens train {name}",
        "training_seconds": 12.3,
        "device": "cpu",
        "versions": {"torch": "2"},
        "selected_epochs": [7, 9],
    }
    (folder / name).mkdir()
    (folder / name / "scores.json").write_text(json.dumps(scores))
    (folder / name / "experiment.json").write_text(json.dumps({"about": about, "schedule": {"epochs": 10}}))


def test_a_figure_below_the_published_mean_is_marked(tmp_path):
    written(tmp_path, "coloring", "paper", 99.2)
    page = results_page(tmp_path)
    theirs = published()["coloring"]["bottleneck"]["mean_step"]
    cells = [f"{'99.20 ± 0.25' if mean <= 99.2 else '**99.20 ± 0.25**'} ({mean:.2f})" for mean, _ in theirs]
    assert "| mean-step | " + " | ".join(cells) + " |" in page
    assert "| graphs right in every step | 99.20 ± 0.25 | 99.20 ± 0.25 | 99.20 ± 0.25 |" in page  # the paper has none
    assert "`algolens train coloring`: 2 seeds, 10 epochs" in page


def test_every_run_of_a_folder_has_its_section(tmp_path):
    written(tmp_path, "bfs", "standard", 100.0)
    written(tmp_path, "coloring", "paper", 100.0)
    page = results_page(tmp_path)
    assert page.index("## bfs, standard") < page.index("## coloring, paper")
    assert "**100.00" not in page


def test_remarks_on_a_run_stand_under_its_table(tmp_path):
    written(tmp_path, "bfs", "paper", 100.0)
    (tmp_path / "bfs" / "remarks.md").write_text("Made before a change.\n")
    assert results_page(tmp_path).endswith("|\n\nMade before a change.\n")


def test_a_folder_without_runs_is_refused(tmp_path):
    with pytest.raises(AlgoLensError, match="no run is here"):
        results_page(tmp_path)


def test_the_table_shows_what_there_is(tmp_path):
    written(tmp_path, "bfs", "paper", 87.5)
    console = Console(width=120, record=True, file=io.StringIO())
    console.print(scores_table(json.loads((tmp_path / "bfs" / "scores.json").read_text())))
    text = console.export_text()
    assert text.count("87.50 ± 0.25") == 4 * len(SIZES)
    assert "concepts" not in text

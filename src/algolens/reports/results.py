"""Our scores beside the published ones, as Markdown.

    python -m algolens.reports.results results docs/results.md

reads every run's ``scores.json`` and ``experiment.json`` in a folder, and writes one page.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

from algolens.errors import AlgoLensError
from algolens.reports.scores import TITLES

MODELS = {"standard": "standard", "paper": "bottleneck", "paper-unregularised": "bottleneck_unregularised"}


def published() -> dict[str, Any]:
    """The paper's figures: percent, mean and standard deviation over 5 runs, at 20, 50 and 100 nodes."""
    return json.loads((files("algolens.reports") / "published.json").read_text(encoding="utf-8"))


def results_page(folder: Path) -> str:
    """The page of all runs in a folder."""
    runs = sorted(path.parent for path in folder.glob("*/scores.json"))
    if not runs:
        raise AlgoLensError(f"{folder}: no run is here (no */scores.json). Give the folder that holds the runs' folders.")
    parts = [
        "# Results",
        "Percent right, mean ± standard deviation over seeds; the published figure in parentheses. **Bold** is below the "
        "published mean. Networks run freely: they see their own past and nothing of the truth. Made by `make results` from "
        "`results/`; each run's folder holds its configuration, scores and history.",
    ]
    for run in runs:
        scores, experiment = (json.loads((run / name).read_text()) for name in ("scores.json", "experiment.json"))
        parts.append(_section(scores, experiment))
        if (run / "remarks.md").is_file():  # what a reader should know of this run
            parts.append((run / "remarks.md").read_text(encoding="utf-8").strip())
    return "\n\n".join(parts) + "\n"


def _section(scores: Mapping[str, Any], experiment: Mapping[str, Any]) -> str:
    about = experiment["about"]
    model = MODELS.get(scores["preset"], scores["preset"])
    theirs = published().get(scores["algorithm"], {}).get(model, {})
    sizes = scores["sizes"]
    head = ["| |" + "|".join(f" {size} nodes, {found['graphs']} graphs " for size, found in sizes.items()) + "|"]
    head.append("|---|" + "---|" * len(sizes))
    rows = []
    for metric, title in TITLES.items():
        if all(metric in found for found in sizes.values()):
            cells = [_cell(found[metric], _figure(theirs, metric, size)) for size, found in sizes.items()]
            rows.append(f"| {title} | " + " | ".join(cells) + " |")
    seeds = len(scores["seeds"])
    made = (
        f"`{about['command']}`: {seeds} seed{'s' if seeds > 1 else ''}, {experiment['schedule']['epochs']} epochs, "
        f"trained in {about['training_seconds']:.0f} s on {about['device']} (PyTorch {about['versions']['torch']}); "
        f"selected epochs {', '.join(map(str, about['selected_epochs']))}."
    )
    return "\n".join([f"## {scores['algorithm']}, {scores['preset']}", "", made, "", *head, *rows])


def _figure(theirs: Mapping[str, Any], metric: str, size: str) -> float | None:
    known = published()["sizes"]
    return theirs[metric][known.index(int(size))][0] if metric in theirs and int(size) in known else None


def _cell(ours: Any, theirs: float | None) -> str:
    mean, text = (
        (ours["mean"], f"{ours['mean']:.2f} ± {ours['std']:.2f}") if isinstance(ours, Mapping) else (ours, f"{ours:.2f}")
    )
    if theirs is None:
        return text
    # the paper gives two decimals
    return f"{text} ({theirs:.2f})" if round(mean, 2) >= theirs else f"**{text}** ({theirs:.2f})"


if __name__ == "__main__":
    Path(sys.argv[2]).write_text(results_page(Path(sys.argv[1])), encoding="utf-8")

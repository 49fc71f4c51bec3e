"""The accuracies beside the published ones: tables to read, and tables.json."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from algolens.reports.material import MODEL_TITLES, Material, ShownRun, protocol_note, published
from algolens.reports.scores import TITLES
from algolens.reports.tables import Table

BETTER, EQUAL, WORSE = "▲", "≈", "▼"
IN_WORDS = {BETTER: "better", EQUAL: "equal within the deviation", WORSE: "worse", "": ""}  # the published deviation
LEGEND = (
    f"Percent right, mean ± standard deviation over seeds; the published figure in parentheses. {BETTER} better than "
    f"published, {EQUAL} equal within the published deviation, {WORSE} worse. Networks run freely: they see their own past and "
    "nothing of the truth."
)
ROUNDING = 0.005  # the paper gives two decimals


def tables_json(material: Material) -> dict[str, Any]:
    """Every score of the tables: {algorithm: {model: {metric: {size: {'mean', 'std'}}}}}, named as in published.json."""
    found: dict[str, Any] = {}
    for run in material.learnt:
        sizes = run.scores["sizes"]
        found.setdefault(run.algorithm, {})[run.model] = {
            metric: {size: mean_and_std(values[metric]) for size, values in sizes.items() if metric in values}
            for metric in TITLES
            if any(metric in values for values in sizes.values())
        }
    return found


def accuracy_table(algorithm: str, runs: Sequence[ShownRun]) -> Table:
    """A row for each network and metric, a column for each size."""
    sizes = sorted({size for run in runs for size in run.scores["sizes"]}, key=int)
    rows: list[list[str]] = []
    records: list[dict[str, Any]] = []
    for run in runs:
        title = MODEL_TITLES.get(run.model, run.model)
        for metric, words in TITLES.items():
            cells = {size: run.scores["sizes"].get(size, {}).get(metric) for size in sizes}
            if all(cell is None for cell in cells.values()):
                continue
            row = [title, words]
            for size, cell in cells.items():
                theirs = published_cell(algorithm, run.model, metric, size)
                row.append("" if cell is None else _cell(mean_and_std(cell), theirs))
                if cell is not None:
                    records.append(_record(run, metric, size, mean_and_std(cell), theirs))
            rows.append(row)
            title = ""  # said once
    graphs = {size: next(run.scores["sizes"][size]["graphs"] for run in runs if size in run.scores["sizes"]) for size in sizes}
    return Table(
        name=f"accuracies-{algorithm}",
        title=f"Accuracies of {algorithm}",
        columns=["network", "accuracy", *(f"{size} nodes ({graphs[size]} graphs)" for size in sizes)],
        rows=rows,
        notes=[LEGEND, _about_exact(runs)],
        protocol=protocol_note(runs),
        records=records,
    )


def published_cell(algorithm: str, model: str, metric: str, size: str) -> tuple[float, float] | None:
    """What the paper gives: mean and deviation, or nothing. An exact network stands beside the paper's bottleneck."""
    known = published()
    cells = known.get(algorithm, {}).get("bottleneck" if model == "exact" else model, {}).get(metric)
    if cells is None or int(size) not in known["sizes"]:
        return None
    mean, std = cells[known["sizes"].index(int(size))]
    return mean, std


def compared(ours: Mapping[str, float], theirs: tuple[float, float] | None) -> str:
    """The mark of a figure beside a published one; nothing where there is none."""
    if theirs is None:
        return ""
    difference = ours["mean"] - theirs[0]
    if abs(difference) <= max(theirs[1], ROUNDING):  # not ours: a large one would hide that we are worse
        return EQUAL
    return BETTER if difference > 0 else WORSE


def mean_and_std(value: Any) -> dict[str, float]:
    """A score of several seeds as it is; of one seed, without deviation."""
    if isinstance(value, Mapping):
        return {"mean": value["mean"], "std": value["std"]}
    return {"mean": value, "std": 0.0}


def _cell(ours: Mapping[str, float], theirs: tuple[float, float] | None) -> str:
    text = f"{ours['mean']:.2f} ± {ours['std']:.2f}"
    return text if theirs is None else f"{text} {compared(ours, theirs)} ({theirs[0]:.2f} ± {theirs[1]:.2f})"


def _record(
    run: ShownRun, metric: str, size: str, ours: Mapping[str, float], theirs: tuple[float, float] | None
) -> dict[str, Any]:
    return {
        "algorithm": run.algorithm,
        "model": run.model,
        "metric": metric,
        "size": size,
        "mean": ours["mean"],
        "std": ours["std"],
        "seeds": len(run.scores["seeds"]),
        "published_mean": "" if theirs is None else theirs[0],
        "published_std": "" if theirs is None else theirs[1],
        "compared": IN_WORDS[compared(ours, theirs)],
    }


def _about_exact(runs: Sequence[ShownRun]) -> str:
    shown = any(run.model == "exact" for run in runs)
    return "The paper has no exact networks: beside them stand the published figures of its bottleneck." if shown else ""

"""The accuracies beside the published ones: tables to read, and tables.json."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from algolens.reports.comparison import (
    BETTER,
    EQUAL,
    ROUNDING,
    UNKNOWN,
    WORSE,
    Figure,
    compared,
    margin,
    mean_and_std,
    read_figure,
)
from algolens.reports.material import Material, ShownRun, as_file_name, departures_note, published
from algolens.reports.scores import TITLES
from algolens.reports.tables import ALL_RIGHT, Table

Pair = tuple[float, float]  # a published mean and deviation
IN_WORDS = {BETTER: "better", EQUAL: "not told apart", WORSE: "worse", UNKNOWN: "unknown", "": ""}
LEGEND = (
    f"Percent right, mean ± standard deviation over seeds; the published figure in parentheses. {BETTER} better than "
    f"published, {WORSE} worse, {EQUAL} not told apart: a difference counts where it exceeds what seeds and test graphs, ours "
    "and theirs together, bring about by chance in 19 of 20 cases. Networks run freely: they see their own past and nothing "
    "of the truth."
)
PLAIN_LEGEND = (
    "Percent right, mean ± standard deviation over seeds. Networks run freely: they see their own past and nothing of the "
    "truth."
)
NOT_MEASURED = (
    f"{UNKNOWN} not compared: scores.json says nothing of single graphs. It is made anew where the weights are there."
)


def tables_json(material: Material) -> dict[str, Any]:
    """Every score of the tables: {algorithm: {network: {metric: {size: {'mean', 'std'}}}}}, named as in published.json.

    Under 'departures', by run, how it differs from the paper.
    """
    found: dict[str, Any] = {
        "departures": {material.name_of(run): [each.to_json() for each in run.departures] for run in material.runs}
    }
    for run in material.learnt:
        sizes = run.scores["sizes"]
        found.setdefault(run.algorithm, {})[run.key] = {
            metric: {size: mean_and_std(values[metric]) for size, values in sizes.items() if metric in values}
            for metric in TITLES
            if any(metric in values for values in sizes.values())
        }
    return found


def accuracy_table(algorithm: str, runs: Sequence[ShownRun]) -> Table:
    """A row for each network and metric, a column for each size."""
    sizes = sorted({size for run in runs for size in run.scores["sizes"]}, key=int)
    rows: list[list[str]] = []
    for run in runs:
        count = len(run.departures)
        title = run.network + (f", {count} departure{'' if count == 1 else 's'}" if count else "")
        for metric, words in TITLES.items():
            figures = {size: read_figure(run.scores, size, metric) for size in sizes}
            if any(figures.values()):
                errors = error_size(runs, metric)
                cells = {size: published_cell(algorithm, run.model, metric, size) for size in sizes}
                shown = ["" if each is None else _cell(each, cells[size], errors) for size, each in figures.items()]
                rows.append([title, words, *shown])
    graphs = {size: next(run.scores["sizes"][size]["graphs"] for run in runs if size in run.scores["sizes"]) for size in sizes}
    records = [_record(*each) for each in compared_figures(algorithm, runs)]
    compares = any(record["compared"] for record in records)
    unknown = any(UNKNOWN in cell for row in rows for cell in row[2:])
    return Table(
        name=f"accuracies-{as_file_name(algorithm)}",
        title=f"Accuracies of {algorithm}",
        columns=["network", "accuracy", *(f"{size} nodes ({graphs[size]} graphs)" for size in sizes)],
        rows=rows,
        said_once=1,
        all_right=ALL_RIGHT,
        legend=LEGEND if compares else PLAIN_LEGEND,
        notes=[NOT_MEASURED if unknown else "", seeds_below(algorithm, runs), _about_exact(runs)],
        departures=departures_note(runs),
        records=records,
    )


def compared_figures(
    algorithm: str, runs: Sequence[ShownRun]
) -> Iterator[tuple[ShownRun, str, str, Figure, Pair | None, float]]:
    """Every figure of a table: its run, metric and size, the published one where there is one, and how large errors are."""
    for run in runs:
        for metric in TITLES:
            for size in sorted(run.scores["sizes"], key=int):
                figure = read_figure(run.scores, size, metric)
                if figure is not None:
                    theirs = published_cell(algorithm, run.model, metric, size)
                    yield run, metric, size, figure, theirs, error_size(runs, metric)


def error_size(runs: Sequence[ShownRun], metric: str) -> float:
    """How large an error is where there is one: the largest of all sizes and networks of a table; 1 where none errs."""
    figures = [read_figure(run.scores, size, metric) for run in runs for size in run.scores["sizes"]]
    sizes = [figure.error_size for figure in figures if figure is not None]
    return max((size for size in sizes if size is not None), default=1.0)


def seeds_below(algorithm: str, runs: Sequence[ShownRun]) -> str:
    """Single seeds that miss a published mean which others of their run reach: a mean over seeds would hide them."""
    sentences: list[str] = []
    for run in runs:
        for size, seeds in run.scores.get("by_seed", {}).items():
            for metric, words in TITLES.items():
                theirs = published_cell(algorithm, run.model, metric, size)
                if theirs is None or seeds[0].get(metric) is None:
                    continue
                values = {seed: 100 * each[metric] for seed, each in zip(run.scores["seeds"], seeds, strict=True)}
                below = [f"seed {seed} {value:.2f}" for seed, value in values.items() if value < theirs[0] - ROUNDING]
                if 0 < len(below) < len(values):
                    sentences.append(f"{run.title}, {words} at {size} nodes: {', '.join(below)}.")
    return " ".join(["Seeds below a published mean that others of their run reach:", *sentences]) if sentences else ""


def published_cell(algorithm: str, model: str, metric: str, size: str) -> Pair | None:
    """What the paper gives: mean and deviation, or nothing. An exact network stands beside the paper's bottleneck."""
    known = published()
    cells = known.get(algorithm, {}).get("bottleneck" if model == "exact" else model, {}).get(metric)
    if cells is None or int(size) not in known["sizes"]:
        return None
    mean, std = cells[known["sizes"].index(int(size))]
    return mean, std


def _cell(ours: Figure, theirs: Pair | None, errors: float) -> str:
    text = f"{ours.mean:.2f} ± {ours.std:.2f}"
    return text if theirs is None else f"{text} {compared(ours, theirs, errors)} ({theirs[0]:.2f} ± {theirs[1]:.2f})"


def _record(run: ShownRun, metric: str, size: str, ours: Figure, theirs: Pair | None, errors: float) -> dict[str, Any]:
    unknown = theirs is None or ours.spread is None
    return {
        "algorithm": run.algorithm,
        "model": run.key,
        "metric": metric,
        "size": size,
        "mean": ours.mean,
        "std": ours.std,
        "seeds": ours.seeds,
        "graphs": ours.graphs,
        "spread_over_graphs": "" if ours.spread is None else ours.spread,
        "published_mean": "" if theirs is None else theirs[0],
        "published_std": "" if theirs is None else theirs[1],
        "margin": "" if unknown or theirs is None else margin(ours, theirs, errors),
        "compared": IN_WORDS[compared(ours, theirs, errors)],
        "departures": "; ".join(map(str, run.departures)),
    }


def _about_exact(runs: Sequence[ShownRun]) -> str:
    shown = any(run.model == "exact" and run.algorithm in published() for run in runs)
    return "The paper has no exact networks: beside them stand the published figures of its bottleneck." if shown else ""

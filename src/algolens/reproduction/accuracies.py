"""The accuracies beside the published ones: tables to read, and tables.json."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from algolens.reports.material import Material, ShownModel, as_file_name, departures_note, published
from algolens.reports.tables import RIGHT_WITHIN, Table
from algolens.reproduction.significance import (
    BETTER,
    EQUAL,
    ROUNDING,
    UNKNOWN,
    WORSE,
    ComparedFigure,
    Figure,
    Published,
    compare_all,
    interval,
    mean_and_std,
    read_figure,
)
from algolens.terminal.scores import TITLES

# figures, by run, metric and size, with published ones
Compared = Mapping[tuple[ShownModel, str, str], ComparedFigure]
IN_WORDS = {BETTER: "better", EQUAL: "indistinguishable", WORSE: "worse", UNKNOWN: "unknown"}
PLAIN_LEGEND = (
    "Percent right: mean over seeds, and in brackets its 95 % interval, over seeds and test "
    "graphs. Networks run freely: they see their own past and nothing of the truth."
)
LEGEND = (
    f"{PLAIN_LEGEND} In parentheses the published figure, mean ± standard deviation over seeds. "
    f"{BETTER} significantly better than published, {WORSE} significantly worse, {EQUAL} "
    "statistically indistinguishable: a difference counts where seeds and test graphs, ours and "
    "theirs together, do not explain it, at 5 % for all comparisons of the report together (Holm)."
)
NOT_MEASURED = (
    f"{UNKNOWN} not compared: scores.json says nothing of single graphs. It is made anew where the "
    "weights are there."
)


def tables_json(material: Material) -> dict[str, Any]:
    """Every score of the tables: {algorithm: {network: {metric: {size: {'mean', 'std'}}}}}, named
    as in published.json.

    'interval': over seeds and test graphs. Under 'departures', by run, how it differs from the
    paper; under 'fresh', the same scores on fresh graphs.
    """
    found: dict[str, Any] = {
        "departures": {
            material.name_of(run): [each.to_json() for each in run.departures]
            for run in material.runs
        }
    }
    for name in material.algorithms:
        runs = material.of(name)
        found[name] = {run.key: _scores_json(runs, run) for run in runs}
        fresh = on_fresh_graphs(runs)
        if fresh:
            found.setdefault("fresh", {})[name] = {
                run.key: _scores_json(fresh, run) for run in fresh
            }
    return found


def _scores_json(runs: Sequence[ShownModel], run: ShownModel) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for metric in TITLES:
        for size in run.scores["sizes"]:
            figure = read_figure(run.scores, size, metric)
            if figure is not None:
                bounds = interval(figure, error_size(runs, metric))
                cell = mean_and_std(run.scores["sizes"][size][metric])
                found.setdefault(metric, {})[size] = (
                    cell if bounds is None else {**cell, "interval": list(bounds)}
                )
    return found


def on_fresh_graphs(runs: Sequence[ShownModel]) -> list[ShownModel]:
    """The runs that were scored on fresh graphs, with these scores in the place of the others."""
    return [replace(run, scores=run.fresh) for run in runs if run.fresh is not None]


def compared_with_published(material: Material) -> Compared:
    """All figures that stand beside a published one of their network; marks are corrected for how
    many these are.
    """
    tests = {
        (run, metric, size): (figure, theirs, errors)
        for name in material.algorithms
        for run, metric, size, figure, theirs, errors in compared_figures(name, material.of(name))
        if theirs is not None and run.model != "exact"
    }
    return dict(zip(tests, compare_all(list(tests.values())), strict=True))


def accuracy_table(algorithm: str, runs: Sequence[ShownModel], compared: Compared) -> Table:
    """A row for each network and metric, a column for each size."""
    records = [_record(compared, *each) for each in compared_figures(algorithm, runs)]
    unknown = any(record["compared"] == IN_WORDS[UNKNOWN] for record in records)
    return replace(
        _table(algorithm, runs, compared),
        legend=LEGEND if any(record["compared"] for record in records) else PLAIN_LEGEND,
        notes=[NOT_MEASURED if unknown else "", seeds_below(algorithm, runs), _about_exact(runs)],
        records=records,
    )


def fresh_table(algorithm: str, runs: Sequence[ShownModel]) -> Table | None:
    """The same on fresh graphs, without marks; None where no run was scored on any."""
    fresh = on_fresh_graphs(runs)
    if not fresh:
        return None
    seeds = sorted({run.scores["test_graphs"]["data_seed"] for run in fresh})
    table = _table(algorithm, fresh, {})
    return replace(
        table,
        name=f"fresh-{as_file_name(algorithm)}",
        title=f"Accuracies of {algorithm} on fresh graphs",
        legend=PLAIN_LEGEND,
        notes=[
            f"Graphs of data seed {', '.join(map(str, seeds))}, which nothing was chosen by; none "
            "of them is in a set of the table before. In parentheses the published figures, on "
            "the paper's own test graphs."
        ],
        records=[_record({}, *each) for each in compared_figures(algorithm, fresh)],
    )


def _table(algorithm: str, runs: Sequence[ShownModel], compared: Compared) -> Table:
    sizes = sorted({size for run in runs for size in run.scores["sizes"]}, key=int)
    rows: list[list[str]] = []
    for run in runs:
        count = len(run.departures)
        title = run.network + (f", {count} departure{'' if count == 1 else 's'}" if count else "")
        for metric, words in TITLES.items():
            figures = {size: read_figure(run.scores, size, metric) for size in sizes}
            if any(figures.values()):
                errors = error_size(runs, metric)
                shown = [
                    ""
                    if each is None
                    else _cell(
                        each,
                        published_cell(algorithm, run.model, metric, size),
                        errors,
                        compared.get((run, metric, size)),
                    )
                    for size, each in figures.items()
                ]
                rows.append([title, words, *shown])
    graphs = {
        size: next(
            run.scores["sizes"][size]["graphs"] for run in runs if size in run.scores["sizes"]
        )
        for size in sizes
    }
    return Table(
        name=f"accuracies-{as_file_name(algorithm)}",
        title=f"Accuracies of {algorithm}",
        columns=[
            "network",
            "accuracy",
            *(f"{size} nodes ({graphs[size]:,} graphs)" for size in sizes),
        ],
        rows=rows,
        said_once=1,
        all_right=RIGHT_WITHIN,
        departures=departures_note(runs),
    )


def compared_figures(
    algorithm: str, runs: Sequence[ShownModel]
) -> Iterator[tuple[ShownModel, str, str, Figure, Published | None, float]]:
    """Every figure of a table: its run, metric and size, the published one where there is one, and
    how large errors are.
    """
    for run in runs:
        for metric in TITLES:
            for size in sorted(run.scores["sizes"], key=int):
                figure = read_figure(run.scores, size, metric)
                if figure is not None:
                    theirs = published_cell(algorithm, run.model, metric, size)
                    yield run, metric, size, figure, theirs, error_size(runs, metric)


def error_size(runs: Sequence[ShownModel], metric: str) -> float:
    """How large an error is where there is one: the largest of all sizes and networks of a table; 1
    where none errs.
    """
    figures = [
        read_figure(run.scores, size, metric) for run in runs for size in run.scores["sizes"]
    ]
    sizes = [figure.error_size for figure in figures if figure is not None]
    return max((size for size in sizes if size is not None), default=1.0)


def seeds_below(algorithm: str, runs: Sequence[ShownModel]) -> str:
    """Single seeds that miss a published mean which others of their run reach: a mean over seeds
    would hide them.
    """
    sentences: list[str] = []
    for run in runs:
        for size, seeds in run.scores.get("by_seed", {}).items():
            for metric, words in TITLES.items():
                theirs = published_cell(algorithm, run.model, metric, size)
                if theirs is None or seeds[0].get(metric) is None:
                    continue
                values = {
                    seed: 100 * each[metric]
                    for seed, each in zip(run.scores["seeds"], seeds, strict=True)
                }
                below = [
                    f"seed {seed} {value:.2f}"
                    for seed, value in values.items()
                    if value < theirs[0] - ROUNDING
                ]
                if 0 < len(below) < len(values):
                    sentences.append(f"{run.title}, {words} at {size} nodes: {', '.join(below)}.")
    return (
        " ".join(["Seeds below a published mean that others of their run reach:", *sentences])
        if sentences
        else ""
    )


def published_cell(algorithm: str, model: str, metric: str, size: str) -> Published | None:
    """What the paper gives: mean and deviation, or nothing.

    The network that is as in the paper, and an exact one, stand beside the paper's bottleneck.
    """
    known = published()
    cells = (
        known.get(algorithm, {})
        .get("bottleneck" if model in ("exact", "literal") else model, {})
        .get(metric)
    )
    if cells is None or int(size) not in known["sizes"]:
        return None
    mean, std = cells[known["sizes"].index(int(size))]
    return mean, std


def _cell(
    ours: Figure, theirs: Published | None, errors: float, compared: ComparedFigure | None
) -> str:
    bounds = interval(ours, errors)
    text = (
        f"{ours.mean:.2f}"
        if bounds is None
        else f"{ours.mean:.2f} [{bounds[0]:.2f}, {bounds[1]:.2f}]"
    )
    mark = "" if compared is None else compared.mark
    return " ".join(
        filter(None, (text, mark, "" if theirs is None else f"({theirs[0]:.2f} ± {theirs[1]:.2f})"))
    )


def _record(
    compared: Compared,
    run: ShownModel,
    metric: str,
    size: str,
    ours: Figure,
    theirs: Published | None,
    errors: float,
) -> dict[str, Any]:
    found, bounds = compared.get((run, metric, size)), interval(ours, errors)
    return {
        "algorithm": run.algorithm,
        "model": run.key,
        "metric": metric,
        "size": size,
        "mean": ours.mean,
        "low": "" if bounds is None else bounds[0],
        "high": "" if bounds is None else bounds[1],
        "std": ours.std,
        "seeds": ours.seeds,
        "graphs": ours.graphs,
        "spread_over_graphs": "" if ours.spread is None else ours.spread,
        "published_mean": "" if theirs is None else theirs[0],
        "published_std": "" if theirs is None else theirs[1],
        "p_value": "" if found is None or found.p_value is None else found.p_value,
        "compared": "" if found is None else IN_WORDS[found.mark],
        "departures": "; ".join(map(str, run.departures)),
    }


def _about_exact(runs: Sequence[ShownModel]) -> str:
    shown = any(run.model == "exact" and run.algorithm in published() for run in runs)
    return (
        "The paper has no exact networks: beside them stand the published figures of its "
        "bottleneck."
        if shown
        else ""
    )

"""The accuracies beside the published ones: tables to read, and tables.json."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from algolens.evaluation import TITLES
from algolens.reading import package_json
from algolens.reports.material import (
    Material,
    ShownModel,
    as_file_name,
    departures_note,
    in_order,
    nodes_in_words,
)
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
    read_figure,
)

Key = tuple[ShownModel, str, str]  # a run, a metric and a size
Compared = Mapping[Key, ComparedFigure]  # the figures that have published ones
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
NO_EXACT = (
    "The paper has no exact networks: beside them stand the published figures of its bottleneck."
)


@dataclass(frozen=True)
class TableFigure:
    """A figure of a table, and the published one where there is one."""

    run: ShownModel
    metric: str
    size: str
    ours: Figure
    theirs: Published | None
    error_size: float  # how large errors are in the whole table

    @property
    def key(self) -> Key:
        """What it is the figure of."""
        return self.run, self.metric, self.size

    @property
    def bounds(self) -> tuple[float, float] | None:
        """Its interval; None where graphs were not measured."""
        return interval(self.ours, self.error_size)

    def cell(self, compared: ComparedFigure | None) -> str:
        """Itself in a table, with its interval, a mark, and the published figure."""
        text = f"{self.ours.mean:.2f}"
        if self.bounds is not None:
            text += f" [{self.bounds[0]:.2f}, {self.bounds[1]:.2f}]"
        if compared is not None:
            text += f" {compared.mark}"
        return (
            text if self.theirs is None else f"{text} ({self.theirs[0]:.2f} ± {self.theirs[1]:.2f})"
        )

    def record(self, compared: ComparedFigure | None) -> dict[str, Any]:
        """Itself as a line of a CSV."""
        low, high = self.bounds or ("", "")
        published_mean, published_std = self.theirs or ("", "")
        record = {
            "algorithm": self.run.algorithm,
            "model": self.run.key,
            "metric": self.metric,
            "size": self.size,
            "mean": self.ours.mean,
            "low": low,
            "high": high,
            "std": self.ours.std,
            "seeds": self.ours.seeds,
            "graphs": self.ours.graphs,
            "spread_over_graphs": self.ours.spread,
            "published_mean": published_mean,
            "published_std": published_std,
            "p_value": None if compared is None else compared.p_value,
            "compared": "" if compared is None else IN_WORDS[compared.mark],
            "departures": "; ".join(map(str, self.run.departures)),
        }
        return {name: "" if value is None else value for name, value in record.items()}


def table_figures(algorithm: str, runs: Sequence[ShownModel]) -> Iterator[TableFigure]:
    """Every figure of a table, by run, metric and size."""
    errors = {metric: error_size(runs, metric) for metric in TITLES}
    for run in runs:
        for metric in TITLES:
            for size in in_order(run.scores.sizes):
                ours = read_figure(run.scores, size, metric)
                if ours is not None:
                    theirs = published_cell(algorithm, run, metric, size)
                    yield TableFigure(run, metric, size, ours, theirs, errors[metric])


def tables_json(material: Material) -> dict[str, Any]:
    """Every score of the tables: {algorithm: {network: {metric: {size: {'mean', 'std'}}}}}.

    'interval': over seeds and test graphs. Under 'departures', by run, how it differs from the
    paper; under 'fresh', the same scores on fresh graphs.
    """
    tables: dict[str, Any] = {
        "departures": {
            material.name_of(run): [departure.to_json() for departure in run.departures]
            for run in material.runs
        }
    }
    for name in material.algorithms:
        tables[name] = _scores_json(name, material.of(name))
        if fresh := on_fresh_graphs(material.of(name)):
            tables.setdefault("fresh", {})[name] = _scores_json(name, fresh)
    return tables


def _scores_json(algorithm: str, runs: Sequence[ShownModel]) -> dict[str, Any]:
    scores: dict[str, Any] = {run.key: {} for run in runs}
    for figure in table_figures(algorithm, runs):
        cell: dict[str, Any] = {"mean": figure.ours.mean, "std": figure.ours.std}
        if figure.bounds is not None:
            cell["interval"] = list(figure.bounds)
        scores[figure.run.key].setdefault(figure.metric, {})[figure.size] = cell
    return scores


def on_fresh_graphs(runs: Sequence[ShownModel]) -> list[ShownModel]:
    """The runs that were scored on fresh graphs, with these scores in the place of the others."""
    return [replace(run, scores=run.fresh) for run in runs if run.fresh is not None]


def compared_with_published(material: Material) -> Compared:
    """All figures with a published one of their network; marks are corrected for their number."""
    tests = {
        figure.key: (figure.ours, figure.theirs, figure.error_size)
        for name in material.algorithms
        for figure in table_figures(name, material.of(name))
        if figure.theirs is not None and figure.run.model != "exact"
    }
    return dict(zip(tests, compare_all(list(tests.values())), strict=True))


def accuracy_table(algorithm: str, runs: Sequence[ShownModel], compared: Compared) -> Table:
    """A row for each network and metric, a column for each size."""
    marks = [mark.mark for (run, _, _), mark in compared.items() if run in runs]
    has_exact = any(run.model == "exact" for run in runs) and algorithm in published()
    return replace(
        _table(algorithm, runs, compared),
        legend=LEGEND if marks else PLAIN_LEGEND,
        notes=[
            NOT_MEASURED if UNKNOWN in marks else "",
            seeds_below(algorithm, runs),
            NO_EXACT if has_exact else "",
        ],
    )


def fresh_table(algorithm: str, runs: Sequence[ShownModel]) -> Table | None:
    """The same on fresh graphs, without marks; None where no run was scored on any."""
    fresh = on_fresh_graphs(runs)
    if not fresh:
        return None
    seeds = sorted(
        {run.scores.test_graphs.data_seed for run in fresh if run.scores.test_graphs is not None}
    )
    return replace(
        _table(algorithm, fresh, {}),
        name=f"fresh-{as_file_name(algorithm)}",
        title=f"Accuracies of {algorithm} on fresh graphs",
        legend=PLAIN_LEGEND,
        notes=[
            f"Graphs of data seed {', '.join(map(str, seeds))}, which nothing was chosen by; none "
            "of them is in a set of the table before. In parentheses the published figures, on "
            "the paper's own test graphs."
        ],
    )


def _table(algorithm: str, runs: Sequence[ShownModel], compared: Compared) -> Table:
    rows: dict[tuple[str, str], dict[str, str]] = {}
    graphs: dict[str, int] = {}
    records = []
    for figure in table_figures(algorithm, runs):
        mark, count = compared.get(figure.key), len(figure.run.departures)
        departing = f", {count} departure{'' if count == 1 else 's'}" if count else ""
        row = rows.setdefault((figure.run.network + departing, TITLES[figure.metric]), {})
        row[figure.size] = figure.cell(mark)
        graphs.setdefault(figure.size, figure.ours.graphs)
        records.append(figure.record(mark))
    sizes = in_order(graphs)
    return Table(
        name=f"accuracies-{as_file_name(algorithm)}",
        title=f"Accuracies of {algorithm}",
        columns=[
            "network",
            "accuracy",
            *(f"{nodes_in_words(size)} ({graphs[size]:,} graphs)" for size in sizes),
        ],
        rows=[[*key, *(cells.get(size, "") for size in sizes)] for key, cells in rows.items()],
        records=records,
        said_once=1,
        all_right=RIGHT_WITHIN,
        departures=departures_note(runs),
    )


def error_size(runs: Sequence[ShownModel], metric: str) -> float:
    """How large an error is: the largest of all sizes and networks of a table; 1 without any."""
    figures = [read_figure(run.scores, size, metric) for run in runs for size in run.scores.sizes]
    sizes = [figure.error_size for figure in figures if figure is not None]
    return max((size for size in sizes if size is not None), default=1.0)


def seeds_below(algorithm: str, runs: Sequence[ShownModel]) -> str:
    """Single seeds that miss a published mean which others of their run reach."""
    sentences: list[str] = []
    for run in runs:
        for size, seeds in run.scores.by_seed.items():
            for metric, words in TITLES.items():
                theirs = published_cell(algorithm, run, metric, size)
                if theirs is None:
                    continue
                below = [
                    f"seed {seed} {100 * share:.2f}"
                    for seed, scores in zip(run.scores.seeds, seeds, strict=True)
                    if (share := getattr(scores, metric)) is not None
                    and 100 * share < theirs[0] - ROUNDING
                ]
                if 0 < len(below) < len(seeds):
                    sentences.append(f"{run.title}, {words} at {size} nodes: {', '.join(below)}.")
    begin = ["Seeds below a published mean that others of their run reach:"] if sentences else []
    return " ".join([*begin, *sentences])


@cache
def published() -> dict[str, Any]:
    """The paper's figures: percent, mean and deviation over 5 runs, at 20, 50 and 100 nodes."""
    return package_json("algolens.reproduction", "published.json")


def published_cell(algorithm: str, run: ShownModel, metric: str, size: str) -> Published | None:
    """What the paper gives: mean and deviation, or nothing, as of a user's own graphs.

    The network that is as in the paper, and an exact one, stand beside the paper's bottleneck.
    """
    known = published()
    theirs = "bottleneck" if run.model in ("exact", "literal") else run.model
    cells = known.get(algorithm, {}).get(theirs, {}).get(metric)
    if cells is None or run.own_graphs is not None or int(size) not in known["sizes"]:
        return None
    mean, std = cells[known["sizes"].index(int(size))]
    return mean, std

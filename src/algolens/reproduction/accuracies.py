"""The accuracies of a report, beside the published ones: as tables to read, and tables.json."""

from __future__ import annotations

from collections.abc import Sequence
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
from algolens.reports.tables import RIGHT_WITHIN, Table, aligned
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
class Accuracy:
    """A figure of a table, and the published one where there is one."""

    run: ShownModel
    metric: str
    size: str
    ours: Figure
    theirs: Published | None
    error_size: float  # how large errors are in the whole table
    compared: ComparedFigure | None = None  # with the published figure of the same network

    @property
    def bounds(self) -> tuple[float, float] | None:
        """Its interval; None where graphs were not measured."""
        return interval(self.ours, self.error_size)

    @property
    def cell(self) -> str:
        """Itself in a table, with its interval, a mark, and the published figure."""
        parts = [aligned(self.ours.mean)]
        if self.bounds is not None:
            parts.append(f"[{self.bounds[0]:.2f}, {self.bounds[1]:.2f}]")
        if self.compared is not None:
            parts.append(self.compared.mark)
        if self.theirs is not None:
            parts.append(f"({self.theirs[0]:.2f} ± {self.theirs[1]:.2f})")
        return " ".join(parts)

    @property
    def record(self) -> dict[str, Any]:
        """Itself as a line of a CSV, in which None is empty."""
        low, high = self.bounds or (None, None)
        published_mean, published_std = self.theirs or (None, None)
        return {
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
            "p_value": self.compared and self.compared.p_value,
            "compared": self.compared and IN_WORDS[self.compared.mark],
            "departures": "; ".join(map(str, self.run.departures)),
        }


def accuracies(runs: Sequence[ShownModel]) -> list[Accuracy]:
    """Every figure of the tables of some runs; marks are corrected for the number of comparisons.

    Compared are those with a published figure of their network: the paper has no exact ones.
    """
    known = [
        Accuracy(run, metric, size, ours, published_figure(run, metric, size), errors)
        for run in runs
        for metric in TITLES
        for errors in [error_size([one for one in runs if one.algorithm == run.algorithm], metric)]
        for size in in_order(run.scores.sizes)
        if (ours := read_figure(run.scores, size, metric)) is not None
    ]
    tests = {
        place: (each.ours, each.theirs, each.error_size)
        for place, each in enumerate(known)
        if each.theirs is not None and each.run.model != "exact"
    }
    compared = dict(zip(tests, compare_all(list(tests.values())), strict=True))
    return [replace(each, compared=compared.get(place)) for place, each in enumerate(known)]


def fresh_accuracies(runs: Sequence[ShownModel]) -> list[Accuracy]:
    """The same of the runs that were scored on fresh graphs, on these; nothing is compared."""
    fresh = [replace(run, scores=run.fresh) for run in runs if run.fresh is not None]
    return [replace(each, compared=None) for each in accuracies(fresh)]


def tables_json(material: Material) -> dict[str, Any]:
    """Every score of the tables: {algorithm: {network: {metric: {size: {'mean', 'std'}}}}}.

    'interval': over seeds and test graphs. Under 'departures', by run, how it differs from the
    paper; under 'fresh', the same scores on fresh graphs.
    """
    fresh = _scores_json(fresh_accuracies(material.learnt))
    return {
        "departures": {
            run.name: [departure.to_json() for departure in run.departures] for run in material.runs
        },
        **_scores_json(accuracies(material.learnt)),
        **({"fresh": fresh} if fresh else {}),
    }


def _scores_json(figures: Sequence[Accuracy]) -> dict[str, Any]:
    scores: dict[str, Any] = {}
    for each in figures:
        of_run = scores.setdefault(each.run.algorithm, {}).setdefault(each.run.key, {})
        cell: dict[str, Any] = {"mean": each.ours.mean, "std": each.ours.std}
        if each.bounds is not None:
            cell["interval"] = list(each.bounds)
        of_run.setdefault(each.metric, {})[each.size] = cell
    return scores


def accuracy_table(algorithm: str, figures: Sequence[Accuracy]) -> Table:
    """A row for each network and metric, a column for each size; figures: of the algorithm."""
    marks = {each.compared.mark for each in figures if each.compared is not None}
    beside_exact = any(each.run.model == "exact" and each.theirs for each in figures)
    return replace(
        _table(algorithm, figures),
        legend=LEGEND if marks else PLAIN_LEGEND,
        notes=[
            NOT_MEASURED if UNKNOWN in marks else "",
            seeds_below(figures),
            NO_EXACT if beside_exact else "",
        ],
    )


def fresh_table(algorithm: str, figures: Sequence[Accuracy]) -> Table:
    """The same on fresh graphs, without marks."""
    tests = [each.run.scores.test_graphs for each in figures]
    seeds = sorted({graphs.data_seed for graphs in tests if graphs is not None})
    return replace(
        _table(algorithm, figures),
        name=f"fresh-{as_file_name(algorithm)}",
        title=f"Accuracies of {algorithm} on fresh graphs",
        legend=PLAIN_LEGEND,
        notes=[
            f"Graphs of data seed {', '.join(map(str, seeds))}, which nothing was chosen by; none "
            "of them is in a set of the table before. In parentheses the published figures, on "
            "the paper's own test graphs."
        ],
    )


def _table(algorithm: str, figures: Sequence[Accuracy]) -> Table:
    rows: dict[tuple[str, str], dict[str, str]] = {}
    for each in figures:
        count = len(each.run.departures)
        departing = f", {count} departure{'' if count == 1 else 's'}" if count else ""
        row = rows.setdefault((each.run.network + departing, TITLES[each.metric]), {})
        row[each.size] = each.cell
    graphs = {each.size: each.ours.graphs for each in reversed(figures)}  # those of the first run
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
        records=[each.record for each in figures],
        said_once=1,
        all_right=RIGHT_WITHIN,
        departures=departures_note(list(dict.fromkeys(each.run for each in figures))),
    )


def error_size(runs: Sequence[ShownModel], metric: str) -> float:
    """How large an error is: the largest of all sizes and networks of a table; 1 without any."""
    figures = [read_figure(run.scores, size, metric) for run in runs for size in run.scores.sizes]
    sizes = [figure.error_size for figure in figures if figure is not None]
    return max((size for size in sizes if size is not None), default=1.0)


def seeds_below(figures: Sequence[Accuracy]) -> str:
    """Single seeds that miss a published mean which others of their run reach."""
    sentences: list[str] = []
    for each in figures:
        scores = each.run.scores
        shares = [getattr(of_seed, each.metric) for of_seed in scores.by_seed.get(each.size, ())]
        if each.theirs is None or not shares:
            continue
        below = [
            f"seed {seed} {100 * share:.2f}"
            for seed, share in zip(scores.seeds, shares, strict=True)
            if share is not None and 100 * share < each.theirs[0] - ROUNDING
        ]
        if 0 < len(below) < len(shares):
            where = f"{each.run.title}, {TITLES[each.metric]} at {each.size} nodes"
            sentences.append(f"{where}: {', '.join(below)}.")
    begin = ["Seeds below a published mean that others of their run reach:"] if sentences else []
    return " ".join([*begin, *sentences])


@cache
def published() -> dict[str, Any]:
    """The paper's figures: percent, mean and deviation over 5 runs, at 20, 50 and 100 nodes."""
    return package_json("algolens.reproduction", "published.json")


def published_figure(run: ShownModel, metric: str, size: str) -> Published | None:
    """What the paper gives: mean and deviation, or nothing, as of a user's own graphs.

    The network that is as in the paper, and an exact one, stand beside the paper's bottleneck.
    """
    known = published()
    theirs = "bottleneck" if run.model in ("exact", "literal") else run.model
    cells = known.get(run.algorithm, {}).get(theirs, {}).get(metric)
    if cells is None or run.own_graphs is not None or int(size) not in known["sizes"]:
        return None
    mean, std = cells[known["sizes"].index(int(size))]
    return mean, std

"""Exact networks: what is certified of them, and how they fare on graphs of every size."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from algolens.reports.comparison import mean_and_std
from algolens.reports.material import ShownRun, departures_note
from algolens.reports.tables import ALL_RIGHT, Table

LEGEND = (
    "Graphs that are right in every node or edge of every step, and in when they stop: percent, "
    "mean ± standard deviation over seeds, in free running; by the network, and with its rules "
    "deciding over its concepts."
)
COLUMNS = ("algorithm", "seeds certified", "nodes", "graphs", "network", "rules")


def exactness_table(runs: Sequence[ShownRun]) -> Table | None:
    """A row for each exact network and size; None where there is no exact network."""
    shown = [run for run in runs if "exactness" in run.study]
    if not shown:
        return None
    rows = []
    for run in shown:
        found = run.study["exactness"]
        certified = sum(each["proven"] for each in run.certificates)
        first = [_name(run), f"{certified} of {len(run.scores['seeds'])}"]
        for size, scores in {**run.scores["sizes"], **found["larger"]}.items():
            figures = [_cell(scores, "graphs_right"), _cell(scores, "formula_graphs_right")]
            rows.append([*first, size, str(scores["graphs"]), *figures])
    return Table(
        name="exact",
        title="Exact networks on graphs of every size",
        columns=COLUMNS,
        rows=rows,
        legend=LEGEND,
        notes=[_certified(run) for run in shown],
        said_once=2,
        all_right=ALL_RIGHT,
        departures=departures_note(shown),
    )


def _name(run: ShownRun) -> str:
    return ", ".join(filter(None, (run.algorithm, run.called)))


def _cell(scores: Mapping[str, Any], metric: str) -> str:
    if metric not in scores:
        return ""
    value = mean_and_std(scores[metric])
    return f"{value['mean']:.2f} ± {value['std']:.2f}"


def _certified(run: ShownRun) -> str:
    """What it means to be certified."""
    if not run.certificates:
        return f"{_name(run)}: no certificate is here that is about these weights."
    first = run.certificates[0]
    proven = "proven right on every graph whose numbers are as the certificate says"
    verdict = proven if first["proven"] else "not proven"
    claims = (
        "a file claims" if any(check.get("claimed") for check in first["checks"]) else "there are"
    )
    kinds = ("proof", "exhaustive", "sampled")
    proof, exhaustive, sampled = (
        sum(check["cases"] for check in first["checks"] if check["kind"] == kind) for kind in kinds
    )
    return (
        f"{_name(run)}: {verdict}, by {proof:,} cases. Besides, {claims} {exhaustive:,} runs that "
        f"were tried, all there are on the smallest graphs, and {sampled:,} that were sampled."
    )

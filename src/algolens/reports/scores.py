"""Scores as a table for a terminal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.table import Table

TITLES = {
    "mean_step": "mean-step",
    "last_step": "last-step",
    "termination": "termination",
    "formula_mean_step": "formula mean-step",
    "formula_last_step": "formula last-step",
    "formula_termination": "formula termination",
    "concepts_mean_step": "concepts mean-step",
    "concepts_last_step": "concepts last-step",
    "graphs_right_last": "graphs right at the end",
    "graphs_right": "graphs right in every step",
}


def scores_table(scores: Mapping[str, Any]) -> Table:
    """A row for each metric, a column for each size; percent, mean and deviation over seeds where there are several."""
    sizes = scores["sizes"]
    seeds = scores["seeds"]
    given = "".join(f", {concept} given by the algorithm" for concept in scores.get("given", ()))
    several = f", {len(seeds)} seeds" if len(seeds) > 1 else ""
    title = f"{scores['algorithm']}, {scores['preset']}{given}: percent right{several}"
    table = Table(title=title, title_justify="left")
    table.add_column("")
    for size, found in sizes.items():
        table.add_column(f"{size} nodes\n({found['graphs']} graphs)", justify="right")
    first = next(iter(sizes.values()))
    for metric, name in TITLES.items():
        if metric in first:
            table.add_row(name, *(shown(found[metric]) for found in sizes.values()))
    return table


def shown(value: Any) -> str:
    """A percentage, or a mean with its deviation."""
    if isinstance(value, Mapping):
        return f"{value['mean']:.2f} ± {value['std']:.2f}"
    return f"{value:.2f}"

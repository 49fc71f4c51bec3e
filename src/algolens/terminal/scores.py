"""Scores and first mistakes as tables for a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
    """A row for each metric, a column for each size; percent, mean and deviation over seeds where
    there are several.
    """
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


def graphs_note(graphs: Mapping[str, Any], own_seed: int) -> str:
    """On which graphs scores were taken, in words. own_seed: of the model's own sets."""
    families: dict[int, list[str]] = {}
    for family, count in graphs["of_each_size"].items():
        families.setdefault(count, []).append(family)
    counted = "; ".join(
        f"{count} of {'each of ' * (len(names) > 1)}{', '.join(names)}"
        for count, names in families.items()
    )
    drawn = f"Graphs drawn with data seed {graphs['data_seed']}, at each size {counted}."
    apart_from = (
        f"the model's own sets, of data seed {own_seed}"
        if graphs["fresh"]
        else "its sets to train and to select on"
    )
    return f"{drawn} None is in {apart_from}."


def shown(value: Any) -> str:
    """A percentage, or a mean with its deviation."""
    if isinstance(value, Mapping):
        return f"{value['mean']:.2f} ± {value['std']:.2f}"
    return f"{value:.2f}"


def mistakes_table(found: Mapping[str, Sequence[Mapping[str, Any]]]) -> Table:
    """A row for each first mistake. found: by size, for each seed its 'graphs_wrong' and some
    'mistakes'.
    """
    wrong = sum(entry["graphs_wrong"] for seeds in found.values() for entry in seeds)
    title = (
        f"First mistakes: {wrong} graphs are wrong somewhere."
        if wrong
        else "No mistake: all graphs are right in every field of every step."
    )
    table = Table(title=title, title_justify="left")
    for column in (
        "nodes",
        "seed",
        "graph",
        "step",
        "field",
        "where",
        "found",
        "true",
        "elements wrong",
    ):
        table.add_column(column)
    for size, seeds in found.items():
        for entry in seeds:
            for each in entry["mistakes"]:
                where = each["at"] if each["element"] is None else f"{each['at']} {each['element']}"
                shown = [
                    each["graph"],
                    each["step"],
                    each["field"],
                    where,
                    each["found"],
                    each["true"],
                    each["wrong"],
                ]
                table.add_row(size, str(entry["seed"]), *map(str, shown))
    return table

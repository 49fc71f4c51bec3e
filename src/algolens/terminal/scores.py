"""Scores and first mistakes as tables for a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.table import Column, Table

from algolens.evaluation import TITLES


def scores_table(scores: Mapping[str, Any]) -> Table:
    """Percent right: a row for each metric, a column for each size of graphs."""
    sizes, num_seeds = scores["sizes"], len(scores["seeds"])
    given = "".join(f", {concept} given by the algorithm" for concept in scores.get("given", ()))
    several = f", {num_seeds} seeds" if num_seeds > 1 else ""
    title = f"{scores['algorithm']}, {scores['preset']}{given}: percent right{several}"
    columns = [
        Column(
            f"{size} {'nodes' if size.isdecimal() else 'graphs'}\n({scored['graphs']} graphs)",
            justify="right",
        )
        for size, scored in sizes.items()
    ]
    table = Table("", *columns, title=title, title_justify="left")
    for metric, name in TITLES.items():
        if metric in next(iter(sizes.values())):
            table.add_row(name, *(shown(scored[metric]) for scored in sizes.values()))
    return table


def graphs_note(graphs: Mapping[str, Any], own_seed: int) -> str:
    """On which graphs scores were taken, in words; own_seed: of the model's own sets."""
    if "drawn" in graphs:
        seed, drawn = graphs["data_seed"], _drawn(graphs["drawn"], graphs["data_seed"])
        if "family" in graphs:
            count = graphs["of_each_size"][graphs["family"]]
            said = f"Graphs of {graphs['family']}, drawn with data seed {seed}, {count} at a size."
        else:
            said = f"Graphs as given, {graphs['given']} of {_span(graphs['nodes'])} nodes."
        return " ".join(filter(None, (said, drawn, _learnt(graphs["learnt"]))))
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


def training_note(graphs: Mapping[str, Any], data_seed: int) -> str:
    """On which graphs of a user it was trained, selected and tested, in words."""
    sets = dict(graphs["sets"])
    train, validation = sets.pop("train"), sets.pop("validation")
    begin = f"Trained on {train} graphs of {graphs['from']}, selected"
    if not graphs["taught"]:
        # an exact network learns from all cases, and its proof counts them
        begin = f"Taught by cases, by no graph; of graphs of {graphs['from']}, selected"
    split = "split as given" if graphs.get("split") == "given" else f"data seed {data_seed}"
    tested = " + ".join(map(str, sets.values()))
    said = [
        f"{begin} on {validation}, tested on {tested}: {_span(graphs['nodes'])} nodes, {split}.",
        _drawn(graphs["drawn"], data_seed),
    ]
    if graphs["repeated"]:
        said.append(f"Left out, for an equal one is there: {graphs['repeated']}.")
    return " ".join(filter(None, said))


def _drawn(drawn: Mapping[str, int], data_seed: int) -> str:
    names = ", ".join(f"{name} ({count} graphs)" for name, count in drawn.items())
    return f"Drawn with data seed {data_seed}: {names}." if names else ""


def _span(nodes: Sequence[int]) -> str:
    least, most = nodes
    return f"{least}" if least == most else f"{least} to {most}"


def _learnt(count: int | None) -> str:
    """How many graphs of a test a model was trained or selected on; None: not known."""
    if count is None:
        return "Whether it was trained on any of them was not checked."
    are = "is" if count < 2 else "are"
    return f"{count or 'None'} of them {are} among those that it was trained or selected on."


def shown(value: Any) -> str:
    """A percentage, or a mean with its deviation."""
    if isinstance(value, Mapping):
        return f"{value['mean']:.2f} ± {value['std']:.2f}"
    return f"{value:.2f}"


def mistakes_table(sizes: Mapping[str, Sequence[Mapping[str, Any]]]) -> Table:
    """A row for each first mistake; sizes: for each seed its 'graphs_wrong' and some 'mistakes'."""
    wrong = sum(entry["graphs_wrong"] for seeds in sizes.values() for entry in seeds)
    title = "No mistake: all graphs are right in every field of every step."
    if wrong:
        title = f"First mistakes: {wrong} graphs are wrong somewhere."
    headings = ("nodes", "seed", "graph", "step", "field", "where", "found", "true")
    table = Table(*headings, "elements wrong", title=title, title_justify="left")
    for size, seeds in sizes.items():
        for entry in seeds:
            for mistake in entry["mistakes"]:
                at, element = mistake["at"], mistake["element"]
                where = {"where": at if element is None else f"{at} {element}"}
                keys = ("graph", "step", "field", "where", "found", "true", "wrong")
                cells = [str((mistake | where)[key]) for key in keys]
                table.add_row(size, str(entry["seed"]), *cells)
    return table

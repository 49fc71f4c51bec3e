"""A reproduction as a folder: tables, figures, tables.json and report.html. It is made from files and computes nothing."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from matplotlib.figure import Figure

from algolens.disk import write_file, write_json
from algolens.errors import AlgoLensError
from algolens.reports.abstract import draw_abstract
from algolens.reports.accuracies import accuracy_table, tables_json
from algolens.reports.curves import draw_curves
from algolens.reports.departures import departures_table, departures_warning
from algolens.reports.exactness import exactness_table
from algolens.reports.explanations import concepts_table, explanation_table, published_explanations
from algolens.reports.figures import Picture
from algolens.reports.material import Material, departures_in_short
from algolens.reports.oracle import draw_oracle, oracle_caption
from algolens.reports.page import HTML_MARK, MARKDOWN_MARK, html_page, markdown_page
from algolens.reports.tables import Table
from algolens.reports.trees import draw_tree

INTRODUCTION = (
    "Networks that carry out classical algorithms step by step and say why in concepts that a person named. The tables set our "
    "figures beside those of the paper, the rules are what the networks were found to go by, and the figures show how they are "
    "learnt."
)


def write_report(folder: Path, material: Material, markdown: Path | None = None) -> None:
    """Writes all of it into a folder; markdown: also the page in Markdown, there."""
    runs, sections = runs_table(material), _sections(material)
    warning = departures_warning(material.runs)
    shown = [runs, *(each for section in sections.values() for each in section)]
    tables, figures = folder / "tables", folder / "figures"
    # before the others, for by this page a folder is known as ours
    write_file(folder / "report.html", html_page(material, runs, sections, INTRODUCTION, warning))
    for table in (each for each in shown if isinstance(each, Table)):
        for ending, text in (("md", table.to_markdown()), ("tex", table.to_latex()), ("csv", table.to_csv())):
            write_file(tables / f"{table.name}.{ending}", text)
    for picture in (each for each in shown if isinstance(each, Picture)):
        picture.save(figures)
    write_json(folder / "tables.json", tables_json(material))
    if markdown is not None:
        there = Path(os.path.relpath(figures, markdown.parent)).as_posix()
        write_file(markdown, markdown_page(material, runs, sections, INTRODUCTION, warning, there))


def check_report(folder: Path, markdown: Path | None = None) -> None:
    """Raises an error where a report would be written over what is none."""
    there = [name for name in ("report.html", "tables.json", "tables", "figures") if (folder / name).exists()]
    if there and not _begins_with(folder / "report.html", HTML_MARK):
        raise AlgoLensError(
            f"{folder} holds {', '.join(there)}, and no report.html of a reproduction: nothing is written over them. Give "
            "another folder with --out."
        )
    if markdown is not None and markdown.exists() and not _begins_with(markdown, MARKDOWN_MARK):
        raise AlgoLensError(
            f"--markdown {markdown} is there, and is no report of ours (it does not begin with '{MARKDOWN_MARK}'): give "
            "another place."
        )


def _begins_with(page: Path, mark: str) -> bool:
    """Whether a page has this mark near its beginning."""
    try:
        with page.open(encoding="utf-8") as text:
            return mark in text.read(1000)
    except (OSError, ValueError):
        return False


def runs_table(material: Material) -> Table:
    """What was run: seeds, epochs, device, time and versions."""
    rows, records = [], []
    for run in material.runs:
        about, seeds = run.experiment.get("about", {}), run.scores["seeds"]
        versions = ", ".join(f"{name} {version}" for name, version in about.get("versions", {}).items())
        epochs = max((int(row["epoch"]) for row in run.history), default=0)
        selected = ", ".join(map(str, about.get("selected_epochs", [])))
        seconds = about.get("training_seconds", 0)
        numbers = ", ".join(map(str, seeds))
        rows.append(
            [
                run.title,
                numbers,
                str(epochs),
                selected,
                about.get("device", ""),
                _duration(seconds),
                versions,
                about.get("command", ""),
                str(len(run.departures)),
            ]
        )
        departing = "; ".join(map(str, run.departures))
        records.append(dict(zip(RUN_COLUMNS, [*rows[-1][:5], str(seconds), *rows[-1][6:8], departing], strict=True)))
    return Table(
        name="runs",
        title="Runs, all seeds of one together",
        columns=RUN_COLUMNS,
        rows=rows,
        notes=[
            "Epochs are selected on validation, each seed's own. Departures are the points in which a run differs from the "
            "paper: the tables of departures list them."
        ],
        records=records,
    )


RUN_COLUMNS = ("run", "seeds", "epochs", "selected", "device", "training time", "versions", "command", "departures")


def _duration(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"


def _sections(material: Material) -> dict[str, Sequence[Table | Picture]]:
    sections: dict[str, Sequence[Table | Picture]] = {
        "Departures from the paper": [departures_table(name, material.all_of(name)) for name in material.all_algorithms],
        "What is learnt": [concepts_table(list(material.examples)), _abstract(material)],
        "Accuracies": [accuracy_table(name, material.of(name)) for name in material.algorithms],
        "Exact networks": [table for table in [exactness_table(material.learnt)] if table is not None],
        "Rules": list(_rules(material)),
        "How concepts are learnt": list(_learning(material)),
    }
    return {heading: shown for heading, shown in sections.items() if shown}


def _abstract(material: Material) -> Picture:
    drawn = [run for run in material.runs if run.model == "bottleneck"]
    return Picture(
        "visual-abstract",
        "A step of each algorithm on a small graph. Above the state before it, in the middle the concepts of every node or "
        "edge (● holds, ○ does not) and the output that follows from them alone, below the state after it; rows that change "
        "are shaded. A ring marks the source, numbers are priorities or weights.",
        draw_abstract(material.examples, departures_in_short(drawn)),
    )


def _rules(material: Material) -> Iterator[Table | Picture]:
    for name in material.algorithms:
        for run in material.of(name):
            if run.programs:
                yield explanation_table(run)
        if (theirs := published_explanations(name)) is not None:
            yield theirs
        for run in material.of(name):
            tree = run.study.get("tree")
            if tree is not None and run.model in ("bottleneck", "exact"):
                caption = (
                    f"{run.title}, seed {tree['seed']}: a decision tree of what the network decides ({tree['output']}) from "
                    "the concepts it sees, grown on training graphs."
                )
                yield Picture(f"tree-{run.algorithm}-{run.model}", caption, draw_tree(tree, departures_in_short([run])))


def _learning(material: Material) -> Iterator[Picture]:
    for run in material.learnt:
        if (figure := draw_curves(run)) is not None:
            caption = (
                f"{run.title}: accuracy of each concept on validation graphs, in free running, by epoch; the mean over "
                f"{len(run.scores['seeds'])} seeds with a band of one standard deviation. {_axis(figure)}"
            )
            yield Picture(f"curves-{run.algorithm}-{run.model}", caption, figure)
    for study in material.oracle_studies():
        if (figure := draw_oracle(study)) is not None:
            name = "-".join(("oracle", study[1].algorithm, *study[1].given))
            yield Picture(name, f"{oracle_caption(study)} {_axis(figure)}", figure)


def _axis(figure: Figure) -> str:
    return f"The axis begins at {figure.axes[0].get_ylim()[0]:.0f} %."


def described(material: Material) -> Mapping[str, object]:
    """What was made, for machines."""
    return {
        "runs": [{"run": run.folder.name, "departures": [each.to_json() for each in run.departures]} for run in material.runs],
        "skipped": dict(material.skipped),
        "tables": tables_json(material),
    }

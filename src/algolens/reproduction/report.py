"""A report of runs as a folder: tables, figures, tables.json and report.html. It is made from files
and computes nothing.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from algolens.disk import has_mark, write_file, write_json
from algolens.errors import AlgoLensError
from algolens.reports.abstract import abstract_caption, draw_abstract
from algolens.reports.curves import curves_caption, draw_curves
from algolens.reports.figures import Picture
from algolens.reports.material import Material, as_file_name, departures_in_short
from algolens.reports.tables import Table
from algolens.reports.trees import draw_explanation
from algolens.reproduction.accuracies import (
    accuracy_table,
    compared_with_published,
    fresh_table,
    tables_json,
)
from algolens.reproduction.departures import departures_table, departures_warning
from algolens.reproduction.explanations import (
    concepts_table,
    exactness_table,
    explanation_table,
    published_explanations,
)
from algolens.reproduction.headline import headline
from algolens.reproduction.oracle import draw_oracle, oracle_caption
from algolens.reproduction.page import (
    HTML_MARKS,
    MARKDOWN_MARKS,
    Page,
    Remark,
    Sections,
    Shown,
    html_page,
    markdown_page,
)

# the networks whose rules are drawn; of an ablation they stand in a table
RULES_OF = ("bottleneck", "exact")


def write_report(folder: Path, material: Material, markdown: Path | None = None) -> None:
    """Writes all of it into a folder; markdown: also the page in Markdown, there."""
    page = report_page(material)
    tables, figures = folder / "tables", folder / "figures"
    # before the others, for by this page a folder is known as ours
    write_file(folder / "report.html", html_page(page))
    for table in (each for each in page.shown if isinstance(each, Table)):
        for ending, text in (
            ("md", table.to_markdown()),
            ("tex", table.to_latex()),
            ("csv", table.to_csv()),
        ):
            write_file(tables / f"{table.name}.{ending}", text)
    for picture in (each for each in page.shown if isinstance(each, Picture)):
        picture.save(figures)
    write_json(folder / "tables.json", tables_json(material))
    if markdown is not None:
        there = Path(os.path.relpath(figures, markdown.parent)).as_posix()
        write_file(markdown, markdown_page(page, there))


def report_page(material: Material) -> Page:
    """What the report of some runs shows: figures, then tables, then how it was made."""
    chapters = {
        "Figures": _figures(material),
        "Tables": _tables(material),
        "How it was made": _how(material),
    }
    return Page(
        material.about,
        headline(material),
        {title: found for title, found in chapters.items() if found},
    )


def check_report(folder: Path, markdown: Path | None = None) -> None:
    """Raises an error where a report would be written over what is none."""
    there = [
        name
        for name in ("report.html", "tables.json", "tables", "figures")
        if (folder / name).exists()
    ]
    if there and not has_mark(folder / "report.html", HTML_MARKS):
        raise AlgoLensError(
            f"{folder} holds {', '.join(there)}, and no report.html of ours: nothing is written "
            "over them. Give another folder with --out."
        )
    if (folder / "experiment.json").exists():
        raise AlgoLensError(f"{folder} is a model's folder: give another folder with --out.")
    if folder.exists() and not folder.is_dir():
        raise AlgoLensError(f"{folder} is no folder: give another with --out.")
    if markdown is not None and markdown.exists() and not has_mark(markdown, MARKDOWN_MARKS):
        raise AlgoLensError(
            f"--markdown {markdown} is there, and is no report of ours (it does not begin with "
            f"'{MARKDOWN_MARKS[0]}'): give another place."
        )


def _figures(material: Material) -> Sections:
    return _filled(
        {
            "A step, and the rule that fired": list(_abstracts(material)),
            "The rules": list(_rule_pictures(material)),
            "How it was learnt": list(_learning(material)),
        }
    )


def _tables(material: Material) -> Sections:
    remarks = [Remark(run.title, run.remarks) for run in material.runs if run.remarks]
    return _filled(
        {
            "Accuracies": [*_accuracies(material), *remarks],
            "Proofs": [table for table in [exactness_table(material.learnt)] if table is not None],
            "Rules over seeds": list(_rule_tables(material)),
            "Concepts": [concepts_table(material.declared)],
        }
    )


def _accuracies(material: Material) -> Iterator[Table]:
    compared = compared_with_published(material)
    for name in material.algorithms:
        fresh = fresh_table(name, material.of(name))
        yield accuracy_table(name, material.of(name), compared)
        yield from [] if fresh is None else [fresh]


def _how(material: Material) -> Sections:
    warning = departures_warning(material.runs)
    left_out = [Remark(what, f"Left out. {why}") for what, why in material.skipped.items()]
    departing = [
        name
        for name in material.all_algorithms
        if any(run.departures for run in material.all_of(name))
    ]
    return _filled(
        {
            "Runs": [runs_table(material), *left_out],
            "Departures from the paper": [
                *([Remark("After the paper", warning)] if warning else []),
                *(departures_table(name, material.all_of(name)) for name in departing),
            ],
        }
    )


def _filled(sections: Mapping[str, Sequence[Shown]]) -> Sections:
    return {heading: shown for heading, shown in sections.items() if shown}


def _abstracts(material: Material) -> Iterator[Picture]:
    for name, example in material.examples.items():
        run = next(
            (run for run in material.all_of(name) if run.study.get("example") is example), None
        )
        program = (
            run.rule_sets[0]
            if run is not None and run.rule_sets
            else material.declared[name].rule_set
        )
        note = "" if run is None else departures_in_short([run])
        caption = abstract_caption(name, example, program)
        yield Picture(
            f"step-{as_file_name(name)}", caption, draw_abstract(name, example, program, note)
        )


def _rule_pictures(material: Material) -> Iterator[Picture]:
    for run in material.learnt:
        if run.rules and run.model in RULES_OF:
            seed = run.scores["seeds"][0]
            caption = (
                f"{run.title}, seed {seed}: the rules that the network goes by, how often each "
                "holds, and how often it says what the network decided and what is true. Below, a "
                "decision tree of what the network decides from the concepts that it sees, grown "
                "on training graphs."
            )
            drawn = draw_explanation(
                f"{run.title}: the rules of seed {seed}",
                run.rules[0],
                run.study.get("trees", ()),
                departures_in_short([run]),
            )
            yield Picture(f"rules-{run.file_name}", caption, drawn)


def _learning(material: Material) -> Iterator[Picture]:
    for run in material.learnt:
        if (figure := draw_curves(run)) is not None:
            yield Picture(f"curves-{run.file_name}", curves_caption(run), figure)
    for study in material.oracle_studies():
        if (figure := draw_oracle(study)) is not None:
            begin = f"The axis begins at {figure.axes[0].get_ylim()[0]:.0f} %."
            name = as_file_name("-".join(("oracle", study[1].algorithm, *study[1].given)))
            yield Picture(name, f"{oracle_caption(study)} {begin}", figure)


def _rule_tables(material: Material) -> Iterator[Table]:
    for name in material.algorithms:
        yield from (explanation_table(run) for run in material.of(name) if run.rules)
        if (theirs := published_explanations(name)) is not None:
            yield theirs


def runs_table(material: Material) -> Table:
    """What was run: seeds, epochs, device, time and versions."""
    rows, records = [], []
    for run in material.runs:
        about, seeds = run.experiment.get("about", {}), run.scores["seeds"]
        seconds = about.get("training_seconds", 0)
        rows.append(
            [
                run.title,
                ", ".join(map(str, seeds)),
                str(max((int(row["epoch"]) for row in run.history), default=0)),
                ", ".join(map(str, about.get("selected_epochs", []))),
                about.get("device", ""),
                _duration(seconds),
                ", ".join(
                    f"{name} {version}" for name, version in about.get("versions", {}).items()
                ),
                about.get("command", ""),
                str(len(run.departures)),
            ]
        )
        departing = "; ".join(map(str, run.departures))
        records.append(
            dict(
                zip(
                    RUN_COLUMNS,
                    [*rows[-1][:5], str(seconds), *rows[-1][6:8], departing],
                    strict=True,
                )
            )
        )
    return Table(
        name="runs",
        title="Runs, all seeds of one together",
        columns=RUN_COLUMNS,
        rows=rows,
        notes=[
            "Epochs are selected on validation, each seed's own. Departures are the points in "
            "which a run differs from the paper: the tables of departures list them."
        ],
        records=records,
    )


RUN_COLUMNS = (
    "run",
    "seeds",
    "epochs",
    "selected",
    "device",
    "training time",
    "versions",
    "command",
    "departures",
)


def _duration(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"


def run_described(material: Material) -> Mapping[str, object]:
    """What was made, for machines."""
    first = headline(material)
    return {
        "headline": {
            "title": first.title,
            **{what.lower(): sentence for what, sentence in first.sentences.items()},
        },
        "runs": [
            {
                "run": material.name_of(run),
                "departures": [each.to_json() for each in run.departures],
            }
            for run in material.runs
        ],
        "skipped": dict(material.skipped),
        "tables": tables_json(material),
    }

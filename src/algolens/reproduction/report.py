"""A report of runs as a folder: report.html, tables, figures and tables.json, made from files."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, ClassVar

from markupsafe import escape

from algolens.disk import as_json, has_mark, write_file, write_inside
from algolens.errors import AlgoLensError
from algolens.reports.figures import Picture
from algolens.reports.material import Material, departures_note
from algolens.reports.tables import Table, render
from algolens.reproduction.accuracies import (
    accuracies,
    accuracy_table,
    fresh_accuracies,
    fresh_table,
    tables_json,
)
from algolens.reproduction.departures import departures_table
from algolens.reproduction.headline import Headline, headline
from algolens.reproduction.pictures import comparison_pictures, learning_pictures, tree_pictures
from algolens.reproduction.tables import (
    concepts_table,
    exactness_table,
    explanation_table,
    published_explanations,
    runs_table,
)

# by these a page of ours is known, and may be written over; the second of each is of pages written
# before
HTML_MARKS = (
    '<meta name="generator" content="AlgoLens report"/>',
    "<title>AlgoLens: reproduction</title>",
)
MARKDOWN_MARKS = ("<!-- AlgoLens: report -->", "<!-- AlgoLens: reproduction -->")


@dataclass(frozen=True)
class Remark:
    """A paragraph in Markdown; about: what it begins with, in bold."""

    about: str
    text: str

    shown_as: ClassVar = "remark"
    is_narrow: ClassVar = False

    def to_html(self) -> str:
        """Itself as HTML, in which code and bold are shown as such."""
        text = str(escape(self.to_markdown().strip()))
        text = re.sub(r"`([^`]*)`", r"<code>\1</code>", text)
        text = re.sub(r"\*\*([^*]*)\*\*", r"<b>\1</b>", text)
        return "\n".join(f'<p class="note">{part}</p>' for part in re.split(r"\n\n+", text))

    def to_markdown(self) -> str:
        """Itself as Markdown."""
        return f"**{self.about}.** {self.text}"


Shown = Table | Picture | Remark
Sections = Mapping[str, Sequence[Shown]]  # by their headings


@dataclass(frozen=True)
class Page:
    """All that a page shows, in its order."""

    about: str  # what kind of report it is
    headline: Headline
    chapters: Mapping[str, Sections]

    @property
    def shown(self) -> Iterator[Shown]:
        """Every table, picture and remark."""
        for sections in self.chapters.values():
            for items in sections.values():
                yield from items


def write_report(
    folder: Path, material: Material, markdown: Path | None = None, figures: str | None = None
) -> None:
    """Writes all of it into a folder.

    markdown: also the page in Markdown, there. figures: also in this format, besides SVG.
    """
    page = report_page(material)
    # before the others, for by this page a folder is known as ours
    html = render("reports/templates/report.html", page=page, mark=HTML_MARKS[0])
    write_inside(folder, "report.html", html)
    for item in page.shown:
        if isinstance(item, Table):
            write_inside(folder, f"tables/{item.name}.md", item.to_markdown())
            write_inside(folder, f"tables/{item.name}.tex", item.to_latex())
            write_inside(folder, f"tables/{item.name}.csv", item.to_csv())
        elif isinstance(item, Picture):
            item.save(folder, figures)
    write_inside(folder, "tables.json", as_json(tables_json(material)))
    if markdown is not None:
        there = Path(os.path.relpath(folder / "figures", markdown.parent)).as_posix()
        text = render(
            "reports/templates/report.md", page=page, mark=MARKDOWN_MARKS[0], figures=there
        )
        write_file(markdown, text)


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


def report_page(material: Material) -> Page:
    """What the report of some runs shows: the comparison, tables, figures, how it was made."""
    learnt, note = material.learnt, departures_note(material.runs)
    by_algorithm = {
        name: [run for run in material.runs if run.algorithm == name]
        for name in material.algorithms
    }
    figures = (
        (accuracies(learnt), accuracy_table),
        (fresh_accuracies(learnt), fresh_table),
    )
    rules: list[Table | None] = []
    tables: list[Shown] = []
    for name, runs in by_algorithm.items():
        for every, as_table in figures:
            shown = [each for each in every if each.run.algorithm == name]
            tables += [as_table(name, shown)] if shown else []
        rules += [explanation_table(run) for run in runs if run.rules and run in learnt]
        rules.append(published_explanations(name))
    page: dict[str, dict[str, Sequence[Shown]]] = {}
    chapters: Mapping[str, Mapping[str, Iterable[Shown | None]]] = {
        "In short": {"Ours beside the published figures": comparison_pictures(material)},
        "Tables": {
            "Accuracies": [
                *tables,
                *(Remark(run.title, run.remarks) for run in material.runs if run.remarks),
            ],
            "Proofs": [exactness_table(learnt)],
            "Rules over seeds": rules,
            "Concepts": [concepts_table(material.declared)],
        },
        "Figures": {
            "Decision trees": tree_pictures(material),
            "How it was learnt": learning_pictures(material),
        },
        "How it was made": {
            "Runs": [
                runs_table(material),
                *(Remark(what, f"Left out. {why}") for what, why in material.skipped.items()),
            ],
            "Departures from the paper": [
                Remark("After the paper", note) if note else None,
                *(
                    departures_table(name, runs)
                    for name, runs in by_algorithm.items()
                    if any(run.departures for run in runs)
                ),
            ],
        },
    }
    for title, sections in chapters.items():
        for heading, items in sections.items():
            if there := [item for item in items if item is not None]:
                page.setdefault(title, {})[heading] = there
    return Page(material.about, headline(material), page)


def run_described(material: Material) -> Mapping[str, Any]:
    """What was made, for machines."""
    tables = tables_json(material)
    return {
        "headline": asdict(headline(material)),
        "runs": [
            {"run": name, "departures": departures}
            for name, departures in tables["departures"].items()
        ],
        "skipped": dict(material.skipped),
        "tables": tables,
    }

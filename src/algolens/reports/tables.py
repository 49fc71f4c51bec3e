"""A table, written as Markdown, LaTeX, CSV and HTML."""

from __future__ import annotations

import csv
import html
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from algolens.logic import Formula, GoOn, Quantifier
from algolens.logic.formula import TEXT, Notation, formula_text
from algolens.logic.printing import LATEX

SIGNS = Notation(" ∧ ", " ∨ ", "¬", "true", "false")
# no wider than the page
SHRUNK = r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%" + "\n"
ALL_RIGHT = "100.00 ± 0.00"
RIGHT_WITHIN = "100.00 ["  # and then the interval
LATEX_SIGNS = {
    "±": r"$\pm$",
    "▲": r"$\blacktriangle$",
    "≈": r"$\approx$",
    "▼": r"$\blacktriangledown$",
    "−": "$-$",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "\\": r"\textbackslash{}",
}


@dataclass(frozen=True)
class RuleCell:
    """A formula in a cell; quantifier: of going on, of how many elements it must hold."""

    formula: Formula
    quantifier: Quantifier | None = None

    @classmethod
    def of(cls, rule: Formula | GoOn) -> RuleCell:
        """A rule that decides on a class, or the one for going on."""
        return cls(rule.formula, rule.quantifier) if isinstance(rule, GoOn) else cls(rule)


Cell = str | RuleCell


@dataclass(frozen=True)
class Table:
    """Cells under headings."""

    name: str  # of its files
    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    notes: Sequence[str] = ()  # under it, a paragraph each
    # how it is read: before the notes; of tables that are read alike, a page says it once
    legend: str = ""
    # of its runs from the paper, after all notes and in the CSV; None: it shows no runs
    departures: str | None = None
    records: Sequence[Mapping[str, Any]] = ()  # what the CSV holds, where not the cells
    # so many first cells are shown in the first of the rows that have them alike
    said_once: int = 0
    all_right: str | None = None  # rows whose figures all begin so are folded on a page

    @property
    def _notes(self) -> list[str]:
        return [note for note in (self.legend, *self.notes, self.departures or "") if note]

    @property
    def folded(self) -> list[Sequence[Cell]]:
        """The rows that a page folds: all that they show is right."""
        return [
            row for row in self.rows if self.all_right is not None and _is_all(row, self.all_right)
        ]

    @property
    def unfolded(self) -> list[Sequence[Cell]]:
        """The other rows."""
        return [
            row for row in self.rows if self.all_right is None or not _is_all(row, self.all_right)
        ]

    @property
    def folded_title(self) -> str:
        """What a page says of the rows that it folds."""
        count = len(self.folded)
        return f"{count} {'row that is' if count == 1 else 'rows that are'} 100.00 throughout"

    def _shown(self, rows: Sequence[Sequence[Cell]]) -> list[list[Cell]]:
        """Rows with what is said once left out where it would be said again."""
        shown: list[list[Cell]] = []
        for place, row in enumerate(rows):
            begin = list(row[: self.said_once])
            is_said = (
                place > 0
                and self.said_once > 0
                and begin == list(rows[place - 1][: self.said_once])
            )
            shown.append([*([""] * self.said_once if is_said else begin), *row[self.said_once :]])
        return shown

    def to_markdown(self, *, folds: bool = False) -> str:
        """Itself as Markdown; folds: for a page, on which rows that are all right are opened by a
        click.

        A page has tables of their own for departures, so there they are left out here.
        """
        if not folds:
            return (
                "\n\n".join(
                    [
                        f"**{self.title}**",
                        self._markdown_rows(self.rows),
                        *map(_markdown, self._notes),
                    ]
                )
                + "\n"
            )
        parts = [f"**{self.title}**"]
        if self.unfolded:
            parts.append(self._markdown_rows(self.unfolded))
        if self.folded:
            parts.append(_markdown_details(self.folded_title, self._markdown_rows(self.folded)))
        parts += [_markdown(note) for note in (self.legend, *self.notes) if note]
        return "\n\n".join(parts) + "\n"

    def _markdown_rows(self, rows: Sequence[Sequence[Cell]]) -> str:
        lines = ["| " + " | ".join(self.columns) + " |", "|" + "---|" * len(self.columns)]
        lines += [
            "| " + " | ".join(_markdown(cell) for cell in row) + " |" for row in self._shown(rows)
        ]
        return "\n".join(lines)

    def to_latex(self) -> str:
        """Itself as LaTeX, for booktabs, tabularx, amssymb and graphicx.

        A column of rules breaks its lines; what else is wider than the page is made smaller.
        """
        ruled = {i for row in self.rows for i, cell in enumerate(row) if isinstance(cell, RuleCell)}
        layout = "".join("X" if i in ruled else "l" for i in range(len(self.columns)))
        begin, end = (
            (rf"\begin{{tabularx}}{{\textwidth}}{{{layout}}}", r"\end{tabularx}")
            if ruled
            else (rf"{SHRUNK}\begin{{tabular}}{{{layout}}}", r"\end{tabular}}")
        )
        caption = " ".join([f"{self.title}.", *filter(None, (self.legend, *self.notes))])
        body = [" & ".join(_latex(cell) for cell in row) + r" \\" for row in self._shown(self.rows)]
        return "\n".join(
            [
                "% needs booktabs, tabularx, amssymb, graphicx",
                r"\begin{table}[t]",
                r"\centering",
                rf"\caption{{{_escaped(caption)}}}",
                r"\scriptsize\setlength{\tabcolsep}{3pt}",  # two figures and a mark to a cell
                begin,
                r"\toprule",
                " & ".join(rf"\textbf{{{_escaped(column)}}}" for column in self.columns) + r" \\",
                r"\midrule",
                *body,
                r"\bottomrule",
                end,
                *(
                    [rf"\par\smallskip\raggedright {_escaped(self.departures)}"]
                    if self.departures
                    else []
                ),
                r"\end{table}",
                "",
            ]
        )

    def to_csv(self) -> str:
        """Itself as CSV: its records, or its cells as text."""
        records = self.records or self._as_records()
        if self.departures is not None:
            records = [
                {**record, "departures": record.get("departures", self.departures)}
                for record in records
            ]
        text = io.StringIO()
        writer = csv.DictWriter(
            text,
            list(dict.fromkeys(key for record in records for key in record)),
            lineterminator="\n",
        )
        writer.writeheader()
        writer.writerows(records)
        return text.getvalue()

    def _as_records(self) -> list[dict[str, str]]:
        """The cells as text."""
        return [
            {column: _text(cell) for column, cell in zip(self.columns, row, strict=True)}
            for row in self.rows
        ]

    def to_html(self, *, with_legend: bool = True) -> str:
        """Itself as HTML for a page: rows that are all right are opened by a click, and departures
        have tables of their own.
        """
        parts = [f'<p class="caption">{html.escape(self.title)}</p>']
        if self.unfolded:
            parts.append(self._html_rows(self.unfolded))
        if self.folded:
            title = html.escape(self.folded_title)
            parts.append(
                f"<details><summary>{title}</summary>\n{self._html_rows(self.folded)}\n</details>"
            )
        notes = (self.legend if with_legend else "", *self.notes)
        parts += [f'<p class="note">{html.escape(note)}</p>' for note in notes if note]
        return "\n".join(parts)

    def _html_rows(self, rows: Sequence[Sequence[Cell]]) -> str:
        head = "".join(f'<th scope="col">{html.escape(column)}</th>' for column in self.columns)
        body = "\n".join(
            "<tr>" + "".join(f"<td>{_html(cell)}</td>" for cell in row) + "</tr>"
            for row in self._shown(rows)
        )
        title = html.escape(self.title)
        table = (
            f'<table aria-label="{title}"><thead><tr>{head}</tr></thead>\n'
            f"<tbody>\n{body}\n</tbody></table>"
        )
        # it scrolls where it is wider than the window, by the keyboard as well
        return f'<div class="wide" tabindex="0" role="region" aria-label="{title}">{table}</div>'


def _is_all(row: Sequence[Cell], begin: str) -> bool:
    """Whether a row has figures, and all of them begin so."""
    figures = [cell for cell in row if isinstance(cell, str) and _is_figure(cell)]
    return bool(figures) and all(figure.startswith(begin) for figure in figures)


def _is_figure(cell: str) -> bool:
    """Whether a cell holds a number with its deviation, or with its interval."""
    return "±" in cell or "[" in cell


def _markdown_details(title: str, text: str) -> str:
    return f'<details markdown="1"><summary>{html.escape(title)}</summary>\n\n{text}\n\n</details>'


def _text(cell: Cell) -> str:
    if isinstance(cell, str):
        return cell
    return ("" if cell.quantifier is None else f"{cell.quantifier} n: ") + formula_text(
        cell.formula, TEXT
    )


def _markdown(cell: Cell) -> str:
    text = _text(cell).replace("|", r"\|")
    # a bare ~ would strike words out
    return text.replace("~", r"\~") if isinstance(cell, str) else f"`{text}`"


def _latex(cell: Cell) -> str:
    if isinstance(cell, str):
        return _escaped(cell)
    name = LATEX.name
    # a line may break after every sign
    breaking = replace(
        LATEX,
        name=lambda word: name(word).replace(r"\_", r"\_\allowbreak "),
        conjunction=r" \land\allowbreak ",
        disjunction=r" \lor\allowbreak ",
    )
    some = "" if cell.quantifier is None else cell.quantifier.in_latex
    return rf"\raggedright\arraybackslash\scriptsize ${some}{formula_text(cell.formula, breaking)}$"


def _escaped(text: str) -> str:
    return "".join(
        LATEX_SIGNS.get(sign, f"\\{sign}" if sign in "#$%&_{}" else sign) for sign in text
    )


def _html(cell: Cell) -> str:
    if isinstance(cell, str):
        return (
            f'<span class="figure">{html.escape(cell)}</span>'
            if _is_figure(cell)
            else html.escape(cell)
        )
    words = html.escape(
        ("" if cell.quantifier is None else f"{cell.quantifier.sign} n: ")
        + formula_text(cell.formula, SIGNS)
    )
    return f'<span class="rule">{words.replace("_", "_<wbr/>")}</span>'

"""A table, written as Markdown, LaTeX, CSV and HTML."""

from __future__ import annotations

import csv
import html
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from algolens.logic import Formula, GoOn, Quantifier
from algolens.logic.printing import LATEX, TEXT, Notation, write

SIGNS = Notation(" ∧ ", " ∨ ", "¬", "true", "false")
SHRUNK = r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%" + "\n"  # no wider than the page
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
    departures: str | None = None  # of its runs from the paper, after all notes and in the CSV; None: it shows no runs
    records: Sequence[Mapping[str, Any]] = ()  # what the CSV holds, where not the cells

    @property
    def _notes(self) -> list[str]:
        return [note for note in (*self.notes, self.departures or "") if note]

    def to_markdown(self) -> str:
        """Itself as Markdown."""
        lines = ["| " + " | ".join(self.columns) + " |", "|" + "---|" * len(self.columns)]
        lines += ["| " + " | ".join(_markdown(cell) for cell in row) + " |" for row in self.rows]
        return "\n\n".join([f"**{self.title}**", "\n".join(lines), *map(_markdown, self._notes)]) + "\n"

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
        body = [" & ".join(_latex(cell) for cell in row) + r" \\" for row in self.rows]
        return "\n".join(
            [
                "% needs booktabs, tabularx, amssymb, graphicx",
                r"\begin{table}[t]",
                r"\centering",
                rf"\caption{{{_escaped(' '.join([self.title + '.', *filter(None, self.notes)]))}}}",
                r"\scriptsize\setlength{\tabcolsep}{3pt}",  # two figures and a mark to a cell
                begin,
                r"\toprule",
                " & ".join(rf"\textbf{{{_escaped(column)}}}" for column in self.columns) + r" \\",
                r"\midrule",
                *body,
                r"\bottomrule",
                end,
                *([rf"\par\smallskip\raggedright {_escaped(self.departures)}"] if self.departures else []),
                r"\end{table}",
                "",
            ]
        )

    def to_csv(self) -> str:
        """Itself as CSV: its records, or its cells as text."""
        records = self.records or self._as_records()
        if self.departures is not None:
            records = [{**record, "departures": record.get("departures", self.departures)} for record in records]
        text = io.StringIO()
        writer = csv.DictWriter(text, list(dict.fromkeys(key for record in records for key in record)), lineterminator="\n")
        writer.writeheader()
        writer.writerows(records)
        return text.getvalue()

    def _as_records(self) -> list[dict[str, str]]:
        """The cells as text; what a reader sees once, at the first row it holds for, stands in each."""
        found: list[dict[str, str]] = []
        for row in self.rows:
            record = {column: _text(cell) for column, cell in zip(self.columns, row, strict=True)}
            if found and not record[self.columns[0]]:
                record[self.columns[0]] = found[-1][self.columns[0]]
            found.append(record)
        return found

    def to_html(self) -> str:
        """Itself as HTML."""
        head = "".join(f'<th scope="col">{html.escape(column)}</th>' for column in self.columns)
        body = "\n".join("<tr>" + "".join(f"<td>{_html(cell)}</td>" for cell in row) + "</tr>" for row in self.rows)
        notes = "".join(f'<p class="note">{html.escape(note)}</p>' for note in self._notes)
        caption = f"<caption>{html.escape(self.title)}</caption>"
        table = f"<table>{caption}\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody></table>"
        return f'<div class="wide">{table}</div>{notes}'


def _text(cell: Cell) -> str:
    if isinstance(cell, str):
        return cell
    return ("" if cell.quantifier is None else f"{cell.quantifier} n: ") + write(cell.formula, TEXT)


def _markdown(cell: Cell) -> str:
    text = _text(cell).replace("|", r"\|")
    return text.replace("~", r"\~") if isinstance(cell, str) else f"`{text}`"  # a bare ~ would strike words out


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
    return rf"\raggedright\arraybackslash\scriptsize ${some}{write(cell.formula, breaking)}$"


def _escaped(text: str) -> str:
    return "".join(LATEX_SIGNS.get(sign, f"\\{sign}" if sign in "#$%&_{}" else sign) for sign in text)


def _html(cell: Cell) -> str:
    if isinstance(cell, str):
        return f'<span class="figure">{html.escape(cell)}</span>' if "±" in cell else html.escape(cell)
    words = html.escape(("" if cell.quantifier is None else f"{cell.quantifier.sign} n: ") + write(cell.formula, SIGNS))
    return f'<span class="rule">{words.replace("_", "_<wbr/>")}</span>'

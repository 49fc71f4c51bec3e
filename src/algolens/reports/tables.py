"""A table, written as Markdown, LaTeX, CSV and HTML, and the templates of all pages."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, ClassVar

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape

from algolens.errors import visible
from algolens.logic import Formula, GoOn, Quantifier
from algolens.logic.formula import TEXT, formula_text
from algolens.logic.printing import LATEX

# a line of LaTeX may break after every sign
BREAKING = replace(
    LATEX,
    name=lambda word: LATEX.name(word).replace(r"\_", r"\_\allowbreak "),
    conjunction=r" \land\allowbreak ",
    disjunction=r" \lor\allowbreak ",
)
DIGIT_SPACE = "\u2007"  # as wide as a digit
LATEX_SIGNS = {
    "±": r"$\pm$",
    "▲": r"$\blacktriangle$",
    "≈": r"$\approx$",
    "▼": r"$\blacktriangledown$",
    "−": "$-$",
    DIGIT_SPACE: r"\phantom{0}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "\\": r"\textbackslash{}",
    **{sign: f"\\{sign}" for sign in "#$%&_{}"},
}
ALL_RIGHT = "100.00 ± 0.00"
RIGHT_WITHIN = "100.00 ["  # and then the interval
WIDE = 100  # letters in a row: such a table takes both columns of a paper
COUNT = re.compile(r"[\d,]*$")

# a link to anything but a page: `](javascript:...)`, or `]: data:...`
SCHEME = re.compile(r"\]([(:])(?=\s*(?!https?://)[^)\s]*[:&])")


@dataclass(frozen=True)
class RuleCell:
    """A formula in a cell; quantifier: of going on, of how many elements it must hold."""

    formula: Formula
    quantifier: Quantifier | None = None

    @classmethod
    def of(cls, rule: Formula | GoOn) -> RuleCell:
        """A rule that decides on a class, or the one for going on."""
        return cls(rule.formula, rule.quantifier) if isinstance(rule, GoOn) else cls(rule)

    def __str__(self) -> str:
        begin = "" if self.quantifier is None else f"{self.quantifier} n: "
        return begin + formula_text(self.formula, TEXT)

    @property
    def in_latex(self) -> str:
        """Itself in LaTeX's mathematics."""
        begin = "" if self.quantifier is None else self.quantifier.in_latex
        return begin + formula_text(self.formula, BREAKING)


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
    all_right: str = "nothing"  # rows whose figures all begin so are folded on a page

    shown_as: ClassVar = "table"
    is_narrow: ClassVar = False

    @property
    def folded(self) -> list[Sequence[Cell]]:
        """The rows that a page folds: all that they show is right."""
        return [row for row in self.rows if self._is_right(row)]

    @property
    def unfolded(self) -> list[Sequence[Cell]]:
        """The other rows."""
        return [row for row in self.rows if not self._is_right(row)]

    def _is_right(self, row: Sequence[Cell]) -> bool:
        figures = [str(cell) for cell in row if "±" in str(cell) or "[" in str(cell)]
        return bool(figures) and all(cell.startswith(self.all_right) for cell in figures)

    @property
    def folded_title(self) -> str:
        """What a page says of the rows that it folds."""
        count = len(self.folded)
        return f"{count} {'row that is' if count == 1 else 'rows that are'} 100.00 throughout"

    def shown(self, rows: Sequence[Sequence[Cell]]) -> list[list[Cell]]:
        """Rows whose first cells are empty where they are those of the row before."""
        begins = [list(row[: self.said_once]) for row in rows]
        return [
            [*([""] * len(begin) if begin == before else begin), *row[self.said_once :]]
            for row, begin, before in zip(rows, begins, [None, *begins], strict=False)
        ]

    @property
    def is_counted(self) -> list[bool]:
        """Of each column, whether it holds whole numbers only: it is flush right."""
        columns = zip(*self.rows, strict=True) if self.rows else [()] * len(self.columns)
        return [
            any(cells) and all(isinstance(cell, str) and COUNT.match(cell) for cell in cells)
            for cells in columns
        ]

    def to_markdown(self, *, folds: bool = False) -> str:
        """Itself as Markdown; folds: for a page, which lists departures in tables of their own."""
        text = render(
            "reports/templates/table.md",
            table=self,
            unfolded=self.unfolded if folds else self.rows,
            folded=self.folded if folds else (),
            notes=[self.legend, *self.notes, "" if folds else self.departures],
        )
        return text.rstrip() + "\n"

    def to_latex(self) -> str:
        """Itself as LaTeX, for booktabs, tabularx, amssymb and graphicx.

        A column of rules breaks its lines; what else is wider than the page is made smaller.
        Departures are a comment.
        """
        columns = [[row[place] for row in self.rows] for place in range(len(self.columns))]
        is_ruled = [any(isinstance(cell, RuleCell) for cell in cells) for cells in columns]
        widths = (max(map(len, map(str, cells)), default=0) for cells in columns)
        return render(
            "reports/templates/table.tex",
            table=self,
            layout="".join(
                "X" if breaks else "r" if is_counted else "l"
                for breaks, is_counted in zip(is_ruled, self.is_counted, strict=True)
            ),
            environment="table*" if not any(is_ruled) and sum(widths) > WIDE else "table",
            caption=" ".join(filter(None, (f"{self.title}.", self.legend))),
        )

    def to_csv(self) -> str:
        """Itself as CSV: its records, or its cells as text."""
        cells = [dict(zip(self.columns, map(str, row), strict=True)) for row in self.rows]
        shared = {} if self.departures is None else {"departures": self.departures}
        records = [{**record, **shared, **record} for record in self.records or cells]
        text = io.StringIO()
        writer = csv.DictWriter(text, list(records[0]) if records else [], lineterminator="\n")
        writer.writeheader()
        writer.writerows(records)
        return text.getvalue()

    def to_html(self, *, with_legend: bool = True) -> str:
        """Itself as HTML for a page: rows that are all right are opened by a click."""
        notes = [self.legend if with_legend else "", *self.notes]
        return render("reports/templates/table.html", table=self, notes=notes)


def aligned(percent: float) -> str:
    """A percentage whose dot stands below those of others.

    >>> aligned(99.5)
    '\u200799.50'
    """
    return f"{percent:6.2f}".replace(" ", DIGIT_SPACE)


def render(template: str, **values: Any) -> str:
    """A template of the package with values put in; in HTML, they are escaped."""
    return _templates().get_template(template).render(values)


@cache
def _templates() -> Environment:
    templates = Environment(
        loader=PackageLoader("algolens", ""),
        autoescape=select_autoescape(),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    templates.policies["json.dumps_kwargs"] = {"separators": (",", ":"), "allow_nan": False}
    templates.filters |= {"markdown": _markdown, "latex": _latex}
    templates.filters |= {"anchor": _anchor, "plain": _plain}
    return templates


def _markdown(cell: Cell) -> str:
    text = _plain(str(cell)).replace("|", r"\|")
    # a bare ~ would strike words out
    text = text.replace("~", r"\~") if isinstance(cell, str) else f"`{text}`"
    # a reader of Markdown strips spaces, but not entities
    return text.replace(DIGIT_SPACE, "&#8199;")


def _plain(text: str) -> str:
    """A text for Markdown: no HTML of a file is HTML, and no link of one leads to a script."""
    text = "\n".join(map(visible, text.replace("<", "&lt;").split("\n")))
    return SCHEME.sub(r"]\\\1", text)


def _latex(cell: Cell) -> str:
    if isinstance(cell, str):
        return "".join(LATEX_SIGNS.get(sign, sign) for sign in cell)
    return rf"\raggedright\arraybackslash\scriptsize ${cell.in_latex}$"


def _anchor(heading: str) -> str:
    return re.sub(r"\W+", "-", heading.lower())

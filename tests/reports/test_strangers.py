"""What strangers name things is text: no mathematics in figures, no HTML in pages."""

from __future__ import annotations

import pytest
from matplotlib.figure import Figure

from algolens.reports.figures import figure_bytes, in_style
from algolens.reports.tables import Table, render
from algolens.reproduction.headline import Headline
from algolens.reproduction.report import HTML_MARKS, Page, Remark

HOSTILE = "<img src=x onerror=alert(1)>"


@in_style
def titled(text: str) -> Figure:
    figure = Figure()
    figure.add_subplot(title=text)
    return figure


@pytest.mark.parametrize("text", ["$\\nothing{", "$", "$x^2$ and $\\frac$", "\\alpha"])
def test_a_name_is_no_mathematics(text):
    assert figure_bytes(titled(text), "svg")


def test_html_of_a_file_is_text_in_markdown_and_in_html():
    table = Table("runs", f"Runs {HOSTILE}", ["run", HOSTILE], [[HOSTILE, "1"]], notes=[HOSTILE])
    assert "<img" not in table.to_markdown()
    assert "<img" not in table.to_html()
    assert "<img" not in Remark("x", HOSTILE).to_html()
    page = Page(
        HOSTILE, Headline(HOSTILE, HOSTILE, "", ""), {HOSTILE: {HOSTILE: [Remark("x", HOSTILE)]}}
    )
    shown = render("reports/templates/report.md", page=page, mark="", figures="figures")
    assert "<img" not in shown


@pytest.mark.parametrize(
    "link",
    ["[a](javascript:x)", "[a]( DATA:x)", "[a]: javascript:x", "[a](&#106;avascript&colon;x)"],
)
def test_no_link_of_a_file_leads_to_a_script(link):
    shown = Table("runs", "Runs", ["run"], [["1"]], notes=[link]).to_markdown()
    assert link not in shown
    assert link[:3] in shown


def test_links_to_pages_stay_and_control_characters_are_escaped():
    notes = ["[a](https://x.org) and [b](page.md): so", "\x1b[31mred"]
    shown = Table("runs", "Runs", ["run"], [["1"]], notes=notes).to_markdown()
    assert notes[0] in shown
    assert "\x1b" not in shown


def test_a_report_lets_nothing_load():
    page = Page("about", Headline("title", "", "", ""), {})
    html = render("reports/templates/report.html", page=page, mark=HTML_MARKS[0])
    assert "default-src 'none'" in html[:600]
    assert "<script" not in html

"""report.html: one page to be read from top to bottom, with nothing outside it."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping, Sequence

from algolens.reports.figures import Picture
from algolens.reports.material import Material, ShownRun
from algolens.reports.tables import Table

# by these a page of ours is known, and may be written over
HTML_MARK = "<title>AlgoLens: reproduction</title>"
MARKDOWN_MARK = "<!-- AlgoLens: reproduction -->"

STYLE = """
body { max-width: 66rem; margin: 2rem auto; padding: 0 1rem; font: 16px/1.5 Georgia, serif; color: #222; background: #fff; }
h1, h2, h3, caption, th, .note, figcaption { font-family: system-ui, sans-serif; }
h2 { margin-top: 2.5rem; border-bottom: 1px solid #ccc; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; margin: 1rem 0 .3rem; font-size: .85rem; }
caption { text-align: left; font-weight: bold; padding: .3rem 0; }
th, td { text-align: left; vertical-align: top; padding: .2rem .7rem .2rem 0; border-bottom: 1px solid #e4e4e4; }
td { font-variant-numeric: tabular-nums; }
.figure { white-space: nowrap; font-size: .95em; }
thead th { border-bottom: 2px solid #222; }
.rule { display: inline-block; min-width: 15rem; font-family: ui-monospace, monospace; font-size: .92em; }
.note { font-size: .85rem; color: #444; margin: .2rem 0; }
.warning { border-left: 4px solid #d55e00; padding: .4rem .8rem; background: #fdf3ec; font-family: system-ui, sans-serif; }
figure { margin: 1.5rem 0; }
figure svg { max-width: 100%; height: auto; }
figcaption { font-size: .85rem; color: #444; }
@media print { body { max-width: none; } figure, tr { break-inside: avoid; } }
"""


def html_page(
    material: Material, runs: Table, sections: Mapping[str, Sequence[Table | Picture]], introduction: str, warning: str
) -> str:
    """The page. runs: what was run; sections: tables and figures under their headings; warning: what all of it is not."""
    parts = [
        "<h1>Reproduction of “Algorithmic Concept-based Explainable Reasoning”</h1>",
        f"<p>{html.escape(introduction)}</p>",
    ]
    if warning:
        parts.append(f'<p class="warning">{html.escape(warning)}</p>')
    parts += ["<h2>What was run</h2>", runs.to_html(), *_left_out(material), *_remarks(material.runs)]
    number = 0
    for heading, shown in sections.items():
        parts.append(f"<h2>{html.escape(heading)}</h2>")
        for each in shown:
            if isinstance(each, Table):
                parts.append(each.to_html())
            else:
                number += 1
                parts.append(_figure(each, number))
    body = "\n".join(parts)
    return (
        '<!DOCTYPE html>\n<html lang="en" xmlns="http://www.w3.org/1999/xhtml">\n<head>\n<meta charset="utf-8"/>\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1"/>\n'
        f"{HTML_MARK}\n<style>{STYLE}</style>\n</head>\n<body>\n{body}\n</body>\n</html>\n"
    )


def markdown_page(
    material: Material,
    runs: Table,
    sections: Mapping[str, Sequence[Table | Picture]],
    introduction: str,
    warning: str,
    figures: str,
) -> str:
    """The same in Markdown; figures: where their PNGs are, as seen from the page."""
    parts = [f"{MARKDOWN_MARK}\n\n# Results", introduction, *([f"**{warning}**"] if warning else [])]
    parts += ["## What was run", runs.to_markdown()]
    parts += [f"- {what}: left out. {why}" for what, why in material.skipped.items()]
    parts += [f"**{run.title}.** {run.remarks}" for run in material.runs if run.remarks]
    for heading, shown in sections.items():
        parts.append(f"## {heading}")
        for each in shown:
            parts.append(
                each.to_markdown()
                if isinstance(each, Table)
                else f"![{each.caption.split('.')[0]}]({figures}/{each.name}.png)\n\n{each.caption}"
            )
    return "\n\n".join(part.strip() for part in parts) + "\n"


def _figure(picture: Picture, number: int) -> str:
    return (
        f"<figure>{picture.svg(f'figure{number}')}\n"
        f"<figcaption><b>Figure {number}.</b> {html.escape(picture.caption)}</figcaption></figure>"
    )


def _left_out(material: Material) -> list[str]:
    return [
        f'<p class="note"><b>{html.escape(what)}</b>: left out. {html.escape(why)}</p>'
        for what, why in material.skipped.items()
    ]


def _remarks(runs: Sequence[ShownRun]) -> list[str]:
    """Remarks on runs: paragraphs of Markdown, of which code and bold are shown as such."""
    found = []
    for run in runs:
        paragraphs = [part for part in run.remarks.split("\n\n") if part.strip()]
        for i, paragraph in enumerate(paragraphs):
            text = re.sub(r"`([^`]*)`", r"<code>\1</code>", html.escape(paragraph))
            text = re.sub(r"\*\*([^*]*)\*\*", r"<b>\1</b>", text)
            found.append(f'<p class="note">{"" if i else f"<b>{html.escape(run.title)}.</b> "}{text}</p>')
    return found

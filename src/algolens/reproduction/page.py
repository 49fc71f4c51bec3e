"""A report as one page, in HTML with nothing outside it and in Markdown: headline, figures, tables,
how it was made.
"""

from __future__ import annotations

import html
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from algolens.reports.figures import Picture
from algolens.reports.tables import Table
from algolens.reproduction.headline import Headline

# by these a page of ours is known, and may be written over; the second of each is of pages written
# before
HTML_MARKS = (
    '<meta name="generator" content="AlgoLens report"/>',
    "<title>AlgoLens: reproduction</title>",
)
MARKDOWN_MARKS = ("<!-- AlgoLens: report -->", "<!-- AlgoLens: reproduction -->")

# pixels on a screen for each inch of paper: as large as on paper, and as small as can still be read
NATURAL, SMALLEST = 96, 80

STYLE = """
:root { color-scheme: light dark; --text: #1d2329; --soft: #56606b; --line: #d5dae0; \
--back: #fff; --card: #f6f8fa;
  --accent: #0063a0; }
@media (prefers-color-scheme: dark) { :root { --text: #e6e9ec; --soft: #a9b2bc; --line: #3a424b; \
--back: #141414;
  --card: #1e2226; --accent: #7cc0ef; } figure svg { filter: invert(.92) hue-rotate(180deg); } }
* { box-sizing: border-box; }
body { max-width: 68rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; \
font: 16px/1.55 system-ui, sans-serif; color: var(--text);
  background: var(--back); }
.about { margin: 0; color: var(--soft); font-size: .95rem; }
h1 { margin: .2rem 0 1.2rem; font-size: clamp(1.5rem, 4vw, 2.3rem); line-height: 1.2; }
h2 { margin: 3rem 0 1rem; padding-bottom: .3rem; font-size: 1.5rem; \
border-bottom: 2px solid var(--text); }
h3 { margin: 2rem 0 .6rem; font-size: 1.15rem; }
a { color: var(--accent); }
.sentences { margin: 0; padding: .9rem 1.1rem; background: var(--card);
  border-left: 4px solid var(--accent); border-radius: 4px; }
.sentences div + div { margin-top: .7rem; }
.sentences dt { font-weight: 600; }
.sentences dd { margin: 0; }
nav { margin: 1.2rem 0 0; display: flex; flex-wrap: wrap; gap: .4rem 1.4rem; }
.wide { overflow-x: auto; margin: .6rem 0; }
table { border-collapse: collapse; font-size: .85rem; line-height: 1.4; }
table { width: max-content; max-width: max(100%, 60rem); }
.caption { text-align: left; font-weight: 600; padding: .3rem 0; font-size: .95rem; \
margin: 1rem 0 0; }
th, td { text-align: left; vertical-align: top; padding: .3rem .9rem .3rem 0; \
border-bottom: 1px solid var(--line); }
th { white-space: nowrap; border-bottom: 2px solid var(--text); }
td:nth-child(-n+2) { min-width: 7rem; }
td { font-variant-numeric: tabular-nums; min-width: 4.5rem; max-width: 24rem; }
.figure { white-space: nowrap; }
.rule { display: inline-block; min-width: 15rem; font-family: ui-monospace, monospace; \
font-size: .92em; }
.note { font-size: .85rem; color: var(--soft); margin: .4rem 0; }
details { margin: .5rem 0; font-size: .9rem; }
summary { cursor: pointer; color: var(--accent); padding: .25rem 0; }
figure { margin: 1.2rem 0 2rem; min-width: 0; }
.picture { overflow-x: auto; border: 1px solid var(--line); border-radius: 6px; padding: .5rem; }
figure svg { display: block; width: 100%; height: auto; margin: 0 auto; }
figcaption { font-size: .85rem; color: var(--soft); margin-top: .5rem; }
.beside { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 20rem), 1fr)); \
gap: 0 1.2rem;
  align-items: start; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
@media print { body { max-width: none; } figure, tr { break-inside: avoid; } \
nav { display: none; } }
"""


@dataclass(frozen=True)
class Remark:
    """A paragraph in Markdown, of which code and bold are shown as such; about: what it begins
    with, in bold.
    """

    about: str
    text: str

    def to_html(self) -> str:
        """Itself as HTML."""
        found = []
        for i, paragraph in enumerate(part for part in self.text.split("\n\n") if part.strip()):
            text = re.sub(r"`([^`]*)`", r"<code>\1</code>", html.escape(paragraph))
            text = re.sub(r"\*\*([^*]*)\*\*", r"<b>\1</b>", text)
            found.append(
                f'<p class="note">{"" if i else f"<b>{html.escape(self.about)}.</b> "}{text}</p>'
            )
        return "\n".join(found)

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
    def shown(self) -> list[Shown]:
        """Every table, picture and remark."""
        return [
            each
            for sections in self.chapters.values()
            for section in sections.values()
            for each in section
        ]


def html_page(page: Page) -> str:
    """The page as HTML."""
    told = "".join(
        f"<div><dt>{QUESTIONS[what]}</dt><dd>{html.escape(sentence)}</dd></div>"
        for what, sentence in page.headline.sentences.items()
    )
    links = "".join(
        f'<a href="#{_anchor(chapter)}">{html.escape(chapter)}</a>' for chapter in page.chapters
    )
    parts = [
        (
            f'<header>\n<p class="about">{html.escape(page.about)}</p>\n'
            f"<h1>{html.escape(page.headline.title)}</h1>"
        ),
        (
            f'<dl class="sentences">{told}</dl>\n'
            f'<nav aria-label="Chapters">{links}</nav>\n</header>\n<main>'
        ),
    ]
    number, said = 0, set[str]()
    for chapter, sections in page.chapters.items():
        parts.append(f'<h2 id="{_anchor(chapter)}">{html.escape(chapter)}</h2>')
        for heading, shown in sections.items():
            parts.append(f"<h3>{html.escape(heading)}</h3>")
            beside = len(shown) > 1 and all(
                isinstance(each, Picture) and each.is_narrow for each in shown
            )
            parts += ['<div class="beside">'] * beside
            for each in shown:
                if isinstance(each, Picture):
                    number += 1
                    parts.append(_figure(each, number))
                elif isinstance(each, Table):
                    parts.append(each.to_html(with_legend=each.legend not in said))
                    said.add(each.legend)
                else:
                    parts.append(each.to_html())
            parts += ["</div>"] * beside
    body = "\n".join(parts)
    return (
        '<!DOCTYPE html>\n<html lang="en" xmlns="http://www.w3.org/1999/xhtml">\n<head>\n'
        '<meta charset="utf-8"/>\n'
        f'{HTML_MARKS[0]}\n<meta name="viewport" content="width=device-width, initial-scale=1"/>\n'
        f"<title>AlgoLens: {html.escape(page.headline.title)}</title>\n"
        f"<style>{STYLE}</style>\n</head>\n<body>\n{body}\n"
        "</main>\n</body>\n</html>\n"
    )


QUESTIONS = {"Run": "What was run", "Found": "What came out", "Short": "What falls short"}


def markdown_page(page: Page, figures: str) -> str:
    """The same in Markdown; figures: where their PNGs are, as seen from the page."""
    parts = [f"{MARKDOWN_MARKS[0]}\n\n# {page.headline.title}", f"*{page.about}*"]
    parts += [
        f"**{QUESTIONS[what]}.** {sentence}" for what, sentence in page.headline.sentences.items()
    ]
    for chapter, sections in page.chapters.items():
        parts.append(f"## {chapter}")
        for heading, shown in sections.items():
            parts.append(f"### {heading}")
            for each in shown:
                if isinstance(each, Picture):
                    parts.append(f"![{each.alt}]({figures}/{each.name}.png)\n\n{each.caption}")
                else:
                    parts.append(
                        each.to_markdown(folds=True)
                        if isinstance(each, Table)
                        else each.to_markdown()
                    )
    return "\n\n".join(part.strip() for part in parts) + "\n"


def _figure(picture: Picture, number: int) -> str:
    wide, least = (round(picture.width * scale) for scale in (NATURAL, SMALLEST))
    size = f"max-width: {wide}px; min-width: {least}px"
    drawn = picture.svg(
        f"figure{number}", f'role="img" aria-label="{html.escape(picture.alt)}" style="{size}"'
    )
    return (
        '<figure><div class="picture" tabindex="0" role="region" '
        f'aria-label="Figure {number}">{drawn}</div>\n'
        f"<figcaption><b>Figure {number}.</b> {html.escape(picture.caption)}</figcaption></figure>"
    )


def _anchor(heading: str) -> str:
    return re.sub(r"\W+", "-", heading.lower())

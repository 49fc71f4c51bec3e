"""The site stays small: pages, words and entries have a most, and every page has its place."""

from __future__ import annotations

import re

from tests.docs.blocks import FENCE, ROOT

DOCS = ROOT / "docs"
WRITTEN = ("gallery.md",)  # by a command
MOST_PAGES, MOST_WORDS, MOST_RESULTS, MOST_BUILT, MOST_ENTRIES = 25, 28_000, 900, 4_000, 40


def pages() -> list[str]:
    """The pages of the three doors, as mkdocs.yml has them."""
    text = (ROOT / "mkdocs.yml").read_text()
    nav = text[text.index("\nnav:") : text.index("\n  - Reference:")]
    return re.findall(r"([\w-]+\.md)$", nav, re.MULTILINE)


def words(page: str) -> int:
    """The words of prose and tables of a page: without code, names of code and links."""
    prose = re.sub(r"`[^`]*`|\]\([^)]*\)", " ", FENCE.sub("", (DOCS / page).read_text()))
    return len(re.findall(r"[^\W\d_][\w'’-]*", prose))


def test_every_page_has_its_place_and_pages_are_few():
    assert sorted(pages()) == sorted(path.name for path in DOCS.glob("*.md"))
    assert len(pages()) <= MOST_PAGES


def test_pages_are_short():
    assert sum(words(page) for page in pages() if page not in WRITTEN) <= MOST_WORDS
    assert words("results.md") <= MOST_RESULTS
    assert words("built.md") <= MOST_BUILT


def test_the_glossary_is_short():
    entries = re.findall(r"^\| (?!word)\w", (DOCS / "glossary.md").read_text(), re.MULTILINE)
    assert 0 < len(entries) <= MOST_ENTRIES

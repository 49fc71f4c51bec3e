"""Every block of code of README.md, docs/ and results/ runs, and gives what the page says."""

from __future__ import annotations

import pytest

from algolens.algorithms import algorithms
from tests.docs.blocks import LONG, PAGES, QUICK, ROOT, blocks, matches, page_folder
from tests.effort import covering

RUN = {"python", "pycon", "sh", "bash", "console"}
CARDS = ROOT / "results" / "models"  # alike but for the algorithm
NAMES = covering(page.stem for page in PAGES if page.parent == CARDS and page.stem in algorithms())
WITH_CODE = [
    page
    for page in PAGES
    if any(block.language in RUN for block in blocks(page))
    and (page.parent != CARDS or page.stem in NAMES)
]


@pytest.mark.parametrize("page", WITH_CODE, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_blocks_of_a_page_run(page, tmp_path):
    with page_folder(tmp_path, page) as session:
        for block in blocks(page):
            session.run(block)


def test_what_is_not_run_stands_on_some_page():
    said = "\n".join(
        block.text for page in PAGES for block in blocks(page) if block.language in RUN
    )
    assert [each for each in (*LONG, *QUICK) if each not in said] == []


def test_no_shell_command_hides_in_a_block_that_is_not_run():
    for page in PAGES:
        fenced = [
            block.text for block in blocks(page) if block.language not in RUN and not block.title
        ]
        indented = [
            line for line in page.read_text().splitlines() if line.startswith("    algolens ")
        ]
        assert not [
            line
            for text in fenced
            for line in text.splitlines()
            if line.startswith(("algolens ", "$ algolens "))
        ], page
        assert not indented, page


def test_dots_stand_for_any_lines():
    assert matches(["a", "b", "c", "d"], ["a", "...", "d"])
    assert matches(["a", "d"], ["a", "...", "d"])
    assert not matches(["a", "b"], ["a", "...", "d"])
    assert not matches(["a", "b"], ["a"])

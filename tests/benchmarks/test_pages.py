"""A table is written into its own place in a page, and nothing else of the page changes."""

from __future__ import annotations

import pytest
from benchmarks.pages import write_section
from hypothesis import given
from hypothesis import strategies as st

from algolens.errors import AlgoLensError

WORDS = st.text("ab|-#\n ", max_size=30).map(lambda text: text + "\n")


@given(WORDS, WORDS, WORDS, WORDS)
def test_a_section_is_replaced_and_the_rest_stays(tmp_path_factory, before, old, new, after):
    page = tmp_path_factory.mktemp("page") / "page.md"
    page.write_text(f"{before}<!-- one -->\n{old}<!-- end -->\n{after}")
    for _ in range(2):  # a second time nothing changes
        write_section(page, "one", new)
        assert page.read_text() == f"{before}<!-- one -->\n\n{new.strip()}\n\n<!-- end -->\n{after}"


def test_a_page_without_the_marks_is_refused(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("<!-- other -->\n<!-- end -->\n")
    for path in (page, tmp_path / "none.md"):
        with pytest.raises(AlgoLensError, match="has no place for one"):
            write_section(path, "one", "text")

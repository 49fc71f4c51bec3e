"""The page on declarations leaves nothing out that an algorithm may contain."""

from __future__ import annotations

import pytest

from algolens.algorithms import Algorithm
from algolens.language.algorithm import METHODS
from algolens.language.check import FILE_COLUMNS
from algolens.language.declare import SAID, Form
from tests.docs.blocks import ROOT

PAGE = (ROOT / "docs" / "declaring.md").read_text()
ATTRIBUTES = [
    name
    for name in (*Form.__annotations__, *Algorithm.__annotations__)
    if not name.startswith("_") and name != "options"  # as they are set
]


@pytest.mark.parametrize("word", sorted({*SAID}.union(*(roles for roles, _, _ in SAID.values()))))
def test_every_word_that_a_name_takes_is_on_the_page(word):
    assert f"`{word}`" in PAGE or f"`{word}=" in PAGE or f"{word}=" in PAGE


@pytest.mark.parametrize("name", [*ATTRIBUTES, *METHODS])
def test_every_attribute_and_method_of_an_algorithm_is_on_the_page(name):
    assert len(ATTRIBUTES) > 5
    assert any(f"`{name}{end}" in PAGE for end in ("`", " = ", "(self"))


def test_methods_are_all_that_an_author_may_write():
    others = {"read", "with_room_for", "on_cells", "declaration", "data_name", "options"}
    others |= {"but", "range_of", "known_checks"}
    public = {name for name in vars(Algorithm) if not name.startswith("_")}
    assert public - others - set(ATTRIBUTES) == set(METHODS)


def test_the_page_is_linked_where_authors_look():
    for page in ("README.md", "CONTRIBUTING.md", "docs/language.md", "mkdocs.yml"):
        assert "declaring.md" in (ROOT / page).read_text(), page
    for template in (ROOT / "src" / "algolens" / "cli" / "templates").iterdir():
        assert "docs/declaring.md" in template.read_text(), template


def test_names_that_files_use_are_on_the_page():
    for names in FILE_COLUMNS.values():
        assert all(f"`{name}`" in PAGE for name in names)

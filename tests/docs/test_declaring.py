"""The page on declarations leaves nothing out that an algorithm may contain."""

from __future__ import annotations

from dataclasses import fields

import pytest
from algolens.algorithms._checks import FILE_COLUMNS

from algolens.algorithms import Algorithm, Declaration
from algolens.algorithms._algorithm import METHODS
from tests.docs.blocks import ROOT

PAGE = (ROOT / "docs" / "declaring.md").read_text()
ATTRIBUTES = [name for name in Algorithm.__annotations__ if not name.startswith("_")]


@pytest.mark.parametrize("part", [field.name for field in fields(Declaration)])
def test_every_part_of_a_declaration_is_on_the_page(part):
    assert f"| `{part}` |" in PAGE


@pytest.mark.parametrize("name", [*ATTRIBUTES, *METHODS])
def test_every_attribute_and_method_of_an_algorithm_is_on_the_page(name):
    assert len(ATTRIBUTES) > 5
    assert f"`{name}`" in PAGE or f"`{name}(self" in PAGE


def test_methods_are_all_that_an_author_may_write():
    others = {"read", "with_room_for", "on_cells", "declaration", "data_name", "options"}
    others |= {"range_of", "known_checks"}
    public = {name for name in vars(Algorithm) if not name.startswith("_")}
    assert public - others - set(ATTRIBUTES) == set(METHODS)


def test_the_page_is_linked_where_authors_look():
    for page in ("README.md", "docs/adding.md", "docs/looks.md", "mkdocs.yml"):
        assert "declaring.md" in (ROOT / page).read_text(), page
    for template in (ROOT / "src" / "algolens" / "cli" / "templates").iterdir():
        assert "docs/declaring.md" in template.read_text(), template


def test_names_that_files_use_are_on_the_page():
    for names in FILE_COLUMNS.values():
        assert all(f"`{name}`" in PAGE for name in names)

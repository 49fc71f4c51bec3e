"""What the pages on the architecture show is so: their picture, their walk and their examples."""

from __future__ import annotations

import ast
import doctest
import re
from pathlib import Path
from typing import Any

import pytest

from algolens.models.recurrent.processors import PROCESSORS
from tests.test_layers import LAYERS, ROOT, imported

DOCS = Path(__file__).parents[1] / "docs"
ARCHITECTURE, ADDING = ((DOCS / name).read_text() for name in ("architecture.md", "adding.md"))


def blocks(page: str, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", page, re.DOTALL)


def test_the_picture_of_the_layers_shows_the_imports_that_do_not_follow_from_others():
    direct: dict[str, set[str]] = {layer: set() for layer in LAYERS}
    for path in ROOT.rglob("*.py"):
        layer = path.relative_to(ROOT).parts[0].removesuffix(".py")
        if layer in LAYERS:
            direct[layer] |= {each for node in ast.walk(ast.parse(path.read_text())) for each in imported(node)} - {layer}
    whole: dict[str, set[str]] = {}
    for layer in LAYERS:  # those that it imports from stand before it
        whole[layer] = direct[layer].union(*(whole[each] for each in direct[layer]))
    wanted = {
        (below, layer)
        for layer in LAYERS
        for below in direct[layer]
        if not any(below in whole[each] for each in direct[layer] - {below})
    }
    (picture,) = blocks(ARCHITECTURE, "mermaid")
    drawn = re.findall(r"(\w+) --> (\w+)", picture)
    assert len(drawn) == len(set(drawn))
    assert set(drawn) == wanted, "draw: " + ", ".join(f"{a} --> {b}" for a, b in sorted(wanted))


def test_the_layers_are_described_in_their_order():
    assert re.findall(r"^\| `(\w+)` \|", ARCHITECTURE, re.MULTILINE)[: len(LAYERS)] == LAYERS


def test_the_walk_of_one_graph_gives_what_the_page_says():
    walk = "\n".join(blocks(ARCHITECTURE, "pycon"))
    assert walk.count(">>>") > 20
    example = doctest.DocTestParser().get_doctest(walk, {}, "architecture.md", None, 0)
    output: list[str] = []
    assert doctest.DocTestRunner(verbose=False).run(example, out=output.append).failed == 0, "".join(output)


EXAMPLES = dict(zip(("relation", "kind", "processor"), blocks(ADDING, "python"), strict=True))


@pytest.mark.parametrize("what", EXAMPLES)
def test_what_the_page_on_adding_shows_runs(what):
    before = dict(PROCESSORS)
    known: dict[str, Any] = {"__name__": "page"}
    try:
        exec(EXAMPLES[what], known)
    finally:
        PROCESSORS.clear()
        PROCESSORS.update(before)


def test_every_file_that_the_pages_name_is_there():
    folders = [ROOT, ROOT.parents[1], *(path for path in ROOT.rglob("*") if path.is_dir())]
    for page in (ARCHITECTURE, ADDING):
        for name in set(re.findall(r"`((?:[a-z_]+/)*[a-z_]+\.py)`", page)):
            assert any((folder / name).exists() for folder in folders), name

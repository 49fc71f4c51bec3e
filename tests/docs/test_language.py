"""The page on statements: each is read, and sits where the page says."""

from __future__ import annotations

from typing import cast

import pytest

from algolens.language.check import Checker
from algolens.language.ir import At, Field, Let
from algolens.language.parse import Parser, parse
from algolens.language.relations import RELATIONS
from algolens.language.text import Text
from tests.docs.blocks import ROOT, blocks

PAGE = ROOT / "docs" / "language.md"
FIELDS = {  # as a table of the page has them
    "marked": Field("node", "mask"),
    "status": Field("node", "category", ("undecided", "chosen", "out")),
    "height": Field("node", "number", bits=8),
    "best": Field("node", "number", bits=8),
    "root": Field("node", "pointer", to="node"),
    "heavy": Field("edge", "mask"),
    "weight": Field("edge", "number", bits=8),
    "open": Field("link", "mask"),
    "busy": Field("graph", "mask"),
    "source": Field("graph", "pointer", to="node"),
}
LINES = [
    line.partition("#")[0].strip()
    for block in blocks(PAGE)
    if block.language == "statements"
    for line in block.text.splitlines()
]


@pytest.mark.parametrize("line", LINES)
def test_a_statement_of_the_page_is_read(line):
    at, _, said = line.partition(" ")
    value = parse(Parser.statement, said.strip(), cast("At", at), FIELDS)
    text = Text({(one.at, name): one.labels for name, one in FIELDS.items()})
    Checker(Let("it", cast("At", at), value), FIELDS, text).kind(value)


def test_every_relation_is_on_the_page():
    said = PAGE.read_text()
    for relation in RELATIONS:
        assert f"`{relation.phrase(1)}`" in said, relation.phrase(1)

"""Every public name is on the page of the public API, and says what numpydoc asks of it."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from functools import cached_property
from typing import Any

import pytest

import algolens as al
from algolens.rules import RuleClassifier
from tests.docs.blocks import ROOT
from tests.test_docstrings import named

PAGE = (ROOT / "docs" / "reference" / "algolens.md").read_text()
FUNCTIONS = [name for name in al.__all__ if inspect.isfunction(getattr(al, name))]
CLASSES = [
    RuleClassifier,
    *(getattr(al, name) for name in al.__all__ if inspect.isclass(getattr(al, name))),
]


def members() -> Iterator[tuple[str, Any]]:
    """What the public classes define: methods and properties of their own."""
    for cls in CLASSES:
        for name, member in vars(cls).items():
            documented = (property, cached_property, classmethod)
            if not name.startswith("_") and (
                inspect.isfunction(member) or isinstance(member, documented)
            ):
                yield f"{cls.__name__}.{name}", member


def summary(thing: Any) -> str:
    said = inspect.getdoc(thing) or ""
    return said.partition("\n\n")[0].replace("\n", " ")


@pytest.mark.parametrize("name", al.__all__)
def test_every_public_name_is_on_the_page(name):
    assert f"::: algolens.{name}\n" in PAGE


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_public_function_describes_parameters_and_what_it_returns_and_shows_an_example(name):
    function = getattr(al, name)
    said = inspect.getdoc(function) or ""
    signature = inspect.signature(function)
    assert set(named(said) or []) == set(signature.parameters)  # PR01, PR02
    if signature.return_annotation not in ("None", None):
        assert "\nReturns\n-------\n" in said  # RT01
    assert "\nExamples\n--------\n" in said  # EX01
    run = [line for line in said.splitlines() if ">>> " in line and "+SKIP" not in line]
    assert any(f"{name}(" in line for line in run) or name == "play"  # which opens a window


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_public_function_begins_with_a_command(name):
    """SS05, and no noun: 'Run an algorithm', neither 'Runs an' nor 'A run of'."""
    first = summary(getattr(al, name)).partition(" ")[0]
    assert first in IMPERATIVES, summary(getattr(al, name))


IMPERATIVES = {
    "Carry", "Check", "Compare", "Discover", "Explain", "List", "Load", "Play", "Prove", "Run",
    "Score", "Show", "Train", "Wrap", "Write",
}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "thing"),
    [pytest.param(*each, id=each[0]) for each in members()]
    + [pytest.param(cls.__name__, cls, id=cls.__name__) for cls in CLASSES],
)
def test_every_member_says_in_a_sentence_what_it_is(name, thing):
    said = summary(thing)
    assert said.endswith((".", ":")), name
    if inspect.isfunction(thing):  # SS05
        assert not re.match(r"[A-Z][a-z]+(?<!s)s ", said), f"{name}: {said}"

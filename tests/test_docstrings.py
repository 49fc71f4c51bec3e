"""A section "Parameters" names the parameters that there are, and no others."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import algolens

ROOT = Path(algolens.__file__).parent
UNDERLINED = re.compile(r"^Parameters\n-+\n(.*?)(?=^\S[^\n]*\n-{3,}$|\Z)", re.MULTILINE | re.DOTALL)
Function = ast.FunctionDef | ast.AsyncFunctionDef


def named(docstring: str) -> list[str] | None:
    """The parameters that a docstring describes; None without such a section."""
    section = UNDERLINED.search(docstring)
    if section is None:
        return None
    heads = re.findall(r"^([*\w][^\n]*)$", section[1], re.MULTILINE)
    return [name.strip().lstrip("*") for head in heads for name in head.split(" : ")[0].split(",")]


def taken(node: Function | ast.ClassDef) -> list[str]:
    """What a function takes; of a class, what its ``__init__`` does, or its fields."""
    if isinstance(node, ast.ClassDef):
        for part in node.body:
            if isinstance(part, Function) and part.name == "__init__":
                return taken(part)
        return [
            part.target.id
            for part in node.body
            if isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name)
        ]
    given = node.args
    every = [*given.posonlyargs, *given.args, given.vararg, *given.kwonlyargs, given.kwarg]
    return [one.arg for one in every if one is not None and one.arg not in ("self", "cls", "_")]


def described() -> Iterator[tuple[str, list[str], list[str], bool]]:
    for path in sorted(ROOT.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, Function | ast.ClassDef):
                names = named(ast.get_docstring(node) or "")
                if names is not None:
                    where = f"{path.relative_to(ROOT)}: {node.name}"
                    yield where, names, taken(node), isinstance(node, Function)


@pytest.mark.parametrize(
    ("where", "names", "there", "is_whole"),
    [pytest.param(*each, id=each[0]) for each in described()],
)
def test_the_parameters_described_are_those_that_there_are(where, names, there, is_whole):
    """Of a class, fields with defaults that speak for themselves may be left out."""
    assert set(names) - set(there) == set(), where
    assert not is_whole or set(there) - set(names) == set(), where

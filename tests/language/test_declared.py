"""Algorithms in the new form run as they did: every field of every step, by the judge."""

from __future__ import annotations

import importlib
import json
import pkgutil
from typing import Any

import pytest

from algolens import reference
from algolens.algorithms import algorithm
from algolens.language import ir
from algolens.language.declare import Algorithm
from algolens.language.lower import lower
from algolens.language.parse import Parser, parse
from algolens.language.text import Text
from tests.golden.keeping import kept
from tests.language import declared

KEPT = kept("traces")
FILES = sorted(
    {each.name for each in pkgutil.iter_modules(declared.__path__)}
    & KEPT.keys() - {"kruskal_union_find"}  # which sees in Python
)


def form_of(name: str) -> type[Algorithm]:
    """The algorithm of a file."""
    module = importlib.import_module(f"tests.language.declared.{name}")
    (found,) = (
        each
        for each in vars(module).values()
        if isinstance(each, type) and each.__module__ == module.__name__
    )
    return found


def frames(run: dict[str, Any]) -> list[dict[str, list[int]]]:
    """All fields of each step, from what changes."""
    found, now = [], dict(run["start"])
    for step in range(run["steps"]):
        now.update({name: value for at, name, value in run["changes"] if at == step})
        found.append(dict(now))
    return found


@pytest.mark.parametrize("name", FILES)
def test_the_new_form_runs_as_the_old(name: str) -> None:
    form, old = form_of(name).read(), algorithm(name).declaration
    program = json.loads(form.program.to_json())
    compared = set()
    for each in KEPT[name]:
        task, kept_run = each["task"], each["run"]
        graph = reference.Graph(task["nodes"], task["edges"], task["directed"])
        run = reference.run(program, graph, task["inputs"])
        expected = frames(kept_run)
        assert len(run["steps"]) == len(expected)
        for ours, theirs in zip(run["steps"], expected, strict=True):
            shared = ours.keys() & theirs.keys() & {*old.predicted}
            compared |= shared
            for field in shared:
                assert [int(value) for value in ours[field]] == theirs[field], field
        for field in run["start"].keys() & kept_run["start"].keys():
            assert [int(value) for value in run["start"][field]] == kept_run["start"][field]
    assert compared >= {*old.outputs}
    if any(one.role == "concept" for one in form.attributes.values()):
        assert [let.name for let in form.concepts] == [*old.concepts]
        assert compared >= {*old.concepts}
    assert form.sentences


@pytest.mark.parametrize("name", FILES)
def test_what_the_new_form_says_is_text_and_needs_no_pairs(name: str) -> None:
    program = form_of(name).program()
    scopes = (program.inputs, program.state)
    fields = {each: field for scope in scopes for each, field in scope.items()}
    for let in program.lets:
        is_sum = isinstance(let.value, ir.Arith)
        fields[let.name] = ir.Field(let.at, "number" if is_sum else "mask", bits=62 * is_sum)
    say = Text.of(program)
    for let in (*program.start, *program.lets, *program.becomes):
        part = Parser.case if isinstance(let.value, ir.Case) else Parser.statement
        assert parse(part, say(let.value), let.at, fields) == let.value
    lowered = lower(program)
    for let in (*lowered.lets, *lowered.becomes):
        assert not ir.parts_of(let.value, ir.Pairs)


def test_the_paper_s_three_name_the_paper_s_concepts() -> None:
    for name in ("bfs", "coloring", "kruskal"):
        concepts = [each.name for each in form_of(name).read().concepts]
        assert concepts == [*algorithm(name).declaration.concepts]

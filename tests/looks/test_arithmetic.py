"""Declared arithmetic is that of Python's whole numbers, whatever carries it out, or is refused."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Callable
from functools import partial
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from algolens.algorithms import Algorithm, Declaration, Limit
from algolens.errors import GraphError
from algolens.execution import run_algorithm
from algolens.fields import Location, Mask, Number, Observed, Pointer, at_node
from algolens.graphs import Graph
from algolens.programs import Program
from tests.looks.drawn import sum_text
from tests.looks.plain import PlainGraph, Refused, carried_out
from tests.player.in_node import NODE, in_node
from tests.player.runs import data_of
from tests.programs.in_sql import by_sql

MAGNITUDES = (1, 9, 2**20, 2**30, 2**31, 2**40, 2**60)
RUN = """
function answer(page) {
  const side = Side.read(page, page.sides[0]);
  try {
    const { steps } = side.machine.run(side.rules, side.machine.start());
    return steps.map((step) => step.best.map(String));
  } catch (problem) {
    return String(problem.message);
  }
}
"""


def drawn_sums(rng: random.Random) -> dict[str, tuple[list[Any], int]]:
    """Two sums of up to six products; the second names the first."""

    def product(names: list[list[str]]) -> Any:
        factor = rng.choice([1, 1, -1, -1, 2, -3, 2**20])
        return {"factor": factor, "terms": rng.choices(names, k=rng.choice([1, 1, 2, 2, 3]))}

    fields = [["my", "x"], ["my", "y"], ["my", "root", "x"], ["my", "best"]]
    first = [product(fields) for _ in range(rng.randint(1, 3))]
    second = [product([*fields, ["my", "first"]]) for _ in range(rng.randint(1, 6))]
    return {"first": (first, rng.randint(-9, 9)), "second": (second, rng.randint(-9, 9))}


def computing(sums: dict[str, tuple[list[Any], int]]) -> Algorithm:
    """Takes the second sum where it is the higher one, for two steps."""

    class Computing(Algorithm):
        name = "computing"
        graphs = "any"

        def declare(self) -> Declaration:
            return Declaration(
                location=Location.NODE,
                inputs={
                    "x": at_node(Number(62, signed=True)),
                    "y": at_node(Number(62, signed=True)),
                    "root": at_node(Pointer(Location.NODE)),
                },
                state=("best", "marked"),
                start={"best": "y", "marked": "False"},
                sums={
                    name: Observed(Location.NODE, sum_text(*parts)) for name, parts in sums.items()
                },
                look={
                    "is_higher": at_node("second > first"),
                    "is_highest": at_node("no other node (its second > my second)"),
                },
                concepts=("is_higher", "is_highest"),
                outputs={"marked": Mask(), "best": Number(62, signed=True)},
                rules={"marked": {"true": "is_highest", "false": "~is_highest"}},
                moves={"best": "second where is_higher"},
                most_steps=Limit(2, Location.GRAPH),
            )

    return Computing()


def by_kernel(kernel: str, chosen: Algorithm, graph: Graph, inputs: Any) -> list[list[int]]:
    run = run_algorithm(chosen, graph, inputs, kernel=kernel)
    return [run["best"][step].tolist() for step in range(run.num_steps)]


def by_source(chosen: Algorithm, graph: Graph, inputs: Any) -> list[list[int]]:
    module: dict[str, Any] = {}
    exec(Program.of(chosen).to_python_source(), module)
    given = {name: value.numpy() for name, value in inputs.items()}
    steps, _ = module["run"](module["graph_of"](graph.num_nodes, []), given)
    return [step["best"].tolist() for step in steps]


def by_database(base: str, chosen: Algorithm, graph: Graph, inputs: Any) -> list[list[int]]:
    given: Any = SimpleNamespace(graph=graph, inputs=inputs)
    opened: Any = sqlite3 if base == "sqlite" else pytest.importorskip("duckdb")
    steps = by_sql(Program.of(chosen), given, opened.connect(":memory:"))
    return [step["best"] for step in steps]


WAYS: dict[str, Callable[..., list[list[int]]]] = {
    "tensors": partial(by_kernel, "tensor"),
    "incremental": partial(by_kernel, "incremental"),
    "source": by_source,
    "sqlite": partial(by_database, "sqlite"),
    "duckdb": partial(by_database, "duckdb"),
}
CASES = {"duckdb": 12}  # which takes long for each
REFUSED = (GraphError, OverflowError, AssertionError)


def cases(count: int) -> list[tuple[Algorithm, Graph, dict[str, torch.Tensor], Any]]:
    """Programs with numbers of any size, and what plain Python finds; None where it refuses."""
    made = []
    for seed in range(count):
        rng = random.Random(seed)
        chosen, nodes = computing(drawn_sums(rng)), rng.randint(1, 4)
        most = rng.choice(MAGNITUDES)
        given = {name: [rng.randint(-most, most) for _ in range(nodes)] for name in "xy"}
        given["root"] = [rng.randrange(nodes) for _ in range(nodes)]
        program = Program.of(chosen).to_json()
        try:
            course = carried_out(program, PlainGraph(nodes, [], False), given)
            expected = [step["best"] for step in course.steps]
        except Refused:
            expected = None
        inputs = {name: torch.tensor(values) for name, values in given.items()}
        made.append((chosen, Graph.pack([nodes], []), inputs, expected))
    return made


@pytest.mark.parametrize("way", WAYS)
def test_whatever_carries_it_out_computes_it_exactly_or_refuses(
    way: str,
):
    right = refused = 0
    for chosen, graph, inputs, expected in cases(CASES.get(way, 60)):
        try:
            found = WAYS[way](chosen, graph, inputs)
        except REFUSED:
            found = None
        # a database keeps no count of numbers on the way: it may go on where plain Python stops
        if way in ("sqlite", "duckdb") and expected is None:
            refused += found is None
            continue
        assert found == expected
        right, refused = right + (found is not None), refused + (found is None)
    assert min(right, refused) >= CASES.get(way, 60) // 4


@pytest.mark.skipif(NODE is None, reason="no `node` is installed, which runs the page's scripts")
def test_the_page_computes_it_exactly_or_refuses():
    pages, wanted = [], []
    for chosen, graph, inputs, expected in cases(60):
        zeros = {name: inputs[name] * 0 for name in "xy"}
        try:
            page = data_of(run_algorithm(chosen, graph, {**inputs, **zeros}))
        except GraphError:
            continue  # constants alone are too large, so there is no page
        for name in "xy":
            page["inputs"][name] = [str(value) for value in inputs[name].tolist()]
        pages.append(page)
        wanted.append(expected)
    right = [expected is not None for expected in wanted]
    assert min(right.count(True), right.count(False)) > 12
    for found, expected in zip(in_node(RUN, pages), wanted, strict=True):
        if expected is None:
            assert "bits" in found
        else:
            assert [[int(value) for value in step] for step in found] == expected

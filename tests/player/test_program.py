"""The program in the page does what the program in Python does."""

from __future__ import annotations

import os
import random
from typing import Any

import networkx as nx
import numpy as np
import pytest
from msgspec import to_builtins

from algolens.algorithms import Algorithm, Node, algorithm, algorithms, category, mask
from algolens.engines import Intervention
from algolens.errors import AlgoLensError
from algolens.graphs import from_networkx
from algolens.language.rules import as_expr
from algolens.logic import reason
from algolens.logic.formula import Formula, Not, concepts, conjunction, disjunction
from tests.player.in_node import in_node, needs_node
from tests.player.runs import data_of, drawn_run, read_run, trace_rows

RUN = """
function answer({ page }) {
  const side = Side.read(page, page.sides[0]);
  return side.machine.run(side.rules, side.machine.start());
}
"""
WHAT_IF = """
function answer({ page, step, settings, inputs }) {
  const side = Side.read(page, page.sides[0]);
  const decoded = ([name, values]) => [name, values.map(decodedValue)];
  const entries = Object.entries(inputs ?? {}).map(decoded);
  const given = inputs === null ? side.inputs : Object.fromEntries(entries);
  const found = side.whatIf(step, settings, given, side.given, "what if");
  const rows = Object.entries(found.fields).map(([name, timeline]) => [
    name,
    Array.from({ length: found.steps }, (_, moment) => timeline.at(moment)),
  ]);
  const { steps, stopped, outcomes } = found;
  return { rows: Object.fromEntries(rows), steps, stopped, outcomes };
}
"""
DECLARED = [name for name in algorithms() if not algorithm(name).declaration.in_python]
FAMILIES = ("erdos_renyi", "tree", "grid", "caveman", "ladder")
# of each algorithm; `make test-browser` takes more
RUNS = int(os.environ.get("ALGOLENS_WHAT_IFS", "3"))


@needs_node
@pytest.mark.parametrize("name", DECLARED)
def test_what_follows_in_the_page_is_what_follows_in_python(name: str):
    cases = [case for seed in range(RUNS) if (case := what_if(algorithm(name), seed)) is not None]
    assert len(cases) > RUNS / 2
    for (_, expected), found in zip(
        cases, in_node(WHAT_IF, [asked for asked, _ in cases]), strict=True
    ):
        assert found["steps"] == expected["steps"]
        assert found["stopped"] == expected["stopped"]
        assert found["outcomes"] == expected["outcomes"]
        for field, changes in expected["trace"].items():
            rows = trace_rows(changes, expected["steps"])
            assert as_texts(found["rows"][field]) == as_texts(rows), field


def what_if(chosen: Algorithm, seed: int) -> tuple[dict[str, Any], dict[str, Any]] | None:
    """What the page is asked, and the run in Python that it is to find: the same from some step on,
    after a concept was set by hand, or from other inputs. None where numbers would leave their
    bits.
    """
    rng = np.random.default_rng(seed)
    graph = f"{FAMILIES[seed % len(FAMILIES)]}:{int(rng.integers(2, 14))}"
    run = drawn_run(chosen, graph, seed)
    asked: dict[str, Any] = {"page": data_of(run), "step": 0, "settings": [], "inputs": None}
    elements = run.graph.count(chosen.declaration.location)
    if run.num_steps and elements:
        asked["step"] = int(rng.integers(run.num_steps))
    try:
        if seed % 3 == 0 and run.num_steps and elements:
            concept = str(rng.choice(chosen.declaration.concepts))
            element, value = int(rng.integers(elements)), bool(rng.integers(2))
            asked["settings"] = [
                {"concept": concept, "value": int(value), "element": element, "step": asked["step"]}
            ]
            run = drawn_run(
                chosen,
                graph,
                seed,
                interventions=[Intervention(concept, value, [element], {asked["step"]})],
            )
        elif seed % 3 == 1 and chosen.declaration.inputs:
            run = drawn_run(chosen, graph, seed, inputs_seed=seed + 1)
            asked |= {"inputs": data_of(run)["inputs"], "step": 0}
    except AlgoLensError:
        return None
    return asked, data_of(run)["sides"][0]


@needs_node
def test_numbers_beyond_those_that_javascript_holds_stay_exact():
    graph = from_networkx(
        weighted([(0, 1, 2**53 + 1), (0, 2, 2**53), (1, 3, 1), (2, 3, 2), (3, 4, 2**54 + 1)])
    )
    page = data_of(read_run("dijkstra", graph, source="0"))
    assert str(2**53 + 1) in page["inputs"]["weight"]  # as text
    (found,) = in_node(RUN, [{"page": page}])
    for field, changes in page["sides"][0]["trace"].items():
        rows = trace_rows(changes, page["sides"][0]["steps"])
        assert as_texts(step[field] for step in found["steps"]) == as_texts(rows), field


def as_texts(rows):
    """Values as text: a sum of two large numbers may be small again, and is then written as a
    number.
    """
    return [[str(value) for value in row] for row in rows]


def weighted(edges):
    graph: nx.Graph = nx.Graph()
    graph.add_weighted_edges_from(edges)
    return graph


class Numbered(Algorithm):
    """Classes that are called by numbers, in no order of theirs."""

    big, odd = Node.input(mask), Node.input(mask)
    size = Node.output(
        category("10", "5", "2"),
        start={"10": "odd", "2": "big", "5": "~big"},  # the first that holds counts
        becomes={"10": "size is 5 & has_2", "5": "size is 10", "2": "True"},
    )
    has_2 = Node.derived("some neighbour (size is 2)")


LEGEND = """
make = (tag, _, ...children) => ({ tag, children });
function answer({ page }) {
  const terms = programOf(page, page.sides[0].rules).children.filter(({ tag }) => tag === "dt");
  return terms.map(({ children }) => children[0]);
}
"""


@needs_node
def test_classes_that_are_called_by_numbers_keep_their_order():
    chosen = Numbered()
    pages = [data_of(drawn_run(chosen, "erdos_renyi:9", seed)) for seed in range(5)]
    for page, found in zip(pages, in_node(RUN, [{"page": page} for page in pages]), strict=True):
        assert as_texts(step["size"] for step in found["steps"]) == as_texts(
            trace_rows(page["sides"][0]["trace"]["size"], page["sides"][0]["steps"])
        )
    (shown,) = in_node(LEGEND, [{"page": pages[0]}])
    assert [name for name in shown if name.startswith("size = ")] == [
        "size = 10",
        "size = 5",
        "size = 2",
    ]


@needs_node
def test_the_reason_of_a_rule_is_that_of_python():
    generator = random.Random(0)
    names = ["a", "b", "c", "d"]
    cases = []
    for _ in range(300):
        formula = made(generator, 3)
        cases.append((formula, {name: generator.random() < 0.5 for name in names}))
    answer = "const answer = ({ rule, values }) => ruleReason(rule, (name) => values[name]);"
    found = in_node(
        answer,
        [{"rule": to_builtins(as_expr(f, "node")), "values": v} for f, v in cases],
    )
    for (formula, values), why in zip(cases, found, strict=True):
        assert why == str(reason(formula, values))


def made(generator: random.Random, depth: int) -> Formula:
    if depth == 0 or generator.random() < 0.2:
        literal = concepts(generator.choice("abcd"))[0]
        return literal if generator.random() < 0.5 else Not(literal)
    parts = [made(generator, depth - 1) for _ in range(generator.randint(2, 3))]
    return conjunction(*parts) if generator.random() < 0.5 else disjunction(*parts)

"""The program in the page does what the program in Python does."""

from __future__ import annotations

import random
from typing import Any

import networkx as nx
import numpy as np
import pytest

from algolens.algorithms import algorithm, algorithms
from algolens.execution import Intervention
from algolens.graphs import from_networkx, load
from algolens.logic import parse, reason
from algolens.logic.formula import Formula, Not, concepts, conjunction, disjunction
from algolens.reports.player.data import trace_rows
from tests.reports.player.in_node import in_node, needs_node
from tests.reports.player.runs import data_of, drawn_run, read_run

RUN = """
function answer({ page, settings }) {
  const side = Side.read(page, page.sides[0]);
  return side.machine.run(side.rules, side.machine.start(), 0, settings);
}
"""
RESUMED = """
function answer({ page, step }) {
  const side = Side.read(page, page.sides[0]);
  const again = side.whatIf(step, [], side.inputs, side.given, "again");
  return { rows: again.rows, steps: again.steps, stopped: again.stopped, difference: again.difference };
}
"""
CHANGED = """
function answer({ page, inputs }) {
  const side = Side.read(page, page.sides[0]);
  return side.whatIf(0, [], { ...side.inputs, ...inputs }, side.given, "changed").rows;
}
"""
SCRIPTS = ["program.js", "state.js"]
DECLARED = [name for name in algorithms() if algorithm(name).declaration.seen is not None]
FAMILIES = ("erdos_renyi", "tree", "grid", "caveman")


@needs_node
@pytest.mark.parametrize("name", DECLARED)
def test_a_run_in_the_page_is_the_run_in_python(name: str):
    runs = []
    for seed in range(5):
        size = 5 + 2 * seed
        runs.append(drawn_run(algorithm(name), f"{FAMILIES[seed % len(FAMILIES)]}:{size}", seed))
    pages = [data_of(run) for run in runs]
    found = in_node(SCRIPTS, RUN, [{"page": page, "settings": []} for page in pages])
    for page, each in zip(pages, found, strict=True):
        assert_same(page["sides"][0], each)


@needs_node
@pytest.mark.parametrize("name", ["bfs", "coloring", "kruskal", "dijkstra"])
def test_what_follows_from_a_concept_set_by_hand_is_what_follows_in_python(name: str):
    chosen = algorithm(name)
    given: list[dict[str, Any]] = []
    for seed in range(6):
        rng = np.random.default_rng(seed)
        free = drawn_run(chosen, f"erdos_renyi:{6 + seed}", seed)
        concept = chosen.declaration.concepts[int(rng.integers(len(chosen.declaration.concepts)))]
        element = int(rng.integers(free.graph.count(chosen.declaration.location)))
        step, value = int(rng.integers(free.num_steps)), bool(rng.integers(2))
        run = drawn_run(chosen, f"erdos_renyi:{6 + seed}", seed, [Intervention(concept, value, [element], {step})])
        setting = {"concept": concept, "value": int(value), "element": element, "step": step}
        given.append({"page": data_of(run), "settings": [setting]})
    for each, found in zip(given, in_node(SCRIPTS, RUN, given), strict=True):
        assert_same(each["page"]["sides"][0], found)


@needs_node
def test_going_on_from_any_step_ends_as_the_run_did():
    run = drawn_run(algorithm("dijkstra"), "erdos_renyi:9", 1)
    page = data_of(run)
    for found in in_node(SCRIPTS, RESUMED, [{"page": page, "step": step} for step in range(run.num_steps)]):
        assert found["steps"] == run.num_steps
        assert found["difference"] is None
        assert found["stopped"] == page["sides"][0]["stopped"]


@needs_node
def test_another_input_gives_the_run_that_begins_with_it():
    village = load("examples/village.csv", 0)
    pages = {source: data_of(read_run("dijkstra", village, source=source)) for source in ("Mill", "Church", "Ferry")}
    given = [{"page": pages["Mill"], "inputs": {"source": page["inputs"]["source"]}} for page in pages.values()]
    for page, rows in zip(pages.values(), in_node(SCRIPTS, CHANGED, given), strict=True):
        for name, changes in page["sides"][0]["trace"].items():
            assert rows[name] == trace_rows(changes), name


@needs_node
def test_numbers_beyond_those_that_javascript_holds_stay_exact():
    graph = from_networkx(weighted([(0, 1, 2**53 + 1), (0, 2, 2**53), (1, 3, 1), (2, 3, 2), (3, 4, 2**54 + 1)]))
    page = data_of(read_run("dijkstra", graph, source="0"))
    assert str(2**53 + 1) in page["inputs"]["weight"]  # as text
    (found,) = in_node(SCRIPTS, RUN, [{"page": page, "settings": []}])
    assert_same(page["sides"][0], found)


def assert_same(side, found):
    assert len(found["steps"]) == side["steps"]
    for name, changes in side["trace"].items():
        # a sum of two large numbers may be small again: text and number are the same
        told = [[str(value) for value in step[name]] for step in found["steps"]]
        assert told == [[str(value) for value in row] for row in trace_rows(changes)], name
    assert {name: bool(value) for name, value in found["outcomes"].items()} == side["outcomes"]


def weighted(edges):
    graph: nx.Graph = nx.Graph()
    graph.add_weighted_edges_from(edges)
    return graph


@needs_node
def test_the_reason_of_a_rule_is_that_of_python():
    generator = random.Random(0)
    names = ["a", "b", "c", "d"]
    cases = []
    for _ in range(300):
        formula = made(generator, 3)
        cases.append((formula, {name: generator.random() < 0.5 for name in names}))
    answer = "function answer({ rule, values }) { return [ruleReason(rule, (n) => values[n]), writeFormula(rule)]; }"
    found = in_node(["program.js", "words.js"], answer, [{"rule": f.to_json(), "values": v} for f, v in cases])
    for (formula, values), (why, text) in zip(cases, found, strict=True):
        assert why == str(reason(formula, values))
        assert parse(text) == formula


def made(generator: random.Random, depth: int) -> Formula:
    if depth == 0 or generator.random() < 0.2:
        literal = concepts(generator.choice("abcd"))[0]
        return literal if generator.random() < 0.5 else Not(literal)
    parts = [made(generator, depth - 1) for _ in range(generator.randint(2, 3))]
    return conjunction(*parts) if generator.random() < 0.5 else disjunction(*parts)

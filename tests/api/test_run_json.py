"""A run as JSON holds all that it takes to draw it again, by the names that the user gave."""

from __future__ import annotations

import json
import re
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from algolens.algorithms import algorithm, algorithms
from algolens.api.execution import run_as_json
from algolens.cli.output import print_json
from algolens.engines import Intervention, Run, run_algorithm
from algolens.evaluation.rightness import Side
from algolens.graphs import from_networkx, sample, stream, to_networkx
from algolens.graphs.attributes import ExactNumber

PAGE = (Path(__file__).parents[2] / "docs" / "export.md").read_text()
EXAMPLE: dict[str, Any] = {}
for block in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL):
    if "def redrawn" in block:
        exec(block, EXAMPLE)
KEYS = set(
    re.findall(
        r"`(\w+)`",
        "\n".join(line.split("|")[1] for line in PAGE.splitlines() if line.startswith("| `")),
    )
)


def ran(name: str, seed: int, intervene: bool) -> tuple[Run, list[Intervention]]:
    """A run on a random graph whose nodes have names, and whose inputs are all drawn."""
    rng = stream(seed, name)
    chosen = algorithm(name)
    drawn = to_networkx(sample("tree", 6, 1, rng))
    graph: nx.Graph = nx.relabel_nodes(drawn, {node: f"n, {node}\u202e" for node in drawn})
    if chosen.graphs == "directed":
        graph = nx.DiGraph(list(graph.edges))
    found = from_networkx(graph)
    roomy = chosen.with_room_for(found)
    inputs, _ = roomy.read(found, rng, draw_all=True)
    interventions = (
        [Intervention(roomy.declaration.concepts[-1], True, [0], [1])] if intervene else []
    )
    return run_algorithm(roomy, found, inputs, interventions=interventions), interventions


@pytest.mark.parametrize("name", algorithms())
@pytest.mark.parametrize("intervene", [False, True])
def test_a_run_is_drawn_again_from_its_json_alone(name, intervene):
    run, interventions = ran(name, 1, intervene)
    rule_set = run.algorithm.declaration.rule_set
    document = json.loads(
        json.dumps(run_as_json(Side("algorithm", run, rule_set), interventions=interventions))
    )
    assert EXAMPLE["redrawn"](document).equals(run)


@pytest.mark.parametrize("name", ["bfs", "kruskal", "dijkstra", "bipartite"])
def test_every_key_is_explained(name):
    run, _ = ran(name, 0, False)
    side = Side("algorithm", run, run.algorithm.declaration.rule_set)
    document = run_as_json(side, trace=True)
    assert set(document) | set(document["trace"][0]) <= KEYS
    for field, location in (
        (field, known.at) for field, known in run.algorithm.declaration.predicted.items()
    ):
        for step in document["trace"]:
            values = (step["concepts"] | step["outputs"] | step["hints"])[field]
            assert (
                len(values) == run.graph.count(location)
                if location != "graph"
                else isinstance(values, bool)
            )


exact = st.integers(1, 10**6) | st.decimals(0, 9, places=3) | st.fractions(0, 9, max_denominator=99)


@given(st.lists(exact, min_size=3, max_size=3))
@settings(max_examples=20)
def test_weights_are_as_they_were_written(weights: list[ExactNumber]):
    graph = nx.Graph()
    for (u, v), weight in zip([("a", "b"), ("b", "c"), ("a", "c")], weights, strict=True):
        graph.add_edge(u, v, weight=weight)
    found = from_networkx(graph)
    roomy = algorithm("kruskal").with_room_for(found)
    run = run_algorithm(roomy, found, roomy.read(found, stream(0))[0])
    document = run_as_json(Side("algorithm", run, run.algorithm.declaration.rule_set))
    written = {
        frozenset([edge["source"], edge["target"]]): edge["weight"]
        for edge in document["graph"]["edges"]
    }
    assert written == {frozenset([u, v]): weight for u, v, weight in graph.edges(data="weight")}


@given(
    st.dictionaries(
        st.text(), st.text() | st.decimals(allow_nan=False, allow_infinity=False) | st.fractions()
    )
)
@settings(max_examples=50)
def test_json_is_read_back_and_holds_nothing_that_a_terminal_obeys(values):
    printed: list[str] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("typer.echo", lambda text="", **_: printed.append(text))
        print_json(values)
    text = "".join(printed)
    assert all(
        character.isprintable() or character in "\n\u00a0" or character.isspace()
        for character in text
    )
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e]", text)
    for name, value in json.loads(text).items():
        given_value = values[name]
        read = (
            Fraction(value) if isinstance(given_value, Fraction) else type(given_value)(str(value))
        )
        assert read == given_value or (
            isinstance(given_value, Decimal) and Decimal(repr(value)) == given_value
        )

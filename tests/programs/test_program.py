"""Programs that stand alone: whatever a program is written as, it does what the algorithm does."""

from __future__ import annotations

import copy
import json
import re
import sqlite3
from collections.abc import Iterator
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from msgspec.structs import replace

from algolens.algorithms import (
    Algorithm,
    Limit,
    Node,
    Option,
    algorithm,
    algorithms,
    mask,
    number,
    per,
)
from algolens.algorithms import Graph as Place
from algolens.engines import Run, run_algorithm
from algolens.engines.program import Program
from algolens.errors import AlgoLensError, GraphError
from algolens.graphs import Graph
from algolens.logic.rule_set import RuleSet
from algolens.reading import as_record
from tests.effort import covering
from tests.programs.in_sql import as_in_sql, by_sql
from tests.programs.schema import SCHEMA, write_schema
from tests.refusals import complaint

DECLARED = [name for name, cls in algorithms().items() if not cls().declaration.in_python]


def executed(chosen: Algorithm, seed: int = 5, nodes: int = 7) -> Run:
    directed = chosen.graphs == "directed"
    graph = Graph.pack([nodes], nx.gnp_random_graph(nodes, 0.4, seed=seed).edges, directed=directed)
    return run_algorithm(chosen, graph, chosen.sample(graph, np.random.default_rng(3)))


@pytest.mark.parametrize("name", DECLARED)
def test_a_program_comes_back_from_its_file_and_runs_alike(name, tmp_path):
    chosen = algorithm(name)
    program = Program.of(chosen)
    program.save(tmp_path / "rule_sets.json")
    again = Program.load(tmp_path / "rule_sets.json")
    assert again == program
    ours = executed(chosen)
    theirs = run_algorithm(again.algorithm, ours.graph, ours.inputs)
    assert theirs.lengths.tolist() == ours.lengths.tolist()
    for each in (*chosen.declaration.outputs, *chosen.declaration.concepts):
        assert ours[each].equals(theirs[each])


@pytest.mark.parametrize("name", DECLARED)
def test_python_that_needs_numpy_alone_runs_a_whole_graph(name):
    chosen = algorithm(name)
    run = executed(chosen)
    module: dict[str, Any] = {}
    exec(Program.of(chosen).to_python_source(), module)
    graph = module["graph_of"](run.graph.num_nodes, run.graph.edges.T, run.graph.directed)
    steps, outcomes = module["run"](graph, dict(run.inputs.items()))
    assert len(steps) == run.num_steps
    for step, values in enumerate(steps):
        for each in (*chosen.declaration.outputs, *chosen.declaration.concepts):
            assert values[each].tolist() == run[each][step].tolist()
    assert outcomes == {each: bool(value[0]) for each, value in run.outcomes.items()}


@pytest.mark.parametrize("name", DECLARED)
def test_sql_takes_the_steps_that_the_algorithm_takes(name):
    chosen = algorithm(name)
    run = executed(chosen)
    steps = by_sql(Program.of(chosen), run, sqlite3.connect(":memory:"))
    assert steps == [as_in_sql(run, step) for step in range(run.num_steps)]


@pytest.mark.parametrize("name", covering(DECLARED))
def test_duckdb_takes_the_steps_that_the_algorithm_takes(name):
    duckdb = pytest.importorskip("duckdb")
    chosen = algorithm(name)
    run = executed(chosen, nodes=4)  # a statement takes DuckDB milliseconds
    steps = by_sql(Program.of(chosen), run, duckdb.connect(":memory:"))
    assert steps == [as_in_sql(run, step) for step in range(run.num_steps)]


WHOLE = {name: Program.of(algorithm(name)).to_json() for name in ("bfs", "bfs_tree")}
VALIDATOR = Draft202012Validator(json.loads(SCHEMA.read_text()))
ODD: list[Any] = [
    *(None, True, False, 0, 1, -1, 2.5, 10**19, "", "x", "a b", [], {}, [[]], ["not"], ["my"]),
    *(["my", "visited"], {"where": True}, ["is", ["my"], None], ["and", True]),
    ["at least", 0, "neighbour", True],
]
# what a schema cannot say, and a statement of the right form can get wrong
OF_MEANING = "no relation is called so|give as many on both sides"


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The path to every value inside a value."""
    inner = (
        value
        if isinstance(value, dict)
        else dict(enumerate(value))
        if isinstance(value, list)
        else {}
    )
    for key, part in inner.items():
        yield (*path, key)
        yield from places(part, (*path, key))


@pytest.mark.parametrize("name", DECLARED)
def test_every_program_is_as_the_schema_says(name):
    assert VALIDATOR.is_valid(Program.of(algorithm(name)).to_json())


def test_the_published_schema_is_that_of_the_record(tmp_path):
    write_schema(tmp_path / "schema.json")
    assert (tmp_path / "schema.json").read_bytes() == SCHEMA.read_bytes(), "run `make schemas`"


@given(st.data())
@settings(max_examples=60)
def test_what_the_schema_refuses_the_reader_refuses_and_the_other_way_round(data):
    value = copy.deepcopy(WHOLE[data.draw(st.sampled_from(sorted(WHOLE)))])
    *before, last = data.draw(st.sampled_from(list(places(value))))
    holder: Any = value
    for key in before:
        holder = holder[key]
    match data.draw(st.sampled_from(["replace", "delete", "add"])):
        case "replace":
            holder[last] = data.draw(st.sampled_from(ODD))
        case "delete":
            del holder[last]
        case "add" if isinstance(holder, dict):
            holder[data.draw(st.sampled_from(["more", "x y", "1"]))] = data.draw(
                st.sampled_from(ODD)
            )
        case "add":
            holder.insert(0, data.draw(st.sampled_from(ODD)))
    refused = complaint(lambda: as_record(value, Program, "the program"))
    reads = refused is None or re.search(OF_MEANING, refused) is not None
    assert VALIDATOR.is_valid(value) == reads
    complaint(lambda: Program.from_json(value))  # what the record lets through may mean nothing


BAD = [
    "<script>",
    "\\input",
    "two\nlines",
    "a b",
    "x']",
    'x"',
    "ﬁ",
    "1st",
    "",
    "and",
    "x;--",
    "{0}",
    "__import__('os')",
    "é\u2028",
]


def renamed(name: str, old: str, new: str) -> Program:
    """The program of an algorithm in which something is called otherwise, read as a file would
    be.
    """
    said = {**Program.of(algorithm(name)).to_json(), "words": {}}  # phrases name it inside texts
    text = json.dumps(said)
    return Program.from_json(json.loads(text.replace(json.dumps(old), json.dumps(new))))


@pytest.mark.parametrize("bad", BAD)
@pytest.mark.parametrize(
    ("name", "old"),
    [
        ("bfs", "bfs"),
        ("bfs", "visited"),
        ("bfs", "source"),
        ("bfs", "has_been_visited"),
        ("bellman_ford", "offer"),
        ("bfs_tree", "is_chosen"),
        ("matching", "undecided"),
        ("dijkstra", "distance"),
    ],
)
def test_a_name_that_could_break_out_of_a_form_is_refused(name, old, bad):
    if old == "undecided" and bad in ("ﬁ", "and", "1st"):
        pytest.skip("a class may be called so: it stands between quotation marks everywhere")
    with pytest.raises(AlgoLensError) as problem:
        renamed(name, old, bad)
    assert "\n" not in str(problem.value)


@pytest.mark.parametrize(
    "odd", ["np", "bool", "lambda", "select", "run", "look", "CLASSES", "concepts", "x", "größe"]
)
@pytest.mark.parametrize("old", ["visited", "has_visited_neighbours", "source"])
def test_a_name_that_means_something_elsewhere_means_nothing_there(odd, old):
    program = renamed("bfs", old, odd)
    run = executed(program.algorithm)
    module: dict[str, Any] = {}
    exec(program.to_python_source(), module)
    graph = module["graph_of"](run.graph.num_nodes, run.graph.edges.T)
    steps, _ = module["run"](graph, dict(run.inputs.items()))
    output = next(iter(program.declaration.outputs))
    assert [step[output].tolist() for step in steps] == run[output].dense().tolist()
    assert by_sql(program, run, sqlite3.connect(":memory:")) == [
        as_in_sql(run, step) for step in range(run.num_steps)
    ]
    assert program.to_latex()
    assert program.to_markdown()


@pytest.mark.parametrize(
    "remark",
    ['""" + 1', "a\nimport os", "-- ; DROP TABLE node", "</script><script>", "\\input{x}", "| a |"],
)
def test_a_remark_stays_a_remark_in_every_form(remark):
    program = replace(Program.of(algorithm("bfs")), remarks=(remark,))
    plain, told = Program.of(algorithm("bfs")), program.remarks[0]
    assert "\n" not in told
    module: dict[str, Any] = {}
    exec(program.to_python_source(), module)
    assert told in module["__doc__"]
    assert program.to_sql().replace(f"-- {told}\n", "", 1) == plain.to_sql()
    assert f"% {told}\n" in program.to_latex()
    assert "<script>" not in program.to_markdown()
    assert f"; {told}\n" in program.to_smtlib()
    assert Program.from_json(program.to_json()).remarks == program.remarks


def deep(levels: int) -> Any:
    """A statement that is nested deep."""
    value: Any = {"type": "Const", "value": True}
    for _ in range(levels):
        value = {"type": "Not", "term": value}
    return value


# called neighbours, and all nodes
OTHER_VIEW = {
    "type": "Quantified",
    "quantity": "some",
    "view": {
        "type": "View",
        "words": "neighbour",
        "rows": "node",
        "joins": [
            [
                {"type": "Get", "column": "graph", "at": "node"},
                {"type": "Get", "column": "graph", "at": "node", "of": {"type": "It"}},
            ]
        ],
    },
    "body": {"type": "Const", "value": True},
}


# of what a program computes
SPOILT: tuple[dict[str, Any], ...] = (
    {"inputs": {"n": {"type": "Field", "at": "node", "kind": "number", "bits": 10**18}}},
    {"inputs": {"n": {"type": "Field", "at": "side", "kind": "mask"}}},
    {"inputs": {"visited": {"type": "Field", "at": "node", "kind": "mask"}}},
    {"lets": [{"type": "Let", "name": "a", "at": "node", "value": deep(150)}]},
    {"lets": [{"type": "Let", "name": "a", "at": "node", "value": OTHER_VIEW}]},
    {"times": 0},
    {"times": True},
    {"times": 10**7},
    {"per": "link"},
    {"outcomes": ["visited"]},
    {"concepts": ["visited"]},
    {"concepts": []},
    {"lets": []},
    {"becomes": []},
    {"start": []},
    {"outputs": {}},
    {"only_where": {"visited": "source"}},
    {"endless": {"visited": "source"}},
    {"perceived": {"visited": {"type": "Field", "at": "node", "kind": "mask"}}},
    {"more": 1},
)


@pytest.mark.parametrize(
    "spoilt",
    [
        [],
        {},
        {"format": "algolens program"},
        {"format": "algolens program", "version": 1},
        {"format": "algolens program", "version": 2, "name": "x"},
        {"format": "algolens program", "version": 3, "name": "x"},
        {"format": "algolens program", "version": 5},
        {"format": "another program"},
        {"graphs": "flat"},
        {"loops_matter": "no"},
        {"more": 1},
        {"program": {}},
        {"words": {"names": {"nothing": "x"}}},
        {"checks": [["ascending", "nothing"]]},
        *({"program": {**WHOLE["bfs"]["program"], **part}} for part in SPOILT),
    ],
)
def test_what_is_no_program_is_refused_in_one_line(spoilt, tmp_path):
    whole = Program.of(algorithm("bfs")).to_json()
    value = (
        {**whole, **spoilt}
        if isinstance(spoilt, dict) and "format" not in spoilt and spoilt
        else spoilt
    )
    (tmp_path / "rule_sets.json").write_text(json.dumps(value))
    with pytest.raises(AlgoLensError) as problem:
        Program.load(tmp_path / "rule_sets.json")
    assert "rule_sets.json" in str(problem.value)
    assert "\n" not in str(problem.value)


def test_rules_are_told_apart_without_changing_what_they_decide():
    found = Program.of(algorithm("coloring", colors=2))
    concepts = found.rules.concepts
    a, b = concepts[:2]
    overlapping = RuleSet.parse(concepts, {"color": {"0": f"{a} & {b}", "1": b, "2": a}})
    rules = found.with_rules(overlapping).rules
    patterns = np.array(list(np.ndindex(*[2] * len(concepts)))).astype(bool)
    ours, theirs = overlapping.decide(patterns), rules.decide(patterns)
    assert np.array_equal(ours["color"], theirs["color"])
    values = dict(zip(concepts, patterns.T, strict=True))
    holding = np.stack([rule.evaluate(values) for rule in rules.rules["color"].values()]).sum(0)
    assert (holding == 1).all()


@pytest.mark.parametrize("name", DECLARED)
def test_the_limit_of_a_program_is_that_of_the_algorithm(name):
    """On graphs larger than any that are guessed from."""
    chosen, program = algorithm(name), Program.of(algorithm(name))
    graph = Graph.pack(
        [3, 50, 400], [(3 + i, 4 + i) for i in range(40)], directed=chosen.graphs == "directed"
    )
    assert program.limit.on(graph).tolist() == chosen.max_steps(graph).tolist()
    assert program.algorithm.max_steps(graph).tolist() == chosen.max_steps(graph).tolist()


@pytest.mark.parametrize(
    "steps", [lambda counts: counts**2, lambda counts: counts.clamp(max=7), lambda counts: counts]
)
def test_steps_that_python_counts_are_in_no_program(steps):
    class Counted(type(algorithm("bfs"))):  # type: ignore[misc]
        name = "counted"

        def max_steps(self, graph):
            return steps(graph.node_counts)

    with pytest.raises(
        AlgoLensError, match=r"'counted' goes by Python, by its own max_steps\(\)"
    ) as problem:
        Program.of(Counted())
    assert "\n" not in str(problem.value)


def test_a_number_of_steps_of_its_own_is_a_limit_too():
    class Short(type(algorithm("bfs"))):  # type: ignore[misc]
        name = "short"
        most_steps = 2 * per(Place)

    program = Program.from_json(Program.of(Short()).to_json())
    assert (program.limit, str(program.limit)) == (Limit(2, "graph"), "2 steps")
    graph = Graph.pack([5], [(0, 1), (1, 2), (2, 3), (3, 4)])
    assert run_algorithm(program.algorithm, graph, {"source": np.array([0])}).num_steps == 2
    module: dict[str, Any] = {}
    exec(program.to_python_source(), module)
    assert len(module["run"](module["graph_of"](5, graph.edges.T), {"source": [0]})[0]) == 2


class Doubling(Algorithm):
    """A number that doubles in every step."""

    bits = Option(8, 1, 62)

    first = Node.input(number(bits, signed=True))
    size = Node.state(number(bits, signed=True), start="first", becomes="twice")
    seen = Node.output(mask, start="False", becomes="is_there")

    twice = Node.derived("size + size")
    is_there = Node.concept("seen | ~seen")


@pytest.mark.parametrize("first", [1, -1, 15, 16, -16, -17, 127, -128, 0])
@pytest.mark.parametrize("nodes", [1, 3])
def test_exports_refuse_a_number_that_leaves_its_bits_where_execution_does(first, nodes):
    chosen = Doubling()
    program, graph = Program.of(chosen), Graph.pack([nodes], [])
    inputs = {"first": np.full(nodes, first)}
    module: dict[str, Any] = {}
    exec(program.to_python_source(), module)
    made, arrays = module["graph_of"](nodes, []), {"first": inputs["first"]}
    if -128 <= first * 2**nodes <= 127:
        run = run_algorithm(chosen, graph, inputs)
        assert module["run"](made, arrays)[0][-1]["size"].tolist() == run["size"][-1].tolist()
        assert len(by_sql(program, run, sqlite3.connect(":memory:"))) == run.num_steps
        return
    with pytest.raises(GraphError, match=r"'size' of node '0' becomes .* 8 bits hold -128 to 127"):
        run_algorithm(chosen, graph, inputs)
    with pytest.raises(OverflowError, match="'size' leaves its bounds, -128 to 127"):
        module["run"](made, arrays)
    run = run_algorithm(Doubling(bits=60), graph, inputs)
    with pytest.raises(AssertionError, match="size"):
        by_sql(program, run, sqlite3.connect(":memory:"))


def test_exports_refuse_edges_that_no_graph_has():
    module: dict[str, Any] = {}
    exec(Program.of(algorithm("bridges")).to_python_source(), module)
    for edges, directed in (([(0, 0)], False), ([(0, 1), (1, 0)], False), ([(0, 1), (0, 1)], True)):
        with pytest.raises(ValueError, match="to itself, or stands twice"):
            module["graph_of"](3, edges, directed)
    assert module["graph_of"](3, [(0, 1), (1, 0)], True)["links"].tolist() == [0, 1]

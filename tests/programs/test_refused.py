"""What an algorithm refuses of inputs is refused by its program, in every form of it."""

from __future__ import annotations

import itertools
import sqlite3
from collections.abc import Mapping, Sequence
from typing import Any

import networkx as nx
import numpy as np
import pytest
from msgspec.structs import replace

import algolens as al
from algolens.algorithms import Algorithm, Node, algorithm, mask, number, per
from algolens.algorithms import Graph as Place
from algolens.algorithms.bfs import Bfs
from algolens.data.small_graphs import small_trials
from algolens.engines import run_algorithm
from algolens.engines.program import Program
from algolens.engines.sql_source import sql_parts
from algolens.errors import AlgoLensError, DefinitionError
from algolens.graphs import Graph
from tests.player.in_node import in_node, needs_node
from tests.player.runs import data_of
from tests.programs.in_sql import fill, refused
from tests.refusals import complaint

Inputs = Mapping[str, Sequence[int]]


def needs_more_colors(graph: nx.Graph, inputs: Inputs) -> bool:
    """Whether the greedy coloring from the highest priority on takes a sixth color."""
    order = sorted(graph, key=lambda node: -inputs["priority"][node])
    colors = nx.greedy_color(graph, strategy=lambda *_: order)
    return max(colors.values()) >= 5


def on_a_line(_: nx.Graph, inputs: Inputs) -> bool:
    points = list(zip(inputs["x"], inputs["y"], strict=True))
    if len(set(points)) < len(points):
        return True
    return any(
        np.linalg.matrix_rank(np.array([b, c]) - np.array(a)) < 2
        for a, b, c in itertools.combinations(points, 3)
    )


def pattern_is_wrong(_: nx.Graph, inputs: Inputs) -> bool:
    told = "".join(map(str, map(int, inputs["in_pattern"])))
    text, pattern = len(told.rstrip("1")), len(told) - len(told.rstrip("1"))
    return "1" in told[:text] or pattern < 1 or pattern > max(1, text)


def word_is_wrong(graph: nx.Graph, inputs: Inputs) -> bool:
    second = inputs["row_in_second"]
    return any(second[inputs["up"][node]] and not second[node] for node in graph)


WRONG = {
    "activity_selection": lambda _, inputs: any(
        end < begin for begin, end in zip(inputs["begin"], inputs["end"], strict=True)
    ),
    "binary_search": lambda _, inputs: list(inputs["key"]) != sorted(inputs["key"]),
    "coloring": needs_more_colors,
    "graham_scan": on_a_line,
    "jarvis_march": on_a_line,
    "kmp_matcher": pattern_is_wrong,
    "lcs_length": word_is_wrong,
    "naive_string_matcher": pattern_is_wrong,
    "order_statistic": lambda graph, inputs: inputs["rank"][0] >= len(graph),
}
BASES = ["sqlite", "duckdb"]


def drawn(chosen: Algorithm, seed: int) -> tuple[Graph, dict[str, np.ndarray]]:
    """A small graph, and inputs of which some are refused: few values, so that many are alike."""
    rng = np.random.default_rng(seed)
    nodes = int(rng.integers(1, 4 if "key" in chosen.declaration.inputs else 9))
    edges = nx.gnp_random_graph(nodes, 0.95 if seed % 2 else 0.4, seed=seed).edges
    graph = Graph.pack([nodes], list(edges), directed=chosen.recipe.directed)
    fields = chosen.declaration.inputs
    inputs = {name: f.draw(graph, rng) for name, f in fields.items()}
    if "priority" in inputs:
        return graph, {"priority": rng.permutation(nodes)}
    for name in {"x", "y", "begin", "end", "key", "rank"} & inputs.keys():
        inputs[name] = rng.integers(0, 7, len(inputs[name]))
    return graph, inputs


@pytest.fixture(params=sorted(WRONG))
def cases(request: pytest.FixtureRequest) -> tuple[str, list[tuple[Graph, Any, bool]]]:
    """Inputs of an algorithm, and whether they are wrong, by other means than ours."""
    name, made = request.param, []
    for seed in range(60):
        graph, inputs = drawn(algorithm(name), seed)
        plain = nx.Graph(graph.edges.T.tolist())
        plain.add_nodes_from(range(graph.num_nodes))
        given = {key: value.tolist() for key, value in inputs.items()}
        made.append((graph, inputs, WRONG[name](plain, given)))
    assert 5 <= sum(wrong for *_, wrong in made) <= 58
    return name, made


def refuses(chosen: Algorithm, graph: Graph, inputs: Any) -> bool:
    told = complaint(lambda: chosen.check(graph, inputs))
    assert "\n" not in (told or "")
    return told is not None


def test_the_algorithm_its_file_and_its_python_refuse_the_same(cases):
    name, made = cases
    chosen = algorithm(name)
    again = Program.from_json(Program.of(chosen).to_json()).algorithm
    module: dict[str, Any] = {}
    exec(Program.of(chosen).to_python_source(), module)
    for graph, inputs, wrong in made:
        assert refuses(chosen, graph, inputs) == wrong
        assert refuses(again, graph, inputs) == wrong
        ends = module["graph_of"](graph.num_nodes, graph.edges.T, graph.directed)
        given = dict(inputs.items())
        if wrong:
            with pytest.raises(ValueError, match=r"give|leave one out"):
                module["run"](ends, given)
        else:
            module["refuse"](ends, given)


@pytest.mark.parametrize("base", BASES)
def test_sql_refuses_the_same(cases, base):
    name, made = cases
    program = Program.of(algorithm(name))
    connect = sqlite3.connect if base == "sqlite" else pytest.importorskip("duckdb").connect
    for graph, inputs, wrong in made[:: 1 if base == "sqlite" else 6]:
        database, parts = connect(":memory:"), sql_parts(program, directed=graph.directed)
        fill(database, parts, program.program.inputs, graph, inputs)
        assert parts.refused is not None
        assert parts.refused in program.to_sql()
        assert bool(refused(database, parts.refused)) == wrong


IN_PAGE = ("end_not_before", "colors_suffice")  # checks that the page carries out
CHECKED = """
function answer({ page, inputs }) {
  const side = Side.read(page, page.sides[0]);
  if (!isCheckable(page.algorithm)) return fixedBecause([page]);
  try {
    checkInputs(page.algorithm, side.graph, inputs, page.graph.nodes);
  } catch (problem) {
    return problem.message;
  }
  return null;
}
"""


@needs_node
def test_the_page_refuses_the_same(cases):
    name, made = cases
    pages = []
    for graph, inputs, _ in made:
        run = run_algorithm(algorithm(name), graph, inputs, check=False)
        given = {key: value.astype(int).tolist() for key, value in inputs.items()}
        pages.append({"page": data_of(run), "inputs": given})
    found = in_node(CHECKED, pages)
    if any(check not in IN_PAGE for check, *_ in algorithm(name).known_checks):
        # other inputs are left to the command
        assert all("cannot be changed in the page" in told for told in found)
        return
    assert [told is not None for told in found] == [wrong for *_, wrong in made]


def test_eight_nodes_that_all_meet_are_refused_by_every_form_of_coloring():
    graph = nx.complete_graph(8)
    program = al.explain(al.load("coloring")).program
    with pytest.raises(AlgoLensError, match="would need more than 5 colors"):
        al.execute(program, graph)
    module: dict[str, Any] = {}
    exec(program.to_python_source(), module)
    made = module["graph_of"](8, list(graph.edges))
    with pytest.raises(ValueError, match=r"node \d would need more than 5 colors"):
        module["run"](made, {"priority": np.arange(8)})
    with pytest.raises(ValueError, match="give numbers that differ between neighbours"):
        module["run"](made, {"priority": np.zeros(8, int)})


def test_programs_that_do_not_refuse_the_same_are_not_equal():
    hull = Program.of(algorithm("graham_scan"))
    open_to_all = replace(hull, checks=())
    assert open_to_all != hull
    for pair in ((hull, open_to_all), (open_to_all, hull)):
        found = al.compare(*pair)
        assert found.differ
        assert "refuses" in str(found.difference)
    assert al.compare(hull, hull).proven


@pytest.mark.parametrize("name", sorted(WRONG))
def test_random_inputs_of_a_program_are_taken(name):
    program = Program.of(algorithm(name)).algorithm
    refused, taken = 0, 0
    for trial in itertools.islice(small_trials(program), 6):
        refused += trial.num_refused
        taken += sum(run.graph.num_graphs for run in trial.runs)
    assert refused < taken / 10
    if name != "coloring":
        graph = Graph.pack([1, 2, 7, 12], [], directed=program.graphs == "directed")
        program.check(graph, program.sample(graph, np.random.default_rng(3)))


class FirstOfRow(Algorithm):
    """Marks the nodes that no neighbour comes before, in a row that is in order."""

    checks = (("ascending", "key"),)

    key = Node.input(number(2))
    marked = Node.output(mask, start="False", becomes="is_first")
    is_first = Node.concept("no neighbour (its key < my key)")

    most_steps = per(Place)


class FirstOfRowBackwards(FirstOfRow):
    """The same, which is not the same where keys are in another order."""

    is_first = Node.concept("no neighbour (its number < my number & its key < my key)")


def test_inputs_that_both_refuse_tell_no_difference():
    first, second = map(Program.of, (FirstOfRow(), FirstOfRowBackwards()))
    assert not al.compare(first, second).differ
    both = [replace(one, checks=()) for one in (first, second)]
    assert al.compare(*both).differ


def test_what_is_discovered_refuses_what_the_trusted_one_does():
    found = al.discover(FirstOfRow, runs=6, nodes=3).prove(FirstOfRow)
    assert found.same_as is not None
    assert found.same_as.proven, str(found.same_as)


@pytest.mark.parametrize("name", ["floyd_warshall", "lcs_length", "optimal_bst"])
def test_a_program_runs_on_the_cells_of_a_table_as_its_algorithm_does(name):
    graph = nx.complete_graph(4)
    if name == "lcs_length":
        graph = nx.empty_graph(4)
    for key, attribute in {"letter": 1, "weight": 3, "key": 2, "gap": 1}.items():
        nx.set_node_attributes(graph, attribute, key)
        nx.set_edge_attributes(graph, attribute, key)
    nx.set_node_attributes(graph, {node: node > 1 for node in graph}, "in_second")
    ours = al.execute(name, graph)
    program = Program.from_json(Program.of(algorithm(name)).to_json())
    assert program.table == algorithm(name).table
    theirs = al.execute(program, graph)
    assert ours.result == theirs.result
    other = replace(program, table=None)
    assert not al.compare(program, other).proven
    assert "cells" in str(program)


@pytest.mark.parametrize(
    ("checks", "told"),
    [
        ((("ascendant", "source"),), "begin with one of end_not_before"),
        ((("ascending",),), "of nothing: give a number at the node"),
        ((("ascending", "source"),), "of 'source': give a number at the node"),
        ((("ascending", "nothing"),), "of 'nothing': give a number at the node"),
    ],
)
def test_a_check_that_says_nothing_is_refused_in_a_line(checks, told):
    with pytest.raises(DefinitionError, match=told) as problem:
        type("Own", (Bfs,), {"name": "own", "checks": checks, "__module__": __name__})
    assert "\n" not in str(problem.value)
    with pytest.raises(DefinitionError, match=told):
        replace(Program.of(Bfs()), checks=checks)

"""Whole programs, whatever runs them, do what plain Python does by the page of the language: step
by step, to the last.
"""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from algolens.algorithms import Algorithm, algorithms
from algolens.errors import DefinitionError, GraphError
from algolens.execution import Run, Stopped, run_algorithm
from algolens.fields import Mask, Number, Pointer, at_node
from algolens.graphs import Graph, Location, sample, stream
from algolens.looks import Look, Statement
from algolens.models import Architecture, Network, NetworkParts
from algolens.models.architecture import EXACT
from algolens.models.exact import StageTable
from algolens.models.exact.exact import Running
from algolens.models.exact.table import merged
from algolens.programs import Program
from tests.effort import examples
from tests.looks.drawn import Drawing, draw_graphs, draw_inputs
from tests.looks.plain import PlainGraph, Refused, carried_out
from tests.looks.seeing import as_ids, by_library, by_sql, drawn
from tests.looks.test_observer import plain_graph

ENDED = {Stopped.BY_COUNT: "by count", Stopped.BY_RULE: "by rule", Stopped.BY_LIMIT: "at its limit"}
Values = Mapping[str, torch.Tensor]
Way = Callable[[Algorithm, Graph, Values], Run]


def by_algorithm(algorithm: Algorithm, graph: Graph, inputs: Values) -> Run:
    return run_algorithm(algorithm, graph, inputs)


def by_tables(algorithm: Algorithm, graph: Graph, inputs: Values) -> Run:
    """As certified networks run: by tables of stages, which here say the truth. Rules are the
    declared ones.
    """
    network = Network(algorithm, Architecture(processor=EXACT, width=1, message_bits=1), (0,))
    perceiver: Any = network.perceiver
    for comparator in perceiver.comparisons.values():
        comparator.change.data.fill_(0.2)  # each place counts more than seven times the next
        comparator.offset.data.fill_(-8)
    running = Running(
        perceiver, {name: true_table(statement) for name, statement in perceiver.statements.items()}
    )
    assert all(running.in_order.values())
    perceiver.running = lambda: running
    sockets: dict[str, Any] = NetworkParts(network).sockets
    return run_algorithm(algorithm, graph, inputs, **{**sockets, "decide": None})


def true_table(statement: Statement) -> StageTable:
    """The table of a stage that concludes rightly: it receives, for each quantifier, how many fit
    (or, of every, do not).
    """
    first: list[int] = []
    after: list[np.ndarray] = []
    concluded: list[np.ndarray] = []
    for own in range(statement.num_own):
        cases = statement.closure(own)
        first.append(sum(len(each) for each in concluded))
        after.append(cases.after + first[-1])
        concluded.append(statement.truth_in_cases(own, cases.received))
    return merged(np.array(first), np.concatenate(after), np.concatenate(concluded))


def judge(
    algorithm: Algorithm,
    program: Any,
    graphs: Sequence[PlainGraph],
    inputs: Sequence[dict[str, Any]],
    way: Way,
) -> bool:
    """Whether a way to run a batch does on each of its graphs what plain Python does; False where
    both refuse.
    """
    batch = Graph.join(
        [Graph.pack([each.num_nodes], each.edges, directed=each.directed) for each in graphs]
    )
    given = {
        name: torch.zeros(batch.count(field.location), dtype=field.kind.dtype)
        for name, field in algorithm.declaration.inputs.items()
    }
    for place, values in enumerate(inputs):
        part = batch.take([place])
        for name, field in algorithm.declaration.inputs.items():
            given[name][part.index(field.location)] = torch.tensor(
                values[name], dtype=field.kind.dtype
            )
    try:
        courses = [
            carried_out(program, graph, values)
            for graph, values in zip(graphs, inputs, strict=True)
        ]
    except Refused:
        with pytest.raises(GraphError):
            way(algorithm, batch, given)
        return False
    run = way(algorithm, batch, given)
    for place, course in enumerate(courses):
        part, steps = batch.take([place]), int(run.lengths[place])
        assert steps == len(course.steps)
        assert ENDED[Stopped(int(run.stopped[place]))] == course.ended
        where = {
            name: part.index(field.location)
            for name, field in algorithm.declaration.predicted.items()
        }
        assert {
            name: value[where[name]].tolist() for name, value in run.start.items()
        } == course.start
        for step, expected in enumerate(course.steps):
            assert {name: run[name][step][where[name]].tolist() for name in expected} == expected, (
                f"step {step}"
            )
        assert {name: [bool(each[place])] for name, each in run.outcomes.items()} == {
            name: course.after[name] for name in run.outcomes
        }
    return True


WAYS = {"algorithm": by_algorithm, "tables": by_tables}
CASES = {"algorithm": 160, "tables": 80, "python": 80}


@pytest.mark.parametrize("way", CASES)
def test_programs_that_share_what_they_see_are_carried_out_as_plain_python_does(way):
    judged: list[int] = []
    refused: list[int] = []

    @examples(CASES[way])
    @given(st.integers(0, 2**32 - 1))
    def one(seed: int) -> None:
        rng = random.Random(seed)
        drawn, graphs = Drawing(rng), draw_graphs(rng)
        inputs = [draw_inputs(graph, rng) for graph in graphs]
        if way == "python":
            is_judged = judge_source(drawn.algorithm, drawn.json, graphs[0], inputs[0])
        else:
            is_judged = judge(drawn.algorithm, drawn.json, graphs, inputs, WAYS[way])
        (judged if is_judged else refused).append(seed)

    one()
    assert len(refused) <= 2 + 0.2 * len(judged)


def judge_source(
    algorithm: Algorithm, program: Any, graph: PlainGraph, inputs: dict[str, Any]
) -> bool:
    """The same of the exported module, which is executed with nothing but NumPy at hand."""
    try:
        course = carried_out(program, graph, inputs)
    except Refused:
        return False
    module: dict[str, Any] = {}
    exec(Program.of(algorithm).to_python_source(), module)
    made = module["graph_of"](graph.num_nodes, graph.edges, graph.directed)
    kinds = algorithm.declaration.inputs
    given = {
        name: torch.tensor(value, dtype=kinds[name].kind.dtype).numpy()
        for name, value in inputs.items()
    }
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        steps, outcomes = module["run"](made, given)
    assert any("cut short" in str(each.message) for each in said) == (
        course.ended == "at its limit"
    )
    assert [
        {name: np.asarray(step[name]).tolist() for name in course.steps[0]} for step in steps
    ] == course.steps
    assert outcomes == {name: course.after[name][0] for name in algorithm.declaration.outcomes}
    return True


@examples(60)
@given(st.integers(0, 2**32 - 1))
def test_sql_finds_what_the_library_finds_in_any_state_of_any_look(seed: int) -> None:
    """Its quantifiers are written by themselves (docs/exactness.md)."""
    rng = random.Random(seed)
    look = Drawing(rng).algorithm.declaration.seen
    assert look is not None
    graph = Graph.join(
        [
            Graph.pack([plain.num_nodes], plain.edges, directed=plain.directed)
            for plain in draw_graphs(rng)
        ]
    )
    inputs, state = drawn(look, graph, np.random.default_rng(seed))
    expected = as_ids(look, graph, by_library(look, graph, inputs, state))
    assert by_sql(look, graph, inputs, state) == expected


@pytest.mark.parametrize(
    "name", [name for name, cls in algorithms().items() if cls().declaration.seen is not None]
)
def test_algorithms_that_ship_are_carried_out_as_plain_python_does(name):
    """From their own JSON, which is what their text says (tests/looks/test_views.py)."""
    algorithm = algorithms()[name]()
    graphs, inputs = [], []
    for seed, (family, nodes) in enumerate([("erdos_renyi", 6), ("erdos_renyi", 4), ("grid", 1)]):
        graph = sample(family, nodes, 1, stream(seed))
        if algorithm.graphs == "directed":
            graph = Graph.pack([nodes], graph.edges.T, directed=True)
        values = algorithm.sample(graph, stream(seed, "inputs"))
        graphs.append(plain_graph(graph))
        inputs.append({each: value.tolist() for each, value in values.items()})
    assert judge(algorithm, Program.of(algorithm).to_json(), graphs, inputs, by_algorithm)


def test_what_two_comparisons_find_is_kept_apart_where_their_left_sides_are_one():
    fields = {name: at_node(Number(4)) for name in "abc"} | {
        name: at_node(Pointer(Location.NODE)) for name in "pqr"
    }
    pairs = {"lower": ("its a < its b", "its a < its c"), "met": ("its p = its q", "its p = its r")}
    texts = {
        f"{name}_{how}_{place}": f"{how} neighbour ({body})"
        for name, bodies in pairs.items()
        for place, body in enumerate(bodies)
        for how in ("some", "every")
    }
    look = Look(
        {name: at_node(each) for name, each in texts.items()}, fields, fields, {}, {}, {}, {}
    )
    ones = torch.ones(2, dtype=torch.int64)
    values = {"a": 5 * ones, "b": 9 * ones, "c": ones, "p": ones, "q": ones, "r": 0 * ones}
    found = look.on(Graph.pack([2], [(0, 1)]))(values, {})
    assert {name: value.tolist() for name, value in found.items()} == {
        name: [name.endswith("0")] * 2 for name in texts
    }


def test_what_is_compared_by_own_class_is_kept_apart():
    fields = {name: at_node(Number(4)) for name in "ab"} | {"m": at_node(Mask())}
    body = "my m & its a < my a | ~my m & its b < my b"
    look = Look({"found": at_node(f"some neighbour ({body})")}, fields, fields, {}, {}, {}, {})
    values = {
        "a": torch.tensor([5, 6]),
        "b": torch.tensor([9, 2]),
        "m": torch.tensor([True, False]),
    }
    assert look.on(Graph.pack([2], [(0, 1)]))(values, {})["found"].tolist() == [False, False]


def test_what_is_found_is_kept_once_and_not_for_every_state():
    """A sum along links goes by paths that all states share: what a run keeps does not grow with
    its steps.
    """
    look = algorithms()["dijkstra"]().declaration.seen
    assert look is not None
    graph = Graph.pack([3], [(0, 1), (1, 2)])
    there, kept = look.on(graph), set()
    for distance in range(5):
        state = {name: torch.zeros(3, dtype=field.kind.dtype) for name, field in look.state.items()}
        there({"weight": torch.tensor([1, 2])}, {**state, "distance": torch.full((3,), distance)})
        kept.add(len(there._history._results))
    assert len(kept) == 1


def test_a_mark_that_speaks_of_the_one_who_looks_is_refused():
    """It would be read as said of the one in view."""
    fields = {"a": at_node(Number(2)), "m": at_node(Mask())}
    state = {"h": at_node(Number(2))}
    moves = {"h": "the neighbour's a (m & my m)"}
    with pytest.raises(
        DefinitionError,
        match=r"moves by 'my m': a mark speaks of those in view alone. Say what is one's own",
    ):
        Look({}, {**fields, **state}, fields, state, {"h": 0}, moves, {})

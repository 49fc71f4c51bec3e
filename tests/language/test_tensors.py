"""Programs on tensors: a batch as its graphs alone, and nothing computed twice."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
import torch

from algolens import reference
from algolens.engines.tensors import Running, Tensors
from algolens.errors import GraphError
from algolens.graphs import Graph
from algolens.language import ir
from algolens.language.ir import IT, ME, Get
from tests.conformance.cases import Case, random_case
from tests.effort import in_proportion

AT_NODE = (("on", ir.Field("node", "mask")), ("boss", ir.Field("node", "pointer", to="node")))
FIELDS = {**dict(AT_NODE), "size": ir.Field("node", "number", bits=62)}


def look(case: Case, graph: Graph, state: dict[str, np.ndarray], inputs: Any) -> dict[str, Any]:
    """All that is seen, and all that a step makes of the state."""
    running = Running(case.algorithm.declaration.program, graph)
    seen = running.look(inputs, state)
    names = [let.name for let in running.program.becomes]
    return seen | {name: running.becomes(name) for name in names}


def test_a_batch_is_seen_as_its_graphs_alone():
    for seed in range(in_proportion(120)):
        case, again = random_case(seed), random_case(seed)
        graph = case.graph
        batch = Graph.join([graph, graph, again.graph])
        inputs = {name: np.concatenate([value] * 3) for name, value in case.inputs.items()}
        for name, field in case.program.inputs.items():
            if field.at == "link" and not graph.directed:  # all links one way, then all back
                there, back = np.split(case.inputs[name], 2)
                inputs[name] = np.concatenate([there] * 3 + [back] * 3)
        start = Running(case.program, graph).start(case.inputs)
        together = Running(case.program, batch).start(inputs)
        try:
            alone = look(case, graph, start, case.inputs)
        except GraphError:
            with pytest.raises(GraphError):
                look(case, batch, together, inputs)
            continue
        for name, value in look(case, batch, together, inputs).items():
            at = next(
                let.at for let in (*case.program.lets, *case.program.becomes) if let.name == name
            )
            parts = np.split(value, 3)
            if at == "link" and not graph.directed:
                halves = (np.split(half, 3) for half in np.split(value, 2))
                parts = [np.concatenate(pair) for pair in zip(*halves, strict=True)]
            assert all(np.array_equal(part, alone[name]) for part in parts), (name, case.words)


def on(graph: Graph, **values: list[Any]) -> Tensors:
    tensors = Tensors(graph.to("cpu"), {name: FIELDS[name] for name in values})
    tensors.give({name: torch.tensor(value) for name, value in values.items()})
    return tensors


NEIGHBOUR = ir.View(
    "neighbour",
    "side",
    ((ME, Get("receiver", "side", IT)),),
    Get("sender", "side", IT),
)
OTHER = ir.View(
    "other node", "node", ((Get("graph", "node"), Get("graph", "node", IT)),), apart=True
)


def test_what_is_written_into_is_computed_again():
    tensors = on(Graph.pack([3], [(0, 1), (1, 2)]), on=[True, False, False])
    let = ir.Let("seen", "node", ir.Quantified("some", NEIGHBOUR, Get("on", "node", IT)))
    first = tensors.add(let)
    assert tensors.add(let) is first
    first.fill_(True)
    assert tensors.add(let).tolist() == [False, True, False]
    given = torch.tensor([False, False, True])
    tensors.give({"on": given})
    assert tensors.add(let).tolist() == [False, True, False]
    given[0] = True  # a column that was given, changed in place
    tensors.give({"on": given})
    assert tensors.add(let).tolist() == [False, True, False]
    assert tensors.value("node", Get("on", "node")).tolist() == [True, False, True]


def test_a_column_that_is_as_it_was_is_the_same_tensor():
    tensors = on(Graph.pack([2], [(0, 1)]), on=[True, False], size=[1, 2])
    let = ir.Let("seen", "node", ir.Not(Get("on", "node")))
    first = tensors.add(let)
    tensors.give({"size": torch.tensor([2, 1])})
    assert tensors.add(let) is first
    tensors.give({"on": torch.tensor([True, False])})
    assert tensors.add(let) is first


def test_loops_and_parallel_edges_are_seen_as_they_are():
    rng = random.Random(0)
    statement = ir.Quantified("at least", NEIGHBOUR, Get("on", "node", IT), 2)
    for _ in range(100):
        count = rng.randint(1, 4)
        edges = [(rng.randrange(count), rng.randrange(count)) for _ in range(rng.randint(0, 6))]
        marks = [rng.random() < 0.6 for _ in range(count)]
        directed = rng.random() < 0.5
        graph = Graph(
            torch.tensor([count]),
            torch.tensor([len(edges)]),
            torch.tensor(edges, dtype=torch.int64).reshape(-1, 2).T,
            directed=directed,
        )
        world = reference.World(reference.Graph(count, edges, directed))
        expected = [
            sum(marks[it] for it in set(world.in_view("neighbour", me)[1])) > 1
            for me in range(count)
        ]
        tensors = on(graph, on=marks)
        assert tensors.value("node", statement).tolist() == expected, (edges, marks)
        me, it = tensors.pairs("node", NEIGHBOUR)
        seen = [
            (look, other)
            for look in range(count)
            for other in set(world.in_view("neighbour", look)[1])
        ]
        assert sorted(zip(me.tolist(), it.tolist(), strict=True)) == sorted(seen)


def test_pairs_of_a_batch_stay_within_their_graphs():
    tensors = on(Graph.pack([2, 1, 3], []), boss=[1, 0, 0, 2, 0, 0], size=[5, 2, 9, 1, 1, 7])
    me, it = tensors.pairs("node", OTHER)
    assert sorted(zip(me.tolist(), it.tolist(), strict=True)) == [
        (0, 1), (1, 0), (3, 4), (3, 5), (4, 3), (4, 5), (5, 3), (5, 4)
    ]  # fmt: skip
    lower = ir.Compare((Get("size", "node", IT),), "<", (Get("size", "node"),))
    boss = ir.Compare((Get("boss", "node"),), "=", (IT,))
    holds = tensors.of_pairs(ir.And((lower, boss)), me, it, "node", "node")
    assert sorted(zip(me[holds].tolist(), it[holds].tolist(), strict=True)) == [(0, 1), (5, 3)]
    both = ir.Quantified("some", OTHER, ir.And((lower, boss)))
    assert tensors.value("node", both).nonzero().flatten().tolist() == [0, 5]


def test_numbers_of_62_bits_are_compared_and_refused_as_they_are():
    most = 2**62 - 1
    tensors = on(Graph.pack([3], [(0, 1), (1, 2)]), size=[most, most - 1, 0])
    above = ir.Compare((Get("size", "node", IT),), ">", (Get("size", "node"),))
    assert tensors.value("node", ir.Quantified("some", OTHER, above)).tolist() == [
        False,
        True,
        True,
    ]
    for value in (
        ir.Arith(Get("size", "node"), "+", ir.Const(1)),
        ir.Arith(Get("size", "node"), "*", Get("size", "node")),
    ):
        with pytest.raises(GraphError, match="'more' grows beyond 62 bits on this graph"):
            tensors.add(ir.Let("more", "node", value))

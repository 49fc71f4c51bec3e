"""What is observed on a batch is what plain Python finds pair by pair, graph by graph."""

from __future__ import annotations

import numpy as np
import torch
from hypothesis import given
from hypothesis import strategies as st

from algolens.fields import Field, Mask
from algolens.graphs import Graph, Location
from algolens.logic.formula import Formula
from algolens.looks import GraphState, Observer, Relation, Scope, Statement, statement_text
from tests.effort import examples
from tests.looks.plain import PlainGraph, World
from tests.looks.statements import FIELDS, graphs, locations, looks, random_values, relations
from tests.strategies import streams

many = examples(60)


def plain_graph(graph: Graph) -> PlainGraph:
    """One graph as plain Python has it."""
    return PlainGraph(
        graph.num_nodes, [(int(u), int(v)) for u, v in graph.edges.T.tolist()], graph.directed
    )


def worlds(
    graph: Graph, values: dict[str, torch.Tensor]
) -> list[tuple[World, dict[Location, torch.Tensor]]]:
    """Every graph of a batch by itself, and where its elements stand in the batch."""
    found = []
    for place in range(graph.num_graphs):
        part = graph.take([place])
        index = {location: part.index(location) for location in Location}
        alone = {
            name: values[name][index[field.location]].tolist() for name, field in FIELDS.items()
        }
        found.append(
            (
                World(
                    plain_graph(part.graph),
                    {name: field.to_json() for name, field in FIELDS.items()},
                    alone,
                ),
                index,
            )
        )
    return found


@many
@given(st.data(), graphs(), streams())
def test_observations_are_what_plain_python_finds(
    data: st.DataObject, graph: Graph, rng: np.random.Generator
) -> None:
    location = data.draw(locations)
    formula = data.draw(looks(location))
    values = random_values(graph, rng)
    statement = Statement("found", location, formula, Scope(FIELDS))
    found = Observer((statement,)).observe(statement, GraphState(graph, Scope(FIELDS), values))
    for world, index in worlds(graph, values):
        assert found[index[location]].tolist() == world.observed(
            formula.to_json(), location.value
        ), statement_text(formula)


@examples(40)
@given(st.data(), graphs(), streams())
def test_several_observations_of_one_relation_do_not_disturb_each_other(
    data: st.DataObject, graph: Graph, rng: np.random.Generator
) -> None:
    location = data.draw(locations)
    formulas: list[Formula] = [data.draw(looks(location)) for _ in range(2)]
    formulas += [data.draw(st.sampled_from(formulas))]
    values = random_values(graph, rng)
    statements = [
        Statement(f"found_{i}", location, each, Scope(FIELDS)) for i, each in enumerate(formulas)
    ]
    observer = Observer(statements)
    for _ in range(2):  # what is kept of a graph serves every state
        values = random_values(graph, rng)
        batch = GraphState(
            graph,
            Scope({**FIELDS, **{f"found_{i}": Field(location, Mask()) for i in range(3)}}),
            values,
        )
        found = observer.see(batch)
        for world, index in worlds(graph, values):
            for i, each in enumerate(formulas):
                assert found[f"found_{i}"][index[location]].tolist() == world.observed(
                    each.to_json(), location.value
                ), statement_text(each)


@examples(40)
@given(st.sampled_from(relations()), graphs(), streams())
def test_a_view_has_every_pair_once(
    relation: Relation, graph: Graph, rng: np.random.Generator
) -> None:
    values = random_values(graph, rng)
    view = GraphState(graph, Scope(FIELDS), values).view(relation)
    looks_at, others = view.pairs(graph.count(relation.own))
    found = sorted(zip(looks_at.tolist(), others.tolist(), strict=True))
    expected = []
    for world, index in worlds(graph, values):
        own, other = index[relation.own].tolist(), index[relation.others].tolist()
        for me in world.graph.elements(relation.own.value):
            at, seen = world.seen_by(relation.phrase(1), me)
            assert at == relation.others.value
            expected += [(own[me], other[it]) for it in seen]
            if relation.exactly is not None:
                assert len(seen) == relation.exactly
    assert found == sorted(expected)

"""A look at a graph, state after state: what is kept from one state to the next is never out of
date.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import torch
from hypothesis import given
from hypothesis import strategies as st

from algolens.algorithms import Declaration, algorithm
from algolens.fields import Mask
from algolens.graphs import Graph, Location, sample, stream
from algolens.looks import statement_text
from tests.effort import examples
from tests.looks.plain import World
from tests.looks.statements import FIELDS, graphs, locations, looks, random_values
from tests.looks.test_observer import worlds
from tests.models.exact.stages import INPUTS, declared, random_perceiver
from tests.strategies import streams

STATE = ("awake", "color", "height", "boss", "seen")  # the others of the fields are inputs


def moving(plain: Declaration) -> Declaration:
    """The same look where most of what is seen at nodes is state: a pointer and a number move,
    classes are decided.
    """
    kinds = {name: FIELDS[name].kind for name in ("color",)}
    return replace(
        plain,
        inputs={name: field for name, field in INPUTS.items() if name not in STATE},
        state=STATE,
        start={"awake": "True", "color": "red", "height": 0, "boss": "me", "seen": "True"},
        hints={name: FIELDS[name] for name in ("height", "boss")},
        moves={
            "height": ("the neighbour's height (awake) where awake", "height where ~awake"),
            "boss": ("the node whose boss is me's boss (color is red)", "boss's boss where awake"),
        },
        outputs={"awake": Mask(), **kinds},
        rules={
            "awake": {"true": "seen", "false": "~seen"},
            "color": {"red": "seen", "green": "~seen", "blue": "False"},
        },
    )


def moved(world: World) -> dict[str, list[int]]:
    """What the number and the pointer become, in plain Python."""
    now = world.values
    height, boss = [], []
    for me in world.graph.elements("node"):
        around = [
            v
            for v in world.graph.elements("node")
            if ((me, v) in world.graph.edges or (v, me) in world.graph.edges)
        ]
        heights = [now["height"][v] for v in around if now["awake"][v]]
        height.append(heights[0] if heights and now["awake"][me] else now["height"][me])
        bosses = [
            now["boss"][v]
            for v in world.graph.elements("node")
            if now["boss"][v] == me and now["color"][v] == 0
        ]
        boss.append(
            bosses[0]
            if bosses
            else now["boss"][now["boss"][me]]
            if now["awake"][me]
            else now["boss"][me]
        )
    return {"height": height, "boss": boss}


@examples(40)
@given(st.data(), graphs(max_graphs=2, max_nodes=4), streams(), st.booleans())
def test_every_state_is_seen_as_if_it_were_the_first(
    data: st.DataObject, graph: Graph, rng: np.random.Generator, by_network: bool
) -> None:
    location = data.draw(locations)
    formulas = {
        f"found_{i}": (location, data.draw(looks(location, max_leaves=3))) for i in range(2)
    }
    declaration = moving(declared(formulas))
    assert declaration.seen is not None
    look = declaration.seen.on(graph)
    inputs = {
        name: value
        for name, value in random_values(graph, rng).items()
        if name in declaration.inputs
    }
    state = {
        name: random_values(graph, rng)["last seen" if name == "seen" else name] for name in STATE
    }
    perceiver = (
        random_perceiver(declaration, 0, in_order=True, width=3, bits=2)
        if by_network and small(declaration)
        else None
    )
    prepared = None if perceiver is None else perceiver.prepare(graph, inputs)
    for _ in range(4):
        match data.draw(st.sampled_from(["same inputs", "others", "overwritten"])):
            case "others" if perceiver is None:
                fresh = random_values(graph, rng)
                inputs = {name: fresh[name] for name in inputs}
            case "overwritten":
                fresh = random_values(graph, rng)
                for name, value in inputs.items():
                    value.copy_(fresh[name])
        found = look(inputs, state)
        values = {
            **inputs,
            **{"last seen" if name == "seen" else name: value for name, value in state.items()},
        }
        for world, index in worlds(graph, values):
            for name, (_, formula) in formulas.items():
                assert found[name][index[location]].tolist() == world.observed(
                    formula.to_json(), location.value
                ), statement_text(formula)
            for name, expected in moved(world).items():
                assert found[name][index[Location.NODE]].tolist() == expected, name
        if perceiver is not None:
            again = perceiver(perceiver.prepare(graph, inputs), state).settled
            for name, value in perceiver(prepared, state).settled.items():
                assert torch.equal(value, again[name]), name
        state = changed(state, graph, rng, data)


def small(declaration: Declaration) -> bool:
    assert declaration.seen is not None
    return all(
        statement.num_own * max(statement.num_kinds, 1) <= 200
        for statement in declaration.seen.statements
    )


def changed(
    state: dict[str, torch.Tensor], graph: Graph, rng: np.random.Generator, data: st.DataObject
) -> dict[str, torch.Tensor]:
    """Every field: the same tensor, an equal one, another, or the same one with another content."""
    fresh = random_values(graph, rng)
    after = {}
    for name, value in state.items():
        other = fresh["last seen" if name == "seen" else name]
        match data.draw(st.sampled_from(["same", "equal", "another", "overwritten"])):
            case "same":
                after[name] = value
            case "equal":
                after[name] = value.clone()
            case "another":
                after[name] = other
            case _:
                after[name] = value.copy_(other)
    return after


def test_inputs_that_are_overwritten_in_place_are_seen_anew() -> None:
    """What is found from inputs is kept while they last: priorities along edges, and the order of
    weights.
    """
    for name in ("coloring", "kruskal"):
        chosen = algorithm(name)
        graph = sample("barabasi_albert", 12, 3, stream(0))
        seen = chosen.declaration.seen
        assert seen is not None
        look, inputs = seen.on(graph), chosen.sample(graph, stream(1))
        state = chosen.start(graph, inputs)
        for seed in range(2, 5):
            for _ in range(2):
                found, again = look(inputs, state), seen.on(graph)(inputs, state)
                assert all(torch.equal(value, again[field]) for field, value in found.items())
            for field, value in chosen.sample(graph, stream(seed)).items():
                inputs[field].copy_(value)


def test_what_was_observed_may_be_overwritten_by_who_asked() -> None:
    chosen = algorithm("bfs")
    graph = sample("grid", 9, 1, stream(0))
    seen = chosen.declaration.seen
    assert seen is not None
    look, state = seen.on(graph), {"visited": torch.arange(9) == 4}
    expected = {name: value.clone() for name, value in look({}, state).items()}
    for name, value in look({}, state).items():
        if name != "has_been_visited":  # the state itself
            value.logical_not_()
    assert all(torch.equal(value, expected[name]) for name, value in look({}, state).items())

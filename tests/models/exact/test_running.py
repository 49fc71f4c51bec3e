"""Running by tables gives what the layers give, message by message, whatever the weights."""

from __future__ import annotations

import numpy as np
import torch
from hypothesis import assume, given
from hypothesis import strategies as st

from algolens.graphs import Graph, Location
from algolens.looks import Statement, statement_text
from algolens.models.exact import StageTable
from algolens.models.exact.table import conclusions, receiving
from algolens.models.layers import Linear
from tests.effort import examples
from tests.looks.statements import graphs, locations, looks, random_values
from tests.looks.test_observer import worlds
from tests.models.exact.stages import INPUTS, by_layers, concluded, declared, random_perceiver
from tests.strategies import streams

MOST_KINDS = 200  # larger looks are no other matter, and take their time


def small(statement: Statement) -> bool:
    return (
        statement.num_own <= 40
        and statement.num_kinds <= 60
        and statement.num_own * max(statement.num_kinds, 1) <= MOST_KINDS
    )


@examples(30)
@given(
    st.data(),
    graphs(max_graphs=2, max_nodes=4),
    streams(),
    st.booleans(),
    st.integers(0, 2**32 - 1),
)
def test_tables_give_what_the_layers_give(
    data: st.DataObject, graph: Graph, rng: np.random.Generator, in_order: bool, seed: int
) -> None:
    location = data.draw(locations)
    formulas = [data.draw(looks(location, max_leaves=3)) for _ in range(2)]
    declaration = declared(
        {f"found_{place}": (location, formula) for place, formula in enumerate(formulas)}
    )
    assert declaration.seen is not None
    statements = [each for each in declaration.seen.statements if each.name != "seen"]
    assume(all(small(statement) for statement in statements))
    perceiver = random_perceiver(declaration, seed, in_order=in_order)
    values = random_values(graph, rng, INPUTS)
    prepared = perceiver.prepare(graph, values)
    found = perceiver(prepared, {"seen": torch.zeros(graph.num_nodes, dtype=torch.bool)}).settled
    with_state = {**values, "last seen": torch.zeros(graph.num_nodes, dtype=torch.bool)}
    for world, index in worlds(graph, with_state):
        for statement in statements:
            name = statement.name
            expected = [
                concluded(perceiver, statement, world, me)
                for me in world.graph.elements(location.value)
            ]
            assert found[name][index[location]].tolist() == expected, statement_text(
                statement.formula
            )


@examples(20)
@given(st.data(), st.integers(0, 2**32 - 1))
def test_merged_tables_conclude_as_unmerged_ones_and_as_the_layers(
    data: st.DataObject, seed: int
) -> None:
    location = data.draw(locations)
    declaration = declared({"found": (location, data.draw(looks(location, max_leaves=3)))})
    assert declaration.seen is not None
    statement = declaration.seen.statements[0]
    assume(small(statement))
    stage = random_perceiver(declaration, seed, in_order=True).stages["found"]
    table = StageTable.of(stage)
    for _ in range(5):
        own = data.draw(st.integers(0, statement.num_own - 1))
        kinds = (
            data.draw(st.lists(st.integers(0, statement.num_kinds - 1), max_size=6))
            if statement.num_kinds
            else []
        )
        closure = receiving(stage, own)
        case, plain = int(table.first[own]), 0
        for kind in kinds:
            case, plain = int(table.after[case, kind]), int(closure.after[plain, kind])
        expected = by_layers(stage, own, kinds) > 0
        assert (
            bool(table.concluded[case]) == bool(conclusions(stage, own, closure)[plain]) == expected
        )
        # the kinds that are said to bring a case about do
        again = by_layers(stage, own, closure.kinds_of(plain)) > 0
        assert again == expected
    assert len(table.concluded) <= sum(
        len(receiving(stage, own).received) for own in range(statement.num_own)
    )


def test_counting_goes_beyond_what_a_byte_holds() -> None:
    from algolens.looks import parse_look

    declaration = declared(
        {"found": (Location.NODE, parse_look("at least 300 neighbours (awake)"))}
    )
    perceiver = random_perceiver(declaration, 0, in_order=True, width=2, bits=1)
    stage = perceiver.stages["found"]
    # by hand: one who is awake sends a bit, and the last step of the thermometer is concluded from
    with torch.no_grad():
        for layer in (stage.message_first, stage.message_last, stage.head_first, stage.head_last):
            assert isinstance(layer, Linear)
            assert layer.bias is not None
            layer.weight.zero_()
            layer.bias.zero_()
        stage.message_first.weight[0, 1, 0] = stage.message_last.weight[0, 0, 0] = 1
        stage.head_first.weight[0, stage.most - 1, 0] = stage.head_last.weight[0, 0, 0] = 1
    table = StageTable.of(stage)
    case = int(table.first[0])
    for count in range(1, 310):
        case = int(table.after[case, 1])
        assert bool(table.concluded[case]) == (count >= 300)

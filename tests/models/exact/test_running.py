"""Running as a program gives what the layers give, message by message, whatever the weights."""

from __future__ import annotations

import random

import numpy as np
import pytest
import torch

from algolens.language.finite import Statement
from algolens.language.ir import Let
from algolens.models.exact import StageTable, conclusions, merged, receiving
from algolens.models.layers import Linear
from tests.effort import in_proportion
from tests.language.statements import COLUMNS, draw_world, read, truth
from tests.models.exact.stages import (
    by_layers,
    concluded,
    declared,
    drawn_state,
    drawn_statement,
    random_perceiver,
)

MOST_KINDS = 200  # larger statements are no other matter, and take their time


def small(statement: Statement) -> bool:
    return (
        statement.num_own <= 40
        and statement.num_neighbours <= 60
        and statement.num_own * max(statement.num_neighbours, 1) <= MOST_KINDS
    )


@pytest.mark.parametrize("seed", range(in_proportion(60)))
def test_a_run_gives_what_the_layers_give(seed: int) -> None:
    rng = random.Random(seed)
    statements = [drawn_statement(rng, small, f"found_{place}") for place in range(2)]
    perceiver = random_perceiver(declared(*statements), seed, in_order=rng.random() < 0.5)
    for _ in range(3):
        world, graph, values = drawn_state(rng)
        state = {"outcome": torch.zeros(graph.num_nodes, dtype=torch.bool)}
        found = perceiver(perceiver.prepare(graph, values), state).settled
        again = perceiver(perceiver.prepare(graph, values, by_layers=True), state).settled
        for each in statements:
            rows = range(world.graph.count(each.at))
            expected = [concluded(perceiver, each, world, me) for me in rows]
            assert found[each.name].tolist() == expected, str(each)
            assert again[each.name].tolist() == expected, str(each)


@pytest.mark.parametrize("seed", range(in_proportion(40)))
def test_merged_tables_conclude_as_unmerged_ones_and_as_the_layers(seed: int) -> None:
    rng = random.Random(seed)
    statement = drawn_statement(rng, small)
    stage = random_perceiver(declared(statement), seed, in_order=True).stages["found"]
    table = StageTable.of(stage)
    for _ in range(5):
        own = rng.randrange(statement.num_own)
        kinds = [
            rng.randrange(statement.num_neighbours)
            for _ in range(rng.randint(0, 6) if statement.num_neighbours else 0)
        ]
        closure = receiving(stage, own)
        case, plain = int(table.first[own]), 0
        for kind in kinds:
            case, plain = int(table.after[case, kind]), int(closure.after[plain, kind])
        expected = by_layers(stage, own, kinds) > 0
        assert (
            bool(table.concluded[case]) == bool(conclusions(stage, own, closure)[plain]) == expected
        )
        # the neighbour classes that are said to bring a case about do
        again = by_layers(stage, own, closure.neighbours_of(plain)) > 0
        assert again == expected
    assert len(table.concluded) <= sum(
        len(receiving(stage, own).received) for own in range(statement.num_own)
    )


def true_table(statement: Statement) -> StageTable:
    """The table of a stage that concludes rightly: it receives what each quantifier counts."""
    first: list[int] = []
    after: list[np.ndarray] = []
    found: list[np.ndarray] = []
    for own in range(statement.num_own):
        cases = statement.closure(own)
        first.append(sum(map(len, found)))
        after.append(cases.after + first[-1])
        found.append(statement.truth_in_cases(own, cases.received))
    return merged(np.array(first), np.concatenate(after), np.concatenate(found))


@pytest.mark.parametrize("seed", range(in_proportion(100)))
def test_what_a_right_stage_says_is_what_is_declared(seed: int) -> None:
    rng = random.Random(seed)
    statement = drawn_statement(rng, small)
    stated = true_table(statement).stated(statement)
    assert stated is not None
    said = Statement(Let("said", statement.at, stated), COLUMNS)
    for _ in range(10):
        world = draw_world(rng)
        assert truth(world, said) == truth(world, statement), f"{statement}: {said}"


def test_counting_goes_beyond_what_a_byte_holds() -> None:
    statement = read("at least 300 neighbours (awake)", "node")
    perceiver = random_perceiver(declared(statement), 0, in_order=True, width=2, bits=1)
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

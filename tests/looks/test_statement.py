"""Own classes, kinds in view and the truth by them: nothing else of a graph makes a difference."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from algolens.errors import DefinitionError
from algolens.fields import Field, Number
from algolens.graphs import Graph, Location
from algolens.looks import (
    Compared,
    Feature,
    GraphState,
    Observer,
    Scope,
    Statement,
    parse_look,
    statement_text,
)
from algolens.looks.compiled import CompiledStatement
from algolens.looks.state import Memo
from tests.effort import examples
from tests.looks.plain import World
from tests.looks.statements import FIELDS, graphs, locations, looks, random_values
from tests.looks.test_observer import worlds
from tests.strategies import streams


def value(feature: Feature, world: World, at: dict[str, tuple[str, int]]) -> int:
    """A feature's value, plainly."""
    if isinstance(feature, Compared):
        left, right = (
            [world.value(term.to_json(), at) for term in side]
            for side in (feature.left, feature.right)
        )
        return 1 + (left > right) - (left < right)
    if hasattr(feature, "term"):
        return int(world.value(feature.term.to_json(), at))
    return int(world.value(feature.left.to_json(), at) == world.value(feature.right.to_json(), at))


def combined(features: tuple[Feature, ...], world: World, at: dict[str, tuple[str, int]]) -> int:
    """A combination of values as one number, the first counting most."""
    found = 0
    for each in features:
        found = found * each.size + value(each, world, at)
    return found


@examples(80)
@given(st.data(), graphs(max_graphs=1), streams())
def test_what_is_true_follows_from_the_own_class_and_how_many_of_each_kind_are_in_view(
    data: st.DataObject, graph: Graph, rng: np.random.Generator
) -> None:
    location = data.draw(locations)
    formula = data.draw(looks(location))
    statement = Statement("found", location, formula, Scope(FIELDS))
    values = random_values(graph, rng)
    ((world, _),) = worlds(graph, values)
    relation = statement.relation
    elements = world.graph.elements(location.value)
    counts = np.zeros((len(elements), statement.num_kinds), np.int64)
    own = []
    for me in elements:
        at = {"my": (location.value, me)}
        own.append(combined(statement.own, world, at))
        others, seen = ("", []) if relation is None else world.seen_by(relation.phrase(1), me)
        for it in seen:
            counts[me, combined(statement.other, world, {**at, "its": (others, it)})] += 1
    for most in (None, statement.most):  # beyond what is counted, more of a kind make no difference
        capped = counts if most is None else counts.clip(max=most)
        truth = statement.truth(torch.tensor(own, dtype=torch.int64), torch.from_numpy(capped))
        assert truth.tolist() == world.observed(formula.to_json(), location.value), statement_text(
            formula
        )
    if relation is None:
        return
    observer, scope = Observer((statement,)), Scope(FIELDS)
    in_view = observer.in_view(relation, statement.other, CompiledStatement(statement, {}))
    chosen = rng.random(statement.num_kinds) < rng.random()
    for lasting in ((), FIELDS):  # fields that last are looked at in another way
        batch = GraphState(graph, scope, values, Memo(lasting))
        for kinds in (*np.eye(statement.num_kinds, dtype=bool)[:6], chosen):
            shaped = kinds.reshape([each.size for each in statement.other])
            some = in_view.some(shaped)
            expected = counts[:, kinds].sum(1)
            assert (some(batch).tolist() if callable(some) else [some] * len(own)) == (
                expected > 0
            ).tolist(), kinds
            assert in_view.counted(shaped)(batch).tolist() == expected.tolist(), kinds


def test_numbers_of_mixed_signs_have_room_for_both() -> None:
    """An unsigned number of 3 bits goes up to 7, which a signed one of 3 bits does not."""
    scope = Scope(
        {
            "up": Field(Location.NODE, Number(3)),
            "down": Field(Location.NODE, Number(3, signed=True)),
        }
    )
    statement = Statement("found", Location.NODE, parse_look("up < down"), scope)
    (feature,) = statement.own
    assert isinstance(feature, Compared)
    (kind,) = feature.kinds
    assert kind.least <= -4
    assert kind.most >= 7
    values = torch.arange(-4, 8)
    assert kind.predict(kind.encode(values) - 0.5).tolist() == values.tolist()
    wide = Scope(
        {
            "up": Field(Location.NODE, Number(62)),
            "down": Field(Location.NODE, Number(62, signed=True)),
        }
    )
    with pytest.raises(DefinitionError, match="62"):
        Statement("found", Location.NODE, parse_look("up < down"), wide)

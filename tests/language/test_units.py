"""Numbers that are counted in one unit, and those of which only the order counts."""

from __future__ import annotations

from typing import cast

import pytest

from algolens.algorithms import (
    Algorithm,
    Declaration,
    Edge,
    Graph,
    Link,
    Node,
    algorithm,
    mask,
    number,
)
from algolens.language.declare import Attribute

ORDERED = {
    "kruskal": {"weight", "priority"},
    "prim": {"weight"},
    "boruvka": {"weight"},
    "matching": {"priority"},
}


@pytest.mark.parametrize("name", ORDERED)
def test_only_compared(name):
    units = algorithm(name).declaration.units
    assert {each for each, unit in units.items() if unit.only_order_counts} == ORDERED[name]


@pytest.mark.parametrize("name", ["dijkstra", "bellman_ford"])
def test_added_and_moved(name):
    units = algorithm(name).declaration.units
    assert units["weight"].members == {"weight", "offer", "distance"}
    assert not units["weight"].is_whole
    assert not units["weight"].only_order_counts


def test_places_and_constants_are_counted_in_ones():
    assert algorithm("topological_sort").declaration.units["position"].is_whole


class Rising(Algorithm):
    """Where no neighbour is lower, something rises."""

    height, limit = Node.input(number(8)), Graph.input(number(8))
    toll = Edge.input(number(8))
    wet = Node.output(mask, start="False", becomes="wet | rises")
    level = Node.state(number(8), start=0, becomes="level where rises")
    rises = Node.derived("no neighbour (its height < my height)")


def changed(**changes: Attribute | None) -> Declaration:
    """The same with something else in it."""
    return cast("Algorithm", type("Changed", (Rising,), changes)()).declaration


@pytest.mark.parametrize(
    ("changes", "unit"),
    [
        ({}, {"height"}),
        ({"rises": Node.derived("height > graph's limit")}, {"height", "limit"}),
        ({"rises": Node.derived("height > number")}, {"height", "1"}),
        ({"level": Rising.level.but(becomes="height where rises")}, {"height", "level"}),
        ({"level": Rising.level.but(start="height")}, {"height", "level"}),
        ({"wet": Rising.wet.but(start="height > graph's limit")}, {"height", "limit"}),
        (
            {"level": Rising.level.but(start=3, becomes="height where rises")},
            {"height", "level", "1"},
        ),
        ({"sum": Link.derived("sender's height + edge's toll")}, {"height", "sum", "toll"}),
        ({"sum": Node.derived("height + 1")}, {"height", "sum", "1"}),
    ],
)
def test_what_is_counted_with_a_number(changes, unit):
    assert changed(**changes).units["height"].members == unit


def test_a_product_is_counted_in_the_units_of_its_factors():
    sums = {
        "rise": Link.derived("sender's height - receiver's height"),
        "area": Link.derived("rise * edge's toll"),
        "twice": Link.derived("2 * rise"),
        "many": Link.derived("number * rise"),
    }
    units = changed(**sums).units
    assert units["height"].members == {"height", "rise", "twice", "many"}
    assert (units["height"].degree, units["toll"].degree) == (2, 2)
    assert not units["toll"].only_order_counts
    assert len(units["area"].factors) == 2
    # where it is compared with a number that is given, or made of itself, all is whole
    square = {
        "square": Node.derived("height * height"),
        "rises": Node.derived("square > graph's limit"),
    }
    given = changed(**square).units
    assert given["height"].is_whole
    assert given["limit"].is_whole


def test_zero_is_the_same_in_all_units_and_is_no_rank():
    unit = changed(rises=Node.derived("height > 0")).units["height"]
    assert not unit.is_whole
    assert not unit.only_order_counts

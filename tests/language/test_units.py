"""Numbers that are counted in one unit, and those of which only the order counts."""

from __future__ import annotations

from typing import Any

import pytest

from algolens.algorithms import Declaration, algorithm
from algolens.fields import Location, Mask, Number, at_edge, at_graph, at_link, at_node

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


def declared(**changes: Any) -> Declaration:
    parts: dict[str, Any] = {
        "location": Location.NODE,
        "inputs": {
            "height": at_node(Number(8)),
            "limit": at_graph(Number(8)),
            "toll": at_edge(Number(8)),
        },
        "state": ("wet", "level"),
        "start": {"wet": "False", "level": 0},
        "look": {
            "is_wet": at_node("wet"),
            "rises": at_node("no neighbour (its height < my height)"),
        },
        "moves": {"level": "level where rises"},
        "hints": {"level": at_node(Number(8))},
        "concepts": ("is_wet", "rises"),
        "outputs": {"wet": Mask()},
        "rules": {"wet": {"true": "is_wet | rises", "false": "~is_wet & ~rises"}},
    }
    return Declaration(**(parts | changes))


@pytest.mark.parametrize(
    ("changes", "unit"),
    [
        ({}, {"height"}),
        (
            {"look": {"is_wet": at_node("wet"), "rises": at_node("height > graph's limit")}},
            {"height", "limit"},
        ),
        (
            {"look": {"is_wet": at_node("wet"), "rises": at_node("height > number")}},
            {"height", "1"},
        ),
        ({"moves": {"level": "height where rises"}}, {"height", "level"}),
        ({"start": {"wet": "False", "level": "height"}}, {"height", "level"}),
        ({"start": {"wet": "height > graph's limit", "level": 0}}, {"height", "limit"}),
        (
            {"start": {"wet": "False", "level": 3}, "moves": {"level": "height where rises"}},
            {"height", "level", "1"},
        ),
        ({"sums": {"sum": at_link("sender's height + edge's toll")}}, {"height", "sum", "toll"}),
        ({"sums": {"sum": at_node("height + 1")}}, {"height", "sum", "1"}),
    ],
)
def test_what_is_counted_with_a_number(changes, unit):
    assert declared(**changes).units["height"].members == unit


def test_a_product_is_counted_in_the_units_of_its_factors():
    sums = {
        "rise": at_link("sender's height - receiver's height"),
        "area": at_link("rise * edge's toll"),
        "twice": at_link("2 * rise"),
        "many": at_link("number * rise"),
    }
    units = declared(sums=sums).units
    assert units["height"].members == {"height", "rise", "twice", "many"}
    assert (units["height"].degree, units["toll"].degree) == (2, 2)
    assert not units["toll"].only_order_counts
    assert len(units["area"].factors) == 2
    # where it is compared with a number that is given, or made of itself, all is whole
    compared = {"is_wet": at_node("wet"), "rises": at_node("square > graph's limit")}
    given = declared(sums={"square": at_node("height * height")}, look=compared).units
    assert given["height"].is_whole
    assert given["limit"].is_whole


def test_zero_is_the_same_in_all_units_and_is_no_rank():
    looks = {"is_wet": at_node("wet"), "rises": at_node("height > 0")}
    unit = declared(look=looks).units["height"]
    assert not unit.is_whole
    assert not unit.only_order_counts

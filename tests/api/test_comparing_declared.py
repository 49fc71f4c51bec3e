"""What `compare` says of algorithms of one's own: equal is what gives and refuses the same."""

from __future__ import annotations

import time
from typing import cast

import networkx as nx
import pytest

import algolens as al
from algolens.algorithms import Algorithm, Graph, Node, algorithm, mask, number
from algolens.algorithms.articulation_points import ArticulationPoints
from algolens.errors import AlgoLensError
from algolens.language.declare import Attribute


def spread(rule: str = "reached | is_near", **more: Attribute) -> type[Algorithm]:
    """What is near something reached is reached. more: what else is declared."""
    members = {
        "first": Node.input(mask),
        "reached": Node.output(mask, start="first", becomes=rule),
        "is_near": Node.derived("some neighbour (reached)"),
        "goes_on": "some node (~reached & is_near)",
    }
    return cast("type[Algorithm]", type("Spread", (Algorithm,), {**members, **more}))


@pytest.mark.parametrize("bits", [8, 62])
def test_a_count_below_zero_leaves_a_verdict(bits):
    """A proof speaks of how many nodes are reached beside a number that has a sign."""

    def counting(rule: str, **more: Attribute) -> type[Algorithm]:
        return spread(
            rule,
            has_reached=Graph.derived("some node (reached)"),
            count=Graph.state(
                number(bits, signed=True), start=0, becomes="count + 1 where has_reached"
            ),
            **more,
        )

    later = counting("reached | is_near | is_late", is_late=Node.derived("graph's count > 100"))
    found = al.compare(counting("reached | is_near"), later, seconds=2)
    assert not found.proven
    assert not found.differ
    assert "'reached' could not be shown" in str(found)


@pytest.mark.parametrize("at", ["its graph = my graph", "reached & its graph = my graph"])
def test_two_paths_to_the_graph_meet(at):
    ours = spread(has_any=Node.derived("some neighbour (its number >= 0)"))
    theirs = spread("reached | is_near & has_any", has_any=Node.derived(f"some neighbour ({at})"))
    assert al.compare(ours, theirs).proven
    no_graph = spread("has_any", has_any=Node.derived("some neighbour (its graph != my graph)"))
    assert al.compare(ours, no_graph).differ


@pytest.mark.parametrize("name", ["is_alone", "has_any"])
def test_what_is_seen_on_the_way_is_no_result(name):
    """Whether two observations have one name decides nothing."""
    ours = spread(has_any=Node.derived("some neighbour"))
    theirs = spread("reached | is_near", **{name: Node.derived("no neighbour")})
    for found in (al.compare(ours, theirs), al.compare(theirs, ours)):
        assert found.proven
        assert "both take the same steps" in str(found)


def test_a_proof_ends_in_its_time():
    """They differ on graphs that are larger than those tried, so that no proof is found."""
    ours = algorithm("articulation_points")

    class Larger(ArticulationPoints):
        has_many = Graph.derived("at least 9 nodes")
        is_large = Node.derived("graph's has_many")
        is_cut = ArticulationPoints.is_cut.but(
            becomes=f"{ArticulationPoints.is_cut.becomes} | is_large"
        )

    al.compare(ours, Larger(), seconds=0.01)  # what takes long once is loaded and cached
    began = time.process_time()
    at_once = al.compare(ours, Larger(), seconds=0.01)
    between = time.process_time()
    found = al.compare(ours, Larger(), seconds=1)
    assert time.process_time() - between < between - began + 4
    assert not found.proven
    assert not at_once.proven
    assert not found.differ


def doubling(total: str, bits: int) -> type[Algorithm]:
    """No rule goes by the sum."""
    return spread(
        is_high=Graph.derived("some node (total > 3)"),
        height=Node.input(number(bits)),
        total=Node.derived(total),
    )


@pytest.mark.parametrize(
    ("total", "bits", "is_equal"),
    [
        ("height + height + height + height + height", 60, False),
        ("height * height", 61, False),
        ("height + 0", 60, True),
        ("2 * height", 60, True),
        ("height + height + height + height + height", 8, True),
        ("height * height * height", 20, True),
    ],
)
def test_what_one_alone_refuses_keeps_them_from_being_equal(total, bits, is_equal):
    """A sum that leaves 62 bits ends a run with a refusal, whatever it is for."""
    one, other = doubling("height", bits), doubling(total, bits)
    graph = nx.Graph([(0, 1)])
    nx.set_node_attributes(graph, {0: False, 1: False}, "first")
    nx.set_node_attributes(graph, 2**bits - 1, "height")
    al.execute(one(), graph)
    for found in (al.compare(one, other), al.compare(other, one)):
        assert found.proven is is_equal
        assert ("equal: on every graph" in str(found)) is is_equal
        if found.differ:  # some numbers that are tried are large
            assert "one refuses the run" in str(found)
            continue
        assert found.within_bits is not is_equal
        assert found.to_json()["equal"] is (True if is_equal else None)
        assert ("equal where neither refuses a run" in str(found)) is not is_equal
    if is_equal:
        al.execute(other(), graph)
    else:
        with pytest.raises(AlgoLensError, match="62 bits"):
            al.execute(other(), graph)


def test_the_same_refusals_in_other_words_are_equal():
    """Each way to add two numbers refuses the same runs."""
    ways = ["height + height", "2 * height", "height * 3 - height"]
    one, other, third = (doubling(total, 61) for total in ways)
    assert al.compare(one, other).proven
    assert al.compare(one, third).within_bits  # three times a number has less room

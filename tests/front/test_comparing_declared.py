"""What `compare` says of algorithms of one's own: equal is what gives and refuses the same."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import networkx as nx
import pytest

import algolens as al
from algolens.algorithms import Algorithm, Declaration, Words, algorithm
from algolens.errors import AlgoLensError
from algolens.fields import Field, Location, Mask, Number, Observed, at_graph, at_node


def spread(
    look: dict[str, Observed] | None = None,
    rule: str = "is_reached | is_near",
    hints: dict[str, Field] | None = None,
    **parts: Any,
) -> type[Algorithm]:
    """What is near something reached is reached. look: what else is seen; at nodes, a concept."""
    seen = {
        "is_reached": at_node("reached"),
        "is_near": at_node("some neighbour (reached)"),
        **(look or {}),
    }
    concepts = tuple(name for name, entry in seen.items() if entry.location is Location.NODE)
    own = hints or {}
    declared = Declaration(
        location=Location.NODE,
        inputs={"first": at_node(Mask(), start_only=True), **parts.pop("inputs", {})},
        state=("reached", *own),
        start={"reached": "first", **dict.fromkeys(own, 0)},
        look=seen,
        concepts=concepts,
        outputs={"reached": Mask()},
        hints=own,
        rules={"reached": {"true": rule, "false": f"~({rule})"}},
        continues="~is_reached & is_near",
        **parts,
    )

    class Spread(Algorithm):
        name = "spread"

        def declare(self) -> Declaration:
            return declared

    return Spread


@pytest.mark.parametrize("bits", [8, 62])
def test_a_count_below_zero_leaves_a_verdict(bits):
    """A proof speaks of how many nodes are reached beside a number that has a sign."""

    def counting(look: dict[str, Observed], rule: str) -> type[Algorithm]:
        return spread(
            {"has_reached": at_graph("some node (reached)"), **look},
            rule,
            hints={"count": at_graph(Number(bits, signed=True))},
            sums={"more": at_graph("count + 1")},
            moves={"count": "more where has_reached"},
        )

    later = counting({"is_late": at_node("graph's count > 100")}, "is_reached | is_near | is_late")
    found = al.compare(counting({}, "is_reached | is_near"), later, seconds=2)
    assert not found.proven
    assert not found.differ
    assert "'reached' could not be shown" in str(found)


@pytest.mark.parametrize("at", ["its graph = my graph", "reached & its graph = my graph"])
def test_two_paths_to_the_graph_meet(at):
    ours = spread({"has_any": at_node("some neighbour (its number >= 0)")}, "is_reached | is_near")
    theirs = spread(
        {"has_any": at_node(f"some neighbour ({at})")}, "is_reached | is_near & has_any"
    )
    assert al.compare(ours, theirs).proven
    no_graph = spread({"has_any": at_node("some neighbour (its graph != my graph)")}, "has_any")
    assert al.compare(ours, no_graph).differ


@pytest.mark.parametrize("name", ["is_alone", "has_any"])
def test_what_is_seen_on_the_way_is_no_result(name):
    """Whether two observations have one name decides nothing."""
    ours = spread({"has_any": at_node("some neighbour")})
    theirs = spread({name: at_node("no neighbour")})
    for found in (al.compare(ours, theirs), al.compare(theirs, ours)):
        assert found.proven
        assert "both take the same steps" in str(found)


def test_a_proof_ends_in_its_time():
    """They differ on graphs that are larger than those tried, so that no proof is found."""
    ours = algorithm("articulation_points")
    declared = ours.declaration
    output = next(name for name, classes in declared.rules.items() if "true" in classes)
    rule = f"({declared.rules[output]['true']}) | is_large"
    larger = replace(
        declared,
        look={
            **declared.look,
            "has_many": at_graph("at least 9 nodes"),
            "is_large": at_node("graph's has_many"),
        },
        concepts=(*declared.concepts, "is_large"),
        rules={**declared.rules, output: {"true": rule, "false": f"~({rule})"}},
        hints={key: field for key, field in declared.hints.items() if key not in declared.look},
        words=Words(),
    )

    class Larger(type(ours)):  # type: ignore[misc]
        def declare(self) -> Declaration:
            return larger

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
        {"is_high": at_graph("some node (total > 3)")},
        inputs={"height": at_node(Number(bits))},
        sums={"total": at_node(total)},
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

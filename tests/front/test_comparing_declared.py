"""What `compare` says of algorithms of one's own: equal is what gives and refuses the same."""

from __future__ import annotations

from typing import Any

import pytest

import algolens as al
from algolens.algorithms import Algorithm, Declaration
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

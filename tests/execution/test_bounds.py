"""A number of the state that leaves its bits is refused, by the algorithm's own run and by a
network's.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import torch

from algolens.algorithms import Algorithm, Declaration
from algolens.data import fixed
from algolens.errors import DefinitionError, GraphError
from algolens.execution import run_algorithm
from algolens.experiment import preset
from algolens.fields import Location, Mask, Number, Pointer, at_graph, at_node
from algolens.graphs import Graph
from algolens.models import NetworkParts
from algolens.training import Fit


class Counter(Algorithm):
    """Every node that is reached counts on from its neighbours: a distance in a few bits."""

    name = "counter"
    bits: int = 2

    def declare(self) -> Declaration:
        return Declaration(
            location=Location.NODE,
            inputs={"source": at_graph(Pointer(Location.NODE), start_only=True)},
            state=("reached", "distance"),
            start={"reached": "me = graph's source", "distance": 0},
            sums={"farther": at_node("distance + 1")},
            look={
                "is_reached": at_node("reached"),
                "joins": at_node("~reached & some neighbour (reached)"),
            },
            moves={"distance": ["the neighbour's farther (is_reached) where joins"]},
            concepts=("is_reached", "joins"),
            outputs={"reached": Mask(), "distance": Number(self.bits)},
            rules={"reached": {"true": "is_reached | joins", "false": "~is_reached & ~joins"}},
            continues="joins",
        )


def path(nodes: int) -> Graph:
    return Graph.pack([nodes], [(node, node + 1) for node in range(nodes - 1)])


SOURCE = {"source": torch.tensor([0])}


def learnt(algorithm: Algorithm) -> dict[str, Any]:
    """A network that is proven right, in the sockets of the loop."""
    made = preset("exact", Counter())
    recipe = replace(algorithm.recipe, size=4, train=1, held_out=1, test_sizes=())
    fit = Fit(
        fixed(algorithm, 0, recipe), made.architecture, made.schedule, (0,), torch.device("cpu")
    )
    assert sum(1 for _ in fit) < made.schedule.epochs
    return NetworkParts(fit.result()).sockets


@pytest.mark.parametrize("by", ["algorithm", "network"])
def test_a_number_that_leaves_its_bits_is_refused_where_it_does(
    by: str, tmp_path, monkeypatch
) -> None:
    monkeypatch.setenv("ALGOLENS_CACHE", str(tmp_path))
    sockets = learnt(Counter()) if by == "network" else {}
    assert run_algorithm(Counter(), path(4), SOURCE, **sockets).outputs["distance"][
        -1
    ].tolist() == [
        0,
        1,
        2,
        3,
    ]
    with pytest.raises(
        GraphError,
        match=r"^'distance' of node '4' becomes 4 in step 4, and 2 bits hold 0 to 3: [^\n]*$",
    ):
        run_algorithm(Counter(), path(5), SOURCE, **sockets)
    assert run_algorithm(Counter(bits=3), path(5), SOURCE).outputs["distance"][-1].tolist() == [
        0,
        1,
        2,
        3,
        4,
    ]


def test_the_graph_of_a_batch_is_named_although_others_were_put_away() -> None:
    batch = Graph.join([path(2), path(2), path(2), path(6)])
    with pytest.raises(GraphError, match="of node '4' of graph 3 becomes 4 in step 4"):
        run_algorithm(Counter(), batch, {"source": torch.tensor([0, 0, 0, 0])})


def test_a_start_outside_the_bits_is_refused() -> None:
    with pytest.raises(DefinitionError, match="start of 'distance': 4 has no room in 2 bits"):

        class Late(Counter):
            """Begins too high."""

            name = "late"

            def declare(self) -> Declaration:
                declared = super().declare()
                return replace(declared, start={**declared.start, "distance": 4})


def test_a_start_taken_from_an_input_is_checked_as_well() -> None:
    class FromInput(Algorithm):
        """Its level begins as a number of more bits."""

        name = "from_input"

        def declare(self) -> Declaration:
            return Declaration(
                location=Location.NODE,
                inputs={"height": at_node(Number(8))},
                state=("level",),
                start={"level": "height"},
                look={"is_high": at_node("some neighbour (its height < my height)")},
                moves={"level": "level"},
                concepts=("is_high",),
                outputs={"level": Number(4), "high": Mask()},
                rules={"high": {"true": "is_high", "false": "~is_high"}},
            )

    assert run_algorithm(FromInput(), path(2), {"height": torch.tensor([3, 15])}).outputs["level"][
        -1
    ].tolist() == [3, 15]
    with pytest.raises(
        GraphError, match="'level' of node '1' starts as 16, and 4 bits hold 0 to 15"
    ):
        run_algorithm(FromInput(), path(2), {"height": torch.tensor([3, 16])})

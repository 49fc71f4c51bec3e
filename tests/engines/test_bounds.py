"""A number of the state that leaves its bits is refused, by the algorithm's own run and by a
network's.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import torch

from algolens.algorithms import Algorithm, Graph, Node, Option, mask, number, pointer
from algolens.data import fixed
from algolens.engines import run_algorithm
from algolens.errors import DefinitionError, GraphError
from algolens.experiment.config import preset
from algolens.graphs import Graph as GraphBatch
from algolens.models import NetworkParts
from algolens.training import Fit


class Counter(Algorithm):
    """Every node that is reached counts on from its neighbours: a distance in a few bits."""

    bits = Option(2, 1, 62)

    source = Graph.input(pointer(Node))
    reached = Node.output(mask, start="me = graph's source", becomes="reached | joins")
    distance = Node.output(
        number(bits),
        start=0,
        becomes="the neighbour's distance (reached) + 1 where joins",
    )
    joins = Node.derived("~reached & some neighbour (reached)")
    goes_on = "some node (joins)"


def path(nodes: int) -> GraphBatch:
    return GraphBatch.pack([nodes], [(node, node + 1) for node in range(nodes - 1)])


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
    batch = GraphBatch.join([path(2), path(2), path(2), path(6)])
    with pytest.raises(GraphError, match="of node '4' of graph 3 becomes 4 in step 4"):
        run_algorithm(Counter(), batch, {"source": torch.tensor([0, 0, 0, 0])})


def test_a_start_outside_the_bits_is_refused() -> None:
    with pytest.raises(
        DefinitionError, match="'distance' starts as 4, which has no room: it holds 0 to 3"
    ):

        class Late(Counter):
            """Begins too high."""

            distance = Counter.distance.but(start=4)


def test_a_start_taken_from_an_input_is_checked_as_well() -> None:
    class FromInput(Algorithm):
        """Its level begins as a number of more bits."""

        height = Node.input(number(8))
        level = Node.output(number(4), start="height", becomes="level")
        high = Node.output(mask, becomes="is_high")
        is_high = Node.derived("some neighbour (its height < my height)")

    assert run_algorithm(FromInput(), path(2), {"height": torch.tensor([3, 15])}).outputs["level"][
        -1
    ].tolist() == [3, 15]
    with pytest.raises(
        GraphError, match="'level' of node '1' starts as 16, and 4 bits hold 0 to 15"
    ):
        run_algorithm(FromInput(), path(2), {"height": torch.tensor([3, 16])})

"""True traces as they teach a network that sees the state alone: every state is one more graph."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import torch
from torch import Tensor

from algolens.engines import Run, Timeline
from algolens.graphs import Location
from algolens.models.architecture import GOES_ON
from algolens.models.perceiver import Lessons, Taught, Unrolled

if TYPE_CHECKING:
    from algolens.models.network import Network
    from algolens.models.own.own_network import OwnNetwork


class StateLessons(Lessons):
    """True traces of many graphs: all states of a batch are looked at as one large batch."""

    def __init__(self, trace: Run, device: torch.device) -> None:
        self.lengths, self.trace = trace.lengths.tolist(), trace.to(device)

    def teach(
        self, network: Network, graphs: Tensor, lengths: list[int], *, always: bool = False
    ) -> Taught:
        """A step is taken from every state but the last; going on is asked in all but the first."""
        perceiver, trace = cast("OwnNetwork", network.perceiver), self.trace
        declaration = network.algorithm.declaration
        batch = Unrolled(trace, graphs, [length + 1 for length in lengths])
        graph, step, of = batch.graph, batch.step, batch.taken.graphs
        is_taken = step < trace.lengths[of]
        rows = {
            location: is_taken[graph.owner(location)].nonzero().flatten() for location in Location
        }

        def truth(over_time: Timeline, location: Location) -> Tensor:
            """What is true at the elements of all states that a step is taken from."""
            return batch.at(over_time, location, rows[location])

        values = batch.inputs()
        for name in trace.start:
            values[name] = batch.at(trace.state(name), declaration.predicted[name].location)
        scores = perceiver.scores(graph, values)
        seen = [truth(concept, declaration.location) for concept in trace.concepts.values()]
        concepts = torch.stack(seen, 1)
        head = perceiver.head(scores).index_select(1, rows[declaration.location])
        head = network.with_given_concepts(head, concepts)
        hints = {}
        for name in perceiver.beside:
            location = declaration.predicted[name].location
            given = scores[name].index_select(1, rows[location])
            hints[name] = (given, truth(trace[name], location))
        goes_on = None
        if perceiver.tells_going_on:
            ahead = (step > 0).nonzero().flatten()
            asked = trace.goes_on[step[ahead] - 1, of[ahead]]
            goes_on = (scores[GOES_ON].index_select(1, ahead), asked.float())
        return Taught(
            head=head,
            concepts=concepts.float(),
            scores=network.decide(head),
            outputs={
                name: truth(trace.outputs[name], declaration.location) for name in network.outputs
            },
            hints=hints,
            goes_on=goes_on,
        )

"""True traces as they teach a network that sees the state alone: every state is one more graph."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import torch
from torch import Tensor

from algolens.engines import Run, Timeline
from algolens.graphs import Location
from algolens.graphs.elements import owners
from algolens.models.architecture import GOES_ON
from algolens.models.perceiver import Lessons, Taught

if TYPE_CHECKING:
    from algolens.models.network import Network
    from algolens.models.own.own_network import OwnNetwork


@dataclass(frozen=True, eq=False)
class StateLessons(Lessons):
    """True traces of many graphs: all states of a batch are looked at as one large batch."""

    lengths: list[int]
    trace: Run  # on the device
    states: dict[str, Timeline]  # of T + 1 frames

    @classmethod
    def of(cls, trace: Run, device: torch.device) -> StateLessons:
        """The traces on a device."""
        moved = trace.to(device)
        states = {name: moved.state(name) for name in moved.start}
        return cls(trace.lengths.tolist(), moved, states)

    def teach(
        self, network: Network, graphs: Tensor, lengths: list[int], *, always: bool = False
    ) -> Taught:
        """A step is taken from every state but the last; going on is asked in all but the first."""
        perceiver, trace = cast("OwnNetwork", network.perceiver), self.trace
        declaration = network.algorithm.declaration
        counts = torch.tensor(lengths, device=graphs.device) + 1  # of states
        pair = owners(counts)  # of each state: the place of its graph in the batch
        step = torch.arange(len(pair), device=pair.device) - (counts.cumsum(0) - counts)[pair]
        is_taken = step < counts[pair] - 1
        chosen = trace.graph.take(graphs[pair])

        def when(location: Location) -> Tensor:
            return step.index_select(0, chosen.graph.owner(location))

        rows = {
            location: is_taken[chosen.graph.owner(location)].nonzero().flatten()
            for location in Location
        }

        def truth(over_time: Timeline, location: Location) -> Tensor:
            """What is true at the elements of all states that a step is taken from."""
            at = rows[location]
            return over_time.values_at(when(location)[at], chosen.index(location)[at])

        values = {
            name: trace.inputs[name][chosen.index(field.location)]
            for name, field in declaration.inputs.items()
        }
        for name, over_time in self.states.items():
            location = declaration.predicted[name].location
            values[name] = over_time.values_at(when(location), chosen.index(location))
        scores = perceiver.scores(chosen.graph, values)
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
            asked = trace.goes_on[step[ahead] - 1, graphs[pair[ahead]]]
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

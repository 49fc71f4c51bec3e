"""Black boxes that can be asked for a step from any state, and runs that are made of such steps."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field

import torch
from torch import Tensor

from algolens.discovery.schema import Episodes, RunTeacher
from algolens.graphs import Graph, TakenGraphs
from algolens.language.fields import Field


@dataclass(frozen=True, eq=False)
class StepAnswer:
    """What a black box says of some states."""

    frame: Mapping[str, Tensor]  # the state and outputs that a step from there gives
    goes_on: Tensor  # [G] 1 and 0: whether it takes this step; -1: the steps are counted
    outcomes: Mapping[str, Tensor] = field(default_factory=dict)  # [G], if a run ends there


class StepTeacher(RunTeacher):
    """A black box that can be asked for a step from any state."""

    can_step = True

    @abstractmethod
    def begin(self, graph: Graph, inputs: Mapping[str, Tensor]) -> Mapping[str, Tensor]:
        """The first state; an error where it does not take the inputs."""

    @abstractmethod
    def step(
        self, graph: Graph, inputs: Mapping[str, Tensor], state: Mapping[str, Tensor]
    ) -> StepAnswer:
        """What it does in a state. From the first one, it takes a step whatever it says."""

    @abstractmethod
    def most_steps(self, graph: Graph) -> Tensor:
        """[G] the most steps that it takes."""

    def run(self, graph: Graph, inputs: Mapping[str, Tensor]) -> Episodes:
        schema, count = self.schema, graph.num_graphs
        frames: list[Mapping[str, Tensor]] = [dict(self.begin(graph, inputs))]
        limits, lengths = self.most_steps(graph), torch.zeros(count, dtype=torch.long)
        outcomes = {name: torch.zeros(count, dtype=torch.bool) for name in schema.outcomes}
        asked: list[Tensor] = []
        alive, steps = torch.arange(count), 0
        while len(alive):
            part = graph.take(alive)
            state = {name: frames[-1][name] for name in schema.state}
            answer = self.step(
                part.graph,
                values_on(schema.inputs, inputs, part),
                values_on(schema.state, state, part),
            )
            ends = limits[alive] <= steps
            if steps:
                ends = ends | (answer.goes_on == 0)
                asked.append(torch.full((count,), -1).index_copy(0, alive, answer.goes_on))
            lengths[alive[ends]] = steps
            for name, value in answer.outcomes.items():
                outcomes[name][alive[ends]] = value[ends]
            if not bool(ends.all()):
                frames.append(self._with(frames[-1], answer.frame, part, ~ends))
            alive, steps = alive[~ends], steps + 1
        rows = torch.stack(asked) if asked else torch.zeros(0, count, dtype=torch.long)
        return Episodes(graph, inputs, frames, lengths, rows, outcomes)

    def _with(
        self,
        last: Mapping[str, Tensor],
        frame: Mapping[str, Tensor],
        part: TakenGraphs,
        goes_on: Tensor,
    ) -> dict[str, Tensor]:
        """The last frame, with what a step gave on the graphs that went on."""
        made = {}
        for name, declared in self.schema.decided.items():
            places = part.index(declared.location)
            moved = goes_on[part.graph.owner(declared.location)]
            before = last.get(name)
            if before is None:  # the first frame has the state alone
                before = torch.zeros(len(places), dtype=frame[name].dtype)
            made[name] = before.index_copy(0, places[moved], frame[name][moved])
        return made


def values_on(
    fields: Mapping[str, Field], values: Mapping[str, Tensor], part: TakenGraphs
) -> dict[str, Tensor]:
    """Values of fields on some graphs of a batch."""
    return {name: value[part.index(fields[name].location)] for name, value in values.items()}

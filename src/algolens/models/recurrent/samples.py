"""A trace as training takes it: everything on the device, a row for each node, a batch being an
index.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from algolens.execution import Run
from algolens.models.contract import network_inputs
from algolens.models.perceiver import Lessons, Taught
from algolens.models.recurrent.free import run_free
from algolens.models.recurrent.neighbourhoods import Neighbourhoods
from algolens.models.recurrent.unrolled import unroll

if TYPE_CHECKING:
    from algolens.models.network import Network


@dataclass(frozen=True, eq=False)
class Samples(Lessons):
    """True traces of many graphs."""

    table: Neighbourhoods
    lengths: list[int]  # [G] steps of each graph, known without asking the device
    steps: Tensor  # [G] the same, on the device
    inputs: dict[str, Tensor]  # encoded, each [N, width]
    # encoded, before each step and after the last, each [N, T + 1, width]
    states: dict[str, Tensor]
    concepts: Tensor  # [N, T, C] 0 or 1; after a graph's end, as it rests
    resting: Tensor  # [N, C] 0 or 1: after the end
    outputs: dict[str, Tensor]  # each [N, T]
    hints: dict[str, Tensor]  # each [N, T]
    goes_on: Tensor  # [G, T] 0 or 1
    processor_can_record: bool

    @classmethod
    def of(
        cls, trace: Run, device: torch.device, *, self_loops: bool, can_record: bool = True
    ) -> Samples:
        """The trace as samples on a device."""
        declaration = trace.algorithm.declaration
        # on a GPU, computing empty slots costs less than waiting: there, every neighbourhood is one
        # column
        rows = (
            int(torch.bincount(trace.graph.links[1]).max()) + 1 if device.type == "cuda" else None
        )
        carried = {name: declaration.predicted[name].kind for name in declaration.state}
        moved = trace.to(device)
        taken = moved.is_alive[:, moved.graph.node_owner]
        return cls(
            table=Neighbourhoods.of(moved.graph, rows, self_loops=self_loops),
            lengths=trace.lengths.tolist(),
            steps=moved.lengths,
            inputs={
                name: field.kind.encode(moved.inputs[name])
                for name, field in network_inputs(declaration).items()
            },
            states={
                name: kind.encode(moved.state(name).T.contiguous())
                for name, kind in carried.items()
            },
            concepts=torch.where(taken[:, :, None], moved.concepts, moved.resting)
            .transpose(0, 1)
            .float()
            .contiguous(),
            resting=moved.resting.float(),
            outputs={name: value.T.contiguous() for name, value in moved.outputs.items()},
            hints={name: value.T.contiguous() for name, value in moved.hints.items()},
            goes_on=moved.goes_on.T.float().contiguous(),
            processor_can_record=can_record,
        )

    @property
    def can_record(self) -> bool:
        # graphs of one size, neighbourhoods of one column
        is_even = self.table.even is not None and not len(self.table.owner)
        return self.processor_can_record and is_even

    def teach(
        self, network: Network, graphs: Tensor, lengths: list[int], *, always: bool = False
    ) -> Taught:
        done = unroll(network, self, graphs, lengths, always=always)
        goes_on = None
        if network.termination is not None:
            goes_on = (
                network.termination(done.ahead, self.table.members_of(done.node_counts)),
                done.goes_on,
            )
        return Taught(
            head=done.head,
            concepts=done.concepts,
            scores=done.scores,
            outputs=done.outputs,
            weight=done.alive_nodes,
            hints=done.hints,
            hint_weight=done.alive_nodes,
            goes_on=goes_on,
            goes_on_weight=done.alive_graphs,
        )

    def run_free(self, network: Network) -> Taught:
        return run_free(network, self)

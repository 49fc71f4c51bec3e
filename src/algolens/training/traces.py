"""Teaching by true traces: batches of graphs, on a CPU as they come, on a GPU recorded."""

from __future__ import annotations

from dataclasses import replace

import torch
from torch import Tensor

from algolens.engines import Run
from algolens.models import Network
from algolens.training.objective import Objective, Step, Teacher
from algolens.training.schedule import COUNT_ON, IN_ORDER, Schedule


class TraceTeacher(Teacher):
    """Leads a network through the true traces of a training set, batch after batch.

    On a GPU a whole step is recorded once for each shape of a batch, and replayed.
    """

    def __init__(
        self, network: Network, train: Run, objective: Objective, schedule: Schedule
    ) -> None:
        self.network, self.objective, self.schedule = network, objective, schedule
        self.lessons = network.perceiver.lessons(train, network.device)
        self.recorded = network.device.type == "cuda" and self.lessons.can_record
        self.step = Step(network, schedule, capturable=self.recorded)
        # by the size and the longest trace of a batch: the recording, and which graphs it reads
        self._recordings: dict[tuple[int, int], tuple[torch.cuda.CUDAGraph, Tensor]] = {}

    def epoch(self, number: int) -> None:
        """Teach every training graph once."""
        for batch in self.batches(number):
            self.teach(batch)

    def batches(self, epoch: int) -> list[list[int]]:
        """The training graphs, in an order that depends on the epoch alone."""
        lengths, size = self.lessons.lengths, self.schedule.batch_size
        order = list(range(len(lengths)))
        if self.schedule.batches != IN_ORDER:
            generator = torch.Generator().manual_seed(epoch)
            order = torch.randperm(len(lengths), generator=generator).tolist()
        batches = [order[i : i + size] for i in range(0, len(order), size)]
        return [sorted(batch, key=lambda graph: -lengths[graph]) for batch in batches]

    def teach(self, batch: list[int]) -> None:
        """Take one step on some graphs, the longest first."""
        lengths = [self.lessons.lengths[graph] for graph in batch]
        graphs = torch.tensor(batch, device=self.network.device)
        whole = self.schedule.ended_graphs == COUNT_ON
        if not self.recorded:
            self._take(graphs, lengths, always=whole)
            return
        key = (len(lengths), max(lengths))
        if key not in self._recordings:
            self._recordings[key] = self._record(graphs, lengths)
        recording, chosen = self._recordings[key]
        chosen.copy_(graphs)
        recording.replay()
        self.step.count += 1

    def _take(self, graphs: Tensor, lengths: list[int], *, always: bool) -> None:
        taught = self.lessons.teach(self.network, graphs, lengths, always=always)
        if self.schedule.ended_graphs == COUNT_ON:
            taught = replace(taught, weight=None, goes_on_weight=None)
        self.step(self.objective(self.network, taught))

    def _record(self, graphs: Tensor, lengths: list[int]) -> tuple[torch.cuda.CUDAGraph, Tensor]:
        """Record a step, after rehearsals whose effect is undone."""
        chosen, count = graphs.clone(), self.step.count
        before = {tensor: tensor.detach().clone() for tensor in self.step.changing()}
        aside = torch.cuda.Stream()
        aside.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(aside):
            for _ in range(2):
                self._take(chosen, lengths, always=True)
        torch.cuda.current_stream().wait_stream(aside)
        recording = torch.cuda.CUDAGraph()
        self.step.adam.zero_grad(set_to_none=True)
        with torch.cuda.graph(recording):
            self._take(chosen, lengths, always=True)
        with torch.no_grad():
            for tensor in self.step.changing():
                if tensor in before:
                    tensor.copy_(before[tensor])
                else:
                    tensor.zero_()
        self.step.count = count
        return recording, chosen

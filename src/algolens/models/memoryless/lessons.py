"""Fresh data without end: states of true runs, arbitrary states, and what a proof found wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, cast

import torch
import torch.nn.functional as F
from torch import Tensor

from algolens.algorithms import Algorithm
from algolens.data import Setting, Situations, arbitrary, fresh
from algolens.graphs import stream
from algolens.models.memoryless.patterns import Patterns
from algolens.models.perceiver import Lessons, Taught

if TYPE_CHECKING:
    from algolens.models.memoryless.without_memory import WithoutMemory
    from algolens.models.network import Network

GRAPHS = 4_800  # of an epoch: there is no end of them, but a rhythm is needed to validate in
RUNS_EVERY = 4  # batches: then, true runs are among it
FIRM, FIRMNESS = 0.5, 0.1  # a message's logit nearer to 0 than this is pushed away from it, with this weight


class FreshLessons(Lessons):
    """A batch is as many new situations, in arbitrary states, as graphs are asked for; now and then, whole runs are added."""

    def __init__(self, algorithm: Algorithm, device: torch.device, most_nodes: int, runs: int) -> None:
        """most_nodes: of graphs in arbitrary states. runs: how many are added."""
        self.algorithm, self.device, self.most_nodes, self.runs = algorithm, device, most_nodes, runs
        self.lengths = [1] * GRAPHS
        self.patterns = Patterns(algorithm.declaration)
        self.number = 0
        self._runs = fresh(algorithm, runs)
        self._again: list[Setting] = []

    def revise(self, wrong: Sequence[Setting]) -> None:
        self._again = list(wrong)

    def state(self) -> dict[str, Tensor]:
        return {"number": torch.tensor(self.number), **self.patterns.state()}

    def resume(self, state: Mapping[str, Tensor]) -> None:
        """What a proof found wrong is not among it: the proof is tried again."""
        self.number = int(state["number"])
        self.patterns.resume(state)
        self._runs = fresh(self.algorithm, self.runs, first=-(-self.number // RUNS_EVERY))

    def teach(self, network: Network, graphs: Tensor, lengths: list[int], *, always: bool = False) -> Taught:
        """All batches differ. What is drawn depends on their number, and on what a proof of any seed among them found wrong."""
        perceiver = cast("WithoutMemory", network.perceiver)
        met = self._draw(len(lengths))
        self.patterns.add(met)
        studied = perceiver.study(met, torch.Generator().manual_seed(self.number))
        concepts = self.patterns.concepts[None].float().expand(len(network.seeds), -1, -1)
        goes_on = None
        if network.termination is not None:
            goes_on = network.termination(concepts), self.patterns.asks.float()
        return Taught(
            head=studied.head,
            concepts=met.concepts.float(),
            scores=network.decide_concepts(concepts),
            outputs=self.patterns.outputs,
            hints=studied.hints,
            goes_on=goes_on,
            others={**studied.others, "firmness": FIRMNESS * _wavering(studied.sent)},
        )

    def _draw(self, count: int) -> Situations:
        parts = [arbitrary(self.algorithm, count, stream(0, "situations", self.algorithm.name, self.number), self.most_nodes)]
        if self.number % RUNS_EVERY == 0:
            parts.append(Setting.of_run(next(self._runs)))
        if self._again:
            parts.append(self._again[self.number % len(self._again)])
        self.number += 1
        return Situations.of(self.algorithm, Setting.join(parts).to(self.device))


def _wavering(sent: Sequence[Tensor]) -> Tensor:
    """[S] how near to 0 the logits of messages are."""
    return torch.stack([F.relu(FIRM - each.abs()).mean((1, 2)) for each in sent]).sum(0)

"""What teaches an exact network: stars, an element with arbitrary others in view, and the truth as
it is declared.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import torch
import torch.nn.functional as F
from torch import Tensor

from algolens.algorithms import Declaration
from algolens.logic.patterns import all_patterns
from algolens.looks import Statement
from algolens.models.exact.comparator import teach
from algolens.models.layers import Linear
from algolens.models.perceiver import Lessons, Star, Taught

if TYPE_CHECKING:
    from algolens.models.exact.exact import Exact
    from algolens.models.network import Network

BATCHES = 25  # of an epoch, after which a proof is tried; stars are drawn without end
# a stage that is not proven by then begins anew; the next time it has twice as long, and so on
PATIENCE = 20 * BATCHES
OTHERS = 8  # in view of an element, at most; more where others are counted
MOST_PATTERNS = 4_096  # of concepts that decoders are taught at once


class Stars(Lessons):
    """A batch is as many stars, for every stage, as are asked for. What is drawn depends on the
    number of the batch alone.

    A stage is taught by the truth of its own observation, for any classes of those before it, so
    all stages are learnt at once and none waits for another. What a proof has settled is left as it
    is. A stage that is not proven for long begins anew from other weights: few do not get there
    from where they began.
    """

    def __init__(self, perceiver: Exact, declaration: Declaration, device: torch.device) -> None:
        self.readings, self.stages = perceiver.readings, perceiver.stages
        self.declaration, self.device = declaration, device
        self.number = 0
        self.settled: list[set[str]] = []  # for each seed the parts that are proven
        self.kept: dict[tuple[int, str], dict[str, Tensor]] = {}  # their weights
        self.again: dict[str, list[Star]] = {}
        seeds = len(next(iter(self.stages.values())).head_first.weight)
        # the batch that each stage began at
        self.began = torch.zeros(seeds, len(self.stages), dtype=torch.int64)
        for width, comparison in perceiver.comparisons.items():
            teach(comparison, int(width))
            comparison.requires_grad_(False)  # it is proven by now, and stays as it is

    @property
    def lengths(self) -> list[int]:  # type: ignore[override]
        return [1] * (BATCHES * 256)

    def teach(
        self, network: Network, graphs: Tensor, lengths: list[int], *, always: bool = False
    ) -> Taught:
        generator = torch.Generator().manual_seed(self.number)
        self.number += 1
        losses = {}
        for name, reading in self.readings.items():
            if all(name in settled for settled in self.settled) and self.settled:
                losses[name] = torch.zeros(len(network.seeds), device=self.device)
                continue
            own, kinds, there = self._draw(
                reading, len(lengths), generator, self.again.get(name, [])
            )
            truth = reading.truth(own, _counts(kinds, there, reading)).float()
            logits = self.stages[name](*(each.to(self.device) for each in (own, kinds, there)))
            truth = truth.to(self.device).expand_as(logits)
            losses[name] = F.binary_cross_entropy_with_logits(logits, truth, reduction="none").mean(
                1
            )
        patterns = self._patterns(generator).to(self.device)
        scores = network.decide_concepts(patterns.float().expand(len(network.seeds), -1, -1))
        return Taught(
            scores=scores, outputs=self.declaration.rule_set.decide(patterns), others=losses
        )

    def _patterns(self, generator: torch.Generator) -> Tensor:
        count = len(self.declaration.concepts)
        if 2**count <= MOST_PATTERNS:
            return torch.from_numpy(all_patterns(count))
        return torch.rand(MOST_PATTERNS, count, generator=generator) < 0.5

    def _draw(
        self, reading: Statement, count: int, generator: torch.Generator, again: Sequence[Star]
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Own classes [M], kinds of others [M, others], and which of them are there; some that a
        proof found wrong besides.
        """
        own = torch.randint(0, reading.num_own, (count,), generator=generator)
        if reading.relation is None:
            own = torch.cat([own, torch.arange(reading.num_own)])
            return own, own.new_zeros(len(own), 0), torch.zeros(len(own), 0, dtype=torch.bool)
        others = reading.relation.exactly or OTHERS + 2 * (reading.most - 1)
        # kinds from a distribution of each star's own, so that many stars show only few of them
        share = torch.empty(count, reading.num_kinds).exponential_(generator=generator) ** 3 + 1e-9
        kinds = torch.multinomial(share, others, replacement=True, generator=generator)
        number = torch.randint(0, others + 1, (count, 1), generator=generator)
        there = torch.arange(others) < (others if reading.relation.exactly else number)
        there = there.expand(count, others)
        again = again[:count]
        # a star that a proof found wrong is shown whole
        room = max([others, *(len(star.kinds) for star in again)])
        kinds, there = (F.pad(each, (0, room - others)) for each in (kinds, there))
        for star in again:
            place = int(torch.randint(0, count, (1,), generator=generator))
            own[place] = star.own
            kinds[place, : len(star.kinds)] = torch.tensor(star.kinds, dtype=torch.int64)
            there[place] = torch.arange(room) < len(star.kinds)
        return own, kinds, there

    def restore(self, network: Network) -> None:
        with torch.no_grad():
            for (place, name), weights in self.kept.items():
                for key, parameter in self.stages[name].named_parameters():
                    parameter[place] = weights[key]

    def revise(self, network: Network, found: Sequence[Mapping[str, Sequence[Star]]]) -> None:
        self.settled = [{name for name, wrong in each.items() if not wrong} for each in found]
        self.again = {
            name: [star for each in found for star in each.get(name, ())] for name in self.readings
        }
        for place, settled in enumerate(self.settled):
            for name in settled & self.readings.keys():
                if (place, name) not in self.kept:
                    weights = self.stages[name].named_parameters()
                    self.kept[place, name] = {
                        key: parameter[place].detach().clone() for key, parameter in weights
                    }
            self._begin_anew(network.seeds[place], place)

    def _begin_anew(self, seed: int, place: int) -> None:
        """Draws new weights for the stages that one seed has not got right for long."""
        for number, (name, stage) in enumerate(self.stages.items()):
            if (
                name in self.settled[place]
                or self.number < 2 * int(self.began[place, number]) + PATIENCE
            ):
                continue
            self.began[place, number] = self.number
            generator = torch.Generator().manual_seed(hash((seed, self.number, number)) % 2**63)
            for layer in stage.children():
                assert isinstance(layer, Linear)
                layer.draw(place, generator)

    def state(self) -> dict[str, Tensor]:
        return {"number": torch.tensor(self.number), "began": self.began}

    def resume(self, state: Mapping[str, Tensor]) -> None:
        self.number, self.began = int(state["number"]), state["began"].cpu()


def _counts(kinds: Tensor, there: Tensor, reading: Statement) -> Tensor:
    """[M, kinds] how many of each kind are in view."""
    counts = torch.zeros(len(kinds), max(reading.num_kinds, 1), dtype=torch.int64)
    return counts.scatter_add_(1, kinds, there.long())[:, : reading.num_kinds]

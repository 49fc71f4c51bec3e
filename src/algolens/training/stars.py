"""Teaching an exact network by stars, from what a proof finds wrong.

A star is an element with arbitrary others in view; what is true of it follows from the declaration.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import torch
import torch.nn.functional as F
from torch import Tensor

from algolens.language.finite import Statement
from algolens.logic.patterns import all_patterns
from algolens.models import Network
from algolens.models.exact import Exact, Star, teach
from algolens.models.layers import Linear
from algolens.proofs import prove
from algolens.training.counting import conclude_counts, draw_counts, teach_messages, true_of
from algolens.training.objective import Objective, Step, Teacher
from algolens.training.schedule import Schedule

STARS = 6_400  # of each stage in an epoch, after which a proof is tried
# a stage that is not proven after so many batches begins anew; the next time it has twice as long
PATIENCE = 500
OTHERS = 8  # in view of an element, at most, where they are not counted
MOST_PATTERNS = 4_096  # of concepts that decoders are taught at once


class StarTeacher(Teacher):
    """Draws stars for every stage, and asks the proof for those that are still wrong.

    A stage is taught by the truth of its own observation, for any classes of those before it, so
    all stages are learnt at once and none waits for another. What is drawn depends on the number of
    the batch alone. What a proof has settled is left as it is. A stage that is not proven for long
    begins anew from other weights: few do not get there from where they began. Where others are
    counted, a stage begins with messages that suffice (``teach_messages``), and its head is taught.
    """

    def __init__(self, network: Network, objective: Objective, schedule: Schedule) -> None:
        assert isinstance(network.perceiver, Exact)
        self.network, self.objective, self.batch_size = network, objective, schedule.batch_size
        self.statements, self.stages = network.perceiver.statements, network.perceiver.stages
        self.number = 0  # of batches so far
        self.settled: list[set[str]] = []  # for each seed the parts that are proven
        self.kept: dict[tuple[int, str], dict[str, Tensor]] = {}  # their weights
        self.again: dict[str, list[Star]] = {}  # by stage, what the last proof found wrong
        # the batch that each stage began at
        self.began = torch.zeros(len(network.seeds), len(self.stages), dtype=torch.int64)
        for width, comparison in network.perceiver.comparisons.items():
            teach(comparison, int(width))
            comparison.requires_grad_(False)  # it is proven by now, and stays as it is
        self.step = Step(network, schedule)

    def epoch(self, number: int) -> None:
        if self.number == 0:
            for place in range(len(self.network.seeds)):
                for name, statement in self.statements.items():
                    if statement.most > 1:
                        self._draw_stage(place, name)
        for first in range(0, STARS, self.batch_size):
            self.step(self.losses(min(self.batch_size, STARS - first)))

    def losses(self, count: int) -> dict[str, Tensor]:
        """The losses of all stages on so many stars each, and of the outputs."""
        network, device = self.network, self.network.device
        generator = torch.Generator().manual_seed(self.number)
        self.number += 1
        of_stages = {}
        for name, statement in self.statements.items():
            if self.settled and all(name in parts for parts in self.settled):
                of_stages[name] = torch.zeros(len(network.seeds), device=device)
                continue
            if statement.most > 1:
                own, counts = self._draw_counts(statement, count, generator)
                logits = conclude_counts(self.stages[name], own.to(device), counts.to(device))
            else:
                own, kinds, there = self.draw(statement, count, generator)
                counts = _counts(kinds, there, statement)
                logits = self.stages[name](own.to(device), kinds.to(device), there.to(device))
            truth = true_of(statement, own, counts).float().to(device)
            of_stages[name] = F.binary_cross_entropy_with_logits(
                logits, truth.expand_as(logits), reduction="none"
            ).mean(1)
        patterns = self.patterns(generator).to(device)
        scores = network.decide_concepts(patterns.float().expand(len(network.seeds), -1, -1))
        outputs = network.algorithm.declaration.rule_set.decide(patterns)
        of_outputs = self.objective.on_outputs(network, scores, outputs)
        return of_outputs | of_stages | self.objective.on_weights(network)

    def patterns(self, generator: torch.Generator) -> Tensor:
        """[P, C] patterns of concepts that the decoders are taught by: all, or many."""
        count = len(self.network.algorithm.declaration.concepts)
        if 2**count <= MOST_PATTERNS:
            return torch.from_numpy(all_patterns(count))
        return torch.rand(MOST_PATTERNS, count, generator=generator) < 0.5

    def draw(
        self, statement: Statement, count: int, generator: torch.Generator
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Own classes [M], kinds of others [M, others], and which of them are there."""
        own = torch.randint(0, statement.num_own, (count,), generator=generator)
        if statement.view is None:
            own = torch.cat([own, torch.arange(statement.num_own)])
            return own, own.new_zeros(len(own), 0), torch.zeros(len(own), 0, dtype=torch.bool)
        others = statement.exactly or OTHERS
        # kinds from a distribution of each star's own, so that many stars show only few of them
        share = (
            torch.empty(count, statement.num_neighbours).exponential_(generator=generator) ** 3
            + 1e-9
        )
        kinds = torch.multinomial(share, others, replacement=True, generator=generator)
        number = torch.randint(0, others + 1, (count, 1), generator=generator)
        there = torch.arange(others) < (others if statement.exactly else number)
        there = there.expand(count, others)
        # some that the last proof found wrong, each shown whole
        again = self.again.get(statement.name, [])[:count]
        room = max([others, *(len(star.kinds) for star in again)])
        kinds, there = F.pad(kinds, (0, room - others)), F.pad(there, (0, room - others))
        for star in again:
            place = int(torch.randint(0, count, (1,), generator=generator))
            own[place] = star.own
            kinds[place, : len(star.kinds)] = torch.tensor(star.kinds, dtype=torch.int64)
            there[place] = torch.arange(room) < len(star.kinds)
        return own, kinds, there

    def _draw_counts(
        self, statement: Statement, count: int, generator: torch.Generator
    ) -> tuple[Tensor, Tensor]:
        """Own classes [M], and how many of each kind are in view, [M, kinds]."""
        own, counts = draw_counts(statement, count, generator)
        again = self.again.get(statement.name, [])[:count]
        places = torch.randint(0, count, (len(again),), generator=generator).tolist()
        for place, star in zip(places, again, strict=True):
            own[place] = star.own
            kinds = torch.tensor(star.kinds, dtype=torch.int64)
            counts[place] = kinds.bincount(minlength=statement.num_neighbours)
        return own, counts

    def restore(self) -> None:
        with torch.no_grad():
            for (place, name), weights in self.kept.items():
                for key, parameter in self.stages[name].named_parameters():
                    parameter[place] = weights[key]

    def examine(self, seeds: Sequence[Network]) -> list[int] | None:
        if not isinstance(self.network.perceiver, Exact):
            return None
        findings = [prove(alone) for alone in seeds]
        self.settled = [
            {finding.part for finding in of_seed if not finding.check.failures}
            for of_seed in findings
        ]
        self.again = {name: [] for name in self.statements}
        for finding in (finding for of_seed in findings for finding in of_seed):
            if finding.check.failures and finding.part in self.again:
                self.again[finding.part] += finding.wrong
        for place, parts in enumerate(self.settled):
            for name in parts & self.statements.keys():
                if (place, name) not in self.kept:
                    weights = self.stages[name].named_parameters()
                    self.kept[place, name] = {
                        key: parameter[place].detach().clone() for key, parameter in weights
                    }
            self._begin_anew(place)
        return [sum(finding.check.failures for finding in of_seed) for of_seed in findings]

    def _begin_anew(self, place: int) -> None:
        """Draw new weights for the stages that one seed has not got right for long."""
        for number, name in enumerate(self.stages):
            began = int(self.began[place, number])
            if name in self.settled[place] or self.number < 2 * began + PATIENCE:
                continue
            self.began[place, number] = self.number
            self._draw_stage(place, name)

    def _draw_stage(self, place: int, name: str) -> None:
        """Draw new weights for a stage of one seed; where it counts, teach its messages."""
        stage, statement = self.stages[name], self.statements[name]
        drawn_by = (self.network.seeds[place], self.number, list(self.stages).index(name))
        generator = torch.Generator().manual_seed(hash(drawn_by) % 2**63)
        if statement.most > 1:
            teach_messages(stage, statement, place, generator)
            return
        for layer in stage.children():
            assert isinstance(layer, Linear)
            layer.draw(place, generator)

    def state(self) -> dict[str, Tensor]:
        return {"number": torch.tensor(self.number), "began": self.began}

    def resume(self, state: Mapping[str, Tensor]) -> None:
        self.number, self.began = int(state["number"]), state["began"].cpu()


def _counts(kinds: Tensor, there: Tensor, statement: Statement) -> Tensor:
    """[M, kinds] how many of each kind are in view."""
    counts = torch.zeros(len(kinds), max(statement.num_neighbours, 1), dtype=torch.int64)
    return counts.scatter_add_(1, kinds, there.long())[:, : statement.num_neighbours]

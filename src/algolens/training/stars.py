"""Teaching an exact network by stars, from what a proof finds wrong.

A star is an element with arbitrary others in view; what is true of it follows from the declaration.

A stage that counts is taught in two parts: first which bits others send, then what follows from how
many do. Through a count, gradients say little to a message before the head knows what counts mean:
bits die. So messages are taught first, on stars in which no two kinds have to be added up: one kind
alone, any number of times, or several kinds, each as often as makes a difference. Then they stay.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from algolens.errors import AlgoLensError
from algolens.language.finite import MOST_CASES, Statement
from algolens.logic.patterns import all_patterns
from algolens.models import Network
from algolens.models.exact import SILENCE, Exact, Stage, Star, harden, teach
from algolens.models.layers import draw
from algolens.proofs.network import prove
from algolens.training.objective import Objective, Step, Teacher
from algolens.training.schedule import Schedule

CANDIDATES = 8  # messages that are taught side by side, until those of one suffice
RATE, BATCH, CHECK_EVERY = 1e-2, 256, 25
REDRAWN_AFTER = 375  # batches after which candidates that do not suffice are drawn anew
MOST_BATCHES = 3_000
# of an own class, so that proofs are soon made; more only where the statement needs many itself
FEW_CASES = 5_000
TRIED = 2  # candidates at a time
ONE_KIND = 0.4  # share of the stars that show one kind alone
OTHERS = 8  # in view of an element, at most, but for those of one kind
SAMPLE = 4_096  # stars on which bits are tried


def teach_messages(
    stage: Stage, statement: Statement, place: int, generator: torch.Generator
) -> int:
    """Teach one seed what others send; gives the number of batches.

    Only bits that the truth follows from are kept; all others are silent, so that a proof has few
    cases. Where no candidate gets there, all are.
    """
    width = stage.message_first.weight.shape[2]
    candidates = Stage(CANDIDATES, statement, width=width, bits=stage.bits // 2)
    sample = draw_counts(statement, SAMPLE, generator)
    least = max(len(statement.closure(own).received) for own in range(statement.num_own))
    few = min(max(FEW_CASES, 4 * least), MOST_CASES)
    for batch in range(1, MOST_BATCHES + 1):
        if batch % REDRAWN_AFTER == 1:
            for layer, number in product(candidates.children(), range(CANDIDATES)):
                draw(layer, number, generator)
            adam = torch.optim.Adam(candidates.parameters(), RATE, fused=True)
        adam.zero_grad()
        _loss(candidates, statement, *_unmixed(statement, BATCH, generator)).backward()
        adam.step()
        if batch % CHECK_EVERY:
            continue
        with torch.no_grad():
            sent = candidates.sent() > 0
        chosen = [_deciding_bits(statement, bits, *sample) for bits in sent]
        # to list all cases takes long: only those of the fewest bits are
        for number in sorted(range(CANDIDATES), key=lambda number: len(chosen[number]))[:TRIED]:
            if _suffice(statement, sent[number][:, :, chosen[number]], few):
                _take(stage, place, candidates, number, chosen[number])
                return batch
    _take(stage, place, candidates, 0, [])
    return MOST_BATCHES


def draw_counts(
    statement: Statement, count: int, generator: torch.Generator
) -> tuple[Tensor, Tensor]:
    """Own classes [M], and how many of each kind are in view, [M, kinds].

    A third shows each of its kinds as often as makes a difference, a third any number of times, and
    a third a total near to what may be asked for, divided among its kinds.
    """
    most, classes = statement.most, statement.num_neighbours
    own = torch.randint(0, statement.num_own, (count,), generator=generator)
    present = _present(count, classes, generator)
    often = torch.randint(1, most + 2, (count, classes), generator=generator)
    total = torch.randint(0, most + 2, (count, 1), generator=generator)
    share = torch.rand(count, classes, generator=generator) * present
    share = share / share.sum(1, keepdim=True).clamp(min=1e-9)
    upto = (share.cumsum(1) * total).round().long()
    divided = torch.diff(upto, dim=1, prepend=torch.zeros(count, 1, dtype=torch.int64))
    way = torch.randint(0, 3, (count, 1), generator=generator)
    return own, present * torch.where(way == 0, most, torch.where(way == 1, often, divided))


def true_of(statement: Statement, own: Tensor, counts: Tensor) -> Tensor:
    """[M] bools: what is true of own classes [M] with so many of each kind in view [M, kinds]."""
    return torch.from_numpy(statement.truth(own.numpy(), counts.numpy()))


def _some_kinds(
    classes: int, others: int, count: int, generator: torch.Generator
) -> tuple[Tensor, Tensor]:
    """Kinds of others [M, others], and which of them are there.

    Kinds come from a distribution of each star's own, so that many stars show only few of them.
    """
    share = torch.empty(count, classes).exponential_(generator=generator) ** 3 + 1e-9
    kinds = torch.multinomial(share, others, replacement=True, generator=generator)
    number = torch.randint(0, others + 1, (count, 1), generator=generator)
    return kinds, torch.arange(others) < number


def _counts(kinds: Tensor, there: Tensor, classes: int) -> Tensor:
    """[M, kinds] how many of each kind are in view."""
    counts = torch.zeros(len(kinds), max(classes, 1), dtype=torch.int64)
    return counts.scatter_add_(1, kinds, there.long())[:, :classes]


def _present(count: int, classes: int, generator: torch.Generator) -> Tensor:
    """[M, kinds] 1 for the few kinds that are in view, else 0."""
    return _counts(*_some_kinds(classes, OTHERS, count, generator), classes).clamp(max=1)


def _unmixed(
    statement: Statement, count: int, generator: torch.Generator
) -> tuple[Tensor, Tensor, Tensor]:
    """Own classes [M], which kinds are in view [M, kinds], and how often each of them, [M]."""
    own = torch.randint(0, statement.num_own, (count,), generator=generator)
    present = _present(count, statement.num_neighbours, generator)
    alone = torch.randint(0, statement.num_neighbours, (count,), generator=generator)
    often = torch.randint(1, statement.most + 1, (count,), generator=generator)
    is_one = torch.rand(count, generator=generator) < ONE_KIND
    present = torch.where(is_one[:, None], F.one_hot(alone, statement.num_neighbours), present)
    return own, present, torch.where(is_one, often, statement.most)


def _loss(
    candidates: Stage, statement: Statement, own: Tensor, present: Tensor, often: Tensor
) -> Tensor:
    """What candidates get wrong on unmixed stars: a bit is counted as often as kinds are there."""
    truth = true_of(statement, own, present * often[:, None]).float()
    absent = (present == 0)[None, :, :, None]
    bits = harden(candidates.sent()[:, own].masked_fill(absent, SILENCE).amax(2))
    steps = (torch.arange(candidates.most) < often[:, None]).float()
    logits = candidates.conclude(own, (bits[..., None] * steps[:, None]).flatten(2))
    losses = F.binary_cross_entropy_with_logits(logits, truth.expand_as(logits), reduction="none")
    return losses.mean(1).sum()


def conclude_counts(stage: Stage, own: Tensor, counts: Tensor) -> Tensor:
    """[S, M] logits of own classes [M] with so many of each kind in view; messages stay."""
    with torch.no_grad():
        received = _received(stage.sent() > 0, own, counts)
    return stage.conclude(own, stage.thermometer(received))


def _received(sent: Tensor, own: Tensor, counts: Tensor) -> Tensor:
    """[S, M, bits] how many send each bit."""
    return torch.einsum("mk,smkb->smb", counts.float(), sent[:, own].float())


def _deciding_bits(statement: Statement, sent: Tensor, own: Tensor, counts: Tensor) -> list[int]:
    """Few of the bits [own classes, kinds, bits] that tell true stars from false ones, or all.

    The bit that leaves the fewest undecided is added, until none is; then those go that are not
    needed.
    """
    truth = true_of(statement, own, counts)
    received = _received(sent[None], own, counts)[0].clamp(max=statement.most).long()

    def finer(group: Tensor, bit: int) -> Tensor:
        return group * (statement.most + 1) + received[:, bit]

    def grouped(bits: list[int]) -> Tensor:
        group = own
        for bit in bits:
            group = finer(group, bit).unique(return_inverse=True)[1]
        return group

    chosen: list[int] = []
    left = _undecided(own, truth)
    while left:
        group = grouped(chosen)
        by_bit = {bit: _undecided(finer(group, bit), truth) for bit in range(sent.shape[2])}
        best = min(by_bit, key=by_bit.__getitem__)
        if by_bit[best] == left:
            return list(range(sent.shape[2]))
        chosen, left = [*chosen, best], by_bit[best]
    for bit in list(chosen):
        without = [other for other in chosen if other != bit]
        chosen = chosen if _undecided(grouped(without), truth) else without
    return chosen


def _undecided(group: Tensor, truth: Tensor) -> int:
    """How many are unlike most others of their group."""
    number, positive = group.bincount(), group.bincount(truth.double())
    return int(torch.minimum(positive, number - positive).sum())


def _suffice(statement: Statement, sent: Tensor, most: int) -> bool:
    """Whether the truth follows from how many send bits [own classes, kinds, bits], in few cases.

    most: so many of each own class.
    """
    for own, bits in enumerate(sent.numpy().astype(np.uint8)):
        try:
            closed = statement.closure(own, bits, statement.most, largest=most)
        except AlgoLensError:
            return False
        cases = closed.received[closed.cases(statement.exactly)]
        group = np.unique(cases[:, : bits.shape[1]], axis=0, return_inverse=True)[1].reshape(-1)
        truth = torch.from_numpy(statement.truth_in_cases(own, cases))
        if _undecided(torch.from_numpy(group), truth):
            return False
    return True


@torch.no_grad()
def _take(stage: Stage, place: int, candidates: Stage, number: int, chosen: list[int]) -> None:
    """Give a seed the weights of a candidate, with all bits silent but those chosen."""
    for ours, theirs in zip(stage.parameters(), candidates.parameters(), strict=True):
        ours[place] = theirs[number]
    silent = [bit for bit in range(stage.bits) if bit not in chosen]
    assert stage.message_last.bias is not None
    stage.message_last.weight[place, :, silent] = 0
    stage.message_last.bias[place, :, silent] = SILENCE


STARS = 6_400  # of each stage in an epoch, after which a proof is tried
# a stage that is not proven after so many batches begins anew; the next time it has twice as long
PATIENCE = 500
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
                own, counts = draw_counts(statement, count, generator)
                for place, star in self._again(statement, count, generator):
                    own[place] = star.own
                    kinds = torch.tensor(star.kinds, dtype=torch.int64)
                    counts[place] = kinds.bincount(minlength=statement.num_neighbours)
                logits = conclude_counts(self.stages[name], own.to(device), counts.to(device))
            else:
                own, kinds, there = self.draw(statement, count, generator)
                counts = _counts(kinds, there, statement.num_neighbours)
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
        kinds, there = _some_kinds(statement.num_neighbours, others, count, generator)
        if statement.exactly:
            there = torch.ones_like(there)
        # some that the last proof found wrong, each shown whole
        again = self._again(statement, count, generator)
        room = max([others, *(len(star.kinds) for _, star in again)])
        kinds, there = F.pad(kinds, (0, room - others)), F.pad(there, (0, room - others))
        for place, star in again:
            own[place] = star.own
            kinds[place, : len(star.kinds)] = torch.tensor(star.kinds, dtype=torch.int64)
            there[place] = torch.arange(room) < len(star.kinds)
        return own, kinds, there

    def _again(
        self, statement: Statement, count: int, generator: torch.Generator
    ) -> list[tuple[int, Star]]:
        """Stars that the last proof found wrong, and where each is put among so many."""
        stars = self.again.get(statement.name, [])[:count]
        places = torch.randint(0, count, (len(stars),), generator=generator).tolist()
        return list(zip(places, stars, strict=True))

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
        draw(stage, place, generator)

    def state(self) -> dict[str, Tensor]:
        return {"number": torch.tensor(self.number), "began": self.began}

    def resume(self, state: Mapping[str, Tensor]) -> None:
        self.number, self.began = int(state["number"]), state["began"].cpu()

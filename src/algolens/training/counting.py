"""Teaching a stage that counts: first which bits others send, then what follows from how many do.

Through a count, gradients say little to a message before the head knows what counts mean: bits die.
So messages are taught first, on stars in which no two kinds have to be added up: one kind alone,
any number of times, or several kinds, each as often as makes a difference. Then they stay.
"""

from __future__ import annotations

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from algolens.errors import AlgoLensError
from algolens.language.finite import MOST_CASES, Statement
from algolens.models.exact import SILENCE, Stage, harden
from algolens.models.layers import Linear

CANDIDATES = 8  # messages that are taught side by side, until those of one suffice
RATE, BATCH, CHECK_EVERY = 1e-2, 256, 25
PATIENCE = 375  # batches after which candidates that do not suffice are drawn anew
MOST_BATCHES = 3_000
# of an own class, so that proofs are soon made; more only where the statement needs many itself
FEW_CASES = 5_000
TRIED = 2  # candidates at a time
ONE_KIND = 0.4  # share of the stars that show one kind alone
KINDS = 8  # in view of the others, at most
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
        if batch % PATIENCE == 1:
            _draw(candidates, generator)
            adam = torch.optim.Adam(candidates.parameters(), RATE, fused=True)
        adam.zero_grad()
        _loss(candidates, statement, *_unmixed(statement, BATCH, generator)).backward()
        adam.step()
        if batch % CHECK_EVERY:
            continue
        sent = sent_to_all(candidates)
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
    most, shape = statement.most, (count, statement.num_neighbours)
    own = torch.randint(0, statement.num_own, (count,), generator=generator)
    present = _present(shape, generator)
    often = torch.randint(1, most + 2, shape, generator=generator)
    total = torch.randint(0, most + 2, (count, 1), generator=generator)
    share = torch.rand(shape, generator=generator) * present
    share = share / share.sum(1, keepdim=True).clamp(min=1e-9)
    upto = (share.cumsum(1) * total).round().long()
    divided = torch.diff(upto, dim=1, prepend=torch.zeros(count, 1, dtype=torch.int64))
    way = torch.randint(0, 3, (count, 1), generator=generator)
    return own, present * torch.where(way == 0, most, torch.where(way == 1, often, divided))


def true_of(statement: Statement, own: Tensor, counts: Tensor) -> Tensor:
    """[M] bools: what is true of own classes [M] with so many of each kind in view [M, kinds]."""
    return torch.from_numpy(statement.truth(own.numpy(), counts.numpy()))


def _present(shape: tuple[int, int], generator: torch.Generator) -> Tensor:
    """[M, kinds] 1 for the few kinds that are in view, else 0."""
    share = torch.empty(shape).exponential_(generator=generator) ** 3 + 1e-9
    kinds = torch.multinomial(share, KINDS, replacement=True, generator=generator)
    there = torch.arange(KINDS) < torch.randint(0, KINDS + 1, (shape[0], 1), generator=generator)
    return torch.zeros(shape, dtype=torch.int64).scatter_add_(1, kinds, there.long()).clamp(max=1)


def _unmixed(
    statement: Statement, count: int, generator: torch.Generator
) -> tuple[Tensor, Tensor, Tensor]:
    """Own classes [M], which kinds are in view [M, kinds], and how often each of them, [M]."""
    own = torch.randint(0, statement.num_own, (count,), generator=generator)
    present = _present((count, statement.num_neighbours), generator)
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
    bits = harden(_logits(candidates)[:, own].masked_fill(absent, SILENCE).amax(2))
    steps = (torch.arange(candidates.most) < often[:, None]).float()
    logits = candidates.conclude(own, (bits[..., None] * steps[:, None]).flatten(2))
    losses = F.binary_cross_entropy_with_logits(logits, truth.expand_as(logits), reduction="none")
    return losses.mean(1).sum()


def _logits(stage: Stage) -> Tensor:
    """[S, own classes, kinds, bits] of every message that there is."""
    own, kinds = len(stage.own_features), len(stage.kind_features)
    device = stage.own_features.device
    sent = stage.messages(
        torch.arange(own, device=device).repeat_interleave(kinds),
        torch.arange(kinds, device=device).repeat(own),
    )
    return sent.view(len(sent), own, kinds, stage.bits)


@torch.no_grad()
def sent_to_all(stage: Stage) -> Tensor:
    """[S, own classes, kinds, bits] bools: what others of every kind send to every own class."""
    return _logits(stage) > 0


def conclude_counts(stage: Stage, own: Tensor, counts: Tensor) -> Tensor:
    """[S, M] logits of own classes [M] with so many of each kind in view; messages stay."""
    received = _received(sent_to_all(stage), own, counts)
    steps = torch.arange(stage.most, device=own.device)
    return stage.conclude(own, (received[..., None] > steps).float().flatten(2))


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


def _draw(candidates: Stage, generator: torch.Generator) -> None:
    """New weights for all of them."""
    for layer in candidates.children():
        assert isinstance(layer, Linear)
        for number in range(CANDIDATES):
            layer.draw(number, generator)


@torch.no_grad()
def _take(stage: Stage, place: int, candidates: Stage, number: int, chosen: list[int]) -> None:
    """Give a seed the weights of a candidate, with all bits silent but those chosen."""
    for ours, theirs in zip(stage.parameters(), candidates.parameters(), strict=True):
        ours[place] = theirs[number]
    silent = [bit for bit in range(stage.bits) if bit not in chosen]
    assert stage.message_last.bias is not None
    stage.message_last.weight[place, :, silent] = 0
    stage.message_last.bias[place, :, silent] = SILENCE

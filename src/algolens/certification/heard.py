"""What an exchange of bits makes of every kind of other, and how sure it is."""

from __future__ import annotations

import torch
from torch import Tensor

from algolens.certification.certificate import Basis, Check, Finding
from algolens.certification.sure import Rounding
from algolens.models.memoryless.exchange import Exchange


class Heard:
    """The bits that each kind of other sends to each own class, and what follows from a set of kinds; of one seed."""

    def __init__(
        self, exchange: Exchange, positive: Exchange, rounding: Rounding, senders: Tensor, compared: Tensor | None = None
    ) -> None:
        """positive: the same with all weights positive. senders: [K] the class of each kind. compared: [K, channels] bits."""
        self.exchange, self.positive = exchange, positive
        own, kinds = exchange.num_own, len(senders)
        receivers, others = torch.arange(own).repeat_interleave(kinds), senders.repeat(own)
        bits = None if compared is None else compared.repeat(own, 1)[None]
        logits, sizes = (each.messages(receivers, others, bits)[0] for each in (exchange, positive))
        self.sure = rounding.sure(logits, sizes).view(own, kinds, -1)  # [own, K, bits]
        self.bits = (logits > 0).float().view(own, kinds, -1)

    def conclude(self, own: Tensor, members: Tensor) -> tuple[Tensor, Tensor]:
        """[M, outputs] logits, and their sizes, in cases: own classes [M], and which kinds are heard [M, K]."""
        joined = torch.zeros(1, len(own), self.bits.shape[-1])
        for each in own.unique():
            # a bit is heard where one of the kinds sends it: a sum of 0s and 1s that is not 0
            joined[0, own == each] = (members[own == each].float() @ self.bits[each] > 0).float()
        return self.exchange.conclude(own, joined)[0], self.positive.conclude(own, joined)[0]


def sure_messages(heard: list[Heard], says: str) -> Finding:
    """Whether every bit of every message is sure."""
    unsure = sum(int((~each.sure).sum()) for each in heard)
    check = Check(
        name="messages",
        basis=Basis.PROOF,
        cases=sum(each.sure.numel() for each in heard),
        failures=unsure,
        says=says,
        counterexample=None if not unsure else "a bit's logit is too near to 0 to tell",
    )
    return Finding(check)

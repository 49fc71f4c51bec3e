"""What varies between networks, as data."""

from __future__ import annotations

from dataclasses import dataclass

PAPERS = "mpnn"  # the processor after the paper's, for algorithms on nodes
EXACT = "exact"  # the perceiver of declared looks, which remembers nothing, and can be proven right


@dataclass(frozen=True)
class Architecture:
    """What a network is made of."""

    width: int = 32  # of latent states and hidden layers
    processor: str = PAPERS  # 'mpnn', another perceiver's name, or a convolution of PyTorch Geometric, as 'GATv2Conv'
    bottleneck: bool = True  # outputs from concepts alone; without it, straight from the latent states
    message_bits: int = 8  # of a message that is hardened to bits
    given: tuple[str, ...] = ()  # concepts that the algorithm gives, in whatever state: an oracle; all others are learnt

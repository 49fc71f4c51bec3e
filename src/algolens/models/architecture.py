"""What varies between networks, as data."""

from __future__ import annotations

from dataclasses import dataclass

PAPERS = "mpnn"  # the processor after the paper's, for algorithms on nodes
MEMORYLESS = "memoryless"  # the perceiver that remembers nothing, and can be proven right
FLAT_SETS = "memoryless-sets"  # the same for algorithms that take edges by weight and keep sets of nodes


@dataclass(frozen=True)
class Architecture:
    """What a network is made of."""

    width: int = 32  # of latent states and hidden layers
    processor: str = PAPERS  # 'mpnn', another perceiver's name, or a convolution of PyTorch Geometric, as 'GATv2Conv'
    bottleneck: bool = True  # outputs from concepts alone; without it, straight from the latent states
    message_bits: int = 24  # of a message that is hardened to bits
    given: tuple[str, ...] = ()  # concepts that the algorithm gives, in whatever state: an oracle; all others are learnt

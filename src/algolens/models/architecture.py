"""What varies between networks, as data."""

from __future__ import annotations

from dataclasses import dataclass

from algolens.errors import AlgoLensError

PAPERS = "mpnn"  # the processor after the paper's, for algorithms on nodes
# the network after the paper's, for algorithms that take edges by weight and keep sets
SETS = "nee+pgn"
# the same in every detail of the authors' code
LITERAL, LITERAL_SETS = "mpnn-literal", "nee+pgn-literal"
EXACT = "exact"  # the perceiver of declared looks, which remembers nothing, and can be proven right
WIDEST = 4_096  # a larger width is refused as a mistake: its matrices would not fit into memory


@dataclass(frozen=True)
class Architecture:
    """What a network is made of."""

    width: int = 32  # of latent states and hidden layers
    # 'mpnn', another perceiver's name, or a convolution of PyTorch Geometric, as 'GATv2Conv'
    processor: str = PAPERS
    # outputs from concepts alone; without it, straight from the latent states
    bottleneck: bool = True
    message_bits: int = 8  # of a message that is hardened to bits
    # concepts that the algorithm gives, in whatever state: an oracle; all others are learnt
    given: tuple[str, ...] = ()
    # a node sends messages to itself as well, as in the paper's graphs; for algorithms on nodes
    self_loops: bool = True

    def __post_init__(self) -> None:
        for name, most in (("width", WIDEST), ("message_bits", 62)):
            value = getattr(self, name)
            if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= most:
                raise AlgoLensError(
                    f"'{name}' of a network is a whole number from 1 to {most:,}; {value!r} came."
                )

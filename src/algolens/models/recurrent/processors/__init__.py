"""Processors, one file each: the paper's, and any convolution of PyTorch Geometric by name."""

from algolens.models.architecture import PAPERS
from algolens.models.recurrent.processors.base import Processor
from algolens.models.recurrent.processors.mpnn import MessagePassing
from algolens.models.recurrent.processors.pyg import Convolution


def processor(name: str, seeds: tuple[int, ...], width: int, *, self_loops: bool) -> Processor:
    """The processor of a name: ``mpnn``, or a convolution's, as ``GATv2Conv``."""
    return MessagePassing(seeds, width) if name == PAPERS else Convolution(seeds, width, name, self_loops=self_loops)


__all__ = ["Convolution", "MessagePassing", "Processor", "processor"]

"""Processors, one file each: the paper's, and any convolution of PyTorch Geometric by name."""

from algolens.models.architecture import LITERAL, PAPERS
from algolens.models.recurrent.processors.mpnn import MessagePassing, Processor
from algolens.models.recurrent.processors.pyg import Convolution

# those that bring a name of their own; any other name is a convolution of PyTorch Geometric
PROCESSORS: dict[str, type[Processor]] = {PAPERS: MessagePassing, LITERAL: MessagePassing}


def processor(name: str, seeds: tuple[int, ...], width: int, *, self_loops: bool) -> Processor:
    """The processor of a name: ``mpnn``, ``mpnn-literal``, or a convolution's, as ``GATv2Conv``."""
    own = PROCESSORS.get(name)
    return (
        Convolution(seeds, width, name, self_loops=self_loops) if own is None else own(seeds, width)
    )


__all__ = ["PROCESSORS", "Convolution", "MessagePassing", "Processor", "processor"]

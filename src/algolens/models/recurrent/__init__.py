"""The network after the paper's for algorithms on nodes, with a memory at every node."""

from algolens.models.recurrent.recurrent import Recurrent

__all__ = ["Recurrent"]

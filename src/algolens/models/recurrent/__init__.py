"""The perceiver after the paper's for algorithms on nodes: encoder, processor, concept head, and a
memory at every node.
"""

from algolens.models.recurrent.recurrent import Recurrent

__all__ = ["Recurrent"]

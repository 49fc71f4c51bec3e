"""Perceivers that remember nothing: messages hardened to bits and joined by "or", so that what they do can be proven."""

from algolens.models.memoryless.perceiver import Memoryless
from algolens.models.memoryless.without_memory import WithoutMemory

__all__ = ["Memoryless", "WithoutMemory"]

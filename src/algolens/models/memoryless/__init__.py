"""A perceiver that remembers nothing: messages hardened to bits and joined by "or", so that what it does can be proven."""

from algolens.models.memoryless.perceiver import Memoryless

__all__ = ["Memoryless"]

"""A perceiver without memory for algorithms that take edges by weight and keep sets of nodes by pointers to their roots."""

from algolens.models.flat_sets.perceiver import FlatSets

__all__ = ["FlatSets"]

"""The network after the paper's for algorithms that take edges by weight and keep sets of nodes."""

from algolens.models.disjoint_sets.disjoint_sets import DisjointSets

__all__ = ["DisjointSets"]

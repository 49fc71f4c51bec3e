"""The perceiver after the paper's for algorithms that take edges by weight and keep sets:
min-finder and pointer network.
"""

from algolens.models.disjoint_sets.disjoint_sets import DisjointSets

__all__ = ["DisjointSets"]

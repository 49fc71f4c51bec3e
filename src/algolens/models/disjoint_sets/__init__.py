"""The paper's perceiver for algorithms that take edges by weight and keep sets of nodes: a min-finder and a pointer network."""

from algolens.models.disjoint_sets.perceiver import DisjointSets

__all__ = ["DisjointSets"]

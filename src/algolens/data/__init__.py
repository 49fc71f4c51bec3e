"""Traces of the true algorithms: the paper's fixed sets, fresh data drawn while training goes on,
and sets of a user's own graphs.
"""

from algolens.data.cache import cache_folder
from algolens.data.datasets import MOST_KEPT_NODES, DataSets, Portions, fixed, fresh, held_out
from algolens.data.graph_sets import GraphSet
from algolens.data.own_sets import OwnSets

__all__ = [
    "MOST_KEPT_NODES",
    "DataSets",
    "GraphSet",
    "OwnSets",
    "Portions",
    "cache_folder",
    "fixed",
    "fresh",
    "held_out",
]

"""Traces of the true algorithms: the paper's fixed sets, fresh data drawn while training goes on,
and sets of a user's own graphs.
"""

from algolens.data.cache import cache_folder
from algolens.data.datasets import (
    LESS_TO_LEARN,
    MOST_KEPT_NODES,
    DataSets,
    OwnSets,
    Portions,
    check_different,
    fixed,
    fresh,
    held_out,
    takes_long,
)
from algolens.data.graph_sets import GraphSet

__all__ = [
    "LESS_TO_LEARN",
    "MOST_KEPT_NODES",
    "DataSets",
    "GraphSet",
    "OwnSets",
    "Portions",
    "cache_folder",
    "check_different",
    "fixed",
    "fresh",
    "held_out",
    "takes_long",
]

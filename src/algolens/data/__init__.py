"""Traces of the true algorithms: the paper's fixed sets, and fresh data drawn while training goes
on.
"""

from algolens.data.cache import cache_folder
from algolens.data.datasets import MOST_KEPT_NODES, DataSets, Portions, fixed, fresh, held_out

__all__ = ["MOST_KEPT_NODES", "DataSets", "Portions", "cache_folder", "fixed", "fresh", "held_out"]

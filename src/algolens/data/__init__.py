"""Traces of the true algorithms: the paper's fixed sets, and fresh data drawn while training goes on."""

from algolens.data.cache import cache_folder
from algolens.data.datasets import DataSets, Portions, fixed, fresh, held_out

__all__ = ["DataSets", "Portions", "cache_folder", "fixed", "fresh", "held_out"]

"""Exact networks: one for every declared look, of stages that can be proven right on every
graph.
"""

from algolens.models.exact.exact import Exact, all_statements
from algolens.models.exact.stage import Stage
from algolens.models.exact.table import StageTable

__all__ = ["Exact", "Stage", "StageTable", "all_statements"]

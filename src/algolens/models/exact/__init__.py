"""Exact networks: for every declared look, stages that can be proven right on every graph."""

from algolens.models.exact.exact import Exact
from algolens.models.exact.stage import Stage, Star, all_statements
from algolens.models.exact.table import StageTable

__all__ = ["Exact", "Stage", "StageTable", "Star", "all_statements"]

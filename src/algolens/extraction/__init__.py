"""Extraction: from what was seen to rules that can be read, checked and run."""

from algolens.extraction.termination import ExistsRule, smallest_exists

__all__ = ["ExistsRule", "smallest_exists"]

"""Extraction: from what was seen to rules that can be read, checked and run."""

from algolens.extraction.classifier import RuleClassifier
from algolens.extraction.labelled import Conflict, Labelled
from algolens.extraction.termination import ExistsRule, smallest_exists

__all__ = ["Conflict", "ExistsRule", "Labelled", "RuleClassifier", "smallest_exists"]

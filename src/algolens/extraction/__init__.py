"""Extraction: from what was seen to rules that can be read, checked and run."""

from algolens.extraction.audit import Audit, audit
from algolens.extraction.classifier import RuleClassifier
from algolens.extraction.extract import Extraction, extract
from algolens.extraction.grading import GOING_ON, Verdict, count_rules, grade, tally
from algolens.extraction.labelled import Labelled
from algolens.extraction.rules import Clause, OutputRules, Rule, Unseen
from algolens.extraction.termination import ExistsRule, smallest_exists
from algolens.extraction.trees import Tree, grow_tree
from algolens.extraction.why import Why, why

__all__ = [
    "GOING_ON",
    "Audit",
    "Clause",
    "ExistsRule",
    "Extraction",
    "Labelled",
    "OutputRules",
    "Rule",
    "RuleClassifier",
    "Tree",
    "Unseen",
    "Verdict",
    "Why",
    "audit",
    "count_rules",
    "extract",
    "grade",
    "grow_tree",
    "smallest_exists",
    "tally",
    "why",
]

"""Extraction: from what was seen to rules that can be read, checked and run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from algolens.extraction.audit import Audit, audit
from algolens.extraction.counterexamples import ShownOn, smallest_graph
from algolens.extraction.extract import Extraction, extract, misread
from algolens.extraction.found import found_program
from algolens.extraction.grading import GOING_ON, Verdict, count_rules, grade, tally
from algolens.extraction.labelled import Labelled
from algolens.extraction.meaning import Meaning, meanings
from algolens.extraction.measures import percent, remarks
from algolens.extraction.met import met_in_runs
from algolens.extraction.rules import Clause, OutputRules, Rule, Unseen
from algolens.extraction.sampled import SampledMeaning, sampled_meanings
from algolens.extraction.termination import TerminationRule, smallest_exists, smallest_going_on
from algolens.extraction.trees import Tree, grow_tree
from algolens.extraction.why import Why, why

if TYPE_CHECKING:
    from algolens.extraction.classifier import RuleClassifier

__all__ = [
    "GOING_ON",
    "Audit",
    "Clause",
    "Extraction",
    "Labelled",
    "Meaning",
    "OutputRules",
    "Rule",
    "RuleClassifier",
    "SampledMeaning",
    "ShownOn",
    "TerminationRule",
    "Tree",
    "Unseen",
    "Verdict",
    "Why",
    "audit",
    "count_rules",
    "extract",
    "found_program",
    "grade",
    "grow_tree",
    "meanings",
    "met_in_runs",
    "misread",
    "percent",
    "remarks",
    "sampled_meanings",
    "smallest_exists",
    "smallest_going_on",
    "smallest_graph",
    "tally",
    "why",
]


def __getattr__(name: str) -> Any:
    """The classifier only when it is asked for: scikit-learn takes longer to import than all the
    rest.
    """
    if name == "RuleClassifier":
        from algolens.extraction.classifier import RuleClassifier

        return RuleClassifier
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")

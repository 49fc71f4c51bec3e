"""Extraction: from what was seen to rules that can be read, checked and run."""

from algolens.engines.why import Why, why
from algolens.extraction.explained import Explained
from algolens.extraction.extract import extract, misread, standalone_program
from algolens.extraction.extraction import Clause, Extraction, OutputRules, Rule, Unseen
from algolens.extraction.grading import GOING_ON, Verdict, count_rules, grade, tally
from algolens.extraction.meaning import (
    Meaning,
    SampledMeaning,
    ShownOn,
    meanings,
    smallest_graph,
)
from algolens.extraction.observations import Audit, Tree, audit, decision_trees, grow_tree
from algolens.extraction.sampled import sampled_meanings
from algolens.extraction.statements import met_in_runs
from algolens.extraction.termination import TerminationRule, smallest_exists, smallest_going_on

__all__ = [
    "GOING_ON",
    "Audit",
    "Clause",
    "Explained",
    "Extraction",
    "Meaning",
    "OutputRules",
    "Rule",
    "SampledMeaning",
    "ShownOn",
    "TerminationRule",
    "Tree",
    "Unseen",
    "Verdict",
    "Why",
    "audit",
    "count_rules",
    "decision_trees",
    "extract",
    "grade",
    "grow_tree",
    "meanings",
    "met_in_runs",
    "misread",
    "sampled_meanings",
    "smallest_exists",
    "smallest_going_on",
    "smallest_graph",
    "standalone_program",
    "tally",
    "why",
]

"""Extraction: from what was seen to rules that can be read, checked and run."""

from algolens.extraction.audit import Audit, audit
from algolens.extraction.counterexamples import ShownOn, smallest_graph
from algolens.extraction.extract import Extraction, extract, misread
from algolens.extraction.found import found_program
from algolens.extraction.grading import GOING_ON, Verdict, count_rules, grade, tally
from algolens.extraction.meaning import Meaning, meanings
from algolens.extraction.met import met_in_runs
from algolens.extraction.rules import Clause, OutputRules, Rule, Unseen
from algolens.extraction.sampled import SampledMeaning, sampled_meanings
from algolens.extraction.termination import TerminationRule, smallest_exists, smallest_going_on
from algolens.extraction.trees import Tree, grow_tree
from algolens.extraction.why import Why, why

__all__ = [
    "GOING_ON",
    "Audit",
    "Clause",
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
    "extract",
    "found_program",
    "grade",
    "grow_tree",
    "meanings",
    "met_in_runs",
    "misread",
    "sampled_meanings",
    "smallest_exists",
    "smallest_going_on",
    "smallest_graph",
    "tally",
    "why",
]

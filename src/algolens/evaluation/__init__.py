"""Scores: run x trace to numbers, each defined once."""

from algolens.evaluation.evaluate import evaluate, free_run, rule_parts, run_by_rules
from algolens.evaluation.metrics import Scores, score
from algolens.evaluation.mistakes import Mistake, first_mistakes
from algolens.evaluation.rightness import compared, right_graphs
from algolens.evaluation.summary import formula_summary, summary

__all__ = [
    "Mistake",
    "Scores",
    "compared",
    "evaluate",
    "first_mistakes",
    "formula_summary",
    "free_run",
    "right_graphs",
    "rule_parts",
    "run_by_rules",
    "score",
    "summary",
]

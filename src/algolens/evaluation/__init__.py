"""Scores: run x trace to numbers, each defined once."""

from algolens.evaluation.evaluate import evaluate, free_run, run_by_rules
from algolens.evaluation.metrics import Scores, score
from algolens.evaluation.mistakes import Mistake, first_mistakes
from algolens.evaluation.summary import formula_summary, summary

__all__ = [
    "Mistake",
    "Scores",
    "evaluate",
    "first_mistakes",
    "formula_summary",
    "free_run",
    "run_by_rules",
    "score",
    "summary",
]

"""Scores: run x trace to numbers, each defined once."""

from algolens.evaluation.evaluate import (
    evaluate,
    formula_summary,
    free_run,
    rule_parts,
    run_by_rules,
    summary,
)
from algolens.evaluation.metrics import Scores, score
from algolens.evaluation.rightness import Mistake, compared, first_mistakes, right_graphs

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

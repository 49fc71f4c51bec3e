"""Scores: run x trace to numbers, each defined once."""

from algolens.evaluation.evaluate import (
    formula_summary,
    free_run,
    rule_parts,
    run_by_rules,
    score_network,
    seeds_summary,
)
from algolens.evaluation.metrics import Scores, score
from algolens.evaluation.rightness import (
    Mistake,
    Side,
    compared_fields,
    first_mistakes,
    right_graphs,
)

__all__ = [
    "Mistake",
    "Scores",
    "Side",
    "compared_fields",
    "first_mistakes",
    "formula_summary",
    "free_run",
    "right_graphs",
    "rule_parts",
    "run_by_rules",
    "score",
    "score_network",
    "seeds_summary",
]

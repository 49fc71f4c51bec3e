"""Scores: run x trace to numbers, each defined once."""

from typing import TYPE_CHECKING

from algolens.lazy import exports

if TYPE_CHECKING:
    from algolens.evaluation.evaluate import (
        free_run,
        rule_parts,
        run_and_score,
        run_by_rules,
        score_network,
        seeds_summary,
    )
    from algolens.evaluation.metrics import METRICS, TITLES, Scores, score
    from algolens.evaluation.rightness import (
        Mistake,
        Side,
        compared_fields,
        first_mistakes,
        right_graphs,
    )

__all__ = [
    "METRICS",
    "TITLES",
    "Mistake",
    "Scores",
    "Side",
    "compared_fields",
    "first_mistakes",
    "free_run",
    "right_graphs",
    "rule_parts",
    "run_and_score",
    "run_by_rules",
    "score",
    "score_network",
    "seeds_summary",
]

if not TYPE_CHECKING:
    __getattr__ = exports(__name__, "rightness", "metrics", "evaluate")

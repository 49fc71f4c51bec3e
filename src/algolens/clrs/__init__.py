"""CLRS-30: its tasks, the algorithms here that solve them, and a judge that uses its traces."""

from algolens.clrs.judge import Judgement, judge
from algolens.clrs.scoring import ClrsScore, score_predictions
from algolens.clrs.table import ClrsRow, clrs_rows
from algolens.clrs.traces import Trace, traces

__all__ = [
    "ClrsRow",
    "ClrsScore",
    "Judgement",
    "Trace",
    "clrs_rows",
    "judge",
    "score_predictions",
    "traces",
]

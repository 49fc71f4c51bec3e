"""CLRS-30: its tasks beside the algorithms here that do them, and its own traces as the judge."""

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

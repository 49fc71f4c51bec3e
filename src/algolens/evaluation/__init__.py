"""Scores: run x trace to numbers, each defined once."""

from algolens.evaluation.evaluate import evaluate, free_run
from algolens.evaluation.metrics import Scores, score
from algolens.evaluation.summary import summary

__all__ = ["Scores", "evaluate", "free_run", "score", "summary"]

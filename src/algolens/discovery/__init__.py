"""Discovery: an algorithm from runs of a black box, without a concept or a rule given."""

from algolens.discovery.black_box import BlackBox
from algolens.discovery.decisions import UnexplainedError
from algolens.discovery.final import discover_from_ends
from algolens.discovery.loop import discover_any, discover_from
from algolens.discovery.oracle import AlgorithmOracle, Episodes, Oracle, Schema
from algolens.discovery.recorded import RecordedRuns, Recorder
from algolens.discovery.result import Discovery, Known, Limits

__all__ = [
    "AlgorithmOracle",
    "BlackBox",
    "Discovery",
    "Episodes",
    "Known",
    "Limits",
    "Oracle",
    "RecordedRuns",
    "Recorder",
    "Schema",
    "UnexplainedError",
    "discover_any",
    "discover_from",
    "discover_from_ends",
]

"""Discovery: an algorithm from runs of a black box, without a concept or a rule given."""

from algolens.discovery.black_box import BlackBox
from algolens.discovery.decisions import UnexplainedError
from algolens.discovery.limits import Limits
from algolens.discovery.loop import discover
from algolens.discovery.oracle import AlgorithmOracle, Episodes, Oracle, Schema
from algolens.discovery.recorded import RecordedRuns, Recorder
from algolens.discovery.result import Discovery, Known

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
    "discover",
]

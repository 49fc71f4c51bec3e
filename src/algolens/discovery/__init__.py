"""Discovery: an algorithm from runs of a black box, without a concept or a rule given."""

from algolens.discovery.black_box import BlackBox
from algolens.discovery.decisions import UnsettledError
from algolens.discovery.final import discover_from_ends
from algolens.discovery.loop import discover_any, discover_from
from algolens.discovery.recorded import RecordedRuns, Recorder
from algolens.discovery.result import Discovery, Known, Limits
from algolens.discovery.teachers import AlgorithmTeacher, Episodes, RunTeacher, Schema

__all__ = [
    "AlgorithmTeacher",
    "BlackBox",
    "Discovery",
    "Episodes",
    "Known",
    "Limits",
    "RecordedRuns",
    "Recorder",
    "RunTeacher",
    "Schema",
    "UnsettledError",
    "discover_any",
    "discover_from",
    "discover_from_ends",
]

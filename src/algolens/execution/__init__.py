"""The loop with its three sockets, the parts that fit them, and the run it leaves."""

from algolens.execution.loop import run_algorithm
from algolens.execution.parts import (
    Continues,
    Decide,
    Intervention,
    Perceive,
    Percept,
    PlannedPart,
    Sureness,
    decided_by_pattern,
    decides_by,
    goes_on_by,
    perceive_truly,
    perceive_with_oracle,
)
from algolens.execution.run import Run, Stopped
from algolens.execution.threads import Threads
from algolens.execution.timeline import Timeline

__all__ = [
    "Continues",
    "Decide",
    "Intervention",
    "Perceive",
    "Percept",
    "PlannedPart",
    "Run",
    "Stopped",
    "Sureness",
    "Threads",
    "Timeline",
    "decided_by_pattern",
    "decides_by",
    "goes_on_by",
    "perceive_truly",
    "perceive_with_oracle",
    "run_algorithm",
]

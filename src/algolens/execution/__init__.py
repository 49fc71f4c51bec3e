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
    decides_by,
    goes_on_by,
    perceive_truly,
    perceive_with_oracle,
    rules_of,
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
    "decides_by",
    "goes_on_by",
    "perceive_truly",
    "perceive_with_oracle",
    "rules_of",
    "run_algorithm",
]

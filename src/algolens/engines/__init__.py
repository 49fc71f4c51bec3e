"""The loop with its three sockets, the parts that fit them, and the run it leaves."""

from algolens.engines.loop import run_algorithm
from algolens.engines.parts import (
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
from algolens.engines.run import Run, Stopped
from algolens.engines.threads import Threads
from algolens.engines.timeline import Timeline

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

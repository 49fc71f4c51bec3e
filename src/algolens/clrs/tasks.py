"""How CLRS's tasks and our algorithms say the same, as ``tasks.toml`` has it: for each task, which
field is which, and where they count otherwise.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from algolens.algorithms import Algorithm, algorithm
from algolens.clrs import mapping
from algolens.clrs.mapping import Ours
from algolens.clrs.traces import Trace
from algolens.engines import Run
from algolens.errors import UnknownNameError
from algolens.experiment.config import preset
from algolens.graphs import Graph
from algolens.reading import read_text

FUNCTIONS: dict[str, Callable[..., Any]] = vars(mapping)


@dataclass(frozen=True, eq=False)
class ClrsTask:
    """A task of CLRS beside the algorithm of ours that does it; the head of ``tasks.toml`` says
    what each attribute means.
    """

    name: str
    algorithm: str
    remarks: str
    outputs: Mapping[str, str]
    hints: Mapping[str, str]
    inputs: Mapping[str, str] = field(default_factory=dict)
    left_out: Mapping[str, str] = field(default_factory=dict)
    theirs: Mapping[str, str] = field(default_factory=dict)
    directed: bool = False
    moments: str = "every"
    skipped: int = 0
    closing: int = 0
    as_many_steps: bool = True

    def done_by(self) -> Algorithm:
        """The algorithm that does it, with as many bits as its network reads."""
        return preset("exact", algorithm(self.algorithm)).find_algorithm()

    def read(self, trace: Trace, graph: Graph) -> dict[str, np.ndarray]:
        """Inputs of the algorithm."""
        return {name: _called(said, trace, graph) for name, said in self.inputs.items()}

    def output(self, name: str, run: Run) -> np.ndarray:
        """What an output of CLRS is in a run on one graph."""
        return _value(self.outputs[name], Ours(run, at_end=True))

    def hint(self, name: str, run: Run) -> np.ndarray:
        """[states, ...] what a hint of CLRS is, in the states that CLRS has too."""
        return _value(self.hints[name], Ours(run))[self.skipped :]

    def their_hint(self, name: str, trace: Trace) -> np.ndarray:
        """[moments, ...] what is compared with it."""
        values = trace.hints[name]
        if name in self.theirs:
            values = FUNCTIONS[self.theirs[name]](values)
        return values[FUNCTIONS[self.moments](trace)]


def _value(said: str, run: Ours) -> np.ndarray:
    """What the table says: a field's name, or a function and its words."""
    return _called(said, run) if "(" in said else run[said]


def _called(said: str, *given: Any) -> np.ndarray:
    name, _, words = said.rstrip(")").partition("(")
    return FUNCTIONS[name](*given, *filter(None, words.split(", ")))


_TABLE = tomllib.loads(read_text(Path(__file__).with_name("tasks.toml")))
TASKS = {name: ClrsTask(name, **entry) for name, entry in _TABLE.items()}


def clrs_task(name: str) -> ClrsTask:
    """Return the CLRS task of this name, with the algorithm that solves it."""
    if name not in TASKS:
        raise UnknownNameError("task of CLRS-30", name, list(TASKS))
    return TASKS[name]

"""What one step of a run saw: by the network, and for the rest as declared."""

from __future__ import annotations

import numpy as np

from algolens.arrays import NUMPY, to
from algolens.engines import Run
from algolens.language.ir import Program
from algolens.language.scene import Scene, Tables


def step_seen(run: Run, step: int, program: Program, tables: Tables) -> Scene:
    """What a step of a run of one graph saw; after the last, what would be seen as declared."""
    is_over = step == run.num_steps
    recorded = {*run.hints, *(run.concepts if run.has_concepts else ())}

    def column(name: str) -> np.ndarray | None:
        if name in run.inputs:
            return to(run.inputs[name], NUMPY)
        if name in program.state:
            return to(run.final(name) if is_over else run.state(name)[step], NUMPY)
        return to(run[name][step], NUMPY) if name in recorded and not is_over else None

    return Scene(program, tables, column)


def is_endless(run: Run, name: str, element: int) -> bool:
    """Whether a number has no bound at an element."""
    pointer = run.algorithm.declaration.endless.get(name)
    return pointer is not None and int(run.inputs[pointer][0]) == element

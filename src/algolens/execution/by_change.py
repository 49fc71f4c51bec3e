"""Narrow steps of one graph by change: when this pays, and what comes of it."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from sys import modules
from time import process_time
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import torch
from torch import Tensor

from algolens.algorithms import Algorithm, Values
from algolens.errors import AlgoLensError, AlgoLensWarning, UnknownNameError
from algolens.execution.parts import Percept, PlannedPart
from algolens.execution.timeline import Changes
from algolens.graphs import Graph
from algolens.looks.by_change.plan import ConceptTables, ObservationPlan, Witness
from algolens.looks.scope import carried
from algolens.memory import check_growth

if TYPE_CHECKING:
    from algolens.looks.by_change.image import Image

# A tensor step goes over all values at some nanoseconds each, and takes about as long as over so
# many more to be called; a change costs some ten times as much at each link.
CALLS, LINKS_PER_VALUE = 4_000, 32
PATIENCE = 4  # times all values, that wide steps may touch before the kernel hands back
CALM_STEPS = 3  # narrow ones in a row after which more are expected
# values that narrow tensor steps may go over before indices are built: fewer with a loaded kernel
DUE, DUE_WHEN_LOADED = 2_000_000, 100_000
# CPU seconds that narrow tensor steps of all runs of a process may take before the kernel is
# compiled, and the kernel in a run before it is compiled for the look alone, which is twice as
# fast. Each takes about as long and is done once: nothing is slower than twice what it could be
COMPILING = SPECIALISING = 3.0
PACE = 2**12  # steps of the kernel after which it is asked whether this pays
LATER = 1.25  # times the values of one question whether it is compiled, at the next
LEAST_ROOM, MOST_ROOM = 2**10, 2**16  # changes of a field that are kept before they are copied

KERNELS = ("change", "tensor")


@dataclass(frozen=True, eq=False)
class Advanced:
    """What steps by change gave."""

    num_steps: int
    frame: Mapping[str, Tensor]  # of the last of them
    changes: Mapping[str, Changes]  # of each field; none where no trace is kept


class ByChange:
    """Takes the narrow steps of a run on one graph by the kernel by change.

    Tensors take the wide ones. Indices are built when several steps in a row were narrow, and left
    when one is wide.

    Attributes
    ----------
    narrow_seconds : float
        CPU seconds of narrow tensor steps, of all runs of this process.

    Parameters
    ----------
    algorithm, graph, inputs
        What is run, on one graph.
    parts : mapping of str to PlannedPart
        What is in the sockets.
    keeps : bool
        Whether changes are kept.
    always : bool
        Every step is taken by change, however wide; for tests.
    """

    narrow_seconds: ClassVar[float] = 0.0

    def __init__(
        self,
        algorithm: Algorithm,
        graph: Graph,
        inputs: Values,
        parts: Mapping[str, PlannedPart],
        *,
        keeps: bool,
        always: bool,
    ) -> None:
        self.algorithm, self.graph, self.inputs = algorithm, graph, inputs
        self.parts, self.keeps, self.always = parts, keeps, always
        self.size = graph.num_nodes + graph.num_links
        self.limit = int(algorithm.max_steps(graph)[0])
        self.is_open = True  # until it is known not to go
        self._plans: list[ObservationPlan] = []
        self._deciding: ConceptTables | None = None
        self._last: Mapping[str, Tensor] = {}
        self._calm, self._spent, self._work = 0, 0, 0
        is_loaded = "algolens.looks.by_change.entry" in modules
        self._due = min(DUE, DUE_WHEN_LOADED) if is_loaded else DUE
        self._clock = 0.0  # when the narrow steps began that are not counted yet

    @property
    def most_work(self) -> int:
        """Beyond it a step is wide."""
        return 2**60 if self.always else CALLS + self.size // LINKS_PER_VALUE

    def is_due(self, frame: Mapping[str, Tensor], step: int) -> bool:
        """Whether the next steps are better taken by change. frame: of the last step."""
        if not self.is_open or not step or step >= self.limit:
            return False
        if self.always:
            return True
        last, self._last = self._last, frame
        if not last:
            return False
        work = self._work_of(last, frame)
        is_calm = work <= self.most_work and work <= 2 * self._work + CALLS
        self._work = work
        self._calm = self._calm + 1 if is_calm else 0
        self._spent = self._spent + CALLS + self.size if is_calm else 0
        if self._calm == CALM_STEPS:  # a clock is too slow for every step
            self._clock = process_time()
        is_due = self._calm >= CALM_STEPS and self._spent >= self._due
        return is_due and self._may_begin()

    def _may_begin(self) -> bool:
        """Whether the kernel is compiled, or it pays to do so."""
        from algolens.looks.by_change.entry import is_compiled

        if is_compiled():
            return True
        before, self._clock = self._clock, process_time()
        ByChange.narrow_seconds += self._clock - before
        self._due = int(LATER * self._spent)
        if ByChange.narrow_seconds >= COMPILING:
            warnings.warn(
                "long runs go on by a kernel that is compiled now, once: some seconds.",
                AlgoLensWarning,
                stacklevel=2,
            )
        return ByChange.narrow_seconds >= COMPILING

    def _work_of(self, last: Mapping[str, Tensor], frame: Mapping[str, Tensor]) -> int:
        """About how many links the changes of the state touch."""
        nodes, work = self.graph.num_nodes, 0
        for name in self.algorithm.declaration.state:
            if frame[name] is not last[name]:
                number = int((frame[name] != last[name]).sum())
                at_node = len(frame[name]) == nodes
                work += number * (1 + self.graph.num_links // nodes if at_node else 1)
        return work

    def advance(self, frame: Mapping[str, Tensor], percept: Percept, step: int) -> Advanced | None:
        """Steps until one is wide, or all are taken; None where it does not go.

        frame: of the last step. percept: what was seen after it. step: how many were taken.
        """
        image = self._image(frame, percept)
        if image is None:
            self.is_open = False
            return None
        from algolens.looks.by_change import kernel, structures

        cells = image.cells
        cells.m[structures.STEP] = step
        cells.m[structures.MOST_WORK] = self.most_work
        cells.m[structures.MOST_EXCESS] = PATIENCE * self.size
        kept = self._seen_anew(image, frame, step) if self.keeps else {}
        status = self._take_steps(image, kept)
        if status in (kernel.BY_RULE, kernel.BY_LIMIT, kernel.IN_LOOK):
            # the last frame is of before the last look: what changed in it is taken back
            for name, place in image.changes_of.items():
                changed = cells.w[place + 1 : place + 1 + cells.w[place]]
                image.values_of(name)[changed] ^= 1
        if status in (kernel.BEFORE_LOOK, kernel.IN_LOOK):
            self.is_open = cells.m[structures.FAILED] == structures.TABLE_FULL
        self._calm = self._spent = 0
        self._due *= 2  # indices that are left soon are built more rarely
        self._last = {}
        fields = self.algorithm.declaration.predicted
        after = {
            name: torch.from_numpy(image.frame_of(name)).to(field.kind.dtype)
            for name, field in fields.items()
        }
        changes = {name: _joined(image, name, pieces) for name, pieces in kept.items()}
        return Advanced(int(cells.m[structures.STEP]) - step, after, changes)

    def _take_steps(self, image: Image, kept: Mapping[str, list[Changes]]) -> int:
        """Steps until the kernel hands back, and why it does; what changed is kept."""
        from algolens.looks.by_change.image import COLUMNS, NO_CHANGES
        from algolens.looks.by_change.kernel import BY_LIMIT, FULL
        from algolens.looks.by_change.structures import LIMIT, STEP

        status, room, columns = FULL, 0, NO_CHANGES
        began, numbers = process_time(), image.cells.m
        while True:
            if not image.is_special and process_time() - began >= SPECIALISING:
                image.specialise()
            pace = self.limit if image.is_special else PACE
            numbers[LIMIT] = min(self.limit, int(numbers[STEP]) + pace)
            is_small = room < MOST_ROOM or not image.filled.any()
            if self.keeps and status == FULL and is_small:
                room = max(LEAST_ROOM, 4 * room)
                columns = [np.empty(room * len(image.filled), dtype) for dtype in COLUMNS]
            image.filled[:] = 0
            status = image.advance(image.cells, columns, room, self.keeps)
            check_growth()
            for number, (name, pieces) in enumerate(kept.items()):
                part = slice(number * room, number * room + int(image.filled[number]))
                kind = self.algorithm.declaration.predicted[name].kind
                steps, elements, values = (column[part] for column in columns)
                pieces.append(_piece(steps, elements, values, kind.dtype))
            if status != FULL and (status != BY_LIMIT or numbers[STEP] >= self.limit):
                return status

    def _seen_anew(
        self, image: Image, frame: Mapping[str, Tensor], step: int
    ) -> dict[str, list[Changes]]:
        """Of each field, the changes of what was observed otherwise than in the step before."""
        kept: dict[str, list[Changes]] = {}
        for name, field in self.algorithm.declaration.predicted.items():
            kept[name] = []
            if name in image.changes_of:
                now, last = image.values_of(name), frame[name].numpy()
                if image.memory.is_at_link(name):
                    last = last[image.memory.link_order]
                elements = np.flatnonzero(now != last).astype(np.int32)
                steps = np.full(len(elements), step, np.int32)
                kept[name].append(_piece(steps, elements, now[elements], field.kind.dtype))
        return kept

    def _image(self, frame: Mapping[str, Tensor], percept: Percept) -> Image | None:
        """The look on the graph with all indices; None where changes do not bound it."""
        from algolens.looks.by_change.image import Image
        from algolens.looks.by_change.memory import NotByChange

        obstacle = self._find_plan()
        declaration = self.algorithm.declaration
        assert declaration.seen is not None
        if obstacle is None:
            assert self._deciding is not None
            look = declaration.seen
            seen = dict(zip(declaration.concepts, percept.concepts.unbind(1), strict=True))
            values = {name: value for name, value in self.inputs.items() if name in look.fields}
            values |= {name: frame[name] for name in declaration.outputs}
            for name in declaration.state:
                values[name if name in look.fields else carried(name)] = frame[name]
            values |= {name: {**percept.hints, **seen}[name] for name in look.observed}
            if self._deciding.observed is not None:  # it was asked for this step
                values[self._deciding.observed] = torch.ones(1, dtype=torch.bool)
            arrays = {name: value.numpy() for name, value in values.items()}
            traced = tuple(declaration.predicted)
            try:
                image = Image(look, self._plans, self._deciding, self.graph, arrays, traced)
            except NotByChange as problem:
                obstacle = str(problem)
            else:
                if not image.num_wrong:
                    return image
                obstacle = f"{image.num_wrong} observations are not as they were seen"
        if self.always:
            raise AlgoLensError(f"{self.algorithm.name} does not run by change: {obstacle}.")
        return None

    def _find_plan(self) -> str | None:
        """Makes the tables, once; gives what stands against it."""
        from algolens.looks.by_change.memory import MOST_CLASSES

        if self._deciding is not None:
            return None
        declaration = self.algorithm.declaration
        plans, outputs = self.parts["perceive"].plan(), self.parts["decide"].plan()
        going = self.parts["continues"].plan() if "continues" in self.parts else None
        if plans is None or outputs is None or ("continues" in self.parts and going is None):
            return "its parts cannot be given as tables"
        self._plans = [*plans, *([going] if isinstance(going, ObservationPlan) else [])]
        for plan in self._plans:
            if plan.obstacle is not None:
                return f"'{plan.statement.name}': {plan.obstacle}"
        for name, field in (*declaration.inputs.items(), *declaration.predicted.items()):
            if len(field.kind.labels) > MOST_CLASSES:
                return f"'{name}' has more than {MOST_CLASSES} classes"
        look = declaration.seen
        assert look is not None
        self._deciding = ConceptTables(
            declaration.location,
            declaration.concepts,
            outputs,
            {name: carried(name) for name in declaration.state if name not in look.fields},
            going if isinstance(going, Witness) else None,
            going.statement.name if isinstance(going, ObservationPlan) else None,
        )
        return None


def _piece(
    steps: np.ndarray, elements: np.ndarray, values: np.ndarray, dtype: torch.dtype
) -> Changes:
    """A copy of some changes, whose columns will be written to again."""
    whole = torch.from_numpy(values).to(dtype, copy=True)
    return Changes(torch.from_numpy(steps.copy()), torch.from_numpy(elements.copy()), whole)


def _joined(image: Image, name: str, pieces: list[Changes]) -> Changes:
    """All changes of a field, with the numbers that elements have in the graph."""
    steps, elements, values = (torch.cat(column) for column in zip(*pieces, strict=True))
    return Changes(steps, torch.from_numpy(image.given_order(name, elements.numpy())), values)


def kernel_by_change(
    algorithm: Algorithm,
    graph: Graph,
    inputs: Values,
    parts: Mapping[str, object],
    *,
    kernel: str | None,
    keeps: bool,
) -> ByChange | None:
    """What takes narrow steps by change; None where it does not go, or is not asked for."""
    if kernel not in (None, *KERNELS):
        raise UnknownNameError("kernel", kernel, KERNELS)
    if find_spec("llvmlite") is None:
        if kernel == "change":
            raise AlgoLensError("llvmlite is not installed: pip install 'algolens[fast]'.")
        return None
    if kernel == "tensor":
        return None
    planned = {name: part for name, part in parts.items() if isinstance(part, PlannedPart)}
    if (
        graph.num_graphs != 1
        or graph.device.type != "cpu"
        or algorithm.declaration.seen is None
        or len(planned) != len(parts)
    ):
        return None
    return ByChange(algorithm, graph, inputs, planned, keeps=keeps, always=kernel == "change")

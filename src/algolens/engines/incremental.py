"""Runs of one graph by the incremental engine: when it takes over, and what comes of it."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np

from algolens import arrays
from algolens.algorithms import Algorithm, Values
from algolens.arrays import NUMPY
from algolens.engines import delta
from algolens.engines.parts import PlannedPart
from algolens.engines.tensors import Columns, Counts
from algolens.engines.timeline import Changes
from algolens.errors import AlgoLensError, AlgoLensWarning, UnknownNameError
from algolens.graphs import Graph
from algolens.language import ir
from algolens.language.lower import lower
from algolens.language.rules import with_lets, with_rules
from algolens.logic import GoOn
from algolens.logic.rule_set import RuleSet
from algolens.memory import check_growth, memory_there

KERNELS = ("incremental", "tensor")
SMALL = 50_000  # nodes and links: fewer cost a whole-array step less than the calls it is made of
CALM_STEPS = 3  # narrow steps in a row, on a large graph, after which the engine takes over
LINKS_PER_CHANGE = 32  # a step is narrow where its changes touch one link of so many
STEADY = 4_000  # links that a step may touch more than twice those of the step before
AT_ONCE = 2**24  # rows that are gone through between two looks for a key that interrupts


# the frame of the last of several steps, what changed in them (none without a trace), their number
Advanced = tuple[Values, Mapping[str, Sequence[Changes]], int]


@dataclass(eq=False)
class Incremental:
    """Takes over a run on one graph, and carries it to its end.

    Whole-array steps come first: one on a small graph; on a large one, until several in a row
    changed little. So wide steps, which go over most of a large graph anyway, are theirs.

    Parameters
    ----------
    algorithm, graph, inputs
        What is run, on one graph.
    parts : mapping of str to PlannedPart
        What is in the sockets.
    keeps : bool
        Whether changes are kept.
    always : bool
        It takes over after the first step, and says why where it cannot; for tests.
    """

    algorithm: Algorithm
    graph: Graph
    inputs: Values
    parts: Mapping[str, PlannedPart]
    keeps: bool
    always: bool
    is_open: bool = True  # until it is known not to go
    _last: Values = field(default_factory=dict)
    _calm: int = 0
    _work: int = 0

    def __post_init__(self) -> None:
        self.size = self.graph.num_nodes + self.graph.num_links
        self.limit = int(self.algorithm.max_steps(self.graph)[0])

    def is_due(self, frame: Values, step: int) -> bool:
        """Whether it takes over. frame: of the last step. step: how many were taken."""
        if not self.is_open or not step or step >= self.limit:
            return False
        if self.always or self.size <= SMALL:
            return True
        last, self._last = self._last, frame
        if not last:
            return False
        before, self._work = self._work, self._work_of(last, frame)
        is_narrow = self._work * LINKS_PER_CHANGE <= self.size
        is_calm = is_narrow and self._work <= 2 * before + STEADY
        self._calm = self._calm + 1 if is_calm else 0
        return self._calm >= CALM_STEPS

    def _work_of(self, last: Values, frame: Values) -> int:
        """About how many links the changes of the state touch."""
        nodes, work = self.graph.num_nodes, 0
        for name in self.algorithm.declaration.state:
            if frame[name] is not last[name]:
                at_node = len(frame[name]) == nodes
                links = 1 + self.graph.num_links // nodes if at_node else 1
                work += arrays.count(frame[name] != last[name]) * links
        return work

    def advance(self, frame: Values, step: int) -> Advanced | None:
        """All further steps; None where it does not go.

        frame: of the last step. step: how many were taken.
        """
        self.is_open = False
        try:
            program = self._program()
            described = self._described(program, frame)
            engine = delta.Engine(described, step, memory_there()[0])
            engine.look()
            seen = {name: engine.values(name).copy() for name in described.traced}
            status = delta.RUNNING
            while status == delta.RUNNING:
                status = engine.run(self.limit, AT_ONCE)
                check_growth()
            if status not in (delta.BY_RULE, delta.BY_LIMIT):
                return None  # whole-array steps say what is wrong
        except delta.TooLarge:
            return None
        except delta.NotIncremental as obstacle:
            if self.always:
                raise AlgoLensError(
                    f"{self.algorithm.name} does not run by the incremental engine: {obstacle}."
                ) from obstacle
            return None
        engine.finish()
        fields = self.algorithm.declaration.predicted
        after = {
            name: arrays.to(engine.values(name).astype(each.dtype), self.graph.device)
            for name, each in fields.items()
        }
        changes = {}
        for name in fields if self.keeps else ():
            new = np.flatnonzero(seen[name] != arrays.to(frame[name], NUMPY)).astype(np.int32)
            first = Changes(np.full_like(new, step), new, seen[name][new])
            changes[name] = [first, Changes(*engine.changes(name))]
        return after, changes, engine.now() - step

    def _program(self) -> ir.Program:
        """What is in the sockets, lowered."""
        plans: dict[str, Any] = {}
        for name, part in self.parts.items():  # a look first: the others build on its concepts
            plans[name] = part.plan()
            if plans[name] is None:
                raise delta.NotIncremental("its parts cannot be given as statements")
        declaration = self.algorithm.declaration
        rules = declaration.rule_set
        values, decided = dict(plans["perceive"]), plans["decide"]
        goes_on = plans.get("continues")
        if goes_on is not None and not isinstance(goes_on, GoOn):
            values[ir.GOES_ON], goes_on = goes_on, rules.continues
        if not values and decided is rules.rules and goes_on is rules.continues:
            return declared_program(self.algorithm)
        rules = RuleSet(rules.concepts, decided, goes_on)
        program = with_rules(declaration.program, rules, declaration.location)
        return lower(with_lets(program, values))

    def _described(self, program: ir.Program, frame: Values) -> delta.Description:
        """The program on the graph, from the state after a step."""
        declaration, graph = self.algorithm.declaration, self.graph.to(NUMPY)
        columns, frame = Columns(graph), arrays.all_to(frame, NUMPY)
        for name, each in program.inputs.items():
            columns[each.at, name] = arrays.to(self.inputs[name], NUMPY)
        for name in declaration.state:
            columns[program.state[name].at, name] = frame[name]
        for let in program.becomes:
            columns[let.at, let.name] = frame[let.name]
        counts = Counts(graph)
        return delta.Description(program, counts, columns, tuple(declaration.predicted))


@cache
def declared_program(algorithm: Algorithm) -> ir.Program:
    """An algorithm as it is declared, lowered."""
    return lower(algorithm.declaration.program)


def compares_pairs(algorithm: Algorithm) -> list[str]:
    """The observations for which pairs of elements are compared in every step."""
    lets = {(let.at, let.name): let.value for let in declared_program(algorithm).lets}

    def has_pairs(node: ir.Expr) -> bool:
        if isinstance(node, ir.Get) and isinstance(lets.get((node.at, node.column)), ir.Pairs):
            return True
        return isinstance(node, ir.Pairs) or any(map(has_pairs, ir.children(node)))

    observed = algorithm.declaration.program.lets
    return [let.name for let in observed if has_pairs(lets[let.at, let.name])]


@cache
def _tell_of_missing_engine() -> None:
    warnings.warn(
        "the incremental engine was not compiled when algolens was installed, so long runs on "
        "large graphs take longer: install a C compiler, and algolens once more.",
        AlgoLensWarning,
        stacklevel=2,
    )


def incremental_run(
    algorithm: Algorithm,
    graph: Graph,
    inputs: Values,
    parts: Mapping[str, object],
    *,
    kernel: str | None,
    keeps: bool,
) -> Incremental | None:
    """What takes over a run; None where it does not go, or is not asked for."""
    if kernel not in (None, *KERNELS):
        raise UnknownNameError("kernel", kernel, KERNELS)
    planned = {name: part for name, part in parts.items() if isinstance(part, PlannedPart)}
    if (
        kernel == "tensor"
        or graph.num_graphs != 1
        or not graph.num_nodes
        or str(graph.device) not in (NUMPY, "cpu")
        or algorithm.declaration.in_python
        or len(planned) != len(parts)
    ):
        return None
    if delta.library() is None:
        if kernel == "incremental":
            raise AlgoLensError("the incremental engine was not compiled: install a C compiler.")
        if graph.num_nodes + graph.num_links > SMALL:
            _tell_of_missing_engine()
        return None
    return Incremental(algorithm, graph, inputs, planned, keeps, kernel == "incremental")

"""Numbers of a run: inside their declared bits, and shown as the user wrote them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from algolens import arrays
from algolens.algorithms import Algorithm
from algolens.arrays import Array, Values
from algolens.errors import GraphError
from algolens.graphs import At, Graph
from algolens.graphs.attributes import (
    ExactNumber,
    exact_numbers,
)
from algolens.language.ir import Arith, Const, Expr, Get, Program, Within, children
from algolens.language.scales import attributes_at


class Bounds:
    """Checks the numbers of the state, step by step. An array that is handed on unchanged is not
    looked at again.
    """

    def __init__(self, algorithm: Algorithm, graph: Graph) -> None:
        """graph: the whole batch, by which elements are named."""
        state = algorithm.declaration.program.state
        self.numbers = {name: field for name, field in state.items() if field.kind == "number"}
        self.graph = graph
        self._last: dict[str, Array] = {}

    def check(self, state: Values, step: int, where: Mapping[At, Array] | None) -> None:
        """Refuses a number that its bits do not hold. where: the numbers of the elements in the
        batch; None: all of them.
        """
        for name, field in self.numbers.items():
            values = state[name]
            if values is self._last.get(name) or not len(values):
                continue
            least, most = arrays.extremes(values)
            if not (field.holds(least) and field.holds(most)):
                wrong = int(arrays.flatnonzero(field.outside(self.graph, values))[0])
                element = wrong if where is None else int(where[field.at][wrong])
                low, high = field.bounds
                when = (
                    f"becomes {int(values[wrong])} in step {step}"
                    if step
                    else f"starts as {int(values[wrong])}"
                )
                raise GraphError(
                    f"'{name}' of {self.graph.describe(field.at, element)} {when}, and "
                    f"{field.bits} bits hold {low} to {high}: give smaller numbers, or declare "
                    "more bits."
                )
            self._last[name] = values


def fits(program: Program, largest: Mapping[Any, int], rows: int) -> bool:
    """Whether no result of arithmetic in a lowered program leaves its bounds.

    largest: the size of what is given and carried. rows: how many the largest table has.
    """
    known = dict(largest)

    def size(node: Expr) -> int:
        match node:
            case Const(value):
                return abs(int(value))
            case Get(name, at):
                return known.get((at, name), rows)
        parts = [*map(size, children(node))]
        if isinstance(node, Arith):
            return parts[0] * parts[1] if node.op == "*" else sum(parts)
        return max(parts, default=rows)

    for let in program.lets:
        known[let.at, let.name] = size(let.value)
        match let.value:
            case Within(_, least, most) if known[let.at, let.name] > min(-least, most):
                return False
    return True


def given_numbers(
    algorithm: Algorithm, graph: Graph, inputs: Values, name: str
) -> list[ExactNumber]:
    """An input's numbers as the graph carries them; as they were used where it carries none."""
    at = algorithm.declaration.inputs[name].at
    there = attributes_at(graph, at)
    used: list[ExactNumber] = inputs[name].tolist()
    if name not in there or at == "graph":  # an argument may have taken its place
        return used
    given = exact_numbers(there[name])
    return [own if number is None else number for number, own in zip(given, used, strict=True)]

"""One program in a state of any graph: what it sees, what a step makes, whether it goes on."""

from __future__ import annotations

import operator
from collections.abc import Iterator
from functools import partial
from itertools import product

from algolens.equality.states import State
from algolens.equality.theory import Expression, z3
from algolens.language.ir import (
    GOES_ON,
    IT,
    ME,
    NUMBER,
    Arith,
    At,
    Const,
    Expr,
    Get,
    Let,
    Program,
    Quantified,
    The,
    children,
    put,
    speaks_of,
)
from algolens.language.lower import MOST
from algolens.language.text import table_of
from algolens.language.words import plain_state

INDICES = 0, 2**40  # of nodes and edges, which memory holds
ARITH = {"+": operator.add, "-": operator.sub, "*": operator.mul}


class Side:
    """A program, in a state.

    Parameters
    ----------
    program : Program
        HIR.
    state, inputs : State
        Inputs and state, by their own names; and inputs alone, in which it begins.
    """

    def __init__(self, program: Program, state: State, inputs: State) -> None:
        self.program, self.words, self.inputs = program, state.beside(), inputs
        values = self.words.values
        values.update({column: values[plain_state(column)] for column in program.state})
        self.fields = program.inputs | program.state
        self._becomes = {plain_state(let.name): let for let in program.becomes}
        self._classes = {
            plain_state(name)
            for name, field in (program.state | program.outputs).items()
            if field.kind == "category"
        }
        for let in program.lets:
            values[let.name] = partial(self.words.value, let.value)

    def after(self, name: str, me: Expression) -> Expression:
        """What a step makes of a field of a row."""
        if name not in self._becomes:
            return self.words.values[name](me)
        value = self._becomes[name].value
        return self.words.case(value, me, is_class=name in self._classes)

    def start(self, name: str, me: Expression) -> Expression:
        """How a field of a row begins."""
        let = next(let for let in self.program.start if plain_state(let.name) == name)
        return self.inputs.case(let.value, me, is_class=name in self._classes)

    def outcome(self, name: str) -> Expression:
        """What is told in the end: what is seen then, or what one more step would make of it."""
        is_seen = any(let.name == name for let in self.program.lets)
        return self.words.values[name](None) if is_seen else self.after(name, None)

    def goes_on(self) -> Expression:
        """Whether another step is taken from this state."""
        return self.words.values[GOES_ON](None)

    def refuses(self, lets: tuple[Let, ...]) -> Expression:
        """Whether some number on the way has no room, so that a run is refused."""
        parts = [z3.BoolVal(False)]
        for let in lets:
            for at, node in _arithmetic(let.value, let.at):
                if max(map(abs, self._bounds(node))) > MOST:
                    too_large = partial(self._has_no_room, node)
                    parts.append(
                        too_large(None) if at == "graph" else self.words.some_row(at, too_large)
                    )
        return z3.Or(*parts)

    def _has_no_room(self, node: Expr, me: Expression) -> Expression:
        value = self.words.value(node, me)
        return (value > MOST) | (value < -MOST)

    def _bounds(self, node: Expr) -> tuple[int, int]:
        """Between which numbers a value is, as far as the bits of fields tell."""
        match node:
            case Const(value):
                return value, value
            case Get(column):
                if column == NUMBER:
                    return INDICES
                return self.fields[column].bounds if column in self.fields else (-MOST, MOST)
            case Arith(a, op, b):
                ends = [ARITH[op](x, y) for x, y in product(self._bounds(a), self._bounds(b))]
                return min(ends), max(ends)
        return -MOST, MOST


def _arithmetic(node: Expr, at: At, others: At = "graph") -> Iterator[tuple[At, Expr]]:
    """All sums and products in an expression, each said of a row of its table."""
    match node:
        case Arith():
            is_its = speaks_of(node) == {IT}
            yield others if is_its else at, put(node, it=ME)
        case Quantified() | The():
            others = table_of(node.view)
    for child in children(node):
        yield from _arithmetic(child, at, others)

"""Programs that take over the least or the greatest value in view, until nothing changes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from algolens.discovery.declaring import column_of
from algolens.discovery.literals import elements, numbers
from algolens.discovery.schema import Episodes, Schema, as_column
from algolens.discovery.situations import tensors_on
from algolens.errors import AlgoLensError
from algolens.language.ir import (
    GOES_ON,
    At,
    Case,
    Expr,
    Field,
    Get,
    Let,
    Program,
)
from algolens.language.parse import Parser, parse
from algolens.language.text import Text

PRICE = 2  # of a look at neighbours, and of a comparison


@dataclass(frozen=True)
class ValueProgram:
    """Where the value begins, and whether the least or the greatest is taken over."""

    start: Expr
    cost: int
    least: bool

    def program(self, schema: Schema, name: str) -> Program:
        """As a program."""
        field, order = as_column(schema.outputs[name]), "<" if self.least else ">"
        value = f"{name}'s number" if field.kind == "pointer" else name
        inputs = {name: as_column(one) for name, one in schema.inputs.items()}
        known, lets = {**inputs, name: field}, []
        said: tuple[tuple[str, At, str], ...] = (
            ("is_better", "link", f"sender's {value} {order} receiver's {value}"),
            (
                "is_best",
                "link",
                f"is_better & no rival (is_better & its sender's {value} {order} my sender's "
                f"{value})",
            ),
            ("has_better", "node", "some incoming link (is_best)"),
            (GOES_ON, "graph", "some node (has_better)"),
        )
        for called, at, text in said:
            lets.append(Let(called, at, parse(Parser.statement, text, at, known)))
            known[called] = Field(at, "mask")
        move = f"the incoming link's sender's {name} (is_best)"
        case, stays = parse(Parser.move, move, "node", known), Get(name, "node")
        return Program(
            schema.name,
            inputs,
            {name: field},
            (Let(name, "node", self.start),),
            tuple(lets),
            (Let(name, "node", Case((case,), stays)),),
            outputs={name: field},
            concepts=("has_better",),
        )

    def __str__(self) -> str:
        start = Text({})(self.start)
        return f"begins {start}; takes over the {'least' if self.least else 'greatest'}"


class ValueField:
    """Graphs with final values, and programs that may end in them.

    Parameters
    ----------
    schema : Schema
        Of a teacher whose one output is a pointer to a node, or a number, at nodes.
    name : str
        The output.
    ends : sequence of Episodes
        Graphs, inputs and final outputs (in the last frame).
    """

    BOUND = (
        "a pointer or a number that begins as the node itself or an input, and takes over the "
        "least or the greatest of its neighbours', until nothing changes"
    )

    def __init__(self, schema: Schema, name: str, ends: Sequence[Episodes]) -> None:
        self.field, self.inputs = (
            as_column(schema.outputs[name]),
            {name: as_column(one) for name, one in schema.inputs.items()},
        )
        if self.field.at != "node":
            raise AlgoLensError(
                f"'{name}' sits at the {self.field.at}: from final outputs alone, values of nodes "
                "are looked for."
            )
        self.states = [tensors_on(some.graph, self.inputs, some.inputs) for some in ends]
        self.finals = [some.frames[-1][name].numpy() for some in ends]

    def programs(self, price: int) -> Iterator[ValueProgram]:
        """All of one price."""
        starts = [
            (path.end, path.cost)
            for path in elements(self.inputs, "node")
            if path.at == self.field.to
        ]
        if self.field.to is None:
            starts = [(number.said, number.cost) for number in numbers(self.inputs, "node")]
        for start, cost in starts:
            if cost + PRICE == price:
                yield from (ValueProgram(start, price, least) for least in (True, False))

    def ends_right(self, program: ValueProgram) -> bool:
        """Whether the program stops in the final values."""
        for state, final in zip(self.states, self.finals, strict=True):
            now = column_of([state], self.field, program.start).copy()
            senders, receivers = state.graph.links.numpy()
            take = np.minimum if program.least else np.maximum
            while True:
                after = now.copy()
                take.at(after, receivers, now[senders])
                if (after == now).all():
                    break
                now = after
            if (now != final).any():
                return False
        return True

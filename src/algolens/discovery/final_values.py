"""Programs that take over the least or the greatest value in view, until nothing changes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from algolens.algorithms import Declaration, Limit
from algolens.discovery.literals import elements, numbers
from algolens.discovery.schema import Episodes, Schema
from algolens.errors import AlgoLensError
from algolens.fields import Field, Location, Number, Observed, Pointer
from algolens.looks import GraphState, Scope, Term, Whose

PRICE = 2  # of a look at neighbours, and of a comparison


@dataclass(frozen=True)
class ValueProgram:
    """Where the value begins, and whether the least or the greatest is taken over."""

    path: tuple[str, ...]
    cost: int
    least: bool

    @property
    def start(self) -> str:
        """As a declaration says it."""
        return "'s ".join(self.path) or "me"

    def declaration(self, schema: Schema, name: str) -> Declaration:
        """As a declaration."""
        kind, order = schema.outputs[name].kind, "<" if self.least else ">"
        value = f"{name}'s number" if isinstance(kind, Pointer) else name
        return Declaration(
            location=Location.NODE,
            inputs=dict(schema.inputs),
            state=(name,),
            start={name: self.start},
            look={
                "is_better": Observed(
                    Location.LINK, f"sender's {value} {order} receiver's {value}"
                ),
                "is_best": Observed(
                    Location.LINK,
                    f"is_better & no rival (is_better & its sender's {value} {order} my sender's "
                    f"{value})",
                ),
                "has_better": Observed(Location.NODE, "some incoming link (is_best)"),
            },
            moves={name: f"the incoming link's sender's {name} (is_best)"},
            concepts=("has_better",),
            outputs={name: kind},
            rules={},
            continues="has_better",
            most_steps=Limit(),
        )

    def __str__(self) -> str:
        return f"begins {self.start}; takes over the {'least' if self.least else 'greatest'}"


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
        self.field: Field = schema.outputs[name]
        if self.field.location is not Location.NODE:
            raise AlgoLensError(
                f"'{name}' sits at the {self.field.location.value}: from final outputs alone, "
                "values of nodes are looked for."
            )
        self.scope = Scope(dict(schema.inputs))
        self.states = [GraphState(some.graph, self.scope, some.inputs) for some in ends]
        self.finals = [some.frames[-1][name].numpy() for some in ends]

    def programs(self, price: int) -> Iterator[ValueProgram]:
        """All of one price."""
        if isinstance(self.field.kind, Pointer):
            paths = [
                (some.steps, some.cost)
                for some in elements(self.scope, Location.NODE)
                if some.at is self.field.kind.to
            ]
        else:
            assert isinstance(self.field.kind, Number)
            paths = [(path, cost) for path, cost, _ in numbers(self.scope, Location.NODE)]
        for path, cost in paths:
            if cost + PRICE == price:
                yield from (ValueProgram(path, price, least) for least in (True, False))

    def ends_right(self, program: ValueProgram) -> bool:
        """Whether the program stops in the final values."""
        term = Term(Whose.MY, program.path)
        for state, final in zip(self.states, self.finals, strict=True):
            graph = state.graph
            values = state.of(self.scope.resolve(term, Location.NODE, None))
            if isinstance(self.field.kind, Pointer):
                values = graph.place(self.field.kind.to).index_select(0, values)
            now, (senders, receivers) = values.numpy().copy(), graph.links.numpy()
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

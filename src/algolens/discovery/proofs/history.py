"""What a state does not say of the steps before: how many there were, when a mask became true, and
whether something was ever seen.

A proof may speak of it, since every run has one history. No step depends on it.
"""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor

from algolens.algorithms import Declaration
from algolens.discovery.proofs.declared_side import DeclaredSide
from algolens.discovery.proofs.theory import WIDE, Expression, z3
from algolens.discovery.schema import Episodes
from algolens.fields import Field, Mask, Number
from algolens.graphs import Location
from algolens.looks.scope import carried

NODE, GRAPH = Location.NODE, Location.GRAPH
STEPS = f"steps{WIDE}taken"
TIME = Number(61)  # which has room beside a signed number


class History:
    """The history of a run, as fields of its state.

    Parameters
    ----------
    declaration : Declaration
        With a look.
    """

    def __init__(self, declaration: Declaration) -> None:
        self.declaration, look = declaration, declaration.seen
        assert look is not None
        self.look = look
        masks = [name for name in declaration.state if self._is_mask(name)]
        self.times = {f"when{WIDE}{name}": name for name in masks}
        self.seen = {
            f"once{WIDE}{statement.name}": statement.name
            for statement in look.statements
            if statement.location is NODE and statement.name not in declaration.state
        }
        self.fields = {
            STEPS: Field(GRAPH, TIME),
            **dict.fromkeys(self.times, Field(NODE, TIME)),
            **dict.fromkeys(self.seen, Field(NODE, Mask())),
        }

    def _is_mask(self, name: str) -> bool:
        field = self.declaration.predicted[name]
        return field.location is NODE and isinstance(field.kind, Mask)

    def start(self, name: str) -> Expression:
        """How it begins."""
        return z3.BoolVal(False) if name in self.seen else z3.IntVal(0)

    def after(self, name: str, side: DeclaredSide, me: Expression) -> Expression:
        """What a step makes of it."""
        values = side.words.values
        now = values[STEPS](None) + 1
        if name in self.times:
            mask = self.times[name]
            before = values[carried(mask) if mask in self.declaration.look else mask]
            begins = z3.And(side.after(mask, me), z3.Not(before(me)))
            return z3.If(begins, now, values[name](me))
        return z3.Or(values[name](me), values[self.seen[name]](me)) if name in self.seen else now

    def along(self, run: Episodes) -> Iterator[dict[str, Tensor]]:
        """Its values in each state of runs."""
        graph, look = run.graph, self.look.on(run.graph)
        count = graph.count(NODE)
        owner = graph.owner(NODE)
        values = {
            STEPS: torch.zeros(graph.num_graphs, dtype=torch.int64),
            **{name: torch.zeros(count, dtype=torch.int64) for name in self.times},
            **{name: torch.zeros(count, dtype=torch.bool) for name in self.seen},
        }
        yield values
        for step in range(int(run.lengths.max())):
            steps = run.lengths > step
            before, after = run.frames[step], run.frames[step + 1]
            observed = look(run.inputs, {name: before[name] for name in self.declaration.state})
            begins = {at: after[it] & ~before[it] & steps[owner] for at, it in self.times.items()}
            values = {
                STEPS: values[STEPS] + steps,
                **{at: torch.where(begins[at], step + 1, values[at]) for at in self.times},
                **{at: values[at] | observed[it] & steps[owner] for at, it in self.seen.items()},
            }
            yield values

"""What a step of a run saw: by the network, and for the rest as declared."""

from __future__ import annotations

from functools import partial
from typing import Any, Self

import numpy as np

from algolens.engines import Run
from algolens.engines.tensors import Running, Tensors
from algolens.language.ir import (
    ME,
    At,
    Expr,
    Program,
    The,
    View,
    put,
)
from algolens.language.text import table_of


class Scene:
    """What a step of a run of one graph saw; after the last, what would be seen as declared.

    Engines run what is lowered, of all rows at once. Reasons go by the program as it is written: a
    quantifier says whom a statement speaks of.
    """

    def __init__(self, run: Run, program: Program) -> None:
        self.run, self.program, self.step = run, program, -1
        self._declared = Running(program, run.graph)
        recorded = {*run.hints, *(run.concepts if run.has_concepts else ())}
        names = recorded & {let.name for let in program.lets}
        self._seen = Running(program, run.graph, {name: partial(self._of, name) for name in names})

    def _of(self, name: str, _: Tensors) -> Any:
        return self.run[name][self.step]

    def at(self, step: int) -> Self:
        """The same run at a step."""
        run, is_over = self.run, step == self.run.num_steps
        if step != self.step:
            self.step, running = step, self._declared if is_over else self._seen
            state = {
                name: run.final(name) if is_over else run.state(name)[step]
                for name in self.program.state
            }
            self._lets, self._tensors = running.look(run.inputs, state), running.tensors
        return self

    def column(self, name: str) -> Any:
        """A let."""
        return self._lets[name]

    def all(self, node: Expr, at: At) -> Any:
        """What an expression is of every row of a table."""
        return self._tensors.value(at, node)

    def value(self, node: Expr, at: At, me: int, it: tuple[At, int] | None = None) -> int:
        """What an expression is of a row of a table, and of one in view."""
        if it is None or isinstance(node, The):
            return int(self.all(node, at)[me])
        return int(self._tensors.of_pairs(node, np.array([me]), np.array(it[1:]), at, it[0])[0])

    def holds(self, node: Expr, at: At, me: int) -> bool:
        """Whether a statement holds of a row."""
        return bool(self.all(node, at)[me])

    def in_view(self, view: View, at: At, me: int, body: Expr) -> list[int]:
        """Those in view of a row who are so, in order."""
        rows = [
            self.all(put(its, it=ME), view.rows) == self.value(mine, at, me)
            for mine, its in view.joins
        ]
        meant = self.all(put(view.it, it=ME), view.rows)[np.logical_or.reduce(rows)]
        it = np.unique(meant[meant != me] if view.apart else meant)
        so = self._tensors.of_pairs(body, np.full(len(it), me), it, at, table_of(view))
        return it[so].tolist()

    def first(self, the: The, at: At, me: int) -> int | None:
        """The first in view who is so; None where nobody is."""
        those = np.array(self.in_view(the.view, at, me, the.where), np.int64)
        keys = [self.all(put(key, it=ME), table_of(the.view))[those] for key in the.by]
        order = np.lexsort([those, *keys[::-1]])
        return int(those[order[0]]) if len(those) else None

    def moved(
        self, cases: tuple[tuple[Expr, Expr], ...], at: At, me: int
    ) -> tuple[int, int | None, int] | None:
        """The first case that applies to a row: its place, from whom, and the value; or none."""
        for place, (guard, value) in enumerate(cases):
            it = self.first(value, at, me) if isinstance(value, The) else None
            if (it is not None or not isinstance(value, The)) and self.holds(guard, at, me):
                return place, it, self.value(value, at, me)
        return None


def is_endless(run: Run, name: str, element: int) -> bool:
    """Whether a number has no bound at an element."""
    pointer = run.algorithm.declaration.endless.get(name)
    return pointer is not None and int(run.inputs[pointer][0]) == element

"""The search: what settles every decision of a step, on the situations that were seen."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from algolens.discovery.bench import MOST_PRICE, Bench
from algolens.discovery.decisions import Decision, Script, UnsettledError
from algolens.discovery.going_on import settle_going_on
from algolens.discovery.move_search import MoveSearch
from algolens.discovery.schema import Episodes, Schema
from algolens.fields import Category, Location, Mask
from algolens.logic import GoOn

# what is looked for, and up to which prices, in turn; what is settled begins it anew: what a step
# decides is an atom of what is moved
PHASES = (
    (Decision, range(1, 4)),
    (MoveSearch, range(1, 4)),
    (Decision, range(4, MOST_PRICE + 1)),
    (MoveSearch, range(4, MOST_PRICE + 1)),
)


class Search:
    """One search on some runs.

    Parameters
    ----------
    schema : Schema
        The fields.
    episodes : sequence of Episodes
        The runs.
    until : float
        A time of the process, when it ends.
    earlier : Script, optional
        Of a search on fewer runs: what it settled is kept where it still does.
    progress : callable
        Is told in a line what is being done.
    mark_all : bool
        Of several that a value may be taken from, whether all are to be marked; by default, those
        alone are that no other can stand in for.
    """

    def __init__(
        self,
        schema: Schema,
        episodes: Sequence[Episodes],
        until: float,
        earlier: Script | None = None,
        progress: Callable[[str], None] = lambda _: None,
        *,
        mark_all: bool = False,
    ) -> None:
        self.schema, self.mark_all = schema, mark_all
        self.bench = Bench(schema, episodes, until, earlier or Script(), progress)
        self.sums: dict[str, tuple[Location, str]] = {}
        self.going_on: GoOn | None = None

    def run(self) -> None:
        """Settles every decision; an UnsettledError says which is not."""
        moves = [
            MoveSearch(self.bench, name, self.sums, mark_all=self.mark_all)
            for name, field in self.schema.state.items()
            if not isinstance(field.kind, Mask | Category)
        ]
        pending: list[Decision | MoveSearch] = [*self._decisions(), *moves]
        while pending:
            left = len(pending)
            for kind, bounds in PHASES:
                items = [item for item in pending if isinstance(item, kind)]
                if any(self._some_settled(pending, items, bound) for bound in bounds):
                    break
            if len(pending) == left:
                names = ", ".join(f"'{item.name}'" for item in pending)
                late = " in this time: give more" if self.bench.is_late() else ""
                raise UnsettledError(
                    f"{names}: not settled by observations of up to price {MOST_PRICE}{late}."
                )
        self._settle_outcomes()
        self.going_on = settle_going_on(self.bench, self.concepts)

    def _some_settled(
        self,
        pending: list[Decision | MoveSearch],
        items: Sequence[Decision | MoveSearch],
        bound: int,
    ) -> bool:
        """Whether some of the items are settled by observations of up to a price."""
        left = len(pending)
        for item in items:
            if not self.bench.is_late() and self._is_settled(item, bound):
                pending.remove(item)
        return len(pending) < left

    def _is_settled(self, item: Decision | MoveSearch, bound: int) -> bool:
        if isinstance(item, MoveSearch):
            return item.is_settled(bound)
        settled = self.bench.settled(item, bound)
        if settled is not None:
            self.bench.keep_output(settled)
        return settled is not None

    def _decisions(self) -> list[Decision]:
        """Masks and categories that a step decides."""
        decisions, situations = [], self.bench.situations
        for name, field in self.schema.decided.items():
            if isinstance(field.kind, Category) and field.location is not self.schema.location:
                raise UnsettledError(
                    f"'{name}' is a category at the {field.location.value}: only masks can be "
                    "decided away from the outputs. Give a mask for each class."
                )
            if isinstance(field.kind, Mask | Category):
                rows = np.flatnonzero(situations.of_graphs("has_step", field.location))
                decided = situations.after(name)[rows].astype(np.int64)
                decisions.append(Decision(name, field.location, rows, decided))
        return decisions

    def _settle_outcomes(self) -> None:
        """What is told of a whole graph in the end."""
        situations = self.bench.situations
        for name in self.schema.outcomes:
            told = np.concatenate([block.outcomes[name].numpy() for block in situations.blocks])
            rows = np.flatnonzero(situations.of_graphs("is_last", Location.GRAPH))
            decision = Decision(name, Location.GRAPH, rows, told[rows].astype(np.int64))
            for bound in range(1, MOST_PRICE + 1):
                settled = self.bench.settled(decision, bound)
                if settled is not None:
                    formula = self.bench.keep(settled).formula(1)
                    self.bench.observe(name, Location.GRAPH, formula)
                    break
            else:
                raise UnsettledError(f"the outcome '{name}' is not settled.")

    @property
    def concepts(self) -> tuple[str, ...]:
        """The names of what decides outputs, each once, in order."""
        settled = self.bench.script.decisions
        names = [
            name
            for output in self.schema.outputs
            if output in settled
            for name in settled[output].concepts
        ]
        return tuple(dict.fromkeys(names))

"""A bench for runs with wrong decisions: what costs more to settle than to list is an exception."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from algolens.discovery.bench import MOST_PRICE, Bench, _settled_by
from algolens.discovery.decisions import Decision, Script, SettledDecision, UnsettledError
from algolens.discovery.exceptions import disagreement, shortest_description
from algolens.discovery.going_on import settle_going_on
from algolens.discovery.schema import Episodes, Schema
from algolens.discovery.search import Search
from algolens.discovery.tolerant_moves import TolerantMoveSearch

EXACT = 3  # up to this price, what needs no exception is looked for alone
REACH = 5  # descriptions are compared over observations of up to this price, or the one asked for
ENOUGH = 8000  # observations, beyond which no dearer ones are offered
LOOKED = 4  # the price up to which the share of wrong decisions is estimated


class TolerantBench(Bench):
    """A bench on which a share of a decision's elements may be exceptions.

    Parameters
    ----------
    share : float
        The largest share.
    """

    def __init__(
        self,
        schema: Schema,
        episodes: Sequence[Episodes],
        until: float,
        earlier: Script,
        progress: Callable[[str], None],
        share: float,
    ) -> None:
        super().__init__(schema, episodes, until, earlier, progress)
        self.share = self.exceptions = share

    def settled(self, decision: Decision, bound: int) -> SettledDecision | None:
        """What settles a decision but for its exceptions."""
        exact = super().settled(decision, bound) if bound <= EXACT else None
        if exact is not None or bound <= EXACT:
            return exact
        reach = bound
        while reach < max(bound, REACH) and len(self.offered(decision.location, reach)) < ENOUGH:
            reach += 1
        observations = self.offered(decision.location, reach)
        if not observations:
            return None
        costs = np.array([self._price(decision.location, some) for some in observations])
        described = shortest_description(observations, decision.rows, decision.decided, costs)
        if described.share > self.share:
            return None
        kept = ~described.is_exception
        rest = replace(decision, rows=decision.rows[kept], decided=decision.decided[kept])
        chosen = [observations[number] for number in described.chosen]
        cost = float(costs[list(described.chosen)].sum())
        made = _settled_by(rest, chosen, cost)
        return replace(made, proven=False, bound=reach)  # a beam search proves nothing

    def _again(self, decision: Decision) -> SettledDecision | None:
        return None  # more runs show what an exception is: all is described anew


class TolerantSearch(Search):
    """A search in which a share of every decision may be exceptions.

    Parameters are those of ``Search``, and

    share : float
        The largest share.
    """

    moves = TolerantMoveSearch

    def __init__(
        self,
        schema: Schema,
        episodes: Sequence[Episodes],
        until: float,
        progress: Callable[[str], None],
        share: float,
    ) -> None:
        super().__init__(schema, episodes, until, progress=progress)
        self.share = share
        self.bench = TolerantBench(schema, episodes, until, Script(), progress, share)

    def run(self) -> None:
        """Settles every decision; when to stop, without exceptions where that can be done."""
        try:
            super().run()
        except UnsettledError:
            script = self.bench.script
            if not {*self.schema.decided} <= {*script.decisions, *script.moves}:
                raise
            self.bench.tolerance = self.share
            self.going_on = settle_going_on(self.bench, self.concepts)

    def decisions(self) -> list[Decision]:
        """Masks and categories that a step decides."""
        return self._decisions()

    def doubts(self) -> list[float]:
        """Of each decision, the share that looks wrong: most that look alike are otherwise."""
        shares = []
        for decision in self.decisions():
            observations = self.bench.offered(decision.location, min(LOOKED, MOST_PRICE))
            shares.append(disagreement(observations, decision.rows, decision.decided))
        for moves in self.move_searches():
            assert isinstance(moves, TolerantMoveSearch)
            shares.append(moves.doubt())
        return shares

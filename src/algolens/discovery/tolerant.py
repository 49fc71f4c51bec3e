"""A bench for runs with wrong decisions: what costs more to settle than to list is an exception."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace

import numpy as np

from algolens.discovery.bench import MOST_PRICE, Bench, _settled_by
from algolens.discovery.decisions import Decision, Script, SettledDecision, UnsettledError
from algolens.discovery.exceptions import disagreement, shortest_description
from algolens.discovery.likely_choice import observe_likely_choice
from algolens.discovery.move_search import MoveSearch
from algolens.discovery.schema import Episodes, Schema
from algolens.discovery.search import Phase, Search
from algolens.discovery.tolerant_moves import TolerantMoveSearch

EXACT = 3  # up to this price, what needs no exception is looked for first
FURTHER = 1  # prices beyond the first at which a description is short enough
ENOUGH = 8000  # observations, beyond which no dearer ones are offered
LOOKED = 4  # the price up to which the share of wrong decisions is estimated
MOST_SHARE = 0.25  # of exceptions, beyond which nothing is said to be found
SHARES = (0.012, 0.018, 0.027, 0.04, 0.06, 0.09, 0.135, 0.2, MOST_SHARE)  # allowed one by one
LIKELY = 0.8  # times the estimated share: with so many exceptions, dearer observations are tried
CHEAP = (
    Phase(range(3, 4)),
    Phase(range(3, 4), choose=True),
    Phase(range(4, 5)),
)
PHASES = (
    *CHEAP,
    Phase(range(3, 5), 1),
    Phase(range(3, 4), 1, choose=True),
    Phase(range(4, 6), choose=True),
    Phase(range(3, 5), 2),
)


class TolerantBench(Bench):
    """A bench on which a share of a decision's elements may be exceptions.

    Parameters are those of ``Bench``, and

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
        self.exceptions = share

    def settled(self, decision: Decision, bound: int) -> SettledDecision | None:
        """What settles a decision but for its exceptions."""
        exact = super().settled(decision, bound) if bound <= EXACT else None
        if exact is not None:
            return exact
        most = MOST_SHARE if decision.judged_later else self.exceptions
        best = None
        for reach in range(bound, bound + FURTHER + 1):
            if self.is_late() or (
                reach > bound and len(self.offered(decision.location, reach - 1)) > ENOUGH
            ):
                break
            share, bits, made = self._description(decision, reach)
            if share <= most and (best is None or bits < best[0]):
                best = bits, made
            if best is None or decision.judged_later:
                break
        return None if best is None else best[1]

    def _description(self, decision: Decision, reach: int) -> tuple[float, float, SettledDecision]:
        """The share of exceptions of the shortest description, its bits, and what it settles."""
        observations = self.offered(decision.location, reach)
        rows, decided = decision.rows, decision.decided
        key = (len(observations), *decision.key)
        if key in self.memo:
            share, bits, made = self.memo[key]
            return share, bits, replace(made, name=decision.name)
        costs = np.array([self._price(decision.location, some) for some in observations])
        described = shortest_description(observations, rows, decided, costs, self.until)
        kept = ~described.is_exception
        rest = replace(decision, rows=rows[kept], decided=decided[kept])
        chosen = [observations[number] for number in described.chosen]
        made = _settled_by(rest, chosen, float(costs[list(described.chosen)].sum()))
        made = replace(made, proven=False, bound=reach)  # a beam search proves nothing
        self.memo[key] = described.share, described.bits, made
        return described.share, described.bits, made

    def _again(self, decision: Decision) -> SettledDecision | None:
        return None  # more runs show what an exception is: all is described anew


class TolerantSearch(Search):
    """A search in which a share of every decision may be exceptions: the smallest that settles it.

    Parameters are those of ``Search``.
    """

    moves = TolerantMoveSearch
    choices = (observe_likely_choice,)

    def __init__(
        self,
        schema: Schema,
        episodes: Sequence[Episodes],
        until: float,
        progress: Callable[[str], None],
        share: float = MOST_SHARE,
    ) -> None:
        super().__init__(schema, episodes, until, progress=progress)
        self.bench = TolerantBench(schema, episodes, until, Script(), progress, share)

    def run(self) -> None:
        """Settles every decision: with few exceptions first, then with more; where some are
        settled, the others are taken to have as few, and dearer observations are tried.
        """
        likely = LIKELY * self.doubt()
        pending: list[Decision | MoveSearch] = [*self.decisions()]
        try:
            self.bench.exceptions = next((share for share in SHARES if share >= likely), SHARES[-1])
            pending += self.move_searches()
        except UnsettledError:
            self.bench.exceptions = MOST_SHARE
            pending += self.move_searches()
        count = len(pending)
        for share in SHARES:
            self.bench.exceptions = share
            for self.phases in (CHEAP, PHASES):
                is_near = len(pending) < count or share >= likely
                if not pending or self.bench.is_late() or (self.phases is PHASES and not is_near):
                    break
                with suppress(UnsettledError):
                    self.settle(pending)
        self.settle(pending)  # or says what is not
        try:
            self.settle_ends()
        except UnsettledError:
            self.bench.tolerance = self.bench.exceptions
            self.settle_ends()

    def doubt(self) -> float:
        """The share that looks wrong, in the middle of all fields: most that look alike are
        otherwise.
        """
        shares = []
        for decision in self.decisions():
            observations = self.bench.offered(decision.location, min(LOOKED, MOST_PRICE))
            shares.append(disagreement(observations, decision.rows, decision.decided))
        for moves in [] if shares else self.move_searches():
            assert isinstance(moves, TolerantMoveSearch)
            shares.append(moves.doubt())
        return float(np.median(shares)) if shares else 0.0

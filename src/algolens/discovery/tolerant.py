"""The search in runs with wrong decisions: few exceptions are allowed at first, then more."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace

from algolens.discovery.decisions import Decision, Script, UnsettledError
from algolens.discovery.exceptions import disagreement
from algolens.discovery.move_search import MoveSearch
from algolens.discovery.schema import Episodes, Schema
from algolens.discovery.search import Phase, Search
from algolens.discovery.tolerant_bench import MOST_SHARE, TolerantBench
from algolens.discovery.tolerant_moves import TolerantMoveSearch

LOOKED = 3  # the price up to which the share of wrong decisions is estimated
LEAST_SHARE = 0.01  # that is allowed first, where hardly any decision looks wrong
# times the estimated share: so many exceptions are allowed, one after the other
ALLOWED = (0.8, 0.9, 1.0, 1.15, 1.3, 1.7, 2.5, 4.0, 7.0, 12.0)
LIKELY = 1.3  # with so many, dearer observations are tried
SLICE = 0.4  # of the time left, that is spent with so many exceptions
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


class TolerantSearch(Search):
    """A search in which a share of every decision may be exceptions: the smallest that settles it.

    Parameters are those of ``Search``.
    """

    moves = TolerantMoveSearch
    bench: TolerantBench

    def __init__(
        self,
        schema: Schema,
        episodes: Sequence[Episodes],
        until: float,
        earlier: Script | None = None,
        progress: Callable[[str], None] = lambda _: None,
        share: float = MOST_SHARE,
    ) -> None:
        super().__init__(schema, episodes, until, progress=progress)
        self.bench = TolerantBench(schema, episodes, until, earlier or Script(), progress, share)

    def run(self, usual: float | None = None) -> None:
        """Settles every decision: with few exceptions first, then with more.

        usual: the share of exceptions, where it is known; by default it is estimated.
        """
        until = self.bench.until
        moves, decisions = self.move_searches(), self.decisions()
        self.bench.revive()
        doubt = max(self.doubt(moves) if usual is None else usual, LEAST_SHARE)
        pending: list[Decision | MoveSearch] = [*decisions, *moves]
        # what was observed before is cheap now; a better choice may be there all the same
        first = () if usual is None else (Phase(range(3, 4), choose=True),)
        for times in ALLOWED if usual is None else [some for some in ALLOWED if some >= 1]:
            self.bench.exceptions = min(times * doubt, MOST_SHARE)
            now = time.process_time()
            self.bench.until = now + SLICE * (until - now)
            for phases in (CHEAP, PHASES) if times >= LIKELY else (CHEAP,):
                self.phases = (*first, *phases)
                with suppress(UnsettledError):
                    self.settle(pending)
            if not pending or times * doubt > MOST_SHARE:
                break
        self.bench.until = until
        self.settle(pending)  # or says what is not
        try:
            now = time.process_time()
            self.bench.until = now + SLICE * (until - now)
            self.settle_ends()
        except UnsettledError:
            self.bench.until, self.bench.tolerance = until, self.bench.exceptions
            self.settle_ends()

    def _is_settled(self, item: Decision | MoveSearch, bound: int, phase: Phase) -> bool:
        if phase.choose and isinstance(item, Decision):
            for choice in self._choices(item):
                self.bench.offer_choice(choice)
            phase = replace(phase, choose=False)
        return super()._is_settled(item, bound, phase)

    def doubt(self, moves: Sequence[MoveSearch]) -> float:
        """The share that looks wrong, of the field where it is least."""
        shares = []
        for decision in self.decisions():
            self.bench.offered(decision.location, LOOKED)
            looks = self.bench.bits(decision.location).looks[decision.rows]
            shares.append(disagreement(looks, decision.decided))
        shares += [some.doubt() for some in moves if isinstance(some, TolerantMoveSearch)]
        return min(shares, default=0.0)

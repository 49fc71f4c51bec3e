"""A bench for runs with wrong decisions: what costs more to settle than to list is an exception."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace

import numpy as np

from algolens.discovery.bench import Bench, _settled_by
from algolens.discovery.bits import pack_columns
from algolens.discovery.decisions import Decision, Script, SettledDecision
from algolens.discovery.exceptions import shortest_description
from algolens.discovery.likely_choice import LikelyChoice, likely_choice
from algolens.discovery.observations import Observation
from algolens.discovery.schema import Episodes, Schema
from algolens.errors import DefinitionError
from algolens.language.ir import At, Expr, Get

EXACT = 3  # up to this price, what needs no exception is looked for first
FURTHER = 1  # prices beyond the first at which a description is short enough
ENOUGH = 8000  # observations, beyond which no dearer ones are offered
MOST_OFFERED = 5000  # of them that a description may choose; beyond it, the cheapest
MOST_SHARE = 0.25  # of exceptions, beyond which nothing is said to be found


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
        self.choices: dict[str, LikelyChoice] = {}  # that were offered, by name
        self.num_past = 0  # of these, the first, which are offered no more

    def offer_choice(self, decision: Decision) -> None:
        """Lets a description choose the first of those that could be, if there is an order."""
        key = ("choice", *decision.key)
        if key not in self.memo:
            self.memo[key] = likely_choice(self, decision)
            if self.memo[key] is not None:
                self.choices[f"choice{len(self.choices)}"] = self.memo[key]

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
        choices = [
            Observation(Get(name, decision.location.value), round(choice.cost), choice.column)
            for name, choice in [*self.choices.items()][self.num_past :]
            if choice.decision.location is decision.location
        ]
        key = (len(observations), len(choices), *decision.key)
        if key in self.memo:
            share, bits, made = self.memo[key]
            return share, bits, replace(made, name=decision.name)
        costs = self._prices(decision.location, observations)
        kept = np.sort(np.argsort(costs, kind="stable")[:MOST_OFFERED])
        table = self.bits(decision.location).columns(rows)[kept]
        more = np.array([some.column[rows] for some in choices], bool).reshape(
            len(choices), len(rows)
        )
        observations = [*(observations[number] for number in kept), *choices]
        costs = np.append(costs[kept], [some.cost for some in choices])
        described = shortest_description(
            np.concatenate([table, pack_columns(more.T)]), decided, costs, self.until
        )
        is_usual = ~described.is_exception
        rest = replace(decision, rows=rows[is_usual], decided=decided[is_usual])
        chosen = [observations[number] for number in described.chosen]
        made = _settled_by(rest, chosen, float(costs[list(described.chosen)].sum()))
        made = replace(made, proven=False, bound=reach)  # a beam search proves nothing
        self.memo[key] = described.share, described.bits, made
        return described.share, described.bits, made

    def keep(self, settled: SettledDecision) -> SettledDecision:
        """Names the observations that settle a decision; choices among them are observed now."""
        at: At = settled.location.value
        choices: dict[Expr, LikelyChoice] = {
            Get(name, at): choice for name, choice in self.choices.items()
        }
        said = tuple(choices[one].observe(self) if one in choices else one for one in settled.said)
        return super().keep(replace(settled, said=said))

    def _changed(self) -> None:
        super()._changed()
        self.num_past = len(self.choices)

    def revive(self) -> None:
        """Observes again what an earlier search settled by, but for what a step decides."""
        settled = self.earlier.decisions.values()
        names = {*self.earlier.marks, *(name for some in settled for name in some.concepts)}
        for name in sorted(names - {*self.schema.outcomes}):
            with suppress(DefinitionError):
                self._revive(Get(name, "node"))

    def _again(self, decision: Decision) -> SettledDecision | None:
        return None  # more runs show what an exception is: all is described anew

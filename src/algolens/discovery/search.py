"""The search: what settles every decision of a step, on the situations that were seen."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass

import numpy as np
from torch import Tensor

from algolens.discovery.bench import MOST_PRICE, MOST_SHARE, Bench
from algolens.discovery.choosing import observe_choice, observe_rule_or_choice
from algolens.discovery.decisions import Decision, Script, UnsettledError
from algolens.discovery.fit import noise_estimate
from algolens.discovery.going_on import limit_of, settle_going_on
from algolens.discovery.move_search import MoveSearch
from algolens.discovery.schema import Episodes, Schema
from algolens.language.fields import Category, Location, Mask
from algolens.language.ir import Let
from algolens.logic import GoOn


@dataclass(frozen=True)
class Phase:
    """What is tried together; what is settled begins with the first phase anew, for what a step
    decides is an atom of what follows.
    """

    prices: range  # of observations
    depth: int = 0  # of inner observations
    choose: bool = False  # whether the first of those that could be is looked for
    classes: bool = False  # whether single classes of a category are looked for
    many: bool = False  # whether many observations together may settle a decision
    mixed: bool = False  # whether a move may be followed by a value of one's own


PHASES = (
    Phase(range(1, 4)),
    Phase(range(1, 4), choose=True),
    Phase(range(1, 5), classes=True),
    Phase(range(1, 3), many=True),
    Phase(range(1, 4), choose=True, many=True),
    Phase(range(1, 4), mixed=True),
    Phase(range(2, 5), 1),
    Phase(range(2, 5), 1, choose=True),
    Phase(range(4, 6)),
    Phase(range(2, 5), 2),
    Phase(range(2, 5), 2, choose=True),
    Phase(range(3, 6), many=True),
    Phase(range(6, MOST_PRICE + 1), many=True),
)


# with exceptions
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
DEARER = (
    *CHEAP,
    Phase(range(3, 5), 1),
    Phase(range(3, 4), 1, choose=True),
    Phase(range(4, 6), choose=True),
    Phase(range(3, 5), 2),
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
        CPU deadline, as ``time.process_time()`` counts.
    progress : callable
        Callback for one-line progress messages.
    mark_all : bool
        Of several that a value may be taken from, whether all are to be marked; by default, those
        alone are that no other can stand in for.
    kept : sequence of Tensor, optional
        The states of each run that are looked at; by default all.
    """

    def __init__(
        self,
        schema: Schema,
        episodes: Sequence[Episodes],
        until: float,
        progress: Callable[[str], None] = lambda _: None,
        *,
        mark_all: bool = False,
        kept: Sequence[Tensor] | None = None,
    ) -> None:
        self.schema, self.mark_all = schema, mark_all
        self.episodes = episodes
        self.bench = Bench(schema, episodes, until, progress, kept)
        self.sums: dict[str, Let] = {}
        self.going_on: GoOn | None = None
        self.pending: list[Decision | MoveSearch] = []  # what is not settled

    def run(self) -> None:
        """Settles every decision; an UnsettledError says which is not."""
        self.pending = [*self.decisions(), *self.move_searches()]
        self.settle(PHASES)
        self.settle_ends()

    def run_with_exceptions(self, earlier: Script, usual: float | None = None) -> None:
        """Settles every decision but for exceptions: for few first, then for more.

        earlier: of a search on fewer runs, whose observations are cheap now.
        usual: the share of exceptions, where it is known; by default it is estimated.
        """
        bench, until = self.bench, self.bench.until
        bench.exceptions = MOST_SHARE
        moves, decisions = self.move_searches(), self.decisions()
        bench.observe_again(earlier)
        doubt = max(self._doubt(decisions, moves) if usual is None else usual, LEAST_SHARE)
        self.pending = [*decisions, *moves]
        # what was observed before is cheap now; a better choice may be there all the same
        first = () if usual is None else (Phase(range(3, 4), choose=True),)
        phases: Sequence[Phase] = ()
        for times in ALLOWED if usual is None else [some for some in ALLOWED if some >= 1]:
            bench.exceptions = min(times * doubt, MOST_SHARE)
            now = time.process_time()
            bench.until = now + SLICE * (until - now)
            for some in (CHEAP, DEARER) if times >= LIKELY else (CHEAP,):
                phases = (*first, *some)
                with suppress(UnsettledError):
                    self.settle(phases)
            if not self.pending or times * doubt > MOST_SHARE:
                break
        bench.until = until
        self.settle(phases)  # or says what is not
        try:
            now = time.process_time()
            bench.until = now + SLICE * (until - now)
            self.settle_ends()
        except UnsettledError:
            bench.until = until
            self.settle_ends(bench.exceptions)

    def _doubt(self, decisions: Sequence[Decision], moves: Sequence[MoveSearch]) -> float:
        """The share that looks wrong, of the field where it is least."""
        shares = [some.doubt() for some in moves]
        for decision in decisions:
            self.bench.offered(decision.location, LOOKED)
            looks = self.bench.bits(decision.location).looks[decision.rows]
            shares.append(noise_estimate(looks, decision.decided))
        return min(shares, default=0.0)

    def settle(self, phases: Sequence[Phase]) -> None:
        """Settles all that is pending, and takes it away from there."""
        while self.pending:
            if not any(map(self._some_settled, phases)):
                names = ", ".join(f"'{item.name}'" for item in self.pending)
                why = "it looks at more, or at what is no field (docs/limits.md)"
                late = "in this time: give more"
                raise UnsettledError(
                    f"{names}: not settled by observations of up to price {MOST_PRICE}"
                    f"{f' {late}' if self.bench.is_late() else f': {why}'}."
                )
            self.bench.flatten()

    @property
    def may_have_erred(self) -> bool:
        """Whether something is not settled, and may be by more states: what was settled before it
        may be wrong. Where nothing was, more states settle no more than few.
        """
        decisions = self.bench.script.decisions.values()
        return bool(self.pending) and any(settled.said for settled in decisions)

    def settle_ends(self, tolerance: float = 0.0) -> None:
        """Settles what is told in the end, and when that is.

        tolerance: the share of graphs whose going on may be an exception.
        """
        self._settle_outcomes()
        is_fixed = limit_of(self.episodes, fixed=True) is not None
        self.going_on = settle_going_on(
            self.bench, self.concepts, may_be_fixed=is_fixed, tolerance=tolerance
        )

    def move_searches(self) -> list[MoveSearch]:
        """Of the pointers and numbers of the state."""
        return [
            MoveSearch(self.bench, name, self.sums, mark_all=self.mark_all)
            for name, field in self.schema.state.items()
            if not isinstance(field.kind, Mask | Category)
        ]

    def _some_settled(self, phase: Phase) -> bool:
        """Whether some of what is pending is settled in a phase: the first at one price."""
        if phase.depth < self.bench.depth:
            self.bench.flatten()
        while self.bench.depth < phase.depth and not self.bench.is_late():
            self.bench.deepen()
        self.bench.many = phase.many
        pending, left = self.pending, len(self.pending)
        kinds = (MoveSearch,) if phase.mixed else (Decision, MoveSearch)
        for kind in (Decision,) if phase.classes else kinds:
            for bound in phase.prices:
                for item in [item for item in pending if isinstance(item, kind)]:
                    if not self.bench.is_late() and self._is_settled(item, bound, phase):
                        pending.remove(item)
                if len(pending) < left:
                    return True
        return False

    def _is_settled(self, item: Decision | MoveSearch, bound: int, phase: Phase) -> bool:
        if isinstance(item, MoveSearch):
            return item.is_settled(bound, choose=phase.choose, mixed=phase.mixed)
        if phase.classes:
            if not self._observe_classes(item, bound):
                return False
            bound = max(bound, 2)  # that somebody in view becomes so costs 2
        if phase.choose and self.bench.exceptions:
            for choice in self._choices(item):
                self.bench.offer_choice(choice)
        elif phase.choose:
            if not any(
                observed(self.bench, choice, bound)
                for observed in (observe_choice, observe_rule_or_choice)
                for choice in self._choices(item)
            ):
                return False
            # of an edge, that one of its links is the first costs 2
            bound = 2 if item.location is Location.EDGE else 1
        settled = self.bench.settled(item, bound)
        if settled is not None:
            self.bench.keep_output(settled)
        return settled is not None

    def _observe_classes(self, decision: Decision, bound: int) -> bool:
        """Observes where an element becomes of a class, of three or more, so that what it becomes
        may depend on what others do; whether something was observed.
        """
        if not isinstance(self.schema.decided[decision.name].kind, Category):
            return False
        seen = len(self.bench.look)
        for became in self._choices(decision):
            settled = self.bench.settled(became, bound)
            if settled is not None and settled.said:
                said = self.bench.keep(settled).says(1)
                self.bench.concept(decision.location, said, f"becomes_{became.name}")
        return len(self.bench.look) > seen

    def _choices(self, decision: Decision) -> Iterator[Decision]:
        """Where a class is decided that was not there before; and where it is decided at all."""
        situations, name = self.bench.situations, decision.name
        labels = np.unique(decision.decided)
        if name in self.schema.state:
            before = situations.earlier(name)[decision.rows].astype(np.int64)
            for label in labels[::-1]:
                became = ((decision.decided == label) & (before != label)).astype(np.int64)
                if became.sum() > self.bench.exceptions * len(became):
                    called = self._class_name(name, int(label))
                    yield Decision(called, decision.location, decision.rows, became)
        for label in labels[1:]:
            is_so = (decision.decided == label).astype(np.int64)
            called = f"{self._class_name(name, int(label))}_at_all"
            yield Decision(called, decision.location, decision.rows, is_so)

    def _class_name(self, name: str, label: int) -> str:
        """A class of an output in a word."""
        kind = self.schema.decided[name].kind
        if isinstance(kind, Mask):
            return name if label else f"not_{name}"
        return f"{name}_{kind.labels[label]}"

    def decisions(self) -> list[Decision]:
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
            if name in self.schema.state:
                continue  # it is told as it is carried
            for bound in range(1, MOST_PRICE + 1):
                settled = self.bench.settled(decision, bound)
                if settled is not None:
                    said = self.bench.keep(settled).says(1)
                    self.bench.observe(name, Location.GRAPH, said)
                    break
                if bound == 3:
                    self.bench.deepen()
            else:
                raise UnsettledError(f"the outcome '{name}' is not settled.")
            self.bench.flatten()

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

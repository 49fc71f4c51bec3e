"""The search: what explains every decision of a step, on the examples that were seen."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import combinations

import numpy as np
import torch
from numpy import ndarray
from torch import Tensor

from algolens.algorithms import Limit
from algolens.discovery.candidates import Observation
from algolens.discovery.choices import observe_choice, observe_rule_or_choice
from algolens.discovery.decisions import (
    MOST_PRICE,
    MOST_SHARE,
    Bounds,
    Decision,
    Script,
    UnsettledError,
)
from algolens.discovery.fit import BitTable, noise_estimate
from algolens.discovery.moves import MoveSearch
from algolens.discovery.names import words_of
from algolens.discovery.state import SearchState
from algolens.discovery.teachers import Episodes, Schema
from algolens.language.fields import Category, Location, Mask
from algolens.language.ir import Get, Let
from algolens.logic import GoOn, Quantifier, minimal_rules, pack

MOST_EXTRA = 300  # observations of one price that are tried beside all concepts
MOST_SORTED = 2000  # of these, the first that are looked through for what moves go by
EXTRA = "extra"  # stands for the observation that is added
MOST_IF_FIXED = 3  # price of observations that are tried where the number of steps may be fixed
LIMITS = (
    Limit(),
    Limit(2),
    Limit(3),
    Limit(per="edge"),
    Limit(per="pair"),
    Limit(2, "pair"),
)


class _Asked:
    """What was asked of graphs, and concepts of their elements.

    Parameters
    ----------
    state : SearchState
        What was found.
    asked : ndarray
        [G] 1 and 0: whether a run goes on; -1: it was not asked.
    allowed : float
        The share of graphs of which a rule may be wrong.
    """

    def __init__(self, state: SearchState, asked: ndarray, allowed: float) -> None:
        owner = state.examples.owner(state.schema.location)
        self.here = np.flatnonzero(asked[owner] >= 0)
        self.here = self.here[np.argsort(owner[self.here], kind="stable")]
        self.graphs = np.flatnonzero(asked >= 0)
        self.wanted = asked[self.graphs] == 1
        self.owner = np.searchsorted(self.graphs, owner[self.here])
        self.allowed = allowed
        self.columns: dict[str, ndarray] = {}

    def add(self, name: str, column: ndarray) -> None:
        self.columns[name] = column[self.here]

    def telling(self, bits: BitTable) -> ndarray:
        """[K] bools: of which columns some element has one, or not, just where it goes on, or just
        where not, but for what is allowed.
        """
        tells = np.zeros(len(bits), bool)
        present, first = np.unique(self.owner, return_index=True)
        if not len(present) or not len(bits):
            return ~tells
        rows = bits.rows(self.here)
        some, every = np.bitwise_or.reduceat(rows, first), np.bitwise_and.reduceat(rows, first)
        for packed in (some, ~every):
            has_one = np.zeros((len(self.graphs), len(bits)), bool)
            has_one[present] = bits.unpacked(packed)
            right = (has_one == self.wanted[:, None]).mean(0)
            tells |= (right >= 1 - self.allowed) | (right <= self.allowed)
        return tells

    def rule(self, names: Sequence[str], extra: Callable[[], str] = lambda: EXTRA) -> GoOn | None:
        """The rule over some concepts, where they tell. extra: names the one that is added."""
        packed = pack(np.stack([self.columns[name] for name in names], 1))
        patterns, pattern = np.unique(packed, return_inverse=True)
        # of each pattern, in how many graphs it is seen
        seen = np.unique(np.stack([pattern, self.owner]), axis=1)
        for wanted, quantifier in ((True, Quantifier.EXISTS), (False, Quantifier.NO)):
            is_right = (self.wanted == wanted)[seen[1]]
            right = np.bincount(seen[0][is_right], minlength=len(patterns))
            wrong = np.bincount(seen[0][~is_right], minlength=len(patterns))
            off = wrong > self.allowed * right
            has_one = np.zeros(len(self.graphs), bool)
            has_one[self.owner[~off[pattern]]] = True
            if (has_one != (self.wanted == wanted)).mean() <= self.allowed:
                called = tuple(extra() if name == EXTRA else name for name in names)
                if len({*called}) < len(called):  # what is added is among the concepts
                    return self.rule(tuple(dict.fromkeys(called)))
                rules = minimal_rules(called, patterns[~off], patterns[off], seconds=2.0)
                return GoOn(rules.formula, quantifier)
        return None


def limit_of(episodes: Sequence[Episodes], *, fixed: bool) -> Limit | None:
    """The least limit that all runs keep; of a fixed number of steps, the one that all meet."""
    lengths = torch.cat([some.lengths for some in episodes])
    for limit in LIMITS:
        allowed = torch.cat([limit.on(some.graph) for some in episodes])
        if bool((lengths == allowed).all() if fixed else (lengths <= allowed).all()):
            return limit
    return None


def explain_going_on(
    state: SearchState, concepts: tuple[str, ...], bounds: Bounds, *, may_be_fixed: bool = False
) -> GoOn | None:
    """A rule over concepts, or over one more observation; None where the steps are fixed.

    Parameters
    ----------
    state : SearchState
        What was found.
    concepts : tuple of str
        What decides the outputs.
    bounds : Bounds
        Until when it may be looked for; ``allowed`` is the share of graphs where it may be wrong.
    may_be_fixed : bool
        Whether all runs have the same number of steps, by the size of their graph: where no cheap
        observation tells, that number is fixed.
    """
    values = torch.cat([block.asked for block in state.examples.blocks]).numpy()
    if (values < 0).all():
        return None
    location, asked = state.schema.location, _Asked(state, values, bounds.allowed)

    def with_extra(extra: Observation, *beside: str) -> GoOn | None:
        asked.add(EXTRA, extra.column)
        return asked.rule(
            (*beside, EXTRA), lambda: state.concept(location, state.outspoken(extra.said))
        )

    for name in concepts:
        asked.add(name, state.examples.own(Get(name, location.value), location.value))
    for chosen in (some for size in (1, 2) for some in combinations(concepts, size)):
        if (rule := asked.rule(chosen)) is not None:
            return rule
    marks = state.script.marks
    for price in range(1, 1 + (MOST_IF_FIXED if may_be_fixed else MOST_PRICE)):
        offered = state.offered(location, price, bounds)
        tells = asked.telling(state.bits(location))
        new = [number for number, some in enumerate(offered) if some.cost == price]
        # those that speak of what moves come first
        extras, telling = (
            sorted(some[:MOST_SORTED], key=lambda one: not words_of(one.said) & marks)
            for some in ([offered[n] for n in new], [offered[n] for n in new if tells[n]])
        )
        if bounds.is_late:
            break
        for extra in telling:
            if (rule := with_extra(extra)) is not None:
                return rule
        if price == 2 and concepts and (rule := asked.rule(concepts)) is not None:
            return rule
        for extra in extras[:MOST_EXTRA]:
            if (rule := with_extra(extra, *concepts)) is not None:
                return rule
            if bounds.is_late:
                break
        if bounds.is_late:
            break
        if price == 3 and not may_be_fixed:
            state.deepen(bounds)
    if may_be_fixed:
        return None
    raise UnsettledError(
        "whether it goes on is not settled: no observation of some element, or of none, tells. "
        "Where it counts its steps, put the count into the state."
    )


PHASES = (
    Bounds(range(1, 4)),
    Bounds(range(1, 4), choose=True),
    Bounds(range(1, 5), classes=True),
    Bounds(range(1, 3), many=True),
    Bounds(range(1, 4), choose=True, many=True),
    Bounds(range(1, 4), mixed=True),
    Bounds(range(2, 5), 1),
    Bounds(range(2, 5), 1, choose=True),
    Bounds(range(4, 6)),
    Bounds(range(2, 5), 2),
    Bounds(range(2, 5), 2, choose=True),
    Bounds(range(3, 6), many=True),
    Bounds(range(6, MOST_PRICE + 1), many=True),
)
# with exceptions
LOOKED = 3  # the price up to which the share of wrong decisions is estimated
LEAST_SHARE = 0.01  # that is allowed first, where hardly any decision looks wrong
# times the estimated share: so many exceptions are allowed, one after the other
ALLOWED = (0.8, 0.9, 1.0, 1.15, 1.3, 1.7, 2.5, 4.0, 7.0, 12.0)
LIKELY = 1.3  # with so many, dearer observations are tried
SLICE = 0.4  # of the time left, that is spent with so many exceptions
CHEAP = (
    Bounds(range(3, 4)),
    Bounds(range(3, 4), choose=True),
    Bounds(range(4, 5)),
)
DEARER = (
    *CHEAP,
    Bounds(range(3, 5), 1),
    Bounds(range(3, 4), 1, choose=True),
    Bounds(range(4, 6), choose=True),
    Bounds(range(3, 5), 2),
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
        until: float = np.inf,
        progress: Callable[[str], None] = lambda _: None,
        *,
        mark_all: bool = False,
        kept: Sequence[Tensor] | None = None,
    ) -> None:
        self.schema, self.episodes = schema, episodes
        self.until, self.mark_all = until, mark_all
        self.state = SearchState(schema, episodes, progress, kept)
        self.sums: dict[str, Let] = {}
        self.going_on: GoOn | None = None
        self.pending: list[Decision | MoveSearch] = []  # what is not explained

    def run(self) -> None:
        """Explains every decision; an UnsettledError says which it cannot."""
        self.pending = [*self._decisions(), *self.moves()]
        self._explain(PHASES, Bounds(until=self.until))
        self._explain_ends(Bounds(until=self.until))

    def run_with_exceptions(self, earlier: Script, usual: float | None = None) -> None:
        """Explains every decision but for exceptions: for few first, then for more.

        earlier: of a search on fewer runs, whose observations are cheap now.
        usual: the share of exceptions, where it is known; by default it is estimated.
        """
        whole = Bounds(until=self.until, allowed=MOST_SHARE)
        moves, decisions = self.moves(MOST_SHARE), self._decisions()
        self.state.observe_again(earlier)
        noise = self._noise(decisions, moves, whole) if usual is None else usual
        noise = max(noise, LEAST_SHARE)
        self.pending = [*decisions, *moves]
        # what was observed before is cheap now; a better choice may be there all the same
        first = () if usual is None else (Bounds(range(3, 4), choose=True),)
        phases: Sequence[Bounds] = ()
        for times in ALLOWED if usual is None else [some for some in ALLOWED if some >= 1]:
            whole = replace(whole, allowed=min(times * noise, MOST_SHARE))
            some_time = self._slice(whole)
            for some in (CHEAP, DEARER) if times >= LIKELY else (CHEAP,):
                phases = (*first, *some)
                with suppress(UnsettledError):
                    self._explain(phases, some_time)
            if not self.pending or times * noise > MOST_SHARE:
                break
        self._explain(phases, whole)  # or says what is not
        try:
            self._explain_ends(replace(self._slice(whole), allowed=0.0), whole.allowed)
        except UnsettledError:
            self._explain_ends(whole)

    def _slice(self, bounds: Bounds) -> Bounds:
        now = time.process_time()
        return replace(bounds, until=now + SLICE * (self.until - now))

    def _noise(
        self, decisions: Sequence[Decision], moves: Sequence[MoveSearch], bounds: Bounds
    ) -> float:
        """The share that looks wrong, of the field where it is least."""
        shares = [some.noise_estimate() for some in moves]
        for decision in decisions:
            self.state.offered(decision.location, LOOKED, bounds)
            looks = self.state.bits(decision.location).looks[decision.rows]
            shares.append(noise_estimate(looks, decision.decided))
        return min(shares, default=0.0)

    def _explain(self, phases: Sequence[Bounds], whole: Bounds) -> None:
        """Explains all that is pending, and takes it away from there."""
        bounds = [replace(one, until=whole.until, allowed=whole.allowed) for one in phases]
        while self.pending:
            if not any(map(self._some_explained, bounds)):
                names = ", ".join(f"'{item.name}'" for item in self.pending)
                why = "it looks at more, or at what is no field (docs/limits.md)"
                late = "in this time: give more"
                raise UnsettledError(
                    f"{names}: not settled by observations of up to price {MOST_PRICE}"
                    f"{f' {late}' if whole.is_late else f': {why}'}."
                )
            self.state.flatten()

    @property
    def may_have_erred(self) -> bool:
        """Whether something is not explained, and may be by more states: what was found before it
        may be wrong. Where nothing was, more states explain no more than few.
        """
        found = self.state.script.decisions.values()
        return bool(self.pending) and any(made.said for made in found)

    def moves(self, allowed: float = 0.0) -> list[MoveSearch]:
        """Of the pointers and numbers of the state."""
        return [
            MoveSearch(self.state, name, self.sums, mark_all=self.mark_all, allowed=allowed)
            for name, field in self.schema.state.items()
            if not isinstance(field.kind, Mask | Category)
        ]

    def _some_explained(self, bounds: Bounds) -> bool:
        """Whether some of what is pending is explained in a phase: the first at one price."""
        if bounds.depth < self.state.depth:
            self.state.flatten()
        while self.state.depth < bounds.depth and not bounds.is_late:
            self.state.deepen(bounds)
        pending, left = self.pending, len(self.pending)
        kinds = (MoveSearch,) if bounds.mixed else (Decision, MoveSearch)
        for kind in (Decision,) if bounds.classes else kinds:
            for price in bounds.prices:
                for item in [item for item in pending if isinstance(item, kind)]:
                    if not bounds.is_late and self._is_explained(item, price, bounds):
                        pending.remove(item)
                if len(pending) < left:
                    return True
        return False

    def _is_explained(self, item: Decision | MoveSearch, price: int, bounds: Bounds) -> bool:
        state = self.state
        if isinstance(item, MoveSearch):
            return item.is_explained(price, bounds)
        if bounds.classes:
            if not self._observe_classes(item, price, bounds):
                return False
            price = max(price, 2)  # that somebody in view becomes so costs 2
        if bounds.choose and bounds.allowed:
            for choice in self._choices(item, bounds):
                state.offer_choice(choice, bounds)
        elif bounds.choose:
            if not any(
                observed(state, choice, price, bounds)
                for observed in (observe_choice, observe_rule_or_choice)
                for choice in self._choices(item, bounds)
            ):
                return False
            # of an edge, that one of its links is the first costs 2
            price = 2 if item.location is Location.EDGE else 1
        made = state.explain(item, price, bounds)
        if made is not None:
            state.keep_output(made)
        return made is not None

    def _observe_classes(self, decision: Decision, price: int, bounds: Bounds) -> bool:
        """Observes where an element becomes of a class, of three or more, so that what it becomes
        may depend on what others do; whether something was observed.
        """
        if not isinstance(self.schema.decided[decision.name].kind, Category):
            return False
        state = self.state
        seen = len(state.script.look)
        for became in self._choices(decision, bounds):
            made = state.explain(became, price, bounds)
            if made is not None and made.said:
                said = state.keep(made).says(1)
                state.concept(decision.location, said, f"becomes_{became.name}")
        return len(state.script.look) > seen

    def _choices(self, decision: Decision, bounds: Bounds) -> Iterator[Decision]:
        """Where a class is decided that was not there before; and where it is decided at all."""
        name, labels = decision.name, np.unique(decision.decided).tolist()
        kind, words = self.schema.decided[name].kind, [f"not_{name}", name]
        if isinstance(kind, Category):
            words = [f"{name}_{label}" for label in kind.labels]
        if name in self.schema.state:
            before = self.state.examples.earlier(name)[decision.rows]
            for label in labels[::-1]:
                became = ((decision.decided == label) & (before != label)).astype(np.int64)
                if became.sum() > bounds.allowed * len(became):
                    yield replace(decision, name=words[label], decided=became)
        for label in labels[1:]:
            is_so = (decision.decided == label).astype(np.int64)
            yield replace(decision, name=f"{words[label]}_at_all", decided=is_so)

    def _decisions(self) -> list[Decision]:
        """Masks and categories that a step decides."""
        decisions, examples = [], self.state.examples
        for name, field in self.schema.decided.items():
            if isinstance(field.kind, Category) and field.location is not self.schema.location:
                raise UnsettledError(
                    f"'{name}' is a category at the {field.location.value}: only masks can be "
                    "decided away from the outputs. Give a mask for each class."
                )
            if isinstance(field.kind, Mask | Category):
                rows = np.flatnonzero(examples.has_step(field.location))
                decided = examples.after(name)[rows].astype(np.int64)
                decisions.append(Decision(name, field.location, rows, decided))
        return decisions

    def _explain_ends(self, bounds: Bounds, allowed: float | None = None) -> None:
        """Explains what is told of a graph in the end, and when that is.

        allowed: the share of decisions on outcomes that may be exceptions.
        """
        state = self.state
        whole = bounds if allowed is None else replace(bounds, allowed=allowed)
        rows = np.flatnonzero(~state.examples.has_step(Location.GRAPH))
        for name in self.schema.outcomes:
            if name in self.schema.state:
                continue  # it is told as it is carried
            told = torch.cat([block.outcomes[name] for block in state.examples.blocks]).numpy()
            decision = Decision(name, Location.GRAPH, rows, told[rows].astype(np.int64))
            for price in range(1, MOST_PRICE + 1):
                made = state.explain(decision, price, whole)
                if made is not None:
                    state.observe(name, Location.GRAPH, state.keep(made).says(1))
                    break
                if price == 3:
                    state.deepen(whole)
            else:
                raise UnsettledError(f"the outcome '{name}' is not settled.")
            state.flatten()
        is_fixed = limit_of(self.episodes, fixed=True) is not None
        self.going_on = explain_going_on(state, self.concepts, bounds, may_be_fixed=is_fixed)

    @property
    def concepts(self) -> tuple[str, ...]:
        """The names of what decides outputs, each once, in order."""
        found = self.state.script.decisions
        outputs = [found[name].concepts for name in self.schema.outputs if name in found]
        return tuple(dict.fromkeys(name for names in outputs for name in names))

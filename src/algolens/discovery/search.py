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
    UnexplainedError,
)
from algolens.discovery.fit import BitTable
from algolens.discovery.moves import MoveSearch
from algolens.discovery.names import words_of
from algolens.discovery.oracle import Episodes, Schema
from algolens.discovery.state import SearchState
from algolens.language.ir import At, Get, Let
from algolens.logic import GoOn, Quantifier, minimal_rules, pack

MOST_EXTRA = 300  # observations of one price that are tried beside all concepts
MOST_SORTED = 2000  # of these, the first that are looked through for what moves go by
MOST_IF_FIXED = 3  # price of observations that are tried where the number of steps may be fixed
LIMITS = (
    Limit(),
    Limit(2),
    Limit(3),
    Limit(per="edge"),
    Limit(per="pair"),
    Limit(2, "pair"),
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
# with exceptions: shares of decisions that may be, one after the other
ALLOWED = tuple(float(share) for share in np.geomspace(0.01, MOST_SHARE, 15))
LIKELY = 1.3  # times the usual share: with so many, dearer observations are tried
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


def limit_of(episodes: Sequence[Episodes], *, fixed: bool) -> Limit | None:
    """The least limit that all runs keep; of a fixed number of steps, the one that all meet."""
    lengths = torch.cat([some.lengths for some in episodes])
    for limit in LIMITS:
        left = torch.cat([limit.on(some.graph) for some in episodes]) - lengths
        if not bool((left if fixed else left.clamp(max=0)).any()):
            return limit
    return None


class GoingOnSearch:
    """A rule over concepts, or over one more observation, for whether a run goes on.

    Parameters
    ----------
    state : SearchState
        What was found.
    concepts : tuple of str
        What decides the outputs.
    bounds : Bounds
        Until when it may be looked for; ``allowed`` is the share of graphs where it may be wrong.
    """

    def __init__(self, state: SearchState, concepts: tuple[str, ...], bounds: Bounds) -> None:
        self.state, self.concepts, self.bounds = state, concepts, bounds
        self.location = state.schema.location
        # [G] 1 and 0: whether a run goes on; -1: it was not asked
        asked = torch.cat([block.asked for block in state.examples.blocks]).numpy()
        owner, self.graphs = state.examples.owner(self.location), np.flatnonzero(asked >= 0)
        here = np.flatnonzero(asked[owner] >= 0)
        self.here = here[np.argsort(owner[here], kind="stable")]
        self.wanted = asked[self.graphs] == 1
        self.owner = np.searchsorted(self.graphs, owner[self.here])

    def rule(self, *, may_be_fixed: bool) -> GoOn | None:
        """The rule; None where the steps are fixed.

        may_be_fixed: whether all runs have the same number of steps, by the size of their graph:
        where no cheap observation tells, that number is fixed.
        """
        if not len(self.graphs):
            return None
        for names, extra in self._attempts(MOST_IF_FIXED if may_be_fixed else MOST_PRICE):
            if (rule := self._rule(names, extra)) is not None:
                return rule
            if extra is not None and self.bounds.is_late:
                break
        if may_be_fixed:
            return None
        raise UnexplainedError(
            "whether it goes on is not settled: no observation of some element, or of none, tells. "
            "Where it counts its steps, put the count into the state."
        )

    def _attempts(self, most: int) -> Iterator[tuple[tuple[str, ...], Observation | None]]:
        """Concepts, and an observation beside them, that may tell."""
        concepts, marks = self.concepts, self.state.script.marks
        for size in (1, 2):
            yield from ((names, None) for names in combinations(concepts, size))
        for price in range(1, 1 + most):
            candidates = self.state.offered(self.location, replace(self.bounds, price=price))
            tells = self._telling(candidates.bits)
            new = [number for number, one in enumerate(candidates.all) if one.cost == price]
            # those that speak of what moves come first
            telling, extras = (
                sorted(
                    [candidates.all[number] for number in some[:MOST_SORTED]],
                    key=lambda one: not words_of(one.said) & marks,
                )
                for some in ([number for number in new if tells[number]], new)
            )
            yield from (((), extra) for extra in telling)
            if price == 2 and concepts:
                yield concepts, None
            yield from ((concepts, extra) for extra in extras[:MOST_EXTRA])
            if price == 3 < most:
                self.state.deepen(self.bounds)

    def _telling(self, bits: BitTable) -> ndarray:
        """[K] bools: of which columns some element has one, or not, just where it goes on, or just
        where not, but for what is allowed.
        """
        tells = np.zeros(len(bits), bool)
        present, first = np.unique(self.owner, return_index=True)
        if len(present) and len(bits):
            rows = bits.rows(self.here)
            some, every = np.bitwise_or.reduceat(rows, first), np.bitwise_and.reduceat(rows, first)
            for packed in (some, ~every):
                has_one = np.zeros((len(self.graphs), len(bits)), bool)
                has_one[present] = bits.unpacked(packed)
                wrong = (has_one != self.wanted[:, None]).mean(0)
                tells |= np.minimum(wrong, 1 - wrong) <= self.bounds.allowed
        return tells

    def _rule(self, names: tuple[str, ...], extra: Observation | None) -> GoOn | None:
        """The rule over some concepts, and one observation more, where they tell."""
        at: At = self.location
        allowed = self.bounds.allowed
        columns = [self.state.examples.own(Get(name, at), at) for name in names]
        columns += [] if extra is None else [extra.column]
        packed = pack(np.stack(columns, 1)[self.here])
        patterns, pattern = np.unique(packed, return_inverse=True)
        # of each pattern, in how many graphs it is seen
        seen = np.unique(np.stack([pattern, self.owner]), axis=1)
        for wanted, quantifier in ((True, Quantifier.EXISTS), (False, Quantifier.NO)):
            is_right = (self.wanted == wanted)[seen[1]]
            right = np.bincount(seen[0][is_right], minlength=len(patterns))
            wrong = np.bincount(seen[0][~is_right], minlength=len(patterns))
            off = wrong > allowed * right
            has_one = np.zeros(len(self.graphs), bool)
            has_one[self.owner[~off[pattern]]] = True
            if (has_one != (self.wanted == wanted)).mean() > allowed:
                continue
            if extra is not None:
                name = self.state.concept(self.location, self.state.outspoken(extra.said))
                if name in names:
                    return self._rule(names, None)
                names = (*names, name)
            rules = minimal_rules(names, patterns[~off], patterns[off], seconds=2.0)
            return GoOn(rules.formula, quantifier)
        return None


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
        self.schema, self.episodes, self.mark_all = schema, episodes, mark_all
        self.bounds = Bounds(until=until)
        self.state = SearchState(schema, episodes, progress, kept)
        self.sums: dict[str, Let] = {}
        self.going_on: GoOn | None = None
        self.pending: list[Decision | MoveSearch] = []  # what is not explained

    def run(self) -> None:
        """Explains every decision; an UnexplainedError says which it cannot."""
        self.pending = [*self._decisions(), *self.moves()]
        self._explain(PHASES, self.bounds)
        self._explain_ends(self.bounds)

    def run_with_exceptions(self, earlier: Script, usual: float | None = None) -> None:
        """Explains every decision but for exceptions: for few first, then for more.

        earlier: of a search on fewer runs, whose observations are cheap now.
        usual: the share of exceptions, where it is known; by default that by which something is
        explained first.
        """
        self.pending = [*self._decisions(), *self.moves(MOST_SHARE)]
        self.state.observe_again(earlier)
        # what was observed before is cheap now; a better choice may be there all the same
        first = () if usual is None else (Bounds(range(3, 4), choose=True),)
        whole, phases = self.bounds, CHEAP
        for allowed in ALLOWED:
            if usual is not None and allowed < usual:
                continue
            whole, left = replace(whole, allowed=allowed), len(self.pending)
            some_time = self._slice(whole)
            is_dear = usual is not None and allowed >= LIKELY * usual
            for some in (CHEAP, DEARER) if is_dear else (CHEAP,):
                phases = (*first, *some)
                with suppress(UnexplainedError):
                    self._explain(phases, some_time)
            if usual is None and len(self.pending) < left:
                usual = allowed
            if not self.pending:
                break
        self._explain(phases, whole)  # or says what is not
        try:
            self._explain_ends(replace(self._slice(whole), allowed=0.0), whole.allowed)
        except UnexplainedError:
            self._explain_ends(whole)

    def _slice(self, bounds: Bounds) -> Bounds:
        now = time.process_time()
        return replace(bounds, until=now + SLICE * (bounds.until - now))

    def _explain(self, phases: Sequence[Bounds], whole: Bounds) -> None:
        """Explains all that is pending, and takes it away from there."""
        bounds = [replace(one, until=whole.until, allowed=whole.allowed) for one in phases]
        while self.pending:
            if not any(map(self._some_explained, bounds)):
                names = ", ".join(f"'{item.name}'" for item in self.pending)
                why = ": it looks at more, or at what is no field (docs/limits.md)."
                raise UnexplainedError(
                    f"{names}: not settled by observations of up to price {MOST_PRICE}"
                    f"{' in this time: give more.' if whole.is_late else why}"
                )
            self.state.flatten()

    @property
    def may_have_erred(self) -> bool:
        """Whether something is not explained, and may be by more states: what was found before it
        may be wrong. Where nothing was, more states explain no more than few.
        """
        found = self.state.script.decisions.values()
        return bool(self.pending) and any(made.chosen for made in found)

    def moves(self, allowed: float = 0.0) -> list[MoveSearch]:
        """Of the pointers and numbers of the state."""
        return [
            MoveSearch(self.state, name, self.sums, mark_all=self.mark_all, allowed=allowed)
            for name, field in self.schema.state.items()
            if not field.is_decided
        ]

    def _some_explained(self, bounds: Bounds) -> bool:
        """Whether some of what is pending is explained in a phase: the first at one price."""
        state, pending, left = self.state, self.pending, len(self.pending)
        if bounds.depth < state.depth:
            state.flatten()
        while state.depth < bounds.depth and not bounds.is_late:
            state.deepen(bounds)
        for kind in (Decision, MoveSearch):
            if not (bounds.mixed if kind is Decision else bounds.classes):
                for price in bounds.prices:
                    at_price = replace(bounds, price=price)
                    for item in [item for item in pending if isinstance(item, kind)]:
                        if not bounds.is_late and self._is_explained(item, at_price):
                            pending.remove(item)
                    if len(pending) < left:
                        return True
        return False

    def _is_explained(self, item: Decision | MoveSearch, bounds: Bounds) -> bool:
        state = self.state
        if isinstance(item, MoveSearch):
            return item.is_explained(bounds)
        price = bounds.price
        if bounds.classes:
            if not self._observe_classes(item, bounds):
                return False
            price = max(price, 2)  # that somebody in view becomes so costs 2
        if bounds.choose and bounds.allowed:
            for choice in self._choices(item, bounds):
                state.offer_choice(choice, bounds)
        elif bounds.choose:
            if not any(
                observed(state, choice, bounds)
                for observed in (observe_choice, observe_rule_or_choice)
                for choice in self._choices(item, bounds)
            ):
                return False
            # of an edge, that one of its links is the first costs 2
            price = 2 if item.location == "edge" else 1
        made = state.explain(item, replace(bounds, price=price))
        if made is not None:
            state.keep_output(made)
        return made is not None

    def _observe_classes(self, decision: Decision, bounds: Bounds) -> bool:
        """Observes where an element becomes of a class, of three or more, so that what it becomes
        may depend on what others do; whether something was observed.
        """
        state = self.state
        seen = len(state.script.look)
        if self.schema.decided[decision.name].kind == "category":
            for became in self._choices(decision, bounds):
                made = state.explain(became, bounds)
                if made is not None and made.chosen:
                    said = state.keep(made).says(1)
                    state.concept(decision.location, said, f"becomes_{became.name}")
        return len(state.script.look) > seen

    def _choices(self, decision: Decision, bounds: Bounds) -> Iterator[Decision]:
        """Where a class is decided that was not there before; and where it is decided at all."""
        name, labels = decision.name, np.unique(decision.decided).tolist()
        field, words = self.schema.decided[name], [f"not_{name}", name]
        if field.labels:
            words = [f"{name}_{label}" for label in field.labels]
        if name in self.schema.state:
            before = self.state.examples.earlier(name)[decision.rows]
            for label in labels[::-1]:
                became = ((decision.decided == label) & (before != label)).astype(np.int64)
                if became.sum() > bounds.allowed * len(became):
                    yield replace(decision, name=words[label], decided=became)
        for label in labels[1:]:
            is_so = (decision.decided == label).astype(np.int64)
            yield replace(decision, name=f"{words[label]}_at_all", decided=is_so)

    def _decisions(self) -> Iterator[Decision]:
        """Masks and categories that a step decides."""
        examples = self.state.examples
        for name, field in self.schema.decided.items():
            if field.kind == "category" and field.at != self.schema.location:
                raise UnexplainedError(
                    f"'{name}' is a category at the {field.at}: only masks can be "
                    "decided away from the outputs. Give a mask for each class."
                )
            if field.is_decided:
                rows = np.flatnonzero(examples.has_step(field.at))
                decided = examples.after(name)[rows].astype(np.int64)
                yield Decision(name, field.at, rows, decided)

    def _explain_ends(self, bounds: Bounds, allowed: float | None = None) -> None:
        """Explains what is told of a graph in the end, and when that is.

        allowed: the share of decisions on outcomes that may be exceptions.
        """
        state = self.state
        whole = replace(bounds, allowed=bounds.allowed if allowed is None else allowed)
        rows = np.flatnonzero(~state.examples.has_step("graph"))
        for name in self.schema.outcomes:
            if name in self.schema.state:
                continue  # it is told as it is carried
            told = torch.cat([block.outcomes[name] for block in state.examples.blocks]).numpy()
            decision = Decision(name, "graph", rows, told[rows].astype(np.int64))
            for price in range(1, MOST_PRICE + 1):
                made = state.explain(decision, replace(whole, price=price))
                if made is not None:
                    state.observe(name, "graph", state.keep(made).says(1))
                    break
                if price == 3:
                    state.deepen(whole)
            else:
                raise UnexplainedError(f"the outcome '{name}' is not settled.")
            state.flatten()
        is_fixed = limit_of(self.episodes, fixed=True) is not None
        search = GoingOnSearch(state, self.concepts, bounds)
        self.going_on = search.rule(may_be_fixed=is_fixed)

    @property
    def concepts(self) -> tuple[str, ...]:
        """The names of what decides outputs, each once, in order."""
        found = self.state.script.decisions
        outputs = [found[name].concepts for name in self.schema.outputs if name in found]
        return tuple(dict.fromkeys(name for names in outputs for name in names))

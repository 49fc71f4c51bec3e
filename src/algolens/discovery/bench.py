"""Settling one decision after the other: what was observed so far, and what may be observed."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np
from torch import Tensor

from algolens.discovery.bits import BitTable, pack_columns
from algolens.discovery.choosing import LikelyChoice, likely_choice
from algolens.discovery.decisions import Decision, Script, SettledDecision, after_name
from algolens.discovery.fit import cheapest_fit, shortest_description
from algolens.discovery.names import concept_name, free_name, words_of
from algolens.discovery.observations import Candidates, Observation
from algolens.discovery.schema import Episodes, Schema
from algolens.discovery.situations import Situations
from algolens.errors import DefinitionError
from algolens.language.fields import Category, Location, Mask
from algolens.language.ir import (
    At,
    Expr,
    Field,
    Get,
    Me,
    Quantified,
    conjunction,
    negation,
    rebuilt,
)
from algolens.language.text import Text
from algolens.logic import pack

MOST_PRICE = 7  # of one observation
FURTHER = 2  # prices beyond the first at which a decision is settled, in search of a cheaper set
FURTHEST = 4  # but no further than that
KNOWN = 0.1  # what an observation costs that was chosen before
MOST_OFFERED = 12_000  # observations, beyond which no cheaper set is looked for
OTHERS_SECONDS = 0.5  # of looking for another set of the same price
# with exceptions
EXACT = 3  # up to this price, what needs no exception is looked for first
DESCRIBED_FURTHER = 1  # prices beyond the first at which a description is short enough
ENOUGH = 8000  # observations, beyond which no dearer ones are offered
MOST_DESCRIBED = 5000  # of them that a description may choose; beyond it, the cheapest
MOST_SHARE = 0.25  # of exceptions, beyond which nothing is said to be found
MOST_INNER = 80  # observations of a location that others may look at


class Bench:
    """Situations, what was observed in them, and what settles a decision.

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
    kept : sequence of Tensor, optional
        The states of each run that are looked at; by default all.
    """

    def __init__(
        self,
        schema: Schema,
        episodes: Sequence[Episodes],
        until: float,
        progress: Callable[[str], None],
        kept: Sequence[Tensor] | None = None,
    ) -> None:
        self.schema, self.until, self.progress = schema, until, progress
        self.situations = Situations(schema, episodes, kept)
        self.script = Script()
        self.exceptions = 0.0  # the share of a decision's elements that may be exceptions
        self.tried = 0  # statements
        self.depth = 0
        self.many = False  # whether many observations together may settle a decision
        self._inner: dict[str, tuple[Location, Expr]] = {}
        self._names: dict[tuple[Location, Expr], str] = {}
        fields = self.situations.fields.items()
        self.text = Text({(field.at, name): field.labels for name, field in fields if field.labels})
        self._candidates: dict[Location, Candidates] = {}
        self.memo: dict[tuple[object, ...], Any] = {}  # while statements can name the same
        self._choices: dict[Expr, LikelyChoice] = {}  # that were offered,
        self._num_past = 0  # of these, the first, which are offered no more

    @property
    def look(self) -> dict[str, tuple[Location, Expr]]:
        """What is observed, in order."""
        return self.script.look

    def is_late(self) -> bool:
        """Whether the time is spent."""
        return time.process_time() > self.until

    def settled(self, decision: Decision, bound: int) -> SettledDecision | None:
        """What settles a decision, of observations of up to a price: all of it, or where exceptions
        are allowed, all but those.
        """
        exact = None
        if not self.exceptions or bound <= EXACT:
            exact = self._settled_exactly(decision, bound)
        if exact is not None or not self.exceptions:
            return exact
        most = MOST_SHARE if decision.judged_later else self.exceptions
        best = None
        for reach in range(bound, bound + DESCRIBED_FURTHER + 1):
            if self.is_late() or (
                reach > bound and len(self.offered(decision.location, reach - 1)) > ENOUGH
            ):
                break
            share, bits, made = self._described(decision, reach)
            if share <= most and (best is None or bits < best[0]):
                best = bits, made
            if best is None or decision.judged_later:
                break
        return None if best is None else best[1]

    def _settled_exactly(self, decision: Decision, bound: int) -> SettledDecision | None:
        best, last = None, MOST_PRICE
        numbers: tuple[int, ...] = ()
        _, sizes = np.unique(decision.decided, return_counts=True)
        # what costs much more than its dearest part may be a chance of the few runs seen
        evidence = np.log2(1 + sizes.sum() - sizes.max(initial=0)) if self.many else 0.0
        while bound <= last:
            observations = self.offered(decision.location, bound)
            costs = self._prices(decision.location, observations)
            most = min(bound + 4, 2 * bound + 1) + evidence if best is None else best.cost - 0.05
            bits = self.bits(decision.location)
            chosen = cheapest_fit(bits, decision.rows, decision.decided, costs, self.until, most)
            if chosen is None and best is None:
                return None
            if best is None:
                last = max(bound, min(bound + FURTHER, FURTHEST))
            if chosen is not None:
                numbers = chosen.chosen
                some = [observations[number] for number in numbers]
                best = replace(_settled_by(decision, some, chosen.cost), proven=chosen.proven)
            assert best is not None
            is_whole = self._candidates[decision.location].complete
            best = replace(best, proven=best.proven and is_whole, bound=bound)
            # a set that costs less has no part that costs as much
            last = min(last, int(np.ceil(best.cost)) - 1)
            bound += 1
            if len(observations) > MOST_OFFERED or self.is_late():
                break
        if best is not None and decision.name in self.schema.decided:
            best = replace(best, others=self._others(decision, best, numbers))
        return best

    def _others(
        self, decision: Decision, settled: SettledDecision, chosen: Sequence[int]
    ) -> tuple[SettledDecision, ...]:
        """Other sets of the same price that settle a decision: without each of those that were
        chosen, another one.
        """
        observations = self.offered(decision.location, 1)
        bits = self.bits(decision.location)
        costs = self._prices(decision.location, observations)
        others = {}
        for number in chosen:
            dearer = costs.copy()
            dearer[number] = np.inf
            until = min(self.until, time.process_time() + OTHERS_SECONDS)
            made = cheapest_fit(bits, decision.rows, decision.decided, dearer, until, settled.cost)
            some = [] if made is None else [observations[number] for number in made.chosen]
            if made is not None and not any(
                words_of(one.said) & self._inner.keys() for one in some
            ):
                others[made.chosen] = _settled_by(decision, some, made.cost)
        return tuple(others.values())

    def offered(self, location: Location, bound: int) -> list[Observation]:
        """All observations of up to a price."""
        if location not in self._candidates:
            self._candidates[location] = Candidates(self.situations, location)
        candidates = self._candidates[location]
        before = candidates.tried
        observations = candidates.up_to(bound, self.until)
        self.tried += candidates.tried - before
        return observations

    def bits(self, location: Location) -> BitTable:
        """Where all observations hold that were offered so far."""
        return self._candidates[location].bits

    def deepen(self) -> None:
        """Lets statements name cheap observations of others, which look at others themselves."""
        self.depth += 1
        added = {}
        at_links = any(
            f.location in (Location.EDGE, Location.LINK) for f in self.schema.before.values()
        )
        for location in (Location.NODE, Location.GRAPH, *((Location.EDGE,) if at_links else ())):
            taken = 0
            for observation in self.offered(location, self.depth + 1):
                if (
                    observation.cost < 2
                    or not isinstance(observation.said, Quantified)
                    or (location, observation.said) in self._names
                    or taken == MOST_INNER
                ):
                    continue
                taken += 1
                name = f"inner{len(self._inner)}"
                self._inner[name] = (location, observation.said)
                self.situations.prices[name] = observation.cost
                values = self.situations.split(observation.column, location)
                added[name] = (Field(location.value, "mask"), values)
        self.situations.add(added)
        self._changed()

    def flatten(self) -> None:
        """Takes inner observations away again."""
        if self.depth:
            self.depth = 0
            self.situations.remove(self._inner)
            self._changed()

    def _changed(self) -> None:
        """Where statements may name something else than before."""
        self._candidates.clear()
        self.memo.clear()
        self._num_past = len(self._choices)

    def _described(self, decision: Decision, reach: int) -> tuple[float, float, SettledDecision]:
        """The share of exceptions of the shortest description, its bits, and what it settles."""
        observations = self.offered(decision.location, reach)
        rows, decided = decision.rows, decision.decided
        choices = [
            Observation(said, round(choice.cost), choice.column)
            for said, choice in [*self._choices.items()][self._num_past :]
            if choice.decision.location is decision.location
        ]
        key = (len(observations), len(choices), *decision.key)
        if key not in self.memo:
            costs = self._prices(decision.location, observations)
            kept = np.sort(np.argsort(costs, kind="stable")[:MOST_DESCRIBED])
            more = np.array([some.column[rows] for some in choices], bool)
            columns = [
                self.bits(decision.location).columns(rows)[kept],
                pack_columns(more.reshape(len(choices), len(rows)).T),
            ]
            observations = [*(observations[number] for number in kept), *choices]
            costs = np.append(costs[kept], [some.cost for some in choices])
            described = shortest_description(np.concatenate(columns), decided, costs, self.until)
            is_usual = ~described.is_exception
            rest = replace(decision, rows=rows[is_usual], decided=decided[is_usual])
            chosen = [observations[number] for number in described.chosen]
            made = _settled_by(rest, chosen, float(costs[list(described.chosen)].sum()))
            made = replace(made, proven=False, bound=reach)  # a beam search proves nothing
            self.memo[key] = described.share, described.bits, made
        share, bits, made = self.memo[key]
        return share, bits, replace(made, name=decision.name)

    def offer_choice(self, decision: Decision) -> None:
        """Lets a description choose the first of those that could be, if there is an order."""
        key = ("choice", *decision.key)
        if key not in self.memo:
            self.memo[key] = choice = likely_choice(self, decision)
            if choice is not None:
                number = len(self._choices)
                self._choices[Get(f"choice{number}", decision.location.value)] = choice

    def _prices(self, location: Location, observations: Sequence[Observation]) -> np.ndarray:
        prices = self._candidates[location].prices.copy()
        for place in np.flatnonzero(prices <= 1).tolist():
            prices[place] = self._price(location, observations[place])
        return prices

    def _price(self, location: Location, observation: Observation) -> float:
        if observation.cost > 1:  # one that was chosen before has a name, which costs 1
            return observation.cost
        match said := observation.said:
            case Get(name, _, Me()) if name in self._names.values():
                return KNOWN
        return KNOWN if (location, said) in self._names else observation.cost

    # ---- what was settled

    def keep(self, settled: SettledDecision) -> SettledDecision:
        """Names the observations that settle a decision; choices among them are observed now."""
        chosen = {one: self._choices[one] for one in settled.said if one in self._choices}
        observed = {one: choice.observe(self) for one, choice in chosen.items()}
        said = tuple(self.outspoken(observed.get(one, one)) for one in settled.said)
        names = tuple(self.concept(settled.location, one) for one in said)
        named = replace(settled, said=said, concepts=names)
        self.script.decisions[settled.name] = named
        how = "; ".join(map(self.text, said)) or "always the same"
        self.progress(f"settled {settled.name}: {how}")
        return named

    def keep_output(self, settled: SettledDecision) -> None:
        """The same; what was decided is an atom of all that follows."""
        named, name = self.keep(settled), settled.name
        kind = self.schema.decided[name].kind
        at: At = named.location.value
        says: dict[str, Expr] = {}
        if isinstance(kind, Mask):
            says[after_name(name)] = named.says(1)
            if name in self.schema.state:
                before = negation(Get(name, at))
                says[f"new_{name}"] = conjunction(Get(after_name(name), at), before)
        elif isinstance(kind, Category) and named.concepts:
            for number, label in enumerate(kind.labels):
                if (named.decided == number).any():
                    says[after_name(f"{name}_{label}")] = named.says(number)
        for after, said in says.items():
            self.observe(after, named.location, said)
            self.script.decided.add(after)

    def outspoken(self, said: Expr) -> Expr:
        """A statement whose inner observations are observed under names of their own."""
        inner = words_of(said) & self._inner.keys()
        if not inner:
            return said
        names = {}
        for name in sorted(inner):
            location, inside = self._inner[name]
            names[name] = self.concept(location, self.outspoken(inside))

        def named(part: Expr) -> Expr:
            if isinstance(part, Get):
                return Get(names.get(part.column, part.column), part.at, named(part.of))
            renamed: Expr = rebuilt(part, named)
            return renamed

        return named(said)

    def concept(self, location: Location, said: Expr, wanted: str | None = None) -> str:
        """The name of an observation; made from what it says, where it has none and none is
        wanted.
        """
        match said:
            case Get(name, _, Me()) if name in self.look:
                return name
        key = (location, said)
        if key not in self._names:
            self._names[key] = self.free_name(wanted or concept_name(said, self.text))
            self.observe(self._names[key], location, said)
        return self._names[key]

    def observe_again(self, earlier: Script) -> None:
        """What an earlier search observed, but for what a step decides: it is cheap now."""
        for name, (location, said) in earlier.look.items():
            if name not in earlier.decided:
                with suppress(DefinitionError):  # it names what is not there this time
                    self.observe(name, location, said)
                    self._names[location, said] = name

    def free_name(self, wanted: str) -> str:
        """A name that nothing has."""
        taken = {*self.situations.fields, *self.look, *self.schema.decided, *self.schema.inputs}
        return free_name(wanted, taken)

    def observe(self, name: str, location: Location, said: Expr) -> None:
        """Adds an observation, which all that follows may name."""
        values = self.situations.observe(location.value, said)
        self.look[name] = (location, said)
        self.add(name, Field(location.value, "mask"), values)

    def add(self, name: str, field: Field, values: Sequence[Tensor]) -> None:
        """Adds a field that statements may name; a tensor for each block."""
        self.situations.add({name: (field, values)})
        self._changed()


def _settled_by(decision: Decision, chosen: Sequence[Observation], cost: float) -> SettledDecision:
    """What is decided on each pattern of some observations."""
    if chosen:
        packed = pack(np.stack([some.column[decision.rows] for some in chosen], 1))
    else:
        packed = np.zeros(len(decision.rows), np.uint64)
    patterns, first = np.unique(packed, return_index=True)
    said = tuple(some.said for some in chosen)
    columns = tuple(some.column for some in chosen)
    decided = decision.decided[first]
    return SettledDecision(
        decision.name, decision.location, said, columns, (), patterns, decided, cost
    )

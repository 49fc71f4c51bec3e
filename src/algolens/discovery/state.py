"""The state of a search: what was observed so far, and what may explain a decision."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from typing import Any

import numpy as np
from numpy import ndarray
from torch import Tensor

from algolens.discovery.candidates import Candidates, Observation
from algolens.discovery.choices import likely_choice
from algolens.discovery.decisions import (
    MOST_PRICE,
    MOST_SHARE,
    Bounds,
    Decision,
    Explanation,
    Script,
    after_name,
)
from algolens.discovery.examples import Examples
from algolens.discovery.fit import cheapest_fit, pack_columns, shortest_description
from algolens.discovery.names import concept_name, free_name, words_of
from algolens.discovery.oracle import Episodes, Schema
from algolens.language.check import MOST_BITS
from algolens.language.ir import (
    ME,
    At,
    Expr,
    Field,
    Get,
    Let,
    Quantified,
    conjunction,
    negation,
    rebuilt,
)
from algolens.language.text import Text

FURTHER = 2  # prices beyond the first at which a decision is explained, in search of a cheaper set
FURTHEST = 4  # but no further than that
KNOWN = 0.1  # what an observation costs that was chosen before
MOST_OFFERED = 12_000  # observations, beyond which no cheaper set is looked for
OTHERS_SECONDS = 0.5  # of looking for another set of the same price
MOST_INNER = 80  # observations of a location that others may look at
# with exceptions
EXACT = 3  # up to this price, what needs no exception is looked for first
ENOUGH = 8000  # observations, beyond which no dearer ones are offered
MOST_DESCRIBED = 5000  # of them that a description may choose; beyond it, the cheapest


class SearchState:
    """Examples, what was observed in them, and what explains a decision.

    Parameters
    ----------
    schema : Schema
        The fields.
    episodes : sequence of Episodes
        The runs.
    progress : callable
        Callback for one-line progress messages.
    kept : sequence of Tensor, optional
        The states of each run that are looked at; by default all.
    """

    def __init__(
        self,
        schema: Schema,
        episodes: Sequence[Episodes],
        progress: Callable[[str], None] = lambda _: None,
        kept: Sequence[Tensor] | None = None,
    ) -> None:
        self.schema, self.progress = schema, progress
        self.examples = Examples(schema, episodes, kept)
        self.script, self.depth = Script(), 0
        self._inner: dict[str, tuple[At, Expr]] = {}
        self._names: dict[tuple[At, Expr], str] = {}
        fields = self.examples.fields.items()
        self.text = Text({(field.at, name): field.labels for name, field in fields if field.labels})
        # while statements can name the same:
        self._candidates: dict[At, Candidates] = {}
        self._memo: dict[tuple[object, ...], Any] = {}
        self._choices: list[tuple[At, Observation]] = []  # that were offered

    def explain(self, decision: Decision, bounds: Bounds) -> Explanation | None:
        """What explains a decision, of observations of up to a price: all of it, or all but
        exceptions, where they are allowed.
        """
        exact, price = None, bounds.price
        if not bounds.allowed or price <= EXACT:
            exact = self._explain_all(decision, bounds)
        if exact is not None or not bounds.allowed:
            return exact
        most = MOST_SHARE if decision.judged_later else bounds.allowed
        best = None
        for reach in (price, price + 1):
            offered = self.offered(decision.location, bounds).all
            if (reach > price and len(offered) > ENOUGH) or bounds.is_late:
                break
            share, bits, made = self._described(decision, replace(bounds, price=reach))
            if share <= most and (best is None or bits < best[0]):
                best = bits, made
            if best is None or decision.judged_later:
                break
        return None if best is None else best[1]

    def _explain_all(self, decision: Decision, bounds: Bounds) -> Explanation | None:
        """What explains all of a decision; dearer observations may make a cheaper set."""
        best, last, price = None, MOST_PRICE, bounds.price
        _, sizes = np.unique(decision.decided, return_counts=True)
        # what costs much more than its dearest part may be a chance of the few runs seen
        evidence = np.log2(1 + sizes.sum() - sizes.max(initial=0)) if bounds.many else 0.0
        while price <= last:
            candidates = self.offered(decision.location, replace(bounds, price=price))
            most = min(price + 4, 2 * price + 1) + evidence if best is None else best.cost - 0.05
            costs = self._prices(decision.location)
            made = self._cheapest(decision, candidates, costs, most, bounds.until)
            if best is None:
                if made is None:
                    return None
                last = max(price, min(price + FURTHER, FURTHEST))
            best = made or best
            assert best is not None
            best = replace(best, proven=best.proven and candidates.complete, bound=price)
            # a set that costs less has no part that costs as much
            last = min(last, int(np.ceil(best.cost)) - 1)
            price += 1
            if len(candidates.all) > MOST_OFFERED or bounds.is_late:
                break
        if best is not None and decision.name in self.schema.decided:
            best = replace(best, others=tuple(self._others(decision, best, bounds)))
        return best

    def _cheapest(
        self,
        decision: Decision,
        candidates: Candidates,
        costs: ndarray,
        most: float,
        until: float,
    ) -> Explanation | None:
        """The cheapest set that explains a decision, for no more than it may cost."""
        fit = cheapest_fit(candidates.bits, decision.rows, decision.decided, costs, until, most)
        if fit is None:
            return None
        chosen = [candidates.all[number] for number in fit.chosen]
        return Explanation.of(decision, chosen, fit.cost, proven=fit.proven)

    def _others(
        self, decision: Decision, best: Explanation, bounds: Bounds
    ) -> Iterator[Explanation]:
        """Other sets of the same price that explain a decision: without each of those that were
        chosen, another one.
        """
        candidates, known = self._candidates[decision.location], []
        for one in best.chosen:
            costs = self._prices(decision.location)
            costs[candidates.all.index(one)] = np.inf
            until = min(bounds.until, time.process_time() + OTHERS_SECONDS)
            made = self._cheapest(decision, candidates, costs, best.cost, until)
            if made is not None and made.chosen not in known:
                known.append(made.chosen)
                if not any(words_of(said) & self._inner.keys() for said in made.said):
                    yield made

    def offered(self, location: At, bounds: Bounds) -> Candidates:
        """All observations of up to a price."""
        if location not in self._candidates:
            self._candidates[location] = Candidates(self.examples, location)
        return self._candidates[location].up_to(bounds.price, bounds.until)

    def _prices(self, location: At) -> ndarray:
        """[K] what all observations cost; one that was chosen before has a name, which is cheap."""
        candidates = self._candidates[location]
        prices, names = candidates.prices.copy(), {*self._names.values()}
        for place in np.flatnonzero(prices <= 1).tolist():
            said = candidates.all[place].said
            if (location, said) in self._names or own_name(said) in names:
                prices[place] = KNOWN
        return prices

    def _described(self, decision: Decision, bounds: Bounds) -> tuple[float, float, Explanation]:
        """The share of exceptions of the shortest description, its bits, and what it explains."""
        location, rows, decided = decision.location, decision.rows, decision.decided
        candidates = self.offered(location, bounds)
        choices = [choice for at, choice in self._choices if at == location]
        key = (len(candidates.all), len(choices), *decision.key)
        if key not in self._memo:
            costs = self._prices(location)
            kept = np.sort(np.argsort(costs, kind="stable")[:MOST_DESCRIBED])
            more = np.array([some.column[rows] for some in choices], bool)
            columns = [
                candidates.bits.columns(rows)[kept],
                pack_columns(more.reshape(len(choices), len(rows)).T),
            ]
            offered = [*(candidates.all[number] for number in kept), *choices]
            costs = np.append(costs[kept], [some.cost for some in choices])
            best = shortest_description(np.concatenate(columns), decided, costs, bounds.until)
            is_usual = ~best.is_exception
            made = Explanation.of(
                replace(decision, rows=rows[is_usual], decided=decided[is_usual]),
                [offered[number] for number in best.chosen],
                float(costs[[*best.chosen]].sum()),
                proven=False,  # a beam search proves nothing
                bound=bounds.price,
            )
            self._memo[key] = best.share, best.bits, made
        share, bits, made = self._memo[key]
        return share, bits, replace(made, name=decision.name)

    def offer_choice(self, decision: Decision, bounds: Bounds) -> None:
        """Lets a description choose the first of those that could be, if there is an order."""
        key = ("choice", *decision.key)
        if key not in self._memo:
            self._memo[key] = choice = likely_choice(self, decision, bounds)
            if choice is not None:
                offered = Observation(
                    lambda: choice.said(self), round(choice.cost), lambda: choice.column
                )
                self._choices.append((decision.location, offered))

    # ---- what statements may name

    def deepen(self, bounds: Bounds) -> None:
        """Lets statements name cheap observations of others, which look at others themselves."""
        self.depth += 1
        added = {}
        held = {field.at for field in self.schema.before.values()}
        at_links = held & {"edge", "link"}
        for location in ("node", "graph", *(["edge"] if at_links else ())):
            inner = (
                one
                for one in self.offered(location, replace(bounds, price=self.depth + 1)).all
                if one.cost >= 2 and isinstance(one.said, Quantified)
                if (location, one.said) not in self._names
            )
            for observation in islice(inner, MOST_INNER):
                name = f"inner{len(self._inner)}"
                self._inner[name] = (location, observation.said)
                self.examples.prices[name] = observation.cost
                values = self.examples.split(observation.column, location)
                added[name] = (Field(location, "mask"), values)
        self._add(added)

    def flatten(self) -> None:
        """Takes inner observations away again."""
        if self.depth:
            self.depth = 0
            self.examples.remove(self._inner)
            self._add({})

    def observe(self, name: str, location: At, said: Expr) -> None:
        """Adds an observation, which all that follows may name."""
        values = self.examples.observe(location, said)
        self.script.look[name] = (location, said)
        self._add({name: (Field(location, "mask"), values)})

    def add_sum(self, let: Let) -> None:
        """Adds a sum that statements may name."""
        field = Field(let.at, "number", bits=MOST_BITS, signed=True)
        values = self.examples.value(let.value, let.at)
        self._add({let.name: (field, self.examples.split(values, let.at))})

    def _add(self, fields: Mapping[str, tuple[Field, Sequence[Tensor]]]) -> None:
        """Adds fields that statements may name, and forgets what was offered before."""
        self.examples.add(fields)
        self._candidates.clear()
        self._memo.clear()
        self._choices.clear()

    def observe_again(self, earlier: Script) -> None:
        """What an earlier search observed, but for what a step decides: it is cheap now."""
        for name, (location, said) in earlier.look.items():
            if name not in earlier.decided:
                with suppress(KeyError):  # it names what is not there this time
                    self.observe(name, location, said)
                    self._names[location, said] = name

    # ---- what was explained

    def keep(self, made: Explanation) -> Explanation:
        """Names the observations that explain a decision; choices among them are observed now."""
        said = tuple(map(self.outspoken, made.said))
        names = tuple(self.concept(made.location, one) for one in said)
        named = self.script.decisions[made.name] = replace(made, told=said, concepts=names)
        how = "; ".join(map(self.text, said)) or "always the same"
        self.progress(f"settled {made.name}: {how}")
        return named

    def keep_output(self, made: Explanation) -> None:
        """The same; what was decided is an atom of all that follows."""
        named, name = self.keep(made), made.name
        field, at = self.schema.decided[name], made.location
        says: dict[str, Expr] = {}
        if field.kind == "mask":
            says[after_name(name)] = named.says(1)
            if name in self.schema.state:
                after, before = Get(after_name(name), at), Get(name, at)
                says[f"new_{name}"] = conjunction(after, negation(before))
        elif field.labels and named.concepts:
            for number, label in enumerate(field.labels):
                if (named.decided == number).any():
                    says[after_name(f"{name}_{label}")] = named.says(number)
        for called, said in says.items():
            self.observe(called, named.location, said)
            self.script.decided.add(called)

    def outspoken(self, said: Expr) -> Expr:
        """A statement whose inner observations are observed under names of their own."""
        names = {
            name: self.concept(location, self.outspoken(inside))
            for name in sorted(words_of(said) & self._inner.keys())
            for location, inside in [self._inner[name]]
        }

        def named(part: Expr) -> Expr:
            if isinstance(part, Get):
                return Get(names.get(part.column, part.column), part.at, named(part.of))
            renamed: Expr = rebuilt(part, named)
            return renamed

        return named(said) if names else said

    def concept(self, location: At, said: Expr, wanted: str | None = None) -> str:
        """The name of an observation; made from what it says, where it has none and none is
        wanted.
        """
        name, key = own_name(said), (location, said)
        if name in self.script.look:
            return name
        if key not in self._names:
            self._names[key] = self.free_name(wanted or concept_name(said, self.text))
            self.observe(self._names[key], location, said)
        return self._names[key]

    def free_name(self, wanted: str) -> str:
        """A name that nothing has."""
        schema = self.schema
        taken = {*self.examples.fields, *self.script.look, *schema.decided, *schema.inputs}
        return free_name(wanted, taken)


def own_name(said: Expr) -> str:
    """The name of what is read of the element itself, where a statement is no more than that."""
    return said.column if isinstance(said, Get) and said.of == ME else ""

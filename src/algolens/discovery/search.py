"""The search: what explains every decision of a step, on the examples that were seen."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import combinations, islice
from typing import Any

import msgspec
import numpy as np
import torch
from numpy import ndarray
from torch import Tensor

from algolens.algorithms import Limit
from algolens.discovery.candidates import Candidates, Observation
from algolens.discovery.choices import likely_choice, observe_choice, observe_rule_or_choice
from algolens.discovery.decisions import (
    Decision,
    Explanation,
    Script,
    UnexplainedError,
    after_name,
)
from algolens.discovery.examples import Examples
from algolens.discovery.fit import BitTable, cheapest_fit, pack_columns, shortest_description
from algolens.discovery.limits import Limits, Phase
from algolens.discovery.moves import MoveSearch
from algolens.discovery.names import concept_name, free_name, words_of
from algolens.discovery.oracle import Episodes, Schema
from algolens.language.fields import SUM
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
from algolens.logic import GoOn, Quantifier, minimal_rules, pack

STEP_LIMITS = (
    Limit(),
    Limit(2),
    Limit(3),
    Limit(per="edge"),
    Limit(per="pair"),
    Limit(2, "pair"),
)


def limit_of(episodes: Sequence[Episodes], *, fixed: bool) -> Limit | None:
    """The least limit that all runs keep; of a fixed number of steps, the one that all meet."""
    lengths = torch.cat([some.lengths for some in episodes])
    for limit in STEP_LIMITS:
        left = torch.cat([limit.on(some.graph) for some in episodes]) - lengths
        if not bool((left if fixed else left.clamp(max=0)).any()):
            return limit
    return None


class Search:
    """One search on some runs: its examples, what was observed in them, and what explains each
    decision of a step.

    Parameters
    ----------
    schema : Schema
        The fields.
    episodes : sequence of Episodes
        The runs.
    limits : Limits
        What is tried.
    kept : sequence of Tensor, optional
        The states of each run that are looked at; by default all.
    """

    def __init__(
        self,
        schema: Schema,
        episodes: Sequence[Episodes],
        limits: Limits,
        kept: Sequence[Tensor] | None = None,
    ) -> None:
        self.schema, self.episodes, self.limits = schema, episodes, limits
        self.examples = Examples(schema, episodes, kept)
        self.script, self.depth = Script(), 0
        self.sums: dict[str, Let] = {}
        self.going_on: GoOn | None = None
        self.pending: list[Decision | MoveSearch] = []  # what is not explained
        self._inner: dict[str, tuple[At, Expr]] = {}
        self._names: dict[tuple[At, Expr], str] = {}
        fields = self.examples.fields.items()
        self.text = Text({(field.at, name): field.labels for name, field in fields if field.labels})
        # while statements can name the same:
        self._candidates: dict[At, Candidates] = {}
        self._memo: dict[tuple[object, ...], Any] = {}
        self._choices: list[tuple[At, Observation]] = []  # that were offered

    def run(self, earlier: Script, usual: float | None = None) -> None:
        """Explains every decision; an UnexplainedError says which it cannot.

        Where exceptions are allowed, few are at first, then more.

        earlier: with exceptions, what was observed on fewer runs, which is cheap now.
        usual: the share of exceptions, where it is known; by default that by which something is
        explained first.
        """
        whole, phases = self.limits, self.limits.cheap
        self.pending = [*self._decisions(), *self.moves(whole)]
        if not whole.allowed:
            self._explain_pending(whole.phases, whole)
            self._explain_ends(whole)
            return
        self.observe_again(earlier)
        # what was observed before is cheap now; a better choice may be there all the same
        first = () if usual is None else (Phase(range(3, 4), choose=True),)
        for allowed in whole.shares:
            if usual is not None and allowed < usual:
                continue
            whole, left = replace(whole, allowed=allowed), len(self.pending)
            some_time = self._slice(whole)
            is_dear = usual is not None and allowed >= whole.likely * usual
            for some in (whole.cheap, whole.dear) if is_dear else (whole.cheap,):
                phases = (*first, *some)
                with suppress(UnexplainedError):
                    self._explain_pending(phases, some_time)
            if usual is None and len(self.pending) < left:
                usual = allowed
            if not self.pending:
                break
        self._explain_pending(phases, whole)  # or says what is not
        try:
            self._explain_ends(replace(self._slice(whole), allowed=0.0), whole.allowed)
        except UnexplainedError:
            self._explain_ends(whole)

    def _slice(self, limits: Limits) -> Limits:
        now = time.process_time()
        return replace(limits, until=now + limits.slice * (limits.until - now))

    def _explain_pending(self, phases: Sequence[Phase], whole: Limits) -> None:
        """Explains all that is pending, and takes it away from there."""
        tried = [replace(whole, phase=phase) for phase in phases]
        while self.pending:
            if not any(map(self._some_explained, tried)):
                names = ", ".join(f"'{item.name}'" for item in self.pending)
                why = ": it looks at more, or at what is no field (docs/limits.md)."
                raise UnexplainedError(
                    f"{names}: not settled by observations of up to price "
                    f"{whole.most_price}"
                    f"{' in this time: give more.' if whole.is_late else why}"
                )
            self.flatten()

    @property
    def may_have_erred(self) -> bool:
        """Whether something is not explained, and may be by more states: what was found before it
        may be wrong. Where nothing was, more states explain no more than few.
        """
        found = self.script.decisions.values()
        return bool(self.pending) and any(made.chosen for made in found)

    def moves(self, limits: Limits) -> list[MoveSearch]:
        """Of the pointers and numbers of the self."""
        return [
            MoveSearch(self, name, limits)
            for name, field in self.schema.state.items()
            if not field.is_decided
        ]

    def _some_explained(self, limits: Limits) -> bool:
        """Whether some of what is pending is explained in a phase: the first at one price."""
        pending, left, phase = self.pending, len(self.pending), limits.phase
        if phase.depth < self.depth:
            self.flatten()
        while self.depth < phase.depth and not limits.is_late:
            self.deepen(limits)
        for kind in (Decision, MoveSearch):
            if not (phase.mixed if kind is Decision else phase.classes):
                for price in phase.prices:
                    at_price = replace(limits, price=price)
                    for item in [item for item in pending if isinstance(item, kind)]:
                        if not limits.is_late and self._is_explained(item, at_price):
                            pending.remove(item)
                    if len(pending) < left:
                        return True
        return False

    def _is_explained(self, item: Decision | MoveSearch, limits: Limits) -> bool:
        if isinstance(item, MoveSearch):
            return item.is_explained(limits)
        price, choose = limits.price, limits.phase.choose
        if limits.phase.classes:
            if not self._observe_classes(item, limits):
                return False
            price = max(price, 2)  # that somebody in view becomes so costs 2
        if choose and limits.allowed:
            for choice in self._classes(item, limits):
                self.offer_choice(choice, limits)
        elif choose:
            if not any(
                observed(self, choice, limits)
                for observed in (observe_choice, observe_rule_or_choice)
                for choice in self._classes(item, limits)
            ):
                return False
            # of an edge, that one of its links is the first costs 2
            price = 2 if item.location == "edge" else 1
        made = self.explain(item, replace(limits, price=price))
        if made is not None:
            self.keep_output(made)
        return made is not None

    def _observe_classes(self, decision: Decision, limits: Limits) -> bool:
        """Observes where an element becomes of a class, of three or more, so that what it becomes
        may depend on what others do; whether something was observed.
        """
        seen = len(self.script.look)
        if self.schema.decided[decision.name].kind == "category":
            for became in self._classes(decision, limits):
                made = self.explain(became, limits)
                if made is not None and made.chosen:
                    said = self.keep(made).says(1)
                    self.concept(decision.location, said, f"becomes_{became.name}")
        return len(self.script.look) > seen

    def _classes(self, decision: Decision, limits: Limits) -> Iterator[Decision]:
        """Where a class is decided that was not there before; and where it is decided at all."""
        name, labels = decision.name, np.unique(decision.decided).tolist()
        field, words = self.schema.decided[name], [f"not_{name}", name]
        if field.labels:
            words = [f"{name}_{label}" for label in field.labels]
        if name in self.schema.state:
            before = self.examples.earlier(name)[decision.rows]
            for label in labels[::-1]:
                became = ((decision.decided == label) & (before != label)).astype(np.int64)
                if became.sum() > limits.allowed * len(became):
                    yield replace(decision, name=words[label], decided=became)
        for label in labels[1:]:
            is_so = (decision.decided == label).astype(np.int64)
            yield replace(decision, name=f"{words[label]}_at_all", decided=is_so)

    def _decisions(self) -> Iterator[Decision]:
        """Masks and categories that a step decides."""
        examples = self.examples
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

    def _explain_ends(self, limits: Limits, allowed: float | None = None) -> None:
        """Explains what is told of a graph in the end, and when that is.

        allowed: the share of decisions on outcomes that may be exceptions.
        """
        whole = replace(limits, allowed=limits.allowed if allowed is None else allowed)
        rows = np.flatnonzero(~self.examples.has_step("graph"))
        for name in self.schema.outcomes:
            if name in self.schema.state:
                continue  # it is told as it is carried
            told = torch.cat([block.outcomes[name] for block in self.examples.blocks]).numpy()
            decision = Decision(name, "graph", rows, told[rows].astype(np.int64))
            for price in range(1, limits.most_price + 1):
                made = self.explain(decision, replace(whole, price=price))
                if made is not None:
                    self.observe(name, "graph", self.keep(made).says(1))
                    break
                if price == 3:
                    self.deepen(whole)
            else:
                raise UnexplainedError(f"the outcome '{name}' is not settled.")
            self.flatten()
        is_fixed = limit_of(self.episodes, fixed=True) is not None
        search = GoingOnSearch(self, self.concepts, limits)
        self.going_on = search.rule(may_be_fixed=is_fixed)

    @property
    def concepts(self) -> tuple[str, ...]:
        """The names of what decides outputs, each once, in order."""
        found = self.script.decisions
        outputs = [found[name].concepts for name in self.schema.outputs if name in found]
        return tuple(dict.fromkeys(name for names in outputs for name in names))

    # ---- explaining a decision

    def explain(self, decision: Decision, limits: Limits) -> Explanation | None:
        """What explains a decision, of observations of up to a price: all of it, or all but
        exceptions, where they are allowed.
        """
        exact, price = None, limits.price
        if not limits.allowed or price <= limits.exact_price:
            exact = self._explain_all(decision, limits)
        if exact is not None or not limits.allowed:
            return exact
        most = limits.shares[-1] if decision.judged_later else limits.allowed
        best = None
        for reach in (price, price + 1):
            offered = self.offered(decision.location, limits).all
            if (reach > price and len(offered) > limits.enough) or limits.is_late:
                break
            share, bits, made = self._described(decision, replace(limits, price=reach))
            if share <= most and (best is None or bits < best[0]):
                best = bits, made
            if best is None or decision.judged_later:
                break
        return None if best is None else best[1]

    def _explain_all(self, decision: Decision, limits: Limits) -> Explanation | None:
        """What explains all of a decision; dearer observations may make a cheaper set."""
        best, last, price = None, limits.most_price, limits.price
        _, sizes = np.unique(decision.decided, return_counts=True)
        # what costs much more than its dearest part may be a chance of the few runs seen
        evidence = np.log2(1 + sizes.sum() - sizes.max(initial=0)) if limits.phase.many else 0.0
        while price <= last:
            candidates = self.offered(decision.location, replace(limits, price=price))
            most = min(price + 4, 2 * price + 1) + evidence if best is None else best.cost - 0.05
            costs = self._prices(decision.location, limits)
            made = self._cheapest(decision, candidates, costs, most, limits)
            if best is None:
                if made is None:
                    return None
                last = max(price, min(price + limits.further, limits.furthest))
            best = made or best
            assert best is not None
            best = replace(best, proven=best.proven and candidates.complete, bound=price)
            # a set that costs less has no part that costs as much
            last = min(last, int(np.ceil(best.cost)) - 1)
            price += 1
            if len(candidates.all) > limits.offered or limits.is_late:
                break
        if best is not None and decision.name in self.schema.decided:
            best = replace(best, others=tuple(self._others(decision, best, limits)))
        return best

    def _cheapest(
        self,
        decision: Decision,
        candidates: Candidates,
        costs: ndarray,
        most: float,
        limits: Limits,
    ) -> Explanation | None:
        """The cheapest set that explains a decision, for no more than it may cost."""
        fit = cheapest_fit(candidates.bits, decision.rows, decision.decided, costs, limits, most)
        if fit is None:
            return None
        chosen = [candidates.all[number] for number in fit.chosen]
        return Explanation.of(decision, chosen, fit.cost, proven=fit.proven)

    def _others(
        self, decision: Decision, best: Explanation, limits: Limits
    ) -> Iterator[Explanation]:
        """Other sets of the same price that explain a decision: without each of those that were
        chosen, another one.
        """
        candidates, known = self._candidates[decision.location], []
        for one in best.chosen:
            costs = self._prices(decision.location, limits)
            costs[candidates.all.index(one)] = np.inf
            until = min(limits.until, time.process_time() + limits.others_seconds)
            soon = replace(limits, until=until)
            made = self._cheapest(decision, candidates, costs, best.cost, soon)
            if made is not None and made.chosen not in known:
                known.append(made.chosen)
                if not any(words_of(said) & self._inner.keys() for said in made.said):
                    yield made

    def offered(self, location: At, limits: Limits) -> Candidates:
        """All observations of up to a price."""
        if location not in self._candidates:
            self._candidates[location] = Candidates(self.examples, location)
        return self._candidates[location].up_to(limits)

    def _prices(self, location: At, limits: Limits) -> ndarray:
        """[K] what all observations cost; one that was chosen before has a name, which is cheap."""
        candidates = self._candidates[location]
        prices, names = candidates.prices.copy(), {*self._names.values()}
        for place in np.flatnonzero(prices <= 1).tolist():
            said = candidates.all[place].said
            if (location, said) in self._names or own_name(said) in names:
                prices[place] = limits.known_price
        return prices

    def _described(self, decision: Decision, limits: Limits) -> tuple[float, float, Explanation]:
        """The share of exceptions of the shortest description, its bits, and what it explains."""
        location, rows, decided = decision.location, decision.rows, decision.decided
        candidates = self.offered(location, limits)
        choices = [choice for at, choice in self._choices if at == location]
        key = (len(candidates.all), len(choices), *decision.key)
        if key not in self._memo:
            costs = self._prices(location, limits)
            kept = np.sort(np.argsort(costs, kind="stable")[: limits.described])
            more = np.array([some.column[rows] for some in choices], bool)
            columns = [
                candidates.bits.columns(rows)[kept],
                pack_columns(more.reshape(len(choices), len(rows)).T),
            ]
            offered = [*(candidates.all[number] for number in kept), *choices]
            costs = np.append(costs[kept], [some.cost for some in choices])
            best = shortest_description(np.concatenate(columns), decided, costs, limits)
            is_usual = ~best.is_exception
            made = Explanation.of(
                replace(decision, rows=rows[is_usual], decided=decided[is_usual]),
                [offered[number] for number in best.chosen],
                float(costs[[*best.chosen]].sum()),
                proven=False,  # a beam search proves nothing
                bound=limits.price,
            )
            self._memo[key] = best.share, best.bits, made
        share, bits, made = self._memo[key]
        return share, bits, replace(made, name=decision.name)

    def offer_choice(self, decision: Decision, limits: Limits) -> None:
        """Lets a description choose the first of those that could be, if there is an order."""
        key = ("choice", *decision.key)
        if key not in self._memo:
            self._memo[key] = choice = likely_choice(self, decision, limits)
            if choice is not None:
                offered = Observation(
                    lambda: choice.said(self), round(choice.cost), lambda: choice.column
                )
                self._choices.append((decision.location, offered))

    # ---- what statements may name

    def deepen(self, limits: Limits) -> None:
        """Lets statements name cheap observations of others, which look at others themselves."""
        self.depth += 1
        added = {}
        held = {field.at for field in self.schema.before.values()}
        at_links = held & {"edge", "link"}
        for location in ("node", "graph", *(["edge"] if at_links else ())):
            inner = (
                one
                for one in self.offered(location, replace(limits, price=self.depth + 1)).all
                if one.cost >= 2 and isinstance(one.said, Quantified)
                if (location, one.said) not in self._names
            )
            for observation in islice(inner, limits.inner):
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
        self.sums[let.name] = let
        field = msgspec.structs.replace(SUM, at=let.at)
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
        self.limits.progress(f"settled {made.name}: {how}")
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


class GoingOnSearch:
    """A rule over concepts, or over one more observation, for whether a run goes on.

    Parameters
    ----------
    search : Search
        What was found.
    concepts : tuple of str
        What decides the outputs.
    limits : Limits
        Until when it may be looked for; ``allowed`` is the share of graphs where it may be wrong.
    """

    def __init__(self, search: Search, concepts: tuple[str, ...], limits: Limits) -> None:
        self.search, self.concepts, self.limits = search, concepts, limits
        self.location = search.schema.location
        # [G] 1 and 0: whether a run goes on; -1: it was not asked
        asked = torch.cat([block.asked for block in search.examples.blocks]).numpy()
        owner, self.graphs = search.examples.owner(self.location), np.flatnonzero(asked >= 0)
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
        most = self.limits.price_if_fixed if may_be_fixed else self.limits.most_price
        for names, extra in self._attempts(most):
            if (rule := self._rule(names, extra)) is not None:
                return rule
            if extra is not None and self.limits.is_late:
                break
        if may_be_fixed:
            return None
        raise UnexplainedError(
            "whether it goes on is not settled: no observation of some element, or of none, tells. "
            "Where it counts its steps, put the count into the state."
        )

    def _attempts(self, most: int) -> Iterator[tuple[tuple[str, ...], Observation | None]]:
        """Concepts, and an observation beside them, that may tell."""
        concepts, marks, limits = self.concepts, self.search.script.marks, self.limits
        for size in (1, 2):
            yield from ((names, None) for names in combinations(concepts, size))
        for price in range(1, 1 + most):
            candidates = self.search.offered(self.location, replace(limits, price=price))
            tells = self._telling(candidates.bits)
            new = [number for number, one in enumerate(candidates.all) if one.cost == price]
            # those that speak of what moves come first
            telling, extras = (
                sorted(
                    [candidates.all[number] for number in some[: limits.looked_through]],
                    key=lambda one: not words_of(one.said) & marks,
                )
                for some in ([number for number in new if tells[number]], new)
            )
            yield from (((), extra) for extra in telling)
            if price == 2 and concepts:
                yield concepts, None
            yield from ((concepts, extra) for extra in extras[: limits.extra])
            if price == 3 < most:
                self.search.deepen(limits)

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
                tells |= np.minimum(wrong, 1 - wrong) <= self.limits.allowed
        return tells

    def _rule(self, names: tuple[str, ...], extra: Observation | None) -> GoOn | None:
        """The rule over some concepts, and one observation more, where they tell."""
        at: At = self.location
        allowed = self.limits.allowed
        columns = [self.search.examples.own(Get(name, at), at) for name in names]
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
                name = self.search.concept(self.location, self.search.outspoken(extra.said))
                if name in names:
                    return self._rule(names, None)
                names = (*names, name)
            rules = minimal_rules(names, patterns[~off], patterns[off], seconds=2.0)
            return GoOn(rules.formula, quantifier)
        return None

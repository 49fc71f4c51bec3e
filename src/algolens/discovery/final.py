"""Discovering from inputs and final outputs alone: the smallest program whose run ends in them.

Of classes, a program has a start and up to two rules, "from this class to that, where ..."; of
pointers and numbers, it takes over the least or the greatest value of neighbours. It goes on until
nothing changes.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, islice, product
from typing import Any

import numpy as np
import torch
from numpy import ndarray

from algolens.algorithms import Declaration, Limit
from algolens.data.small_graphs import small_trials
from algolens.discovery.candidates import so_many
from algolens.discovery.decisions import UnexplainedError
from algolens.discovery.declaring import algorithm_of, column_of
from algolens.discovery.examples import Examples, tensors_on
from algolens.discovery.limits import Limits
from algolens.discovery.literals import Literal, own_literals, relations, values_of
from algolens.discovery.names import concept_name, free_name
from algolens.discovery.oracle import Episodes, GraphSizes, Oracle, Schema
from algolens.discovery.result import Discovery, Enumerated, Known
from algolens.discovery.sampling import asked_for, large_runs, random_runs
from algolens.errors import AlgoLensError
from algolens.graphs import stream
from algolens.language.ir import (
    GOES_ON,
    IT,
    At,
    Case,
    Compare,
    Const,
    Expr,
    Field,
    Get,
    Let,
    Program,
    Quantified,
    conjunction,
    disjunction,
    negation,
)
from algolens.language.parse import Parser, parse
from algolens.language.relations import Relation
from algolens.language.text import Text

PRICE = 2  # of a look at neighbours, and of a comparison

EndProgram = tuple[Expr, Any]  # how the field begins, and how it changes


def discover_from_ends(oracle: Oracle, given: Sequence[Episodes], limits: Limits) -> Discovery:
    """Discover a program from inputs and final outputs; steps are not looked at. Parameters are
    those of ``discover``.

    Raises
    ------
    UnexplainedError
        Where no program within the bound ends in the outputs.
    """
    began, schema = time.process_time(), oracle.schema
    limits = replace(limits, until=began + limits.seconds)
    if len(schema.outputs) != 1:
        raise UnexplainedError(
            f"{schema.name} has {len(schema.outputs)} outputs: from final outputs alone, programs "
            "of one field are looked for."
        )
    rng = stream(limits.seed, "ends", schema.name)
    ends = list(given) or asked_for(oracle, random_runs(oracle, limits.runs, limits.end_sizes, rng))
    ((name, field),) = schema.outputs.items()
    programs_of: type[ClassPrograms | ValuePrograms]
    programs_of = ClassPrograms if field.classes else ValuePrograms
    enumerated, complete = 0, True
    for price in range(2, limits.end_price + 1):
        programs = programs_of(schema, name, ends, limits)
        right = []
        for found in programs.of_price(price):
            enumerated += 1
            if programs.ends_right(found):
                right.append(found)
            if limits.is_late:
                complete = False
                break
        limits.progress(f"price {price}: {enumerated:,} programs run, {len(right)} end right")
        more: list[Episodes] = []
        if right and oracle.can_run:
            more = _more(oracle, programs.program(right[0]), limits, rng)
            further = programs_of(schema, name, more, limits)
            right = [found for found in right if further.ends_right(found)]
            ends = ends if right else [*ends, *more]
        if right:
            alike = tuple(map(programs.text, right[1:]))
            known = Known(
                GraphSizes.of(ends),
                (GraphSizes.of(more),) if more else (),
                asked=oracle.can_run,
                ends=Enumerated(enumerated, price, programs.BOUND, alike, complete),
            )
            declared = Declaration(programs.program(right[0]))
            stated = replace(schema, state=dict(schema.outputs))
            spent = time.process_time() - began
            return Discovery(stated, declared, {}, known, spent, 1, enumerated)
        if not complete:
            break
    late = " in this time: give more" if limits.is_late else ""
    raise UnexplainedError(
        f"none of {enumerated:,} programs of up to price {price} ends in these outputs{late} "
        f"({programs.BOUND})."
    )


def _more(
    oracle: Oracle, program: Program, limits: Limits, rng: np.random.Generator
) -> list[Episodes]:
    """Further runs: on all small graphs, as far as the time goes, and on larger random ones."""
    algorithm = algorithm_of(oracle.schema, Declaration(program), "candidate")
    runs = random_runs(oracle, limits.checked, limits.fresh_sizes, rng)
    made = [*runs, *large_runs(oracle, rng)]
    for trial in small_trials(algorithm):
        if trial.nodes > limits.nodes or limits.is_late:
            break
        batches = islice(trial.runs, limits.end_batches)
        made += [oracle.run(run.graph, run.inputs) for run in batches]
    return made


class Programs:
    """Programs of one field, and whether their runs end right.

    Parameters
    ----------
    schema : Schema
        Of an oracle with one output.
    name : str
        The output.
    ends : sequence of Episodes
        Graphs, inputs and final outputs (in the last frame).
    limits : Limits
        Of what rules say.
    """

    def __init__(self, schema: Schema, name: str, ends: Sequence[Episodes], limits: Limits) -> None:
        self.limits = limits
        self.schema, self.name, self.field = schema, name, schema.outputs[name]
        self.inputs = schema.declared
        self.tensors = [tensors_on(some.graph, self.inputs, some.inputs) for some in ends]
        self.final = torch.cat([some.frames[-1][name] for some in ends]).numpy().astype(int)
        self.labels, self.is_mask = schema.outputs[name].classes, self.field.kind == "mask"
        self.say = Text({(self.field.at, name): self.field.labels})
        self._firsts: dict[Expr, ndarray] = {}

    def step(self, values: ndarray, how: Any) -> ndarray:
        """What a step of a program makes of values."""
        raise NotImplementedError

    def first(self, start: Expr) -> ndarray:
        """[N] the values at the start."""
        if start not in self._firsts:
            self._firsts[start] = column_of(self.tensors, self.field, start).astype(int)
        return self._firsts[start]

    def ends_right(self, found: EndProgram) -> bool:
        """Whether a program stops in the final outputs."""
        start, how = found
        values = self.first(start)
        most = max(int(one.graph.node_counts.max()) for one in self.tensors)
        for _ in range((1 + most) * max(1, len(self.labels))):
            after = self.step(values, how)
            if (after == values).all():
                return bool((values == self.final).all())
            values = after
        return False

    def _made(
        self, start: Expr, becomes: Expr, lets: Mapping[str, tuple[At, Expr]], limit: Limit
    ) -> Program:
        """The program that begins so and makes this of the field."""
        name, field = self.name, self.field
        return Program(
            self.schema.name,
            self.inputs,
            {name: field},
            (Let(name, field.at, start),),
            tuple(Let(called, at, said) for called, (at, said) in lets.items()),
            (Let(name, field.at, becomes),),
            limit.times,
            limit.per,
            {name: field},
            tuple(called for called, (at, _) in lets.items() if at == field.at),
        )


@dataclass(frozen=True, eq=False)
class Rule:
    """From a class to another, where at least so many in view are so, or not that many."""

    relation: Relation
    # of one in view; of a literal of its own field, the class, and whether it is of that one
    parts: tuple[tuple[Literal, int | None, bool], ...]
    count: int
    holds: bool
    cost: int
    before: int = -1
    after: int = -1

    @property
    def met(self) -> Quantified:
        """That so many are so."""
        return so_many(self.relation, (literal for literal, _, _ in self.parts), self.count)


class ClassPrograms(Programs):
    """Programs of a mask or a category: a start, and rules."""

    BOUND = (
        "one field; one rule 'from this class to that, where', of three or more classes two rules; "
        "at least k in view, k up to 3, with up to 2 literals; until nothing changes"
    )

    def __init__(self, schema: Schema, name: str, ends: Sequence[Episodes], limits: Limits) -> None:
        super().__init__(schema, name, ends, limits)
        # of which pairs each literal holds that speaks of inputs
        self._given: dict[Relation, dict[Expr, ndarray]] = {}
        unasked = torch.zeros((0, 0), dtype=torch.long)
        starts = [
            Episodes(one.graph, one.inputs, [{}], torch.zeros_like(one.lengths), unasked)
            for one in ends
        ]
        self.examples = Examples(replace(schema, state={}, outputs={}), starts)

    def of_price(self, price: int) -> Iterator[EndProgram]:
        """Programs of one price, of rules that change nothing in the end."""
        labels, occurring = range(len(self.labels)), {*self.final.tolist()}
        by_price: dict[tuple[int, int], list[Rule]] = {}  # and by the class they lead to
        for rule in sorted(self._conditions(price), key=lambda rule: rule.cost):
            changed = {*self.final[self._applies(rule, self.final)].tolist()}
            for before, after in product(labels, labels):
                if before not in changed and before != after:
                    made = replace(rule, before=before, after=after)
                    by_price.setdefault((rule.cost, after), []).append(made)
        starts: list[tuple[Expr, int]]
        starts = [(Const(bool(one) if self.is_mask else one), 1) for one in labels]
        own = own_literals(self.inputs, self.field.at) if self.is_mask else ()
        for start, cost in [*starts, *((one.said, 1 + one.cost) for one in own)]:
            missing, left = occurring - {*self.first(start).tolist()}, price - cost
            for after in labels:
                if missing <= {after}:
                    yield from ((start, (rule,)) for rule in by_price.get((left, after), ()))
            for (spent, after), firsts in by_price.items() if len(labels) > 2 else ():
                for last in labels:
                    # what occurs in the end, and not at the start, is what rules lead to
                    if last != after and missing <= {after, last}:
                        seconds = by_price.get((left - spent, last), ())
                        yield from ((start, rules) for rules in product(firsts, seconds))

    def step(self, values: ndarray, how: Sequence[Rule]) -> ndarray:
        after = values.copy()
        for rule in reversed(how):  # so that the first that applies wins
            after[(values == rule.before) & self._applies(rule, values)] = rule.after
        return after

    def program(self, found: EndProgram) -> Program:
        """As a program: where a rule applies, by concepts of what is and of what is met."""
        (start, rules), at, itself = found, self.field.at, Get(self.name, self.field.at)
        # what is of none of the other classes is of the last
        told = [_is_of(itself, label) for label in range(len(self.labels) - 1)]
        names: dict[Expr, str] = {}
        for said in (*([itself] if self.is_mask else told), *(rule.met for rule in rules)):
            taken = {*self.inputs, self.name, *names.values()}
            names.setdefault(said, free_name(concept_name(said, self.say), taken))
        known = {name: Field(at, "mask") for name in names.values()}
        kinds = [*known][: len(told)]
        none = " & ".join(f"~{kind}" for kind in kinds)
        kinds = [none, *kinds] if self.is_mask else [*kinds, none]
        changes = [
            f"{kinds[rule.before]} & {'' if rule.holds else '~'}{names[rule.met]}" for rule in rules
        ]

        def read(text: str, at: At = at) -> Expr:
            return parse(Parser.statement, text, at, known)

        becomes: Expr
        if self.is_mask:
            change, is_so = read(changes[0]), read(kinds[1])
            grows = disjunction(is_so, change)
            becomes = grows if rules[0].after else conjunction(is_so, negation(change))
        else:
            labels = [*(rule.after for rule in rules), *range(len(told))]
            cases = zip(map(read, [*changes, *kinds]), map(Const, labels), strict=False)
            becomes = Case(tuple(cases), Const(len(told)))
        lets: dict[str, tuple[At, Expr]] = {name: (at, said) for said, name in names.items()}
        lets[GOES_ON] = "graph", read(f"some {at} ({' | '.join(changes)})", "graph")
        limit = Limit(len(self.labels), self.field.at)  # type: ignore[arg-type]
        return self._made(start, becomes, lets, limit)

    def text(self, found: EndProgram) -> str:
        """In words."""
        start, rules = found
        said = [
            f"{self.labels[rule.before]} to {self.labels[rule.after]} where "
            + self.say(rule.met if rule.holds else negation(rule.met))
            for rule in rules
        ]
        return f"begins {self.say(start)}, " + ", ".join(said)

    def _conditions(self, most: int) -> Iterator[Rule]:
        """All conditions of up to a price; of rules from no class to none."""
        examples, limits = self.examples, self.limits
        sizes = range(limits.end_literals + 1)
        for relation, cost in relations(examples.fields, self.field.at, directed=examples.directed):
            parts = [*self._parts(relation)]
            counts = range(1, 1 + min(limits.end_counted, relation.exactly or limits.end_counted))
            for chosen in (some for size in sizes for some in combinations(parts, size)):
                total = cost - 1 + sum(literal.cost for literal, _, _ in chosen)
                if len({literal.feature for literal, _, _ in chosen}) == len(chosen):
                    for count, holds in product(counts, (True, False)):
                        if total + count <= most:
                            yield Rule(relation, chosen, count, holds, total + count)

    def _parts(self, relation: Relation) -> Iterator[tuple[Literal, int | None, bool]]:
        """What is said of one in view: that it is of a class or is not, or of its inputs."""
        at: At = relation.others
        there = Get(self.name, at, IT)
        for label in range(self.is_mask, len(self.labels) if self.field.at == at else 0):
            said = there if self.is_mask else _is_of(there, label)
            yield Literal(said, 1, self.name), label, True
            if self.is_mask or len(self.labels) > 2:
                yield Literal(negation(said), 1, self.name), label, False
        for literal, _ in self.examples.rows(at, relation):
            yield literal, None, True

    def _applies(self, rule: Rule, values: ndarray) -> ndarray:
        """[N] bools: where the condition of a rule holds while the field has these values."""
        looks, others = self.examples.pairs(rule.relation)
        if rule.relation not in self._given:
            rows = self.examples.rows(rule.relation.others, rule.relation)
            self._given[rule.relation] = {literal.said: holds for literal, holds in rows}
        seen = np.ones(len(looks), bool)
        for literal, label, is_so in rule.parts:
            if label is None:
                seen &= self._given[rule.relation][literal.said]
            else:
                seen &= (values[others] == label) == is_so
        met = np.bincount(looks[seen], minlength=len(values)) >= rule.count
        return met == rule.holds


def _is_of(said: Expr, label: int) -> Expr:
    return Compare((said,), "=", (Const(label),))


class ValuePrograms(Programs):
    """Programs of a pointer to a node, or a number, at nodes: a start, and what is taken over."""

    BOUND = (
        "a pointer or a number that begins as the node itself or an input, and takes over the "
        "least or the greatest of its neighbours', until nothing changes"
    )

    def of_price(self, price: int) -> Iterator[EndProgram]:
        """All of one price."""
        if self.field.at != "node":
            raise AlgoLensError(
                f"'{self.name}' sits at the {self.field.at}: from final outputs alone, values of "
                "nodes are looked for."
            )
        for start, cost in values_of(self.inputs, self.field, "node"):
            if cost + PRICE == price:
                yield from ((start, how) for how in ("least", "greatest"))

    def step(self, values: ndarray, how: str) -> ndarray:
        after, first = values.copy(), 0
        for graph in (one.graph for one in self.tensors):
            senders, receivers = graph.links.numpy() + first
            (np.minimum if how == "least" else np.maximum).at(after, receivers, values[senders])
            first += graph.num_nodes
        return after

    def program(self, found: EndProgram) -> Program:
        """As a program."""
        (start, how), name, order = found, self.name, "<" if found[1] == "least" else ">"
        value = f"{name}'s number" if self.field.kind == "pointer" else name
        known, lets = {**self.inputs, name: self.field}, {}
        said: tuple[tuple[str, At, str], ...] = (
            ("is_better", "link", f"sender's {value} {order} receiver's {value}"),
            ("is_best", "link", f"me = {how} rival (is_better) by sender's {value}"),
            ("has_better", "node", "some incoming link (is_best)"),
            (GOES_ON, "graph", "some node (has_better)"),
        )
        for called, at, text in said:
            lets[called] = at, parse(Parser.statement, text, at, known)
            known[called] = Field(at, "mask")
        move = f"the incoming link's sender's {name} (is_best)"
        case = parse(Parser.move, move, "node", known)
        return self._made(start, Case((case,), Get(name, "node")), lets, Limit())

    def text(self, found: EndProgram) -> str:
        """In words."""
        start, how = found
        return f"begins {self.say(start)}; takes over the {how}"

"""Discovering from inputs and final outputs alone: the smallest program whose run ends in them.

Of classes, a program has a start and up to two rules, "from this class to that, where ..."; of
pointers and numbers, it takes over the least or the greatest value of neighbours. It goes on until
nothing changes.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, islice, product
from typing import Any

import numpy as np
import torch
from numpy import ndarray

from algolens.algorithms import Declaration, Limit
from algolens.data.small_graphs import small_trials
from algolens.discovery.candidates import so_many
from algolens.discovery.decisions import UnsettledError
from algolens.discovery.declaring import algorithm_of, column_of
from algolens.discovery.examples import Examples, tensors_on
from algolens.discovery.literals import Literal, own_literals, relations, values_of
from algolens.discovery.names import names_of
from algolens.discovery.result import Discovery, Enumerated, Known, Limits
from algolens.discovery.sampling import FRESH_SIZES, asked_for, large_runs, random_runs
from algolens.discovery.teachers import Episodes, GraphSizes, RunTeacher, Schema, as_column
from algolens.errors import AlgoLensError
from algolens.graphs import stream
from algolens.language.fields import Category, Mask
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
from algolens.language.rules import of_elements
from algolens.language.text import Text

SIZES = (2, 7)
CHECKED = 60  # further random runs
MOST_PRICE = 12  # of a program
MOST_BATCHES = 4  # of all graphs of one size
MOST_COUNTED = 3
MOST_LITERALS = 2
PRICE = 2  # of a look at neighbours, and of a comparison


def discover_from_ends(
    teacher: RunTeacher,
    given: Sequence[Episodes] = (),
    limits: Limits = Limits(),  # noqa: B008
) -> Discovery:
    """Discover a program from inputs and final outputs; steps are not looked at. Parameters are
    those of ``discover_any``.

    Raises
    ------
    UnsettledError
        Where no program within the bound ends in the outputs.
    """
    began, schema = time.process_time(), teacher.schema
    until = began + limits.seconds
    if len(schema.outputs) != 1:
        raise UnsettledError(
            f"{schema.name} has {len(schema.outputs)} outputs: from final outputs alone, programs "
            "of one field are looked for."
        )
    rng = stream(limits.seed, "ends", schema.name)
    ends = list(given) or asked_for(teacher, random_runs(teacher, limits.runs, SIZES, rng))
    ((name, field),) = schema.outputs.items()
    is_class = isinstance(field.kind, Mask | Category)
    programs_of: type[Programs] = ClassPrograms if is_class else ValuePrograms
    enumerated, complete = 0, True
    for price in range(2, MOST_PRICE + 1):
        programs = programs_of(schema, name, ends)
        right = []
        for found in programs.of_price(price):
            enumerated += 1
            if programs.ends_right(found):
                right.append(found)
            if time.process_time() > until:
                complete = False
                break
        limits.progress(f"price {price}: {enumerated:,} programs run, {len(right)} end right")
        more: list[Episodes] = []
        if right and teacher.can_run:
            more = _more(teacher, programs.program(right[0]), limits.nodes, rng, until)
            further = programs_of(schema, name, more)
            right = [found for found in right if further.ends_right(found)]
            ends = ends if right else [*ends, *more]
        if right:
            alike = tuple(map(programs.text, right[1:]))
            known = Known(
                GraphSizes.of(ends),
                (GraphSizes.of(more),) if more else (),
                asked=teacher.can_run,
                ends=Enumerated(enumerated, price, programs.BOUND, alike, complete),
            )
            declared = Declaration(programs.program(right[0]))
            stated = replace(schema, state=dict(schema.outputs))
            spent = time.process_time() - began
            return Discovery(stated, declared, {}, known, spent, 1, enumerated)
        if not complete:
            break
    late = " in this time: give more" if time.process_time() > until else ""
    raise UnsettledError(
        f"none of {enumerated:,} programs of up to price {price} ends in these outputs{late} "
        f"({programs.BOUND})."
    )


def _more(
    teacher: RunTeacher, program: Program, nodes: int, rng: np.random.Generator, until: float
) -> list[Episodes]:
    """Further runs: on all small graphs, as far as the time goes, and on larger random ones."""
    algorithm = algorithm_of(teacher.schema, Declaration(program), "candidate")
    made = [*random_runs(teacher, CHECKED, FRESH_SIZES, rng), *large_runs(teacher, rng)]
    for trial in small_trials(algorithm):
        if trial.nodes > nodes or time.process_time() > until:
            break
        made += [teacher.run(run.graph, run.inputs) for run in islice(trial.runs, MOST_BATCHES)]
    return made


class Programs(ABC):
    """Programs of one field, and whether their runs end right.

    Parameters
    ----------
    schema : Schema
        Of a teacher with one output.
    name : str
        The output.
    ends : sequence of Episodes
        Graphs, inputs and final outputs (in the last frame).
    """

    BOUND: str

    def __init__(self, schema: Schema, name: str, ends: Sequence[Episodes]) -> None:
        self.schema, self.name, self.field = schema, name, as_column(schema.outputs[name])
        self.inputs = {name: as_column(one) for name, one in schema.inputs.items()}
        self.states = [tensors_on(some.graph, self.inputs, some.inputs) for some in ends]
        self.final = torch.cat([some.frames[-1][name] for some in ends]).numpy().astype(int)

    @abstractmethod
    def of_price(self, price: int) -> Iterator[Any]:
        """All of one price, of which none is known to end otherwise."""

    @abstractmethod
    def ends_right(self, found: Any) -> bool:
        """Whether a program stops in the final outputs."""

    @abstractmethod
    def program(self, found: Any) -> Program:
        """As a program of the language."""

    @abstractmethod
    def text(self, found: Any) -> str:
        """In words."""

    def first(self, start: Expr) -> ndarray:
        """[N] the values at the start."""
        return column_of(self.states, self.field, start).astype(int)

    def _made(self, start: Expr, becomes: Expr, lets: Sequence[Let], limit: Limit) -> Program:
        """The program that begins so and makes this of the field; the last observation says whether
        it goes on.
        """
        name, field = self.name, self.field
        concepts = tuple(let.name for let in lets[:-1] if let.at == field.at)
        return Program(
            self.schema.name,
            self.inputs,
            {name: field},
            (Let(name, field.at, start),),
            tuple(lets),
            (Let(name, field.at, becomes),),
            limit.times,
            limit.per,
            {name: field},
            concepts,
        )


# ---- classes

# a literal of one in view; of its own field, the class, and whether it is of that one
Part = tuple[Literal, int | None, bool]


@dataclass(frozen=True, eq=False)
class Rule:
    """From a class to another, where at least so many in view are so, or not that many."""

    before: int
    after: int
    relation: Relation
    parts: tuple[Part, ...]
    count: int
    holds: bool
    cost: int

    @property
    def met(self) -> Quantified:
        """That so many are so."""
        return so_many(self.relation, (literal for literal, _, _ in self.parts), self.count)


ClassProgram = tuple[Expr, tuple[Rule, ...]]


class ClassPrograms(Programs):
    """Programs of a mask or a category."""

    BOUND = (
        "one field; one rule 'from this class to that, where', of three or more classes two rules; "
        "at least k in view, k up to 3, with up to 2 literals; until nothing changes"
    )

    def __init__(self, schema: Schema, name: str, ends: Sequence[Episodes]) -> None:
        super().__init__(schema, name, ends)
        self.is_mask = self.field.kind == "mask"
        self.labels = self.field.labels or ("false", "true")
        self.say = Text({(self.field.at, name): self.field.labels})
        self.most_steps = 1 + max(int(some.graph.node_counts.max()) for some in ends)
        self._firsts: dict[Expr, ndarray] = {}
        # of which pairs each literal holds that speaks of inputs
        self._given: dict[Relation, dict[Expr, ndarray]] = {}
        unasked = torch.zeros((0, 0), dtype=torch.long)
        starts = [
            Episodes(one.graph, one.inputs, [{}], torch.zeros_like(one.lengths), unasked)
            for one in ends
        ]
        self.examples = Examples(replace(schema, state={}, outputs={}), starts)

    def of_price(self, price: int) -> Iterator[ClassProgram]:
        """Programs of one price, of rules that change nothing in the end."""
        num_labels, occurring = len(self.labels), {*self.final.tolist()}
        by_price: dict[tuple[int, int], list[Rule]] = {}  # and by the class they lead to
        for rule in self._conditions(price):
            holds = self._applies(rule, self.final)
            for before in range(num_labels):
                if not (holds & (self.final == before)).any():
                    for after in {*range(num_labels)} - {before}:
                        made = replace(rule, before=before, after=after)
                        by_price.setdefault((rule.cost, after), []).append(made)
        for start, cost in self._starts():
            left = price - cost
            if start not in self._firsts:
                self._firsts[start] = self.first(start)
            missing = occurring - {*self._firsts[start].tolist()}
            for after in range(num_labels):
                if missing <= {after}:
                    yield from ((start, (rule,)) for rule in by_price.get((left, after), ()))
            for (spent, after), firsts in by_price.items() if num_labels > 2 else ():
                for last in range(num_labels):
                    # what occurs in the end, and not at the start, is what rules lead to
                    if last != after and missing <= {after, last}:
                        seconds = by_price.get((left - spent, last), ())
                        yield from ((start, rules) for rules in product(firsts, seconds))

    def ends_right(self, found: ClassProgram) -> bool:
        """Whether a program stops in the final outputs."""
        start, rules = found
        values = self._firsts.setdefault(start, self.first(start))
        for _ in range(self.most_steps * len(self.labels)):
            after = values.copy()
            for rule in reversed(rules):  # so that the first that applies wins
                after[(values == rule.before) & self._applies(rule, values)] = rule.after
            if (after == values).all():
                return bool((values == self.final).all())
            values = after
        return False

    def program(self, found: ClassProgram) -> Program:
        """As a program: where a rule applies, by concepts of what is and of what is met."""
        (start, rules), at, itself = found, self.field.at, Get(self.name, self.field.at)
        kinds = [itself if self.is_mask else self._is(itself, k) for k in range(len(self.labels))]
        # what is of none of the other classes is of the last
        told = [itself] if self.is_mask else kinds[:-1]
        met = list(dict.fromkeys(rule.met for rule in rules))
        seen = names_of((*told, *met), self.say, (*self.inputs, self.name))
        named: dict[Expr, Expr] = {said: Get(called, at) for called, said in seen.items()}

        def is_of(label: int) -> Expr:
            if self.is_mask:
                return named[itself] if label else negation(named[itself])
            if label < len(told):
                return named[kinds[label]]
            return conjunction(*(negation(named[one]) for one in told))

        def where(rule: Rule) -> Expr:
            is_met = named[rule.met]
            return conjunction(is_of(rule.before), is_met if rule.holds else negation(is_met))

        changes = [(where(rule), rule.after) for rule in rules]
        becomes: Expr
        if self.is_mask:
            ((change, after),) = changes
            becomes = (disjunction if after else conjunction)(
                named[itself], change if after else negation(change)
            )
        else:
            stays = [(is_of(label), label) for label in range(len(told))]
            cases = [(said, Const(label)) for said, label in (*changes, *stays)]
            becomes = Case(tuple(cases), Const(len(told)))
        any_changes = of_elements("some", disjunction(*(said for said, _ in changes)), at)
        lets = [Let(called, at, said) for called, said in seen.items()]
        limit = Limit(len(self.labels), self.schema.outputs[self.name].location.value)
        return self._made(start, becomes, [*lets, Let(GOES_ON, "graph", any_changes)], limit)

    def text(self, found: ClassProgram) -> str:
        start, rules = found
        said = [
            f"{self.labels[rule.before]} to {self.labels[rule.after]} where "
            + self.say(rule.met if rule.holds else negation(rule.met))
            for rule in rules
        ]
        return f"begins {self.say(start)}, " + ", ".join(said)

    def _starts(self) -> Iterator[tuple[Expr, int]]:
        """How a field begins, and what it costs: constants first, then what an input says."""
        for number in range(len(self.labels)):
            yield Const(bool(number) if self.is_mask else number), 1
        for literal in own_literals(self.inputs, self.field.at) if self.is_mask else ():
            yield literal.said, 1 + literal.cost

    def _conditions(self, most: int) -> list[Rule]:
        """All conditions of up to a price, cheapest first; of rules from no class to none."""
        made, examples = [], self.examples
        known = relations(examples.fields, self.field.at, directed=examples.directed)
        for relation, cost in known:
            parts = list(self._parts(relation))
            sets = [
                some
                for size in range(MOST_LITERALS + 1)
                for some in combinations(parts, size)
                if len({literal.feature for literal, _, _ in some}) == size
            ]
            for chosen, count in product(sets, range(1, MOST_COUNTED + 1)):
                total = cost + sum(literal.cost for literal, _, _ in chosen) + count - 1
                if total <= most and not (relation.exactly and count > relation.exactly):
                    made += [
                        Rule(-1, -1, relation, chosen, count, holds, total)
                        for holds in (True, False)
                    ]
        return sorted(made, key=lambda rule: rule.cost)

    def _parts(self, relation: Relation) -> Iterator[Part]:
        """What is said of one in view: that it is of a class or is not, or of its inputs."""
        at: At = relation.others.value
        there = Get(self.name, at, IT)
        for label in range(self.is_mask, len(self.labels) if self.field.at == at else 0):
            said = there if self.is_mask else self._is(there, label)
            for is_so in (True, False) if self.is_mask or len(self.labels) > 2 else (True,):
                yield Literal(said if is_so else negation(said), 1, self.name), label, is_so
        for literal, _ in self.examples.rows_in_view(relation):
            yield literal, None, True

    def _is(self, said: Expr, label: int) -> Expr:
        return Compare((said,), "=", (Const(label),))

    def _applies(self, rule: Rule, values: ndarray) -> ndarray:
        """[N] bools: where the condition of a rule holds while the field has these values."""
        looks, others = self.examples.pairs(rule.relation)
        if rule.relation not in self._given:
            rows = self.examples.rows_in_view(rule.relation)
            self._given[rule.relation] = {literal.said: holds for literal, holds in rows}
        seen = np.ones(len(looks), bool)
        for literal, label, is_so in rule.parts:
            if label is None:
                seen &= self._given[rule.relation][literal.said]
            else:
                seen &= (values[others] == label) == is_so
        met = np.bincount(looks[seen], minlength=len(values)) >= rule.count
        return met == rule.holds


# ---- pointers and numbers

ValueProgram = tuple[Expr, bool]  # the start, and whether the least is taken over, or the greatest


class ValuePrograms(Programs):
    """Programs of a pointer to a node, or a number, at nodes."""

    BOUND = (
        "a pointer or a number that begins as the node itself or an input, and takes over the "
        "least or the greatest of its neighbours', until nothing changes"
    )

    def __init__(self, schema: Schema, name: str, ends: Sequence[Episodes]) -> None:
        super().__init__(schema, name, ends)
        if self.field.at != "node":
            raise AlgoLensError(
                f"'{name}' sits at the {self.field.at}: from final outputs alone, values of nodes "
                "are looked for."
            )

    def of_price(self, price: int) -> Iterator[ValueProgram]:
        """All of one price."""
        for start, cost in values_of(self.inputs, self.field, "node"):
            if cost + PRICE == price:
                yield from ((start, True), (start, False))

    def ends_right(self, found: ValueProgram) -> bool:
        """Whether a program stops in the final values."""
        start, least = found
        take, place = np.minimum if least else np.maximum, 0
        for state in self.states:
            now = column_of([state], self.field, start).copy()
            senders, receivers = state.graph.links.numpy()
            before = None
            while before is None or (now != before).any():
                before = now.copy()
                take.at(now, receivers, before[senders])
            if (now != self.final[place : place + len(now)]).any():
                return False
            place += len(now)
        return True

    def program(self, found: ValueProgram) -> Program:
        """As a program."""
        (start, least), name = found, self.name
        order = "<" if least else ">"
        value = f"{name}'s number" if self.field.kind == "pointer" else name
        known, lets = {**self.inputs, name: self.field}, []
        said: tuple[tuple[str, At, str], ...] = (
            ("is_better", "link", f"sender's {value} {order} receiver's {value}"),
            (
                "is_best",
                "link",
                f"is_better & no rival (is_better & its sender's {value} {order} my sender's "
                f"{value})",
            ),
            ("has_better", "node", "some incoming link (is_best)"),
            (GOES_ON, "graph", "some node (has_better)"),
        )
        for called, at, text in said:
            lets.append(Let(called, at, parse(Parser.statement, text, at, known)))
            known[called] = Field(at, "mask")
        move = f"the incoming link's sender's {name} (is_best)"
        case = parse(Parser.move, move, "node", known)
        return self._made(start, Case((case,), Get(name, "node")), lets, Limit())

    def text(self, found: ValueProgram) -> str:
        start, least = found
        return f"begins {Text({})(start)}; takes over the {'least' if least else 'greatest'}"

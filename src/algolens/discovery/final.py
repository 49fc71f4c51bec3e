"""Discovering from inputs and final outputs alone: the smallest program whose run ends in them.

Of classes, a program has a start and up to two rules, "from this class to that, where ..."; of
pointers and numbers, it takes over the least or the greatest value of neighbours. It goes on until
nothing changes.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, islice, product
from typing import Any, Protocol

import numpy as np
import torch

from algolens.algorithms import Declaration, Limit
from algolens.data.small_graphs import small_trials
from algolens.discovery.candidates import so_many
from algolens.discovery.decisions import UnsettledError
from algolens.discovery.declaring import algorithm_of, column_of
from algolens.discovery.examples import Examples, tensors_on
from algolens.discovery.literals import (
    Literal,
    Path,
    elements,
    field_tests,
    numbers,
    own_literals,
    relations,
)
from algolens.discovery.names import names_of
from algolens.discovery.result import Discovery, Enumerated, Known, Limits
from algolens.discovery.sampling import FRESH_SIZES, large_runs, random_runs
from algolens.discovery.schema import Episodes, GraphSizes, RunTeacher, Schema, as_column
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
    Not,
    Program,
    Quantified,
    negation,
    put,
)
from algolens.language.parse import Parser, parse
from algolens.language.relations import Relation
from algolens.language.rules import with_rules
from algolens.language.text import Text
from algolens.logic import GoOn, minimal_rules, pack
from algolens.logic.formula import Formula
from algolens.logic.going_on import Quantifier
from algolens.logic.rule_set import RuleSet

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
    ends = list(given) or list(random_runs(teacher, limits.runs, SIZES, rng))
    if not ends:
        raise AlgoLensError(f"{schema.name} takes none of the random graphs that were tried.")
    (name,) = schema.outputs
    is_class = isinstance(schema.outputs[name].kind, Mask | Category)
    programs_of: type[Programs] = ClassPrograms if is_class else ValuePrograms
    enumerated = 0
    for price in range(2, MOST_PRICE + 1):
        programs = programs_of(schema, name, ends)
        right: list[EndProgram] = []
        complete = True
        for program in programs.of_price(price):
            enumerated += 1
            if programs.ends_right(program):
                right.append(program)
            if time.process_time() > until:
                complete = False
                break
        limits.progress(f"price {price}: {enumerated:,} programs run, {len(right)} end right")
        more: list[Episodes] = []
        if right and teacher.can_run:
            more = _more(teacher, right[0].program(schema, name), limits.nodes, rng, until)
            further = programs_of(schema, name, more)
            right = [program for program in right if further.ends_right(program)]
            if not right:
                ends = [*ends, *more]
        if right:
            alike = tuple(map(str, right[1:]))
            known = Known(
                GraphSizes.of(ends),
                (GraphSizes.of(more),) if more else (),
                asked=teacher.can_run,
                ends=Enumerated(enumerated, price, programs.BOUND, alike, complete),
            )
            declared = Declaration(right[0].program(schema, name))
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


class EndProgram(Protocol):
    """A program of one field."""

    def program(self, schema: Schema, name: str) -> Program:
        """As a program of the language."""


class Programs(Protocol):
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

    def __init__(self, schema: Schema, name: str, ends: Sequence[Episodes]) -> None: ...

    def of_price(self, price: int) -> Iterator[Any]:
        """All of one price, of which none is known to end otherwise."""

    def ends_right(self, program: Any) -> bool:
        """Whether the program stops in the final outputs."""


# ---- classes


@dataclass(frozen=True, eq=False)
class InView:
    """What is said of one in view: of its inputs, or that it is of a class, or is not."""

    literal: Literal
    label: int | None = None  # the class; None: it speaks of inputs
    is_so: bool = True


@dataclass(frozen=True, eq=False)
class Condition:
    """At least so many in view are so, or not that many."""

    relation: Relation
    parts: tuple[InView, ...]
    count: int
    holds: bool
    cost: int

    @property
    def met(self) -> Quantified:
        """That so many are so."""
        return so_many(self.relation, (part.literal for part in self.parts), self.count)


@dataclass(frozen=True, eq=False)
class Transition:
    """From a class to another, where a condition holds."""

    before: int
    after: int
    where: Condition


@dataclass(frozen=True, eq=False)
class ClassProgram:
    """A start, and rules of which the first that applies is taken."""

    start: Expr
    rules: tuple[Transition, ...]
    labels: tuple[str, ...]

    def program(self, schema: Schema, name: str) -> Program:
        """As a program: what is decided in each case, as the smallest formulas."""
        field = as_column(schema.outputs[name])
        labels, itself = self.labels, Get(name, field.at)
        # what is of none of the other classes is of the last
        tests: list[Expr] = [itself]
        if field.kind != "mask":
            tests = [Compare((itself,), "=", (Const(k),)) for k in range(len(labels) - 1)]
        met = list(dict.fromkeys(rule.where.met for rule in self.rules))
        say = Text({(field.at, name): labels})
        seen = names_of((*tests, *met), say, (*schema.inputs, name))
        rows, becomes, changes = [], [], []
        for now, truth in product(range(len(labels)), product((False, True), repeat=len(met))):
            is_met = dict(zip(met, truth, strict=True))
            taken = [
                rule.after
                for rule in self.rules
                if rule.before == now and is_met[rule.where.met] == rule.where.holds
            ]
            own = [now == 1] if field.kind == "mask" else [now == k for k in range(len(tests))]
            rows.append([*own, *truth])
            becomes.append(taken[0] if taken else now)
            changes.append(becomes[-1] != now)
        packed, names = pack(np.array(rows)), tuple(seen)

        def where(chosen: np.ndarray) -> Formula:
            return minimal_rules(names, packed[chosen], packed[~chosen]).formula

        rules = {label: where(np.array(becomes) == k) for k, label in enumerate(labels)}
        goes_on = GoOn(where(np.array(changes)), Quantifier.EXISTS)
        limit = Limit(len(labels), schema.outputs[name].location.value)
        program = Program(
            schema.name,
            {name: as_column(one) for name, one in schema.inputs.items()},
            {name: field},
            (Let(name, field.at, self.start),),
            tuple(Let(called, field.at, said) for called, said in seen.items()),
            (Let(name, field.at, itself),),
            limit.times,
            limit.per,
            {name: field},
            names,
        )
        return with_rules(program, RuleSet(names, {name: rules}, goes_on), field.at)

    def __str__(self) -> str:
        say = Text({})
        rules = [
            f"{self.labels[rule.before]} to {self.labels[rule.after]} where "
            + say(rule.where.met if rule.where.holds else negation(rule.where.met))
            for rule in self.rules
        ]
        return f"begins {say(self.start)}, " + ", ".join(rules)


class ClassPrograms:
    """Programs of a mask or a category; parameters are those of ``Programs``."""

    BOUND = (
        "one field; one rule 'from this class to that, where', of three or more classes two rules; "
        "at least k in view, k up to 3, with up to 2 literals; until nothing changes"
    )

    def __init__(self, schema: Schema, name: str, ends: Sequence[Episodes]) -> None:
        self.name, self.field = name, as_column(schema.outputs[name])
        self.labels = self.field.labels or ("false", "true")
        self.given = {name: as_column(one) for name, one in schema.inputs.items()}
        self.inputs = [tensors_on(some.graph, self.given, some.inputs) for some in ends]
        self.final = np.concatenate([some.frames[-1][name].numpy() for some in ends]).astype(int)
        self.most_steps = 1 + max(int(some.graph.node_counts.max()) for some in ends)
        self._firsts: dict[Expr, np.ndarray] = {}
        self._static: dict[Relation, dict[Expr, np.ndarray]] = {}
        stateless = replace(schema, state={}, outputs={})
        unasked = torch.zeros((0, 0), dtype=torch.long)
        self.situations = Examples(
            stateless,
            [
                Episodes(one.graph, one.inputs, [{}], torch.zeros_like(one.lengths), unasked)
                for one in ends
            ],
        )

    def of_price(self, price: int) -> Iterator[ClassProgram]:
        """Programs of one price, of rules that change nothing in the end."""
        num_labels, occurring = len(self.labels), set(np.unique(self.final).tolist())
        by_price: dict[tuple[int, int], list[Transition]] = {}  # and by the class they lead to
        held = [(some, self._holds(some, self.final)) for some in self._conditions(price)]
        for before, (some, holds) in product(range(num_labels), held):
            if not (holds & (self.final == before)).any():
                for after in set(range(num_labels)) - {before}:
                    rule = Transition(before, after, some)
                    by_price.setdefault((some.cost, after), []).append(rule)
        for start, cost in self._starts():
            left = price - cost
            missing = occurring - set(np.unique(self._first(start)).tolist())
            for after in range(num_labels):
                if missing <= {after}:
                    for rule in by_price.get((left, after), ()):
                        yield ClassProgram(start, (rule,), self.labels)
            if num_labels < 3:
                continue
            for (spent, after), firsts in by_price.items():
                for last in range(num_labels):
                    # what occurs in the end, and not at the start, is what rules lead to
                    if last != after and missing <= {after, last}:
                        seconds = by_price.get((left - spent, last), ())
                        for rules in product(firsts, seconds):
                            yield ClassProgram(start, rules, self.labels)

    def ends_right(self, program: ClassProgram) -> bool:
        """Whether the program stops, and in the final outputs."""
        values = self._first(program.start)
        for _ in range(self.most_steps * len(self.labels)):
            after = values.copy()
            for rule in reversed(program.rules):  # so that the first that applies wins
                after[(values == rule.before) & self._holds(rule.where, values)] = rule.after
            if (after == values).all():
                return bool((values == self.final).all())
            values = after
        return False

    def _starts(self) -> Iterator[tuple[Expr, int]]:
        """How a field begins, and what it costs: constants first, then what an input says."""
        is_mask = self.field.kind == "mask"
        for number in range(len(self.labels)):
            yield Const(bool(number) if is_mask else number), 1
        if is_mask:
            for literal in own_literals(self.given, self.field.at):
                yield literal.said, 1 + literal.cost

    def _first(self, start: Expr) -> np.ndarray:
        """[N] the classes at the start."""
        if start not in self._firsts:
            self._firsts[start] = column_of(self.inputs, self.field, start).astype(int)
        return self._firsts[start]

    def _conditions(self, most: int) -> list[Condition]:
        """All conditions of up to a price, cheapest first."""
        made, situations = [], self.situations
        for relation, cost in relations(
            situations.fields, self.field.at, directed=situations.directed
        ):
            parts = [*self._classes(relation)]
            parts += [InView(literal) for literal, _ in situations.rows_in_view(relation)]
            sets = [
                some
                for size in range(MOST_LITERALS + 1)
                for some in combinations(parts, size)
                if len({part.literal.feature for part in some}) == size
            ]
            for chosen, count in product(sets, range(1, MOST_COUNTED + 1)):
                total = cost + sum(part.literal.cost for part in chosen) + count - 1
                if total <= most and not (relation.exactly and count > relation.exactly):
                    made += [
                        Condition(relation, chosen, count, is_so, total) for is_so in (True, False)
                    ]
        return sorted(made, key=lambda some: some.cost)

    def _classes(self, relation: Relation) -> Iterator[InView]:
        """That one in view is of a class, or is not."""
        itself = Path((), relation.others.value, 0)
        for one in field_tests({self.name: self.field}, (itself,), (self.name,)):
            said = one.said.term if isinstance(one.said, Not) else one.said
            match said:
                case Compare(_, _, (Const(label),)):
                    pass
                case _:
                    label = 1
            literal = replace(one, said=put(one.said, me=IT))
            yield InView(literal, int(label), said is one.said)

    def _holds(self, condition: Condition, values: np.ndarray) -> np.ndarray:
        """[N] bools: where a condition holds while the field has these values."""
        looks, others = self.situations.pairs(condition.relation)
        seen = np.ones(len(looks), bool)
        for part in condition.parts:
            if part.label is None:
                seen &= self._of_inputs(condition.relation)[part.literal.said]
            else:
                seen &= (values[others] == part.label) == part.is_so
        met = np.bincount(looks[seen], minlength=len(values)) >= condition.count
        return met if condition.holds else ~met

    def _of_inputs(self, relation: Relation) -> dict[Expr, np.ndarray]:
        """Of which pairs each literal holds that speaks of inputs."""
        if relation not in self._static:
            rows = self.situations.rows_in_view(relation)
            self._static[relation] = {literal.said: holds for literal, holds in rows}
        return self._static[relation]


# ---- pointers and numbers


@dataclass(frozen=True)
class ValueProgram:
    """Where the value begins, and whether the least or the greatest is taken over."""

    start: Expr
    least: bool

    def program(self, schema: Schema, name: str) -> Program:
        """As a program."""
        field, order = as_column(schema.outputs[name]), "<" if self.least else ">"
        value = f"{name}'s number" if field.kind == "pointer" else name
        inputs = {name: as_column(one) for name, one in schema.inputs.items()}
        known, lets = {**inputs, name: field}, []
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
        case, stays = parse(Parser.move, move, "node", known), Get(name, "node")
        return Program(
            schema.name,
            inputs,
            {name: field},
            (Let(name, "node", self.start),),
            tuple(lets),
            (Let(name, "node", Case((case,), stays)),),
            outputs={name: field},
            concepts=("has_better",),
        )

    def __str__(self) -> str:
        start = Text({})(self.start)
        return f"begins {start}; takes over the {'least' if self.least else 'greatest'}"


class ValuePrograms:
    """Programs of a pointer to a node, or a number, at nodes; parameters are those of
    ``Programs``.
    """

    BOUND = (
        "a pointer or a number that begins as the node itself or an input, and takes over the "
        "least or the greatest of its neighbours', until nothing changes"
    )

    def __init__(self, schema: Schema, name: str, ends: Sequence[Episodes]) -> None:
        self.field = as_column(schema.outputs[name])
        self.inputs = {name: as_column(one) for name, one in schema.inputs.items()}
        if self.field.at != "node":
            raise AlgoLensError(
                f"'{name}' sits at the {self.field.at}: from final outputs alone, values of nodes "
                "are looked for."
            )
        self.states = [tensors_on(some.graph, self.inputs, some.inputs) for some in ends]
        self.finals = [some.frames[-1][name].numpy() for some in ends]

    def of_price(self, price: int) -> Iterator[ValueProgram]:
        """All of one price."""
        starts = [
            (path.end, path.cost)
            for path in elements(self.inputs, "node")
            if path.at == self.field.to
        ]
        if self.field.to is None:
            starts = [(number.said, number.cost) for number in numbers(self.inputs, "node")]
        for start, cost in starts:
            if cost + PRICE == price:
                yield from (ValueProgram(start, least) for least in (True, False))

    def ends_right(self, program: ValueProgram) -> bool:
        """Whether the program stops in the final values."""
        for state, final in zip(self.states, self.finals, strict=True):
            now = column_of([state], self.field, program.start).copy()
            senders, receivers = state.graph.links.numpy()
            take = np.minimum if program.least else np.maximum
            while True:
                after = now.copy()
                take.at(after, receivers, now[senders])
                if (after == now).all():
                    break
                now = after
            if (now != final).any():
                return False
        return True

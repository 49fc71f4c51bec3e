"""Programs of classes whose runs end in given outputs: candidates, and what they do.

A program has a start and up to two rules, "from this class to that, where ...". It goes on until
nothing changes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product
from typing import cast

import numpy as np
import torch

from algolens.algorithms import Limit
from algolens.discovery.declaring import column_of
from algolens.discovery.literals import Literal, crossing_literals, own_literals, relations
from algolens.discovery.names import names_of
from algolens.discovery.observations import so_many
from algolens.discovery.schema import Episodes, Schema, as_column
from algolens.discovery.situations import Situations, tensors_on
from algolens.language.finite import atoms
from algolens.language.ir import (
    IT,
    Compare,
    Const,
    Expr,
    Get,
    Let,
    Not,
    Per,
    Program,
    Quantified,
    columns_of,
    negation,
    put,
)
from algolens.language.relations import Relation
from algolens.language.rules import with_rules
from algolens.language.text import Text
from algolens.logic import GoOn, minimal_rules, pack
from algolens.logic.formula import Formula
from algolens.logic.going_on import Quantifier
from algolens.logic.rule_set import RuleSet

MOST_COUNTED = 3
MOST_LITERALS = 2


@dataclass(frozen=True, eq=False)
class Start:
    """How a field begins: of one class, or as a statement about inputs says."""

    says: Expr
    cost: int


@dataclass(frozen=True, eq=False)
class Condition:
    """At least so many in view are so, or not that many."""

    relation: Relation
    literals: tuple[Literal, ...]
    count: int
    holds: bool
    cost: int

    @property
    def met(self) -> Quantified:
        """That so many are so."""
        return so_many(self.relation, self.literals, self.count)


@dataclass(frozen=True, eq=False)
class Transition:
    """From a class to another, where a condition holds."""

    before: int
    after: int
    where: Condition


@dataclass(frozen=True, eq=False)
class ClassProgram:
    """A start, and rules of which the first that applies is taken."""

    start: Start
    rules: tuple[Transition, ...]
    labels: tuple[str, ...]

    def program(self, schema: Schema, name: str) -> Program:
        """As a program: what is decided in each case, as the smallest formulas."""
        field = as_column(schema.outputs[name])
        labels, itself, say = (
            self.labels,
            Get(name, field.at),
            Text({(field.at, name): self.labels}),
        )
        is_mask = field.kind == "mask"
        # what is of none of the other classes is of the last
        tests: list[Expr] = [itself]
        if not is_mask:
            classes = range(len(labels) - 1)
            tests = [Compare((itself,), "=", (Const(place),)) for place in classes]
        met = list(dict.fromkeys(rule.where.met for rule in self.rules))
        seen = names_of((*tests, *met), say, (*schema.inputs, name))
        # every case: a class, and which conditions are met
        cases = [
            (now, truth)
            for now in range(len(labels))
            for truth in product((False, True), repeat=len(met))
        ]
        rows, after = [], []
        for now, truth in cases:
            own_truth = [now == 1] if is_mask else [now == one for one in range(len(tests))]
            rows.append([*own_truth, *truth])
            taken = [
                rule.after
                for rule in self.rules
                if rule.before == now and truth[met.index(rule.where.met)] == rule.where.holds
            ]
            after.append(taken[0] if taken else now)
        packed, names = pack(np.array(rows)), tuple(seen)
        becomes, changes = np.array(after), np.array(after) != [now for now, _ in cases]

        def where(chosen: np.ndarray) -> Formula:
            return minimal_rules(names, packed[chosen], packed[~chosen]).formula

        rules = {label: where(becomes == number) for number, label in enumerate(labels)}
        rule_set = RuleSet(names, {name: rules}, GoOn(where(changes), Quantifier.EXISTS))
        limit = Limit(len(labels), per=schema.outputs[name].location)
        program = Program(
            schema.name,
            {name: as_column(one) for name, one in schema.inputs.items()},
            {name: field},
            (Let(name, field.at, self.start.says),),
            tuple(Let(called, field.at, said) for called, said in seen.items()),
            (Let(name, field.at, itself),),
            limit.times,
            cast("Per", limit.counted),
            {name: field},
            names,
        )
        return with_rules(program, rule_set, field.at)

    def __str__(self) -> str:
        say = Text({})
        rules = [
            f"{self.labels[rule.before]} to {self.labels[rule.after]} where "
            + say(rule.where.met if rule.where.holds else negation(rule.where.met))
            for rule in self.rules
        ]
        return f"begins {say(self.start.says)}, " + ", ".join(rules)


class ClassField:
    """The graphs, and what conditions say of classes on them.

    Parameters
    ----------
    schema : Schema
        Of a teacher whose one output is a mask or a category.
    ends : sequence of Episodes
        Graphs, inputs and final outputs (in the last frame).
    """

    BOUND = (
        "one field; one rule 'from this class to that, where', of three or more classes two rules; "
        "at least k in view, k up to 3, with up to 2 literals; until nothing changes"
    )

    def __init__(self, schema: Schema, name: str, ends: Sequence[Episodes]) -> None:
        self.schema, self.name = schema, name
        self.field, declared = as_column(schema.outputs[name]), schema.outputs[name]
        self.labels = self.field.labels or ("false", "true")
        blank = [
            Episodes(
                some.graph,
                some.inputs,
                [
                    {
                        name: torch.zeros(
                            some.graph.count(declared.location), dtype=declared.kind.dtype
                        )
                    }
                ],
                torch.zeros(some.graph.num_graphs, dtype=torch.long),
                torch.zeros((0, some.graph.num_graphs), dtype=torch.long),
            )
            for some in ends
        ]
        lean = Schema(
            schema.name,
            schema.location,
            schema.inputs,
            {name: declared},
            {name: declared},
            graphs=schema.graphs,
        )
        self.situations = Situations(lean, blank)
        self.given = {name: as_column(one) for name, one in schema.inputs.items()}
        self.inputs = [tensors_on(some.graph, self.given, some.inputs) for some in ends]
        self.final = np.concatenate([some.frames[-1][name].numpy() for some in ends]).astype(int)
        self.most_steps = 1 + max(int(some.graph.node_counts.max()) for some in ends)
        self._starts: dict[Expr, np.ndarray] = {}
        self._static: dict[tuple[str, Expr], np.ndarray] = {}

    # ---- candidates

    def starts(self) -> Iterator[Start]:
        """Constants first, then what an input says."""
        is_mask = self.field.kind == "mask"
        for number in range(len(self.labels)):
            yield Start(Const(bool(number) if is_mask else number), 1)
        if is_mask:
            for literal in own_literals(self.given, self.field.at):
                yield Start(literal.said, 1 + literal.cost)

    def first(self, start: Start) -> np.ndarray:
        """[N] the classes at the start."""
        if start.says not in self._starts:
            column = column_of(self.inputs, self.field, start.says)
            self._starts[start.says] = column.astype(int)
        return self._starts[start.says]

    def conditions(self, most: int) -> list[Condition]:
        """All conditions of up to a price, cheapest first."""
        made = []
        situations = self.situations
        directed = any(block.graph.directed for block in situations.blocks)
        for relation, cost in relations(situations.fields, self.field.at, directed=directed):
            literals = [
                some
                for some in (
                    *(
                        replace(one, said=put(one.said, me=IT))
                        for one in own_literals(situations.fields, relation.others.value)
                    ),
                    *crossing_literals(situations.fields, relation),
                )
                if self._can_say(some)
            ]
            sets: list[tuple[Literal, ...]] = [()]
            sets += [(some,) for some in literals]
            sets += [
                (one, other)
                for one, other in combinations(literals, MOST_LITERALS)
                if one.feature != other.feature
            ]
            for chosen in sets:
                price = cost + sum(some.cost for some in chosen)
                for count in range(1, MOST_COUNTED + 1):
                    total = price + count - 1
                    if total > most or (relation.exactly and count > relation.exactly):
                        continue
                    made += [
                        Condition(relation, chosen, count, holds, total) for holds in (True, False)
                    ]
        return sorted(made, key=lambda some: some.cost)

    def _can_say(self, literal: Literal) -> bool:
        """Whether it speaks of inputs alone, or is a plain test of the field at one in view."""
        return all(
            (self.field.at, self.name) not in columns_of(atom) or self._class_in(atom) is not None
            for atom in atoms(literal.said)
        )

    def _class_in(self, atom: Expr) -> int | None:
        """The class of the field that one in view is said to be of."""
        its = Get(self.name, self.field.at, IT)
        match atom:
            case Get() if atom == its:
                return 1
            case Compare((left,), "=", (Const(place),)) if left == its:
                return place
        return None

    def programs(self, most: int) -> Iterator[ClassProgram]:
        """Programs of one price, of rules that change nothing in the end."""
        conditions = self.conditions(most)
        inert = {id(some): self.holds(some, self.final) for some in conditions}
        num_labels, occurring = len(self.labels), set(np.unique(self.final).tolist())
        rules = [
            Transition(before, after, some)
            for before in range(num_labels)
            for some in conditions
            if not (inert[id(some)] & (self.final == before)).any()
            for after in range(num_labels)
            if after != before
        ]
        by_price: dict[tuple[int, int], list[Transition]] = {}  # and by the class they lead to
        for rule in rules:
            by_price.setdefault((rule.where.cost, rule.after), []).append(rule)
        for start in self.starts():
            left = most - start.cost
            missing = occurring - set(np.unique(self.first(start)).tolist())
            for after in range(num_labels):
                if missing <= {after}:
                    for rule in by_price.get((left, after), ()):
                        yield ClassProgram(start, (rule,), self.labels)
            if num_labels < 3:
                continue
            for (price, after), firsts in by_price.items():
                for last in range(num_labels):
                    # what occurs in the end, and not at the start, is what rules lead to
                    if last != after and missing <= {after, last}:
                        for first, second in product(
                            firsts, by_price.get((left - price, last), ())
                        ):
                            yield ClassProgram(start, (first, second), self.labels)

    # ---- running

    def holds(self, condition: Condition, values: np.ndarray) -> np.ndarray:
        """[N] bools: where a condition holds while the field has these values."""
        looks, others = self.situations.pairs(condition.relation)
        seen = np.ones(len(looks), bool)
        for literal in condition.literals:
            seen &= self._literal(condition.relation, literal, others, values)
        met = np.bincount(looks[seen], minlength=len(values)) >= condition.count
        return met if condition.holds else ~met

    def _literal(
        self, relation: Relation, literal: Literal, others: np.ndarray, values: np.ndarray
    ) -> np.ndarray:
        said, turned = literal.said, False
        if isinstance(said, Not):
            said, turned = said.term, True
        place = self._class_in(said)
        if place is not None:
            return (values[others] == place) ^ turned
        key = (relation.phrase(1), literal.said)
        if key not in self._static:
            self._static[key] = self.situations.crossing(said, relation) ^ turned
        return self._static[key]

    def ends_right(self, program: ClassProgram) -> bool:
        """Whether the program stops, and in the final outputs."""
        values = self.first(program.start)
        for _ in range(self.most_steps * len(self.labels)):
            after = values.copy()
            for rule in reversed(program.rules):  # the first that applies has the last word
                after[(values == rule.before) & self.holds(rule.where, values)] = rule.after
            if (after == values).all():
                return bool((values == self.final).all())
            values = after
        return False

"""Programs of classes whose runs end in given outputs: candidates, and what they do.

A program has a start and up to two rules, "from this class to that, where ...". It goes on until
nothing changes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, product

import numpy as np
import torch

from algolens.algorithms import Declaration, Limit
from algolens.discovery.literals import Literal, crossing_literals, own_literals, relations
from algolens.discovery.names import names_of
from algolens.discovery.schema import Episodes, Schema
from algolens.discovery.situations import Situations
from algolens.fields import Field, Mask, Observed
from algolens.logic import GoOn, minimal_rules, pack
from algolens.logic.formula import TRUE, Formula, Not, conjunction
from algolens.logic.going_on import Quantifier
from algolens.logic.rule_set import RuleSet
from algolens.looks import (
    GraphState,
    Observer,
    Quantified,
    Quantity,
    Relation,
    Scope,
    Statement,
    Term,
    Test,
    Whose,
)
from algolens.looks.language import atoms, statement_text, terms
from algolens.discovery.exclusive import exclusive

MOST_COUNTED = 3
MOST_LITERALS = 2


@dataclass(frozen=True, eq=False)
class Start:
    """How a field begins: as a class, or as a statement about inputs says."""

    text: str
    cost: int
    begins: int | Formula


@dataclass(frozen=True, eq=False)
class Condition:
    """At least so many in view are so, or not that many."""

    relation: Relation
    literals: tuple[Literal, ...]
    count: int
    holds: bool
    cost: int

    @property
    def met(self) -> Formula:
        """That so many are so, as a statement."""
        body = conjunction(*(some.formula for some in self.literals)) if self.literals else TRUE
        if self.count == 1:
            return Quantified(Quantity.SOME, self.relation, body)
        return Quantified(Quantity.AT_LEAST, self.relation, body, self.count)

    def __str__(self) -> str:
        return statement_text(self.met if self.holds else Not(self.met))


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

    def declaration(self, schema: Schema, name: str) -> Declaration:
        """As a declaration: what is decided in each case, as the smallest formulas."""
        field = schema.outputs[name]
        labels, own = self.labels, Term(Whose.MY, (name,))
        is_mask = isinstance(field.kind, Mask)
        # what is of none of the other classes is of the last
        tests = [Test(own)] if is_mask else [Test(own, one) for one in labels[:-1]]
        met = list(dict.fromkeys(rule.where.met for rule in self.rules))
        look = names_of((*tests, *met), (*schema.inputs, name))
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
        packed, names = pack(np.array(rows)), tuple(look)
        becomes, changes = np.array(after), np.array(after) != [now for now, _ in cases]

        def where(chosen: np.ndarray) -> Formula:
            return minimal_rules(names, packed[chosen], packed[~chosen]).formula

        rules = {label: where(becomes == number) for number, label in enumerate(labels)}
        rule_set = exclusive(RuleSet(names, {name: rules}, GoOn(where(changes), Quantifier.EXISTS)))
        return Declaration(
            location=field.location,
            inputs=dict(schema.inputs),
            state=(name,),
            start={name: self.start.text},
            look={
                known: Observed(field.location, statement_text(formula))
                for known, formula in look.items()
            },
            concepts=names,
            outputs={name: field.kind},
            rules=rule_set.rules,
            continues=rule_set.continues,
            most_steps=Limit(len(labels), per=field.location),
        )

    def __str__(self) -> str:
        rules = [
            f"{self.labels[rule.before]} to {self.labels[rule.after]} where {rule.where}"
            for rule in self.rules
        ]
        return f"begins {self.start.text}, " + ", ".join(rules)


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
        self.field: Field = schema.outputs[name]
        self.labels, kind = labels_of(self.field), self.field.kind
        blank = [
            Episodes(
                some.graph,
                some.inputs,
                [{name: torch.zeros(some.graph.count(self.field.location), dtype=kind.dtype)}],
                torch.zeros(some.graph.num_graphs, dtype=torch.long),
                torch.zeros((0, some.graph.num_graphs), dtype=torch.long),
            )
            for some in ends
        ]
        lean = Schema(
            schema.name,
            schema.location,
            schema.inputs,
            {name: self.field},
            {name: self.field},
            graphs=schema.graphs,
        )
        self.situations = Situations(lean, blank)
        self.inputs = [some.inputs for some in ends]
        self.final = np.concatenate([some.frames[-1][name].numpy() for some in ends]).astype(int)
        self.most_steps = 1 + max(int(some.graph.node_counts.max()) for some in ends)
        self._starts: dict[str, np.ndarray] = {}
        self._pairs: dict[str, tuple[np.ndarray, np.ndarray]] = {}
        self._static: dict[tuple[str, Formula], np.ndarray] = {}

    # ---- candidates

    def starts(self) -> Iterator[Start]:
        """Constants first, then what an input says."""
        for number, label in enumerate(self.labels):
            text = str(bool(number)) if isinstance(self.field.kind, Mask) else label
            yield Start(text, 1, number)
        if isinstance(self.field.kind, Mask):
            for literal in own_literals(Scope(dict(self.schema.inputs)), self.field.location):
                said = statement_text(literal.formula)
                yield Start(said, 1 + literal.cost, literal.formula)

    def first(self, start: Start) -> np.ndarray:
        """[N] the classes at the start."""
        if isinstance(start.begins, int):
            return np.full(len(self.final), start.begins)
        if start.text not in self._starts:
            scope = Scope(dict(self.schema.inputs))
            statement = Statement("begins", self.field.location, start.begins, scope)
            observer, parts = Observer([statement]), []
            for block, inputs in zip(self.situations.blocks, self.inputs, strict=True):
                parts.append(observer.observe(statement, GraphState(block.graph, scope, inputs)))
            self._starts[start.text] = torch.cat(parts).numpy().astype(int)
        return self._starts[start.text]

    def conditions(self, most: int) -> list[Condition]:
        """All conditions of up to a price, cheapest first."""
        made = []
        situations = self.situations
        directed = any(block.graph.directed for block in situations.blocks)
        for relation, cost in relations(situations.scope, self.field.location, directed=directed):
            literals = [
                some
                for some in (
                    *own_literals(situations.scope, relation.others, Whose.ITS),
                    *crossing_literals(situations.scope, relation),
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
        for atom in atoms(literal.formula):
            named = {word for term in terms(atom) for word in term.path}
            if self.name in named and not (
                isinstance(atom, Test) and atom.term.path == (self.name,) and not literal.crosses
            ):
                return False
        return True

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
        key = condition.relation.phrase(1)
        if key not in self._pairs:
            self._pairs[key] = self.situations.pairs(condition.relation)
        looks, others = self._pairs[key]
        seen = np.ones(len(looks), bool)
        for literal in condition.literals:
            seen &= self._literal(condition.relation, literal, others, values)
        met = np.bincount(looks[seen], minlength=len(values)) >= condition.count
        return met if condition.holds else ~met

    def _literal(
        self, relation: Relation, literal: Literal, others: np.ndarray, values: np.ndarray
    ) -> np.ndarray:
        formula = literal.formula
        bare, turned = (formula.term, True) if isinstance(formula, Not) else (formula, False)
        if isinstance(bare, Test) and bare.term.path == (self.name,):
            label = 1 if bare.label is None else self.labels.index(bare.label)
            return (values[others] == label) ^ turned
        key = (relation.phrase(1), formula)
        if key not in self._static:
            self._static[key] = self.situations.crossing(bare, relation) ^ turned
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


def labels_of(field: Field) -> tuple[str, ...]:
    """The classes of a mask or a category."""
    return ("false", "true") if isinstance(field.kind, Mask) else tuple(field.kind.labels)

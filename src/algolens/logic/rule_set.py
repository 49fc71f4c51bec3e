"""Rule sets: an algorithm as rules."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from typing import Annotated, Any, Literal

import numpy as np
from msgspec import Meta, Struct

from algolens import arrays
from algolens.arrays import Array
from algolens.errors import FormulaError
from algolens.logic.exports import (
    rule_set_to_latex,
    rule_set_to_markdown,
    rule_set_to_python,
    rule_set_to_smtlib,
    rule_set_to_sql,
    rule_set_to_sympy,
)
from algolens.logic.formula import Formula, Not, deciding, is_mask
from algolens.logic.names import check_names
from algolens.logic.parsing import parse
from algolens.logic.patterns import all_patterns
from algolens.reading import Name, Text, Word, as_record

MAX_LOOKUP_CONCEPTS = 16  # beyond, formulas are evaluated instead of looked up


class Quantifier(StrEnum):
    """Of how many elements a formula must hold."""

    EXISTS = "exists"
    EVERY = "every"
    NO = "no"

    @property
    def in_latex(self) -> str:
        """Its sign, and the variable."""
        return {"exists": r"\exists n.\; ", "every": r"\forall n.\; ", "no": r"\nexists n.\; "}[
            self
        ]


@dataclass(frozen=True)
class GoOn:
    """Go on while the formula holds of some element (or of every one, or of none) after a step.

    In a graph without elements "exists" is false, "every" and "no" are true.

    Examples
    --------
    >>> str(GoOn.parse("~is_colored")), str(GoOn.parse("every n: waits"))
    ('exists n: ~is_colored', 'every n: waits')
    """

    formula: Formula
    quantifier: Quantifier = Quantifier.EXISTS

    @classmethod
    def parse(cls, text: str) -> GoOn:
        """Read a rule: ``exists n:`` (or nothing), ``every n:`` or ``no n:``, then a formula."""
        word, colon, rest = text.partition(":")
        parts = word.split()
        if not colon:
            return cls(parse(text))
        if len(parts) != 2 or parts[0] not in set(Quantifier) or parts[1] != "n":
            raise FormulaError(
                "a rule for going on begins with 'exists n:', 'every n:' or 'no n:'; it begins "
                f"with '{word.strip()}:'."
            )
        return cls(parse(rest), Quantifier(parts[0]))

    @property
    def names(self) -> tuple[str, ...]:
        """The concepts it speaks of."""
        return self.formula.names

    @property
    def witness(self) -> Formula:
        """What one element must be to settle it: to go on (exists), or to stop (every, no)."""
        return Not(self.formula) if self.quantifier is Quantifier.EVERY else self.formula

    @property
    def negates(self) -> bool:
        """Whether it stops, and does not go on, where there is a witness."""
        return self.quantifier is not Quantifier.EXISTS

    def equivalent(self, other: GoOn) -> bool:
        """Whether both say the same of every graph."""
        return self.negates is other.negates and self.witness.equivalent(other.witness)

    def to_json(self) -> list[Any]:
        """Itself as JSON: the quantifier, and the formula as a tree."""
        return [self.quantifier.value, self.formula.to_json()]

    @property
    def as_typed(self) -> str:
        """As a user types it: "exists" need not be said."""
        return str(self.formula) if self.quantifier is Quantifier.EXISTS else str(self)

    def __str__(self) -> str:
        return f"{self.quantifier} n: {self.formula}"


Names = Annotated[list[Name], Meta(max_length=1_000, extra_json_schema={"uniqueItems": True})]
# an output without a class decides nothing
RulesByClass = dict[Name, Annotated[dict[Word, Formula], Meta(min_length=1)]]


class RuleSetRecord(Struct, frozen=True, forbid_unknown_fields=True):
    """A rule set."""

    concepts: Names
    rules: RulesByClass
    continues: tuple[Literal["exists", "every", "no"], Formula] | None
    remarks: list[Text] = []


@dataclass(frozen=True)
class RuleSet:
    """An algorithm as rules: for each output a rule per class, and a rule for going on.

    It fits the ``decide`` socket as ``rule_set.decide``, and the ``continues`` socket through
    ``algolens.engines.goes_on_by(rule_set, location)``. An element takes the first class (in the
    order of the rules) whose rule holds; where none holds, the first class. A mask is true where
    its rule for "true" holds, and false elsewhere.

    Parameters
    ----------
    concepts
        Their names, in the order of the columns of a tensor of concepts.
    rules
        For each output, a formula for each class.
    continues
        The rule for going on; None where the number of steps is fixed.

    Examples
    --------
    >>> rule_set = RuleSet.parse(
    ...     ("has_been_visited", "has_visited_neighbours"),
    ...     {"visited": {"true": "has_visited_neighbours", "false": "~has_visited_neighbours"}},
    ...     continues="~has_been_visited & has_visited_neighbours",
    ... )
    >>> import numpy as np
    >>> rule_set.decide(np.array([[True, True], [False, False]]))
    {'visited': array([ True, False])}
    """

    concepts: tuple[str, ...]
    rules: Mapping[str, Mapping[str, Formula]]
    continues: GoOn | None = None
    # sentences on what was measured of it, which every export carries; rules that are changed, as
    # by replace(), lose them
    remarks: tuple[str, ...] = field(default=(), init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "concepts", tuple(self.concepts))
        check_names(self.concepts, "a concept")
        check_names(tuple(self.rules), "an output")
        if empty := [output for output, classes in self.rules.items() if not classes]:
            raise FormulaError(f"'{empty[0]}' has no class: give a rule for each of its classes.")
        ordered = {
            # a mask's rules with "true" first: it is true exactly where its rule for true holds
            output: {label: classes[label] for label in ("true", "false")}
            if is_mask(classes)
            else dict(classes)
            for output, classes in self.rules.items()
        }
        object.__setattr__(self, "rules", ordered)
        formulas = [(f"{output} = {label}", rule) for output, label, rule in self.each]
        if self.continues is not None:
            formulas.append(("going on", self.continues.formula))
        for what, formula in formulas:
            for name in formula.names:
                if name not in self.concepts:
                    raise FormulaError(
                        f"the rule for {what} names '{name}', which is no concept; the concepts "
                        f"are: {', '.join(self.concepts)}. Correct the rule, or declare the "
                        "concept."
                    )

    @property
    def each(self) -> list[tuple[str, str, Formula]]:
        """Each output with each of its classes, and the rule."""
        return [
            (output, label, rule)
            for output, classes in self.rules.items()
            for label, rule in classes.items()
        ]

    @classmethod
    def parse(
        cls,
        concepts: Sequence[str],
        rules: Mapping[str, Mapping[str, str]],
        continues: str | None = None,
    ) -> RuleSet:
        """Read a rule set from rules as a user types them."""
        parsed = {
            output: {label: parse(text) for label, text in classes.items()}
            for output, classes in rules.items()
        }
        return cls(tuple(concepts), parsed, None if continues is None else GoOn.parse(continues))

    def with_remarks(self, remarks: Sequence[str]) -> RuleSet:
        """Return the same rules with other sentences on what was measured of them."""
        remarked = replace(self)
        object.__setattr__(remarked, "remarks", tuple(_on_one_line(remark) for remark in remarks))
        return remarked

    def decide(self, concepts: Array) -> dict[str, Array]:
        """Eq. 4 by rules: outputs from concepts.

        Parameters
        ----------
        concepts
            [..., C] bools, or probabilities, true above 0.5.

        Returns
        -------
        dict
            [...] for each output: a mask as bools, a category as the number of its class.
        """
        concepts = self._as_bools(concepts)
        return {output: self._decided(output, concepts) for output in self.rules}

    def goes_on(
        self, concepts: Array, any_of_each: Callable[[Array], Array] | None = None
    ) -> Array:
        """Whether graphs take another step.

        Parameters
        ----------
        concepts
            [..., N, C] of a graph's elements after a step.
        any_of_each
            For [N, C] elements of several graphs: whether one of each graph's elements is so.
        """
        if self.continues is None:
            raise FormulaError(
                "these rules have none for going on: they run a fixed number of steps."
            )
        holds = self.continues.witness.evaluate(self._values(self._as_bools(concepts)))
        exists = holds.any(-1) if any_of_each is None else any_of_each(holds)
        return exists ^ self.continues.negates

    def _decided(self, output: str, concepts: Array) -> Array:
        """One output, by its one rule or by one look into a table of all patterns."""
        if is_mask(self.rules[output]) or len(self.concepts) > MAX_LOOKUP_CONCEPTS:
            return self._evaluated(output, concepts)
        rows = table_rows(concepts)
        table = arrays.to(self._tables[output], arrays.device_of(rows))
        return arrays.take(table, rows.reshape(-1)).reshape(rows.shape)

    def _evaluated(self, output: str, concepts: Array) -> Array:
        values, classes = self._values(concepts), self.rules[output]
        device, shape = arrays.device_of(concepts), tuple(concepts.shape[:-1])
        holds = [
            truth
            if arrays.is_array(truth := rule.evaluate(values))
            else arrays.full(math.prod(shape), bool(truth), device).reshape(shape)
            for rule in deciding(classes)
        ]
        return holds[0] if is_mask(classes) else arrays.cast(arrays.stack(holds), int).argmax(0)

    @cached_property
    def _tables(self) -> dict[str, np.ndarray]:
        patterns = all_patterns(len(self.concepts))
        return {output: self._evaluated(output, patterns) for output in self.rules}

    def _values(self, concepts: Array) -> dict[str, Array]:
        columns = (concepts[..., place] for place in range(concepts.shape[-1]))
        return dict(zip(self.concepts, columns, strict=True))

    def _as_bools(self, concepts: Array) -> Array:
        if concepts.shape[-1] != len(self.concepts):
            raise FormulaError(
                f"concepts came with {concepts.shape[-1]} columns; these rules have "
                f"{len(self.concepts)}: {', '.join(self.concepts)}."
            )
        return concepts if arrays.is_of(concepts, bool) else concepts > 0.5

    def to_json(self) -> dict[str, Any]:
        """Itself as JSON, formulas as trees."""
        return {
            "concepts": list(self.concepts),
            "rules": {
                o: {c: f.to_json() for c, f in classes.items()} for o, classes in self.rules.items()
            },
            "continues": None if self.continues is None else self.continues.to_json(),
            "remarks": list(self.remarks),
        }

    @classmethod
    def from_json(cls, value: Any) -> RuleSet:
        """The rule set that ``to_json`` wrote."""
        return cls.of(as_record(value, RuleSetRecord, "the rule set"))

    @classmethod
    def of(cls, record: RuleSetRecord) -> RuleSet:
        """The rule set that a record holds."""
        going_on = None
        if record.continues is not None:
            going_on = GoOn(record.continues[1], Quantifier(record.continues[0]))
        rules = cls(tuple(record.concepts), record.rules, going_on)
        return rules.with_remarks(record.remarks)

    to_python_source = rule_set_to_python
    to_sql = rule_set_to_sql
    to_smtlib = rule_set_to_smtlib
    to_latex = rule_set_to_latex
    to_markdown = rule_set_to_markdown
    to_sympy = rule_set_to_sympy

    def __str__(self) -> str:
        # a class may be called anything: a line stays one line
        lines = [
            f"{output} = {label if label.isprintable() else repr(label)}: {rule}"
            for output, label, rule in self.each
        ]
        if self.continues is not None:
            lines.append(f"go on: {self.continues}")
        return "\n".join(lines)


def _on_one_line(text: str) -> str:
    return " ".join("".join(mark if mark.isprintable() else " " for mark in text).split())


def table_rows(concepts: Array) -> Array:
    """[..., C] bools to [...] whole numbers: the first concept is the highest bit.

    >>> import numpy as np
    >>> table_rows(np.array([[True, False, False], [False, True, True]])).tolist()
    [4, 3]
    """
    count = concepts.shape[-1]
    rows = arrays.zeros(tuple(concepts.shape[:-1]), int, arrays.device_of(concepts))
    for start in range(0, count, 8):  # bytes are added fastest, and hold eight concepts
        places = range(start, min(start + 8, count))
        block = arrays.as_bytes(concepts[..., places[0]])
        for place in places[1:]:
            block = block + block + arrays.as_bytes(concepts[..., place])
        rows = rows * 2 ** len(places) + block
    return rows

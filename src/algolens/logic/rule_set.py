"""Programs: an algorithm as rules."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from operator import itemgetter
from typing import Any

import torch
from torch import Tensor

from algolens.errors import FormulaError
from algolens.logic.formula import MASK_CLASSES, Formula, from_json
from algolens.logic.going_on import GoOn
from algolens.logic.names import check_names
from algolens.logic.parsing import parse
from algolens.logic.patterns import all_patterns
from algolens.logic.tensors import Truth, circuit, table_rows

MAX_LOOKUP_CONCEPTS = 16  # beyond, formulas are evaluated instead of looked up


@dataclass(frozen=True)
class RuleSet:
    """An algorithm as rules: for each output a rule per class, and a rule for going on.

    It fits the ``decide`` socket as ``rule_set.decide``, and the ``continues`` socket through
    ``algolens.execution.goes_on_by(rule_set, location)``. An element takes the first class (in the
    order of the rules) whose rule holds; where none holds, the first class. A mask is true where
    its rule for "true" holds, and false elsewhere.

    >>> rule_set = RuleSet.parse(
    ...     ("has_been_visited", "has_visited_neighbours"),
    ...     {"visited": {"true": "has_visited_neighbours", "false": "~has_visited_neighbours"}},
    ...     continues="~has_been_visited & has_visited_neighbours",
    ... )
    >>> rule_set.decide(torch.tensor([[True, True], [False, False]]))
    {'visited': tensor([ True, False])}
    """

    concepts: tuple[str, ...]
    rules: Mapping[str, Mapping[str, Formula]]
    continues: GoOn | None = None  # None: the number of steps is fixed
    # sentences on what was measured of it, which every export carries; rules that are changed, as
    # by replace(), lose them
    remarks: tuple[str, ...] = field(default=(), init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "concepts", tuple(self.concepts))
        check_names(self.concepts, "a concept")
        check_names(tuple(self.rules), "an output")
        ordered = {output: _in_order(classes) for output, classes in self.rules.items()}
        object.__setattr__(self, "rules", ordered)
        formulas = [(f"{o} = {c}", f) for o, classes in ordered.items() for c, f in classes.items()]
        if self.continues is not None:
            formulas.append(("going on", self.continues.formula))
        for what, formula in formulas:
            unknown = [name for name in formula.names if name not in self.concepts]
            if unknown:
                raise FormulaError(
                    f"the rule for {what} names '{unknown[0]}', which is no concept; the concepts "
                    f"are: {', '.join(self.concepts)}. Correct the rule, or declare the concept."
                )

    @classmethod
    def parse(
        cls,
        concepts: Sequence[str],
        rules: Mapping[str, Mapping[str, str]],
        continues: str | None = None,
    ) -> RuleSet:
        """A rule set from rules as a user types them."""
        parsed = {
            output: {label: parse(text) for label, text in classes.items()}
            for output, classes in rules.items()
        }
        return cls(tuple(concepts), parsed, None if continues is None else GoOn.parse(continues))

    def with_remarks(self, remarks: Sequence[str]) -> RuleSet:
        """The same rule set with other sentences on what was measured of it."""
        told = replace(self)
        object.__setattr__(told, "remarks", tuple(_on_one_line(remark) for remark in remarks))
        return told

    def decide(self, concepts: Tensor) -> dict[str, Tensor]:
        """Eq. 4 by rules: [..., C] concepts (bools, or probabilities, true above 0.5) to outputs
        [...].

        A mask comes as bools, a category as the number of its class.
        """
        concepts = self._as_bools(concepts)
        columns = concepts.unbind(-1)
        looked_up = [output for output in self.rules if self._is_looked_up(output, concepts)]
        rows = table_rows(concepts) if looked_up else None
        return {
            output: _entries(self._tables[output], rows)
            if rows is not None and output in looked_up
            else self._found(output, columns)
            for output in self.rules
        }

    def goes_on(
        self, concepts: Tensor, any_of_each: Callable[[Tensor], Tensor] | None = None
    ) -> Tensor:
        """[..., N, C] concepts of a graph's elements after a step to [...]: another step?

        any_of_each: for [N, C] elements of several graphs, whether one of each graph's elements is
        so.
        """
        if self.continues is None:
            raise FormulaError(
                "this rule set has no rule for going on: it runs a fixed number of steps."
            )
        values = dict(zip(self.concepts, self._as_bools(concepts).unbind(-1), strict=True))
        return self.continues.of_graphs(values, any_of_each or (lambda holds: holds.any(-1)))

    def _is_looked_up(self, output: str, concepts: Tensor) -> bool:
        """Whether one look into a table of all patterns is faster than a rule for every class."""
        if len(self.concepts) > MAX_LOOKUP_CONCEPTS:
            return False
        # a mask has one rule, which is fast where each concept lies in one piece
        is_in_pieces = concepts.shape[-1] > 1 and concepts.stride(-1) == 1
        return not self._is_mask(output) or (
            is_in_pieces and len(self.rules[output]["true"].names) > 2
        )

    def _found(self, output: str, columns: Sequence[Tensor]) -> Tensor:
        if self._is_mask(output):
            return self._says(self.rules[output]["true"], columns)
        return _first_that_holds(
            [self._says(rule, columns) for rule in self.rules[output].values()]
        )

    def _says(self, formula: Formula, columns: Sequence[Tensor]) -> Tensor:
        """A formula's truth, where each concept is a column of bools."""
        if id(formula) not in self._circuits:  # its formulas stay, and so do their ids
            self._circuits[id(formula)] = circuit(formula, self._column)
        found = self._circuits[id(formula)]
        if isinstance(found, bool):
            return torch.full_like(columns[0], found) if columns else torch.tensor(found)
        return found(columns)

    def _column(self, concept: Formula) -> Truth[Sequence[Tensor]]:
        return itemgetter(self.concepts.index(concept.names[0]))

    @cached_property
    def _circuits(self) -> dict[int, Truth[Sequence[Tensor]] | bool]:
        return {}

    def _is_mask(self, output: str) -> bool:
        return set(self.rules[output]) == set(MASK_CLASSES)

    def equivalent(self, other: RuleSet) -> bool:
        """Whether both decide and go on alike on every pattern of concepts."""
        if set(self.concepts) != set(other.concepts) or set(self.rules) != set(other.rules):
            return False
        patterns = torch.from_numpy(all_patterns(len(self.concepts)))
        order = [self.concepts.index(name) for name in other.concepts]
        mine, theirs = self.decide(patterns), other.decide(patterns[:, order])
        if self.continues is None or other.continues is None:
            same = self.continues is other.continues
        else:
            same = self.continues.equivalent(other.continues)
        return same and all(torch.equal(mine[output], theirs[output]) for output in self.rules)

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
        try:
            rules = {
                o: {c: from_json(f) for c, f in classes.items()}
                for o, classes in value["rules"].items()
            }
            going_on, names = value["continues"], value["concepts"]
            if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
                raise TypeError(names)
            told = cls(tuple(names), rules, None if going_on is None else GoOn.from_json(going_on))
            return told.with_remarks(value.get("remarks", ()))
        except (TypeError, KeyError, AttributeError) as problem:
            shown = json.dumps(value, default=str)[:80]
            raise FormulaError(
                f"not a rule set in JSON ({shown}): it needs 'concepts', 'rules' and 'continues'."
            ) from problem

    def to_python_source(self) -> str:
        """Itself as a Python module of its own: ``decide`` and ``goes_on``, for [..., C] arrays,
        with NumPy alone.

        >>> rule_set = RuleSet.parse(["a"], {"seen": {"true": "~a", "false": "a"}})
        >>> import numpy as np
        >>> names = {}
        >>> exec(rule_set.to_python_source(), names)
        >>> names["decide"](np.array([[True], [False]]))
        {'seen': array([False,  True])}
        """
        from algolens.logic.exports import rule_set_to_python

        return rule_set_to_python(self)

    def to_sql(self) -> dict[str, str]:
        """An SQL expression for each output, over columns of truth values with the concepts' names.

        >>> print(RuleSet.parse(["a"], {"seen": {"true": "~a", "false": "a"}}).to_sql()["seen"])
        CASE
          WHEN NOT "a" THEN 1
          ELSE 0
        END
        """
        from algolens.logic.exports import rule_set_to_sql

        return rule_set_to_sql(self)

    def to_smtlib(self) -> str:
        """Itself as SMT-LIB 2: a constant for each concept, a function for each rule and for each
        class that is decided on.

        >>> rules = RuleSet.parse(["a"], {"seen": {"true": "~a", "false": "a"}})
        >>> print(rules.to_smtlib().splitlines()[4])
        (define-fun |rule: seen = true| () Bool (not a))
        """
        from algolens.logic.exports import rule_set_to_smtlib

        return rule_set_to_smtlib(self)

    def to_latex(self) -> str:
        """Itself as aligned LaTeX mathematics (amsmath).

        >>> rules = RuleSet.parse(["a"], {}, continues="~a").with_remarks(["It is right."])
        >>> print(rules.to_latex())
        % It is right.
        \\begin{align*}
        \\text{go on} &\\leftarrow \\exists n.\\; \\lnot \\mathit{a}(n)
        \\end{align*}
        <BLANKLINE>
        """
        from algolens.logic.exports import rule_set_to_latex

        return rule_set_to_latex(self)

    def to_markdown(self) -> str:
        """Itself as a table in Markdown.

        >>> rules = RuleSet.parse(["a"], {}, continues="~a").with_remarks(["It is right."])
        >>> print(rules.to_markdown())
        | | rule |
        |---|---|
        | go on | `exists n: ~a` |
        <BLANKLINE>
        - It is right.
        <BLANKLINE>
        """
        from algolens.logic.exports import rule_set_to_markdown

        return rule_set_to_markdown(self)

    def to_sympy(self) -> dict[str, Any]:
        """Its rules and its rule for going on, in the shape of its JSON, each a SymPy expression;
        and its remarks.

        >>> RuleSet.parse(["a"], {"seen": {"true": "~a", "false": "a"}}).to_sympy()
        {'rules': {'seen': {'true': ~a, 'false': a}}, 'continues': None, 'remarks': []}
        """
        from algolens.logic.exports import rule_set_to_sympy

        return rule_set_to_sympy(self)

    def __str__(self) -> str:
        # a class may be called anything: a line stays one line
        lines = [
            f"{o} = {c if c.isprintable() else repr(c)}: {f}"
            for o, classes in self.rules.items()
            for c, f in classes.items()
        ]
        if self.continues is not None:
            lines.append(f"go on: {self.continues}")
        return "\n".join(lines)

    def _as_bools(self, concepts: Tensor) -> Tensor:
        if concepts.shape[-1] != len(self.concepts):
            raise FormulaError(
                f"concepts came with {concepts.shape[-1]} columns; this rule set has "
                f"{len(self.concepts)}: {', '.join(self.concepts)}."
            )
        return concepts if concepts.dtype == torch.bool else concepts > 0.5

    @cached_property
    def _tables(self) -> dict[str, Tensor]:
        patterns = torch.from_numpy(all_patterns(len(self.concepts)))
        return {output: self._found(output, patterns.unbind(-1)) for output in self.rules}


def _on_one_line(text: str) -> str:
    return " ".join("".join(mark if mark.isprintable() else " " for mark in text).split())


def _entries(table: Tensor, rows: Tensor) -> Tensor:
    return table.to(rows.device).index_select(0, rows.flatten()).view(rows.shape)


def _in_order(classes: Mapping[str, Formula]) -> dict[str, Formula]:
    """A mask's rules with "true" first, so that a mask is true exactly where its rule for true
    holds.
    """
    if set(classes) == set(MASK_CLASSES):
        return {label: classes[label] for label in ("true", "false")}
    return dict(classes)


def _first_that_holds(holds: Sequence[Tensor]) -> Tensor:
    return torch.stack(list(holds)).to(torch.int8).argmax(0)

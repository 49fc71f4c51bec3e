"""Formulas: immutable statements about named concepts, their text, and reasoning about them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, reduce
from itertools import combinations
from operator import and_, or_
from typing import Any, final

import numpy as np

from algolens.errors import FormulaError, brief
from algolens.logic.names import WORDS, check_name
from algolens.logic.patterns import all_patterns, unpack

MOST_DEEP = 100  # terms within terms: what goes through a formula calls itself for each
MAX_TABLE_CONCEPTS = 24  # a truth table of 2**24 rows is 16 MiB

MASK_CLASSES = ("false", "true")


def is_mask(classes: Iterable[str]) -> bool:
    """Whether classes are those of a mask, and not of a category."""
    return set(classes) == set(MASK_CLASSES)


def deciding(classes: Mapping[str, Formula]) -> list[Formula]:
    """The rules that decide: of a mask the one for true."""
    return [classes["true"]] if is_mask(classes) else list(classes.values())


@dataclass(frozen=True)
class Notation:
    """The marks of one way of writing formulas."""

    conjunction: str
    disjunction: str
    negation: str
    true: str
    false: str
    name: Callable[[str], str] = str


TEXT = Notation(" & ", " | ", "~", "True", "False")


WRITTEN_NAME = rf"^(?!(?:{'|'.join(sorted(WORDS))})$)[^\W\d]\w*$"
A_RULE = {"$ref": "#/$defs/rule"}


RULE_DEFINITION: dict[str, Any] = {
    "rule": {
        "description": 'true, false, a concept, ["not", r], ["and", r, r, ...] or '
        '["or", r, r, ...].',
        "anyOf": [
            {"type": "boolean"},
            {"type": "string", "pattern": WRITTEN_NAME},
            {"type": "array", "prefixItems": [{"const": "not"}, A_RULE], "items": False}
            | {"minItems": 2},
            {"type": "array", "prefixItems": [{"enum": ["and", "or"]}], "items": A_RULE}
            | {"minItems": 3},
        ],
    }
}


class Formula:
    """A statement about named concepts, built with ``&``, ``|`` and ``~``.

    Two formulas are *equal* when they are written alike and *equivalent* when they have the same
    truth table.

    Examples
    --------
    >>> a, b = concepts("a", "b")
    >>> ~(a & b) == ~a | ~b, (~(a & b)).equivalent(~a | ~b)
    (False, True)
    >>> str(~a & (b | True))
    '~a & (b | True)'
    """

    parts: tuple[Formula, ...] = ()  # what an operator joins
    definitions = RULE_DEFINITION

    def __post_init__(self) -> None:
        depth = 1 + max((getattr(part, "_depth", 1) for part in self.parts), default=0)
        if depth > MOST_DEEP:
            raise FormulaError(
                f"a formula is nested more than {MOST_DEEP} deep: declare a part of it as an "
                "observation of its own, and name that."
            )
        object.__setattr__(self, "_depth", depth)

    @property
    def names(self) -> tuple[str, ...]:
        """The concepts it speaks of, in the order of their first mention."""
        return tuple(dict.fromkeys(name for part in self.parts for name in part.names))

    def evaluate(self, values: Mapping[str, Any]) -> Any:
        """Return its truth, given the concepts' values.

        Parameters
        ----------
        values
            A bool, boolean array or boolean tensor for each concept, all of one shape.

        Raises
        ------
        FormulaError
            If a concept has no value, or one that is not boolean.

        Examples
        --------
        >>> bool(concepts("a")[0].evaluate({"a": True}))
        True
        """
        match self:
            case Constant(value):
                like = next(iter(values.values()), value)
                if isinstance(like, bool):
                    return value
                # x | ~x keeps the type and shape of what the other concepts come as
                return like | ~like if value else like & ~like
            case Concept(name):
                return _checked(name, values)
        first, *rest = [part.evaluate(values) for part in self.parts]
        if isinstance(self, Not):
            return not first if isinstance(first, bool) else ~first
        return reduce(and_ if isinstance(self, And) else or_, rest, first)

    def to_json(self) -> Any:
        """Itself as JSON: a name, true or false, or ``[operator, *terms]``."""
        match self:
            case Constant(said) | Concept(said):
                return said
        return [type(self).__name__.lower(), *(part.to_json() for part in self.parts)]

    @classmethod
    def from_json(cls, value: Any) -> Formula:
        """The formula that ``to_json`` wrote."""
        match value:
            case bool():
                return as_formula(value)
            case str():
                return Concept(value)
            case ["not", term]:
                return Not(cls.from_json(term))
            case ["and" | "or" as word, _, _, *_]:
                join = conjunction if word == "and" else disjunction
                return join(*map(cls.from_json, value[1:]))
        raise FormulaError(
            f"{brief(repr(value))} is no formula in JSON: write a name, true or false, "
            "['not', f], ['and', f, g, ...] or ['or', f, g, ...]."
        )

    def table(self, names: Sequence[str] | None = None) -> np.ndarray:
        """Return its truth table over ``names``: [2**C] bools, the first name the highest bit.

        Examples
        --------
        >>> concepts("a")[0].table(["a", "b"]).tolist()
        [False, False, True, True]
        """
        names = self.names if names is None else tuple(names)
        if len(names) > MAX_TABLE_CONCEPTS:
            raise FormulaError(
                f"a truth table over {len(names)} concepts has 2**{len(names)} rows; "
                f"at most {MAX_TABLE_CONCEPTS} concepts can be tabulated."
            )
        return self.on(names, all_patterns(len(names))).copy()

    def on(self, names: Sequence[str], patterns: np.ndarray) -> np.ndarray:
        """[M] bools: where it holds. patterns: [M, C] bools of the concepts ``names``."""
        holds = self.evaluate(dict(zip(names, patterns.T, strict=True)))
        return np.broadcast_to(np.asarray(holds, bool), len(patterns))

    def equivalent(self, other: Formula) -> bool:
        """Whether both have the same truth table over all concepts that either speaks of."""
        return self.difference(other) is None

    def difference(self, other: Formula) -> dict[str, bool] | None:
        """The first row on which both differ, by name; None when they are equivalent."""
        names = tuple(dict.fromkeys(self.names + other.names))
        rows = np.flatnonzero(self.table(names) != other.table(names))
        if rows.size == 0:
            return None
        return dict(zip(names, unpack(rows[:1], len(names))[0].tolist(), strict=True))

    def __str__(self) -> str:
        return formula_text(self, TEXT)

    def __repr__(self) -> str:
        return f"Formula({str(self)!r})"

    def __and__(self, other: Formula | bool) -> Formula:
        return conjunction(self, as_formula(other))

    def __rand__(self, other: bool) -> Formula:
        return conjunction(as_formula(other), self)

    def __or__(self, other: Formula | bool) -> Formula:
        return disjunction(self, as_formula(other))

    def __ror__(self, other: bool) -> Formula:
        return disjunction(as_formula(other), self)

    def __invert__(self) -> Formula:
        return Not(self)

    def __bool__(self) -> bool:
        raise TypeError(
            "a formula has no single truth value: use &, | and ~ to combine formulas (not and, or, "
            "not), and .evaluate(...) or .equivalent(...) to ask."
        )


@final
@dataclass(frozen=True, repr=False)
class Constant(Formula):
    """Always true, or always false."""

    value: bool


@final
@dataclass(frozen=True, repr=False)
class Concept(Formula):
    """A concept by its name."""

    name: str

    def __post_init__(self) -> None:
        check_name(self.name, "a concept")

    @property
    def names(self) -> tuple[str, ...]:
        return (self.name,)


@final
@dataclass(frozen=True, repr=False)
class Not(Formula):
    """The opposite of a formula."""

    term: Formula

    @property
    def parts(self) -> tuple[Formula, ...]:  # type: ignore[override]
        return (self.term,)


@final
@dataclass(frozen=True, repr=False)
class And(Formula):
    """True where every one of two parts or more is, none of which is itself an ``And``."""

    parts: tuple[Formula, ...]


@final
@dataclass(frozen=True, repr=False)
class Or(Formula):
    """True where some of two parts or more is, none of which is itself an ``Or``."""

    parts: tuple[Formula, ...]


def _checked(name: str, values: Mapping[str, Any]) -> Any:
    """The values of a concept."""
    if name not in values:
        raise FormulaError(
            f"no value came for concept '{name}'; values came for: {', '.join(values) or 'none'}."
        )
    came = getattr(values[name], "dtype", type(values[name]).__name__)
    if "bool" not in str(came):
        raise FormulaError(
            f"concept '{name}' came as {came}; a formula takes bools: threshold it first, "
            "as in value > 0.5."
        )
    return values[name]


TRUE, FALSE = Constant(True), Constant(False)


def concepts(*names: str) -> tuple[Formula, ...]:
    """A formula for each name."""
    return tuple(Concept(name) for name in names)


def as_formula(value: Formula | bool) -> Formula:
    """The formula itself, or the constant for a bool."""
    if isinstance(value, Formula):
        return value
    if isinstance(value, bool):
        return TRUE if value else FALSE
    raise FormulaError(
        f"a formula is joined to formulas and bools, not to {type(value).__name__}: {value!r}."
    )


def conjunction(*formulas: Formula) -> Formula:
    """All of them, flattened; true when there are none."""
    return _flat(And, formulas, TRUE)


def disjunction(*formulas: Formula) -> Formula:
    """Any of them, flattened; false when there are none."""
    return _flat(Or, formulas, FALSE)


def _flat(kind: type[And | Or], formulas: Sequence[Formula], empty: Formula) -> Formula:
    terms = tuple(t for f in formulas for t in (f.parts if isinstance(f, kind) else (f,)))
    return kind(terms) if len(terms) > 1 else (terms[0] if terms else empty)


def formula_text(formula: Formula, notation: Notation) -> str:
    """Write a formula in a notation, with parentheses only where they are needed.

    Examples
    --------
    >>> from algolens.logic import LATEX, PYTHON, parse
    >>> formula_text(parse("~a & (b | lambda)"), PYTHON)
    'not a and (b or concept_lambda)'
    >>> print(formula_text(parse("~a"), LATEX))
    \\lnot \\mathit{a}
    """

    def term_text(term: Formula) -> str:
        text = formula_text(term, notation)
        # clauses of an "or" read better in parentheses, though they need none
        return f"({text})" if isinstance(term, And | Or) else text

    match formula:
        case Constant(value):
            return notation.true if value else notation.false
        case Concept(name):
            return notation.name(name)
        case Not(term):
            return notation.negation + term_text(term)
    join = notation.conjunction if isinstance(formula, And) else notation.disjunction
    return join.join(map(term_text, formula.parts))


def factored(formula: Formula) -> Formula:
    """Return an equivalent formula in which literals that all clauses share stand outside.

    Examples
    --------
    >>> from algolens.logic import parse
    >>> str(factored(parse("(a & ~c) | (b & ~c)")))
    '(a | b) & ~c'
    >>> str(factored(parse("(a & b) | c")))
    '(a & b) | c'
    """
    if not isinstance(formula, Or):
        return formula
    clauses = [conjuncts(clause) for clause in formula.parts]
    shared = tuple(term for term in clauses[0] if all(term in clause for clause in clauses))
    if not shared:
        return formula
    rests = [conjunction(*(term for term in clause if term not in shared)) for clause in clauses]
    if any(len(clause) == len(shared) for clause in clauses):
        return conjunction(*shared)  # a clause without a rest holds wherever the others do
    return conjunction(disjunction(*rests), *shared)


def reason(formula: Formula, values: Mapping[str, bool]) -> Formula:
    """Return a conjunction of literals that holds here and settles the formula's truth value.

    Parameters
    ----------
    formula
        A formula that holds here, or does not.
    values
        The truth value of each concept here.

    Examples
    --------
    >>> from algolens.logic import parse
    >>> str(reason(parse("(a | b) & ~c"), {"a": False, "b": True, "c": False}))
    'b & ~c'
    """
    holds = bool(formula.evaluate(values))
    match formula:
        case Not(term):
            return reason(term, values)
        case And(terms) | Or(terms):
            if holds is isinstance(formula, And):  # every term was needed
                literals = [part for term in terms for part in conjuncts(reason(term, values))]
                return conjunction(*dict.fromkeys(literals))
            return next(
                reason(term, values) for term in terms if bool(term.evaluate(values)) is holds
            )
    return formula if holds else Not(formula)


def conjuncts(formula: Formula) -> tuple[Formula, ...]:
    """The terms of a conjunction; the formula itself where it is none."""
    return formula.parts if isinstance(formula, And) else (formula,)


def excludes(one: Formula, other: Formula) -> bool:
    """Whether two formulas never hold both; no table of all patterns is made."""
    return _satisfying(conjunction(one, other)) is None


def not_exactly_one(rules: Mapping[str, Formula]) -> tuple[Formula, tuple[str, ...]] | None:
    """Return a pattern on which two rules hold or none does, and the two; None if there is none.

    No table of all patterns is made, so the rules may speak of many concepts.

    Examples
    --------
    >>> from algolens.logic import concepts
    >>> a, b = concepts("a", "b")
    >>> not_exactly_one({"0": a, "1": ~a & b})
    (Formula('~a & ~b'), ())
    >>> not_exactly_one({"0": a, "1": ~a | b})
    (Formula('a & b'), ('0', '1'))
    >>> not_exactly_one({"0": a, "1": ~a})
    """
    none = conjunction(*(Not(rule) for rule in rules.values()))
    pairs = [
        (conjunction(rules[one], rules[other]), (one, other))
        for one, other in combinations(rules, 2)
    ]
    for formula, holding in (*pairs, (none, ())):
        pattern = _satisfying(formula)
        if pattern is not None:
            signs = pattern.items()
            return conjunction(
                *(Concept(n) if sign else Not(Concept(n)) for n, sign in signs)
            ), holding
    return None


def _satisfying(formula: Formula) -> dict[str, bool] | None:
    """Values under which a formula holds, whatever else is so; None where it never does."""
    return _pattern(_given(formula, {}))


@lru_cache(maxsize=4096)
def _pattern(formula: Formula) -> dict[str, bool] | None:
    """The same, of a formula without constants (Davis and Putnam 1960)."""
    if isinstance(formula, Constant):
        return {} if formula.value else None
    # literals that must hold are taken; else a concept is false, or true
    must = {
        term.names[0]: isinstance(term, Concept) for term in conjuncts(formula) if _is_literal(term)
    }
    name = formula.names[0]
    for known in [must] if must else [{name: False}, {name: True}]:
        rest = _pattern(_given(formula, known))
        if rest is not None:
            return known | rest
    return None


def _is_literal(formula: Formula) -> bool:
    return isinstance(formula.term if isinstance(formula, Not) else formula, Concept)


def _given(formula: Formula, values: Mapping[str, bool]) -> Formula:
    """A formula without constants, and without the concepts whose truth values are known."""
    match formula:
        case Concept(name) if name in values:
            return TRUE if values[name] else FALSE
        case Not(term):
            rest = _given(term, values)
            return Constant(not rest.value) if isinstance(rest, Constant) else Not(rest)
        case And(terms) | Or(terms):
            settles = isinstance(formula, Or)
            rests = []
            for term in terms:
                rest = _given(term, values)
                if not isinstance(rest, Constant):
                    rests.append(rest)
                elif rest.value is settles:
                    return rest
            return disjunction(*rests) if settles else conjunction(*rests)
    return formula

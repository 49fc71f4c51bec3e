"""Formulas: immutable statements about named concepts."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from algolens.errors import FormulaError
from algolens.logic.names import check_name
from algolens.logic.patterns import all_patterns, unpack

MAX_TABLE_CONCEPTS = 24  # a truth table of 2**24 rows is 16 MiB

MASK_CLASSES = ("false", "true")


class Formula(ABC):
    """A statement about named concepts, built with ``&``, ``|`` and ``~``.

    Two formulas are *equal* when they are written alike and *equivalent* when they have the same
    truth table.

    >>> a, b = concepts("a", "b")
    >>> ~(a & b) == ~a | ~b, (~(a & b)).equivalent(~a | ~b)
    (False, True)
    >>> str(~a & (b | True))
    '~a & (b | True)'
    """

    __slots__ = ()

    @property
    @abstractmethod
    def names(self) -> tuple[str, ...]:
        """The concepts it speaks of, in the order of their first mention."""

    @abstractmethod
    def evaluate(self, values: Mapping[str, Any]) -> Any:
        """Its truth where ``values`` gives each concept: bools, or boolean arrays or tensors alike.

        >>> bool(concepts("a")[0].evaluate({"a": True}))
        True
        """

    @abstractmethod
    def to_json(self) -> Any:
        """Itself as JSON: a name, true or false, or ``[operator, *terms]``."""

    def table(self, names: Sequence[str] | None = None) -> np.ndarray:
        """Its truth table over ``names``: [2**C] bools; the first name is the highest bit of the
        row.

        >>> concepts("a")[0].table(["a", "b"]).tolist()
        [False, False, True, True]
        """
        names = self.names if names is None else tuple(names)
        if len(names) > MAX_TABLE_CONCEPTS:
            raise FormulaError(
                f"a truth table over {len(names)} concepts has 2**{len(names)} rows; "
                f"at most {MAX_TABLE_CONCEPTS} concepts can be tabulated."
            )
        values = dict(zip(names, np.ascontiguousarray(all_patterns(len(names)).T), strict=True))
        return np.broadcast_to(
            np.asarray(self.evaluate(values), dtype=bool), (2 ** len(names),)
        ).copy()

    def equivalent(self, other: Formula) -> bool:
        """Whether both have the same truth table over all concepts that either speaks of."""
        names = tuple(dict.fromkeys(self.names + other.names))
        return bool((self.table(names) == other.table(names)).all())

    def difference(self, other: Formula) -> dict[str, bool] | None:
        """The first row on which both differ, as truth values by name; None when they are
        equivalent.
        """
        names = tuple(dict.fromkeys(self.names + other.names))
        rows = np.flatnonzero(self.table(names) != other.table(names))
        if rows.size == 0:
            return None
        return dict(zip(names, unpack(rows[:1], len(names))[0].tolist(), strict=True))

    def to_latex(self) -> str:
        """Itself as LaTeX mathematics.

        >>> print((~concepts("a")[0]).to_latex())
        \\lnot \\mathit{a}
        """
        from algolens.logic.printing import LATEX, formula_text

        return formula_text(self, LATEX)

    def to_python(self) -> str:
        """Itself as a Python expression over bools. What has a meaning in Python goes by another
        name there.

        >>> (~concepts("a")[0]).to_python()
        'not a'
        >>> concepts("lambda")[0].to_python()
        'concept_lambda'
        """
        from algolens.logic.printing import PYTHON, formula_text

        return formula_text(self, PYTHON)

    def to_sympy(self) -> Any:
        """Itself as a SymPy expression, a symbol for each concept.

        >>> (~concepts("a")[0]).to_sympy()
        ~a
        """
        from algolens.logic.printing import to_sympy

        return to_sympy(self)

    def to_smtlib(self) -> str:
        """Itself as a term of SMT-LIB 2, which solvers such as Z3 and cvc5 read.

        >>> a, b = concepts("a", "b")
        >>> (~a & (b | True)).to_smtlib()
        '(and (not a) (or b true))'
        """
        from algolens.logic.printing import to_smtlib

        return to_smtlib(self)

    def __str__(self) -> str:
        from algolens.logic.printing import TEXT, formula_text

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

    @property
    def names(self) -> tuple[str, ...]:
        return ()

    def evaluate(self, values: Mapping[str, Any]) -> Any:
        like = next(iter(values.values()), self.value)
        # x | ~x keeps the type and shape of what the other concepts come as
        return (
            self.value if isinstance(like, bool) else (like | ~like if self.value else like & ~like)
        )

    def to_json(self) -> Any:
        return self.value


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

    def evaluate(self, values: Mapping[str, Any]) -> Any:
        if self.name not in values:
            raise FormulaError(
                f"no value came for concept '{self.name}'; values came for: "
                f"{', '.join(values) or 'none'}."
            )
        value = values[self.name]
        if not isinstance(value, bool) and "bool" not in str(getattr(value, "dtype", type(value))):
            came = getattr(value, "dtype", type(value).__name__)
            raise FormulaError(
                f"concept '{self.name}' came as {came}; a formula takes bools: threshold it first, "
                "as in value > 0.5."
            )
        return value

    def to_json(self) -> Any:
        return self.name


@final
@dataclass(frozen=True, repr=False)
class Not(Formula):
    """The opposite of a formula."""

    term: Formula

    @property
    def names(self) -> tuple[str, ...]:
        return self.term.names

    def evaluate(self, values: Mapping[str, Any]) -> Any:
        value = self.term.evaluate(values)
        return not value if isinstance(value, bool) else ~value

    def to_json(self) -> Any:
        return ["not", self.term.to_json()]


@dataclass(frozen=True, repr=False)
class _Joined(Formula):
    """Two or more terms joined by one operator; made by conjunction and disjunction, which
    flatten.
    """

    terms: tuple[Formula, ...]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for term in self.terms for name in term.names))


@final
@dataclass(frozen=True, repr=False)
class And(_Joined):
    """True where every term is."""

    def evaluate(self, values: Mapping[str, Any]) -> Any:
        result = self.terms[0].evaluate(values)
        for term in self.terms[1:]:
            result = result & term.evaluate(values)
        return result

    def to_json(self) -> Any:
        return ["and", *(term.to_json() for term in self.terms)]


@final
@dataclass(frozen=True, repr=False)
class Or(_Joined):
    """True where some term is."""

    def evaluate(self, values: Mapping[str, Any]) -> Any:
        result = self.terms[0].evaluate(values)
        for term in self.terms[1:]:
            result = result | term.evaluate(values)
        return result

    def to_json(self) -> Any:
        return ["or", *(term.to_json() for term in self.terms)]


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
    """All of them: flattened, true when there are none, and the formula itself when there is
    one.
    """
    terms = tuple(t for f in formulas for t in (f.terms if isinstance(f, And) else (f,)))
    return And(terms) if len(terms) > 1 else (terms[0] if terms else TRUE)


def disjunction(*formulas: Formula) -> Formula:
    """Any of them: flattened, false when there are none, and the formula itself when there is
    one.
    """
    terms = tuple(t for f in formulas for t in (f.terms if isinstance(f, Or) else (f,)))
    return Or(terms) if len(terms) > 1 else (terms[0] if terms else FALSE)


def from_json(value: Any) -> Formula:
    """The formula that ``to_json`` wrote."""
    match value:
        case bool():
            return as_formula(value)
        case str():
            return Concept(value)
        case ["not", term]:
            return Not(from_json(term))
        case ["and", first, second, *rest]:
            return conjunction(*map(from_json, (first, second, *rest)))
        case ["or", first, second, *rest]:
            return disjunction(*map(from_json, (first, second, *rest)))
    raise FormulaError(
        f"{value!r} is no formula in JSON: write a name, true or false, ['not', f], ['and', f, g, "
        "...] or ['or', f, g, ...]."
    )

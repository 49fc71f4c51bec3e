"""Numbers that follow from others by declared arithmetic: signed products, added up."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import torch
from torch import Tensor

from algolens.errors import DefinitionError, FormulaError, GraphError
from algolens.fields import Number
from algolens.graphs import Location
from algolens.limits import in_few_digits
from algolens.looks.parsing import Parser
from algolens.looks.refusals import PARENTHESIS
from algolens.looks.scope import ResolvedTerm, Scope
from algolens.looks.state import CompiledPath, GraphState
from algolens.looks.terms import Term, Whose

MOST = 2**61  # every number on the way stays below it, and above its opposite
EXACT_IN_64 = 2.0**62  # a product whose float is below it fits into 64 bits, so it is exact


@dataclass(frozen=True)
class Product:
    """A whole number times numbers of an element: ``- 2 * width * root's height``."""

    factor: int
    terms: tuple[Term, ...]

    def __post_init__(self) -> None:
        _check_number(self.factor)
        for term in self.terms:
            if not term.path or term.whose is not Whose.MY or term.constant is not None:
                raise FormulaError(f"a sum multiplies '{term}', which is no number of one's own.")
        if not self.terms:
            raise FormulaError("a product without a field is a number: add it to the sum's own.")

    def to_json(self) -> Any:
        """Its factor and its terms; of a number alone, the term."""
        if self.factor == len(self.terms) == 1:
            return self.terms[0].to_json()
        return {"factor": self.factor, "terms": [term.to_json() for term in self.terms]}


@dataclass(frozen=True)
class Sum:
    """A number that follows from others: ``sender's distance + weight``, ``dx * dy - 1``."""

    products: tuple[Product, ...]
    constant: int

    def __post_init__(self) -> None:
        _check_number(self.constant)

    @classmethod
    def parse(cls, text: str) -> Sum:
        """The sum written in ``text``.

        >>> str(Sum.parse("2 - width * 3 * root's height + width"))
        "-3 * width * root's height + width + 2"
        """
        return Parser(text).whole(cls._read)

    @classmethod
    def _read(cls, parser: Parser) -> Sum:
        products, constant = [], 0
        sign = -1 if parser.take({"-"}) else 1
        while True:
            factor, terms = sign, []
            while True:
                if parser.token == "(":
                    where = f"look {parser.text!r}, character {parser.place}"
                    raise FormulaError(f"{where}: {PARENTHESIS}")
                if parser.token.isdecimal():
                    factor *= int(parser.expect_number())
                    _check_number(factor)
                else:
                    terms.append(parser.term(Whose.MY))
                if not parser.take({"*"}):
                    break
            if terms:
                products.append(Product(factor, tuple(terms)))
            else:
                constant += factor
            if parser.token not in ("+", "-"):
                return cls(tuple(products), constant)
            sign = -1 if parser.take({"-"}) else 1
            parser.take({"+"})

    @property
    def terms(self) -> Iterator[Term]:
        """All its terms."""
        return (term for product in self.products for term in product.terms)

    def check(self, name: str, location: Location, scope: Scope) -> None:
        """Refuses a sum of what is no number."""
        for term in self.terms:
            if not isinstance(scope.resolve(term, location, None).kind, Number):
                raise DefinitionError(f"'{name}' sums '{term}', which is no number.")

    def text(self, term_text: Callable[[Term], str], times: str = " * ") -> str:
        """Its text, given that of its terms and of the sign between factors."""
        parts = []
        for product in self.products:
            size = abs(product.factor)
            factors = [*([] if size == 1 else [str(size)]), *map(term_text, product.terms)]
            parts.append((product.factor < 0, times.join(factors)))
        if self.constant or not parts:
            parts.append((self.constant < 0, str(abs(self.constant))))
        written = "".join(f" {'-' if below else '+'} {part}" for below, part in parts)
        return written.removeprefix(" + ").replace(" - ", "-", int(parts[0][0]))

    def __str__(self) -> str:
        return self.text(lambda term: term.bare)

    def to_json(self) -> dict[str, Any]:
        """Its terms and its constant."""
        return {
            "terms": [product.to_json() for product in self.products],
            "constant": self.constant,
        }


def _check_number(number: int) -> None:
    if abs(number) >= MOST:
        raise FormulaError(
            f"a sum has {in_few_digits(number)}, and sums stay below 2**61: take a smaller number."
        )


@dataclass(frozen=True)
class Summand:
    """A product whose words are known."""

    factor: int
    terms: tuple[ResolvedTerm, ...]


def expanded(
    term: ResolvedTerm,
    constants: Mapping[str, int],
    summands: Mapping[str, Sequence[Summand]],
    most: int,
) -> list[Summand] | None:
    """A number as products of fields alone, sums in it multiplied out; None: more than ``most``.

    A constant is a product without terms.
    """
    if term.field is None or term.field not in summands:
        return [Summand(1, (term,))]
    total = [Summand(constants[term.field], ())]
    for summand in summands[term.field]:
        products = [Summand(summand.factor, ())]
        for part in summand.terms:
            inner = replace(part, own=term.own, steps=term.steps + part.steps)
            factors = expanded(inner, constants, summands, most)
            if factors is None or len(products) * len(factors) > most:
                return None
            products = [
                Summand(one.factor * other.factor, one.terms + other.terms)
                for one in products
                for other in factors
            ]
        total += products
    kept = [product for product in total if product.factor]
    return kept if len(kept) <= most else None


@dataclass(frozen=True)
class CompiledSum:
    """A sum on batches of graphs."""

    name: str
    location: Location
    constant: int
    products: Sequence[tuple[int, Sequence[CompiledPath]]]

    @cached_property
    def fields(self) -> frozenset[str]:
        """The fields that it goes by."""
        paths = [path for _, paths in self.products for path in paths]
        return frozenset(name for path in paths for name in path.fields)

    def of(self, batch: GraphState) -> Tensor:
        """[N] its value; refused where a number on the way leaves 62 bits."""
        count, device = batch.graph.count(self.location), batch.graph.device
        total = torch.full((count,), self.constant, device=device)
        for factor, paths in self.products:
            product = paths[0].of(batch)
            if factor != 1:
                product = self._times(product, torch.tensor(factor, device=device))
            for path in paths[1:]:
                product = self._times(product, path.of(batch))
            # two numbers below the bound do not overflow, so what went beyond it is seen
            total = total + product
            self._check(total, MOST)
        return total

    def _times(self, one: Tensor, other: Tensor) -> Tensor:
        self._check(one.double() * other.double(), EXACT_IN_64)
        product = one * other
        self._check(product, MOST)
        return product

    def _check(self, values: Tensor, most: float) -> None:
        if len(values) and bool((values.abs() >= most).any()):
            raise GraphError(
                f"'{self.name}' grows beyond 62 bits on this graph: give smaller numbers, or fewer "
                "decimals (--round 6; in Python, round=6)."
            )

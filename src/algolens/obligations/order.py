"""The order of numbers as an obligation: which of two is higher is told, at whatever place they
first differ.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import isfinite

import torch

from algolens.models import Network
from algolens.models.exact import Exact
from algolens.models.exact.comparator import Comparator
from algolens.obligations.obligation import Counterexample, Obligation, Values, script
from algolens.obligations.terms import both, plus, rational

EPSILON = Fraction(2) ** -52  # twice the unit of rounding in double precision


@dataclass(frozen=True)
class Pair(Counterexample):
    """Two numbers, the first higher."""

    bits: int
    first: int
    second: int

    def words(self) -> str:
        return f"the numbers {self.first} and {self.second} of {self.bits} bits"

    @torch.no_grad()
    def is_wrong(self, network: Network) -> bool:
        perceiver = network.perceiver
        assert isinstance(perceiver, Exact)
        first, second = (
            torch.tensor([[float(bit) for bit in f"{each:0{self.bits}b}"]], dtype=torch.float64)
            for each in (self.first, self.second)
        )
        return int(perceiver.comparisons[str(self.bits)].outcome(first, second)[0, 0]) != 2


def order_obligation(comparison: Comparator) -> Obligation:
    """Of one seed. That of the opposite pair follows: the difference changes its sign."""
    bits = comparison.bits
    weights = comparison.weights[0].detach().tolist()
    threshold = float(comparison.threshold[0, 0].detach())
    says = (
        f"Numbers of {bits} bits. differ0, differ1, ... are the bits of x less those of y, the "
        "highest first: -1, 0 or 1, and\nhere any number between. Where the first that is not 0 "
        "is 1 (so x > y), the sum of weights times them exceeds the\nthreshold by more than "
        "rounding. Of equal numbers the sum is 0, and does not."
    )
    constants = {f"differ{place}": "Real" for place in range(bits)}
    lines = [f"(assert (and (<= (- 1.0) {each}) (<= {each} 1.0)))" for each in constants]
    claim = "false"
    if all(map(isfinite, [*weights, threshold])):
        terms = [
            f"(* {rational(weight)} {each})"
            for weight, each in zip(weights, constants, strict=True)
        ]
        lines.append(f"(define-fun difference () Real {plus(terms)})")
        claim = _claim([*constants], weights, threshold)

    def read(values: Values) -> Counterexample:
        """The pair that contradicts the claim most: a sum is least where every later bit lowers
        it.
        """
        first = next((place for place, each in enumerate(constants) if values[each]), 0)
        x, y = [False] * bits, [False] * bits
        x[first] = True
        for place in range(first + 1, bits):
            (y if weights[place] > 0 else x)[place] = True
        return Pair(bits, _number(x), _number(y))

    text = script("QF_LRA", says, constants, lines, claim=claim)
    return Obligation(f"order-{bits}", f"comparison {bits}", says.replace("\n", " "), text, read)


def _claim(differs: list[str], weights: list[float], threshold: float) -> str:
    exact, bound, unit = (
        [Fraction(each) for each in weights],
        Fraction(threshold),
        4 * (len(weights) + 3) * EPSILON,
    )
    claims = [f"(>= {rational(bound)} 0.0)"]
    for place in range(len(differs)):
        needed = bound + unit * (sum(map(abs, exact[place:]), Fraction(0)) + bound)
        before = [f"(= {each} 0.0)" for each in differs[:place]]
        claims.append(
            f"(=> {both([*before, f'(= {differs[place]} 1.0)'])} (> difference {rational(needed)}))"
        )
    return both(claims)


def _number(bits: list[bool]) -> int:
    return int("".join("1" if bit else "0" for bit in bits), 2)

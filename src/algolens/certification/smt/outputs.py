"""The order of numbers and the decoder's outputs as obligations."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import isfinite

import torch

from algolens.certification.smt.obligation import Counterexample, Obligation, Values, script
from algolens.certification.smt.terms import LayerTerms, both, formula_term, plus, rational
from algolens.fields import Mask
from algolens.logic.formula import Concept, Formula
from algolens.logic.patterns import pattern_in_words
from algolens.models import Network
from algolens.models.exact import Exact
from algolens.models.exact.comparator import Comparator

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


@dataclass(frozen=True)
class Pattern(Counterexample):
    """Concepts of an element."""

    output: str
    concepts: tuple[str, ...]
    values: tuple[bool, ...]

    def words(self) -> str:
        number = sum(value << place for place, value in enumerate(reversed(self.values)))
        return pattern_in_words(number, self.concepts)

    @torch.no_grad()
    def is_wrong(self, network: Network) -> bool:
        pattern = torch.tensor([self.values])
        truth = network.algorithm.declaration.rule_set.decide(pattern)[self.output]
        scores = network.decide_concepts(pattern[None].float())[self.output][0]
        return not torch.equal(network.outputs[self.output].predict(scores), truth)


def output_obligation(network: Network, name: str) -> Obligation:
    """Of one seed."""
    declaration, decoder = network.algorithm.declaration, network.decoders[name]
    concepts, kind = declaration.concepts, network.outputs[name]
    constants = {concept: f"concept{place}" for place, concept in enumerate(concepts)}
    kept = decoder.kept[0, :, 0].tolist()
    features = [
        constants[concept] if keep else None for concept, keep in zip(concepts, kept, strict=True)
    ]
    layers = LayerTerms(decoder.first, decoder.last, features)
    rules = declaration.rule_set.rules[name]
    lines = [
        f"; {constant}: {concept}" for concept, constant in constants.items()
    ] + layers.definitions()

    def of_atom(atom: Formula) -> str:
        assert isinstance(atom, Concept)
        return constants[atom.name]

    if isinstance(kind, Mask):
        lines.append(f"(define-fun declared () Bool {formula_term(rules['true'], of_atom)})")
        claim = f"(ite declared {layers.is_on(0)} {layers.is_off(0)})"
    else:
        claims = []
        for place, label in enumerate(kind.labels):
            lines.append(
                f"(define-fun declared{place} () Bool {formula_term(rules[label], of_atom)})  ; "
                f"class {label}"
            )
            least = f"(- out{place} reach{place})"
            ahead = [
                f"(> {least} (+ out{i} reach{i}))" for i in range(layers.outputs) if i != place
            ]
            claims.append(f"(=> declared{place} {both(ahead)})")
        claim = both(claims)
    says = (
        f"Output '{name}': on every pattern of concepts, the network decides what the declared "
        "rules say;\nno rounding can change it."
    )

    def read(values: Values) -> Counterexample:
        return Pattern(name, concepts, tuple(bool(values[constants[each]]) for each in concepts))

    claim = claim if layers.holds() else "false"
    text = script("QF_LRA", says, dict.fromkeys(constants.values(), "Bool"), lines, claim=claim)
    return Obligation(f"output-{name}", name, says.replace("\n", " "), text, read)

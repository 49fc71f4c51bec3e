"""Outputs as obligations: on every pattern of concepts, the decoder decides what the declared rules
say.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch

from algolens.fields import Mask
from algolens.logic.formula import Concept, Formula
from algolens.logic.patterns import in_words
from algolens.models import Network
from algolens.obligations.obligation import Counterexample, Obligation, Values, script
from algolens.obligations.terms import LayerTerms, both, formula_term


@dataclass(frozen=True)
class Pattern(Counterexample):
    """Concepts of an element."""

    output: str
    concepts: tuple[str, ...]
    values: tuple[bool, ...]

    def words(self) -> str:
        number = sum(value << place for place, value in enumerate(reversed(self.values)))
        return in_words(number, self.concepts)

    @torch.no_grad()
    def is_wrong(self, network: Network) -> bool:
        pattern = torch.tensor([self.values])
        truth = network.algorithm.declaration.program.decide(pattern)[self.output]
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
    rules = declaration.program.rules[name]
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

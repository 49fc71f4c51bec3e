"""What a proof is made of: tables of finitely many cases, which settle what a network does on every graph of any size."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence

from torch import Tensor

from algolens.algorithms import Algorithm
from algolens.certification.certificate import Basis, Check, Finding
from algolens.certification.sure import Rounding
from algolens.data import Setting
from algolens.fields import Mask
from algolens.models import Network
from algolens.models.asking import Asking

MOST_WRONG = 64  # cases of one kind that are handed back
ROUNDING = (
    "sums are rounded as in IEEE 754, in any order, the smallest numbers kept or taken for 0: every decision is further from "
    "its threshold than that can matter"
)


class Proof(ABC):
    """The proof for one seed's network, on the CPU."""

    def __init__(self, network: Network) -> None:
        self.network, self.algorithm, self.rounding = network, network.algorithm, Rounding(network)

    @classmethod
    @abstractmethod
    def check(cls, algorithm: Algorithm) -> None:
        """Raises an error where it has no tables for an algorithm; no network is needed to know."""

    @abstractmethod
    def findings(self) -> list[Finding]:
        """Every part of the proof."""

    @abstractmethod
    def assumptions(self) -> tuple[str, ...]:
        """What it says of the graphs and machines that it speaks of."""

    @abstractmethod
    def premises(self) -> tuple[str, ...]:
        """What it rests on that is not proven, but only tried on samples; what follows an "if"."""

    @abstractmethod
    def tried(self) -> list[Check]:
        """What of its premises and arguments can be tried besides."""

    def after_concepts(self, patterns: Tensor, show: Callable[[Tensor], Sequence[Setting]]) -> list[Finding]:
        """On every pattern of concepts [P, C] that can occur: the outputs, and who asks to go on.

        show: settings in which patterns of these numbers occur.
        """
        network, declaration, rounding = self.network, self.algorithm.declaration, self.rounding
        concepts, truth = patterns[None].float(), declaration.program.decide(patterns)
        findings = []
        sizes = rounding.positive.decide_concepts(concepts)
        for name, scores in network.decide_concepts(concepts).items():
            kind = declaration.outputs[name]
            is_sure = rounding.sure if isinstance(kind, Mask) else rounding.ahead
            right = (kind.predict(scores[0]) == truth[name]) & is_sure(scores[0], sizes[name][0])
            says = f"On every pattern of concepts that can occur, the concept decoder gives the true {name}."
            findings.append(self._on_patterns(f"output {name}", says, patterns, right, show))
        if isinstance(network.termination, Asking) and isinstance(rounding.positive.termination, Asking):
            asks, sizes_of_asks = network.termination(concepts)[0], rounding.positive.termination(concepts)[0]
            right = ((asks > 0) == declaration.program.goes_on(patterns)) & rounding.sure(asks, sizes_of_asks)
            says = (
                "On every such pattern, a node asks to go on where the true rule does; a graph goes on where one of its nodes "
                "asks."
            )
            findings.append(self._on_patterns("going on", says, patterns, right, show))
        return findings

    def _on_patterns(
        self, name: str, says: str, patterns: Tensor, right: Tensor, show: Callable[[Tensor], Sequence[Setting]]
    ) -> Finding:
        wrong = (~right).nonzero().flatten()
        counterexample = None
        if len(wrong):
            pairs = zip(self.algorithm.declaration.concepts, patterns[wrong[0]].tolist(), strict=True)
            counterexample = "wrong, or too near to tell, on " + ", ".join(f"{concept} {value}" for concept, value in pairs)
        return Finding(
            Check(name, Basis.PROOF, len(patterns), len(wrong), says, counterexample),
            show(wrong[:MOST_WRONG]) if len(wrong) else [],
        )


def verdict(what: str, *, found: bool, true: bool) -> str:
    """What is wrong about a bit, in words."""
    if found != true:
        return f"{what} is {found} and should be {true}"
    return f"{what} is {found}, which is right but too near to tell"

"""What a certificate says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

from algolens.models import Fingerprint
from algolens.models.exact.stage import Star


class Basis(Enum):
    """What a check rests on."""

    PROOF = "proof"  # holds on every graph of any size
    EXHAUSTIVE = "exhaustive"  # every case of a stated range was tried
    SAMPLED = "sampled"  # some cases were tried


@dataclass(frozen=True)
class Check:
    """One thing that was checked, and how it came out."""

    name: str
    basis: Basis
    cases: int
    failures: int
    says: str  # in plain words, what holds when nothing failed
    counterexample: str | None = None  # the first failure, in plain words

    def to_json(self) -> dict[str, Any]:
        """Itself as JSON."""
        shown = {} if self.counterexample is None else {"counterexample": self.counterexample}
        return {
            "name": self.name,
            "kind": self.basis.value,
            "cases": self.cases,
            "failures": self.failures,
            "says": self.says,
            **shown,
        }


@dataclass(frozen=True, eq=False)
class Finding:
    """A check, the part of the network that it is about, and stars in which what it found wrong
    shows.
    """

    check: Check
    part: str
    wrong: Sequence[Star] = ()


@dataclass(frozen=True)
class Certificate:
    """All checks of one network."""

    algorithm: str
    seed: int
    about: Fingerprint  # of the network, and of the code
    assumptions: tuple[str, ...]  # of graphs and machines: what it speaks of
    checks: tuple[Check, ...]

    @property
    def proven(self) -> bool:
        """Whether nothing failed: the network does what is declared, on every graph that meets the
        assumptions.
        """
        return any(check.basis is Basis.PROOF for check in self.checks) and not any(
            check.failures for check in self.checks
        )

    def to_json(self) -> dict[str, Any]:
        """Itself as JSON."""
        return {
            "algorithm": self.algorithm,
            "seed": self.seed,
            "proven": self.proven,
            "about": dict(self.about),
            "assumptions": list(self.assumptions),
            "checks": [check.to_json() for check in self.checks],
        }

"""What a certificate says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from algolens.data import Setting
from algolens.models import Fingerprint


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
    """A check, and settings in which what it found wrong shows."""

    check: Check
    wrong: Sequence[Setting] = field(default_factory=tuple)


@dataclass(frozen=True)
class Certificate:
    """All checks of one network."""

    algorithm: str
    seed: int
    about: Fingerprint  # of the network, and of the code
    assumptions: tuple[str, ...]  # of graphs and machines: what it speaks of
    premises: tuple[str, ...]  # of the proof, which were only tried on samples
    checks: tuple[Check, ...]

    @property
    def holds(self) -> bool:
        """Whether nothing failed: the network is right on every graph that meets the assumptions, if the premises hold."""
        return bool(self.checks) and not any(check.failures for check in self.checks)

    @property
    def proven(self) -> bool:
        """The same without an if: nothing that it rests on was only tried on samples."""
        return self.holds and not self.premises

    def to_json(self) -> dict[str, Any]:
        """Itself as JSON."""
        return {
            "algorithm": self.algorithm,
            "seed": self.seed,
            "proven": self.proven,
            "holds": self.holds,
            "about": dict(self.about),
            "assumptions": list(self.assumptions),
            "premises": list(self.premises),
            "checks": [check.to_json() for check in self.checks],
        }

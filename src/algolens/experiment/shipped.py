"""What is known of the models that ship, read from their files: nothing is learnt or proven."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from safetensors.numpy import load

from algolens.algorithms import shipped_folder
from algolens.arrays import sha256
from algolens.evaluation.metrics import ScoresRecord
from algolens.proofs.certificate import (
    LOWERING,
    Basis,
    CertificatesRecord,
    declaration_fingerprint,
)
from algolens.reading import read_bytes, read_record


@dataclass(frozen=True)
class Shipped:
    """What is known of the model that ships for an algorithm."""

    proven: bool | None = None  # None where none ships
    cases: int | None = None  # of the proof
    # percent of test graphs right in everything, by size
    right: Mapping[str, float] = field(default_factory=dict)

    @classmethod
    @cache
    def of(cls, name: str) -> Shipped:
        """The scores of the network that ships, and its proof as the certificate has it.

        A certificate that is about other weights, or another declaration, than those beside it
        proves nothing.
        """
        folder = shipped_folder(name)
        if folder is None:
            return cls()
        sizes = read_record(folder / "scores.json", ScoresRecord).sizes
        right = {size: each.figure("graphs_right") for size, each in sizes.items()}
        (certificate,) = read_record(folder / "certificate.json", CertificatesRecord).certificates
        declared = read_record(folder / "declaration.json", dict[str, Any])
        beside = {
            "weights": sha256(load(read_bytes(folder / "weights.safetensors"))),
            "declaration": declaration_fingerprint(declared),
        }
        fits = {**certificate.about, **beside} == certificate.about
        of_network = (
            each.cases
            for each in certificate.checks
            if each.basis is Basis.PROOF and each.name != LOWERING
        )
        return cls(
            certificate.proven and fits,
            sum(of_network),
            {size: figure.mean for size, figure in right.items() if figure is not None},
        )

    @property
    def right_in_words(self) -> list[str]:
        """The share of graphs that are right, with the sizes of which it is the same."""
        by_share: dict[float, list[str]] = {}
        for size, share in self.right.items():
            by_share.setdefault(share, []).append(f"{int(size):,}")
        return [
            f"{share:g} % right at {', '.join(sizes)} nodes" for share, sizes in by_share.items()
        ]

    @property
    def proven_in_words(self) -> str | None:
        """Whether it is proven, and in how many cases; None where none ships."""
        if self.proven is None:
            return None
        return f"proven in {self.cases:,} cases" if self.proven else "not proven"

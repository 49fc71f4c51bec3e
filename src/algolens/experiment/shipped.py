"""What is known of the models that come with the package."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache

from algolens.algorithms import shipped_folder
from algolens.experiment.model import load_model
from algolens.proofs import proof
from algolens.reading import read_record
from algolens.records.scores import ScoresRecord


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
        """The proof of the network that ships, made in this process, and its scores, as its folder
        has them.
        """
        folder = shipped_folder(name)
        if folder is None:
            return cls()
        scores = read_record(folder / "scores.json", ScoresRecord)
        right = {
            size: right.mean
            for size, values in scores.sizes.items()
            if (right := values.figure("graphs_right")) is not None
        }
        checks = proof(load_model(name, certified=False, explained=False).network.only(0))
        is_proven = not any(check.failures for check in checks)
        return cls(is_proven, sum(check.cases for check in checks), right)

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

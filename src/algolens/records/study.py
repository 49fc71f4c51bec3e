"""What study.json holds."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from msgspec import Meta, Struct

from algolens.extraction import Tree
from algolens.logic.patterns import MAX_PACKED_CONCEPTS, pack, unpack
from algolens.reading import Count, Name, Text, Word
from algolens.records.scores import SizeScores, TestSet

Pattern = Annotated[str, Meta(pattern="^[0-9]{1,20}$")]  # of concepts, packed


class VerdictRecord(Struct, frozen=True, forbid_unknown_fields=True):
    """How rules compare with the true ones."""

    equal_on_seen: bool
    equal_on_all: bool
    in_words: Text


class DecisionsRecord(Struct, frozen=True, forbid_unknown_fields=True):
    """How often which pattern of concepts, packed, was decided as which class."""

    output: Name
    concepts: Annotated[list[Name], Meta(max_length=MAX_PACKED_CONCEPTS)]
    decided: dict[Word, dict[Pattern, Count]]

    def __post_init__(self) -> None:
        for pattern in map(int, self._patterns()):
            if pattern >= (most := 2 ** len(self.concepts)):
                raise ValueError(f"a pattern is {pattern}, and there are {most}")

    def _patterns(self) -> set[str]:
        return {pattern for counts in self.decided.values() for pattern in counts}

    @classmethod
    def of(cls, tree: Tree) -> DecisionsRecord:
        """Those that a tree is fitted to."""
        patterns = list(map(str, pack(tree.patterns).tolist()))
        counts = [
            {pattern: n for pattern, n in zip(patterns, column, strict=True) if n}
            for column in tree.counts.T.tolist()
        ]
        return cls(tree.output, list(tree.concepts), dict(zip(tree.labels, counts, strict=True)))

    def tree(self) -> Tree:
        """The tree that is fitted to them."""
        patterns = sorted(map(int, self._patterns()))
        return Tree(
            self.output,
            tuple(self.concepts),
            tuple(self.decided),
            unpack(np.array(patterns, np.uint64), len(self.concepts)),
            np.array(
                [[of.get(str(pattern), 0) for of in self.decided.values()] for pattern in patterns]
            ),
        )


class ExactnessRecord(Struct, frozen=True, forbid_unknown_fields=True):
    """Scores on graphs far beyond the size of training."""

    larger: dict[TestSet, SizeScores]


class StudyRecord(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What study.json holds."""

    seed: Count
    decisions: list[DecisionsRecord]
    verdicts: list[VerdictRecord]  # of each seed; none without rules
    exactness: ExactnessRecord | None = None

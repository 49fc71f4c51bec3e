"""What study.json holds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Annotated, Literal

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
        _check_below(2 ** len(self.concepts), map(int, self._patterns()), "a pattern")

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


class ExampleInput(Struct, frozen=True, forbid_unknown_fields=True):
    """An input of the example."""

    location: Literal["node", "edge", "link", "graph"]
    values: list[int | float | bool]


class ExampleState(Struct, frozen=True, forbid_unknown_fields=True):
    """What a picture shows of a moment of the example."""

    classes: list[Count]  # of each element
    sets: list[Count]  # of each node, where edges are decided by sets of nodes
    texts: list[Word]  # beside each node
    pointers: list[Count]  # of each node; none where nothing is pointed to


class ExampleRecord(Struct, frozen=True, forbid_unknown_fields=True):
    """One step on a small graph."""

    by: Literal["network", "algorithm"]
    seed: Count | None
    nodes: Annotated[list[Word], Meta(min_length=2, max_length=100)]
    edges: list[tuple[Count, Count]]
    directed: bool
    location: Literal["node", "edge"]
    elements: list[Word]
    inputs: dict[Name, ExampleInput]
    step: Count
    steps: Count
    concepts: Annotated[dict[Name, list[bool]], Meta(min_length=1)]
    output: Name
    labels: list[Word]
    before: list[Count]
    after: list[Count]
    agrees: bool
    class_names: list[Word]
    states: tuple[ExampleState, ExampleState]  # before the step and after it
    sentences: list[Text]  # what the step did, and why

    def __post_init__(self) -> None:
        """Every list is as long as what it tells of, and every number is that of something."""
        nodes, edges, elements = len(self.nodes), len(self.edges), len(self.elements)
        _check_length(self.elements, nodes if self.location == "node" else edges, "elements")
        _check_below(nodes, (end for edge in self.edges for end in edge), "an end of an edge")
        told: dict[str, Sequence[object]] = {
            **self.concepts,
            "before": self.before,
            "after": self.after,
        }
        for name, values in told.items():
            _check_length(values, elements, name)
        _check_below(len(self.labels), (*self.before, *self.after), "a class before or after")
        for name, given in self.inputs.items():
            sizes = {"node": nodes, "edge": edges, "link": len(given.values), "graph": 1}
            _check_length(given.values, sizes[given.location], name)
        for state in self.states:
            _check_length(state.classes, elements, "classes")
            for name in ("sets", "texts", "pointers"):
                values = getattr(state, name)
                _check_length(values, nodes if values else 0, name)
            _check_below(nodes, state.pointers, "a pointer")


class ExactnessRecord(Struct, frozen=True, forbid_unknown_fields=True):
    """Scores on graphs far beyond the size of training."""

    larger: dict[TestSet, SizeScores]


class StudyRecord(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What study.json holds."""

    seed: Count
    example: ExampleRecord
    decisions: list[DecisionsRecord]
    verdicts: list[VerdictRecord]  # of each seed; none without rules
    exactness: ExactnessRecord | None = None


def _check_length(values: Sequence[object], length: int, what: str) -> None:
    if len(values) != length:
        raise ValueError(f"{what} has {len(values)} values, and {length} are told of")


def _check_below(most: int, numbers: Iterable[object], what: str) -> None:
    for number in numbers:
        if not (isinstance(number, int) and 0 <= number < most):
            raise ValueError(f"{what} is {number}, and there are {most}")

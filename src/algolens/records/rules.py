"""What rule_sets.json holds."""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict

from algolens.logic.records import RuleSetRecord
from algolens.logic.rule_set import RuleSet
from algolens.reading import Count, Name, Sha256, Share, Text, Word


class ClauseRecord(TypedDict):
    """A clause of a rule."""

    formula: Text
    support: Count


class MostlyRecord(TypedDict):
    """A shorter rule that says almost the same."""

    formula: Text
    fidelity: Share
    exception: Text
    exceptions: Count


class ClassRecord(TypedDict):
    """When an output takes a class."""

    formula: Text
    clauses: list[ClauseRecord]
    literals: Count
    proven_minimal: bool
    how: Text
    support: Count
    fidelity: Share
    accuracy: Share
    mostly: NotRequired[MostlyRecord | None]


class OutputRecord(TypedDict):
    """The rules of one output."""

    relevant: list[Name]
    read: bool
    classes: dict[Word, ClassRecord]
    patterns_seen: Count
    patterns_never_seen: list[int] | None


class GoingOnRecord(TypedDict):
    """The rule for going on."""

    rule: Text
    read: bool
    fits: bool
    steps: Count
    contradicting_steps: Count
    fidelity: Share
    of_algorithm: NotRequired[bool]


class _Measured(TypedDict):
    seed: Count
    exact: bool
    unseen: Literal["dont-care", "negative"]
    graphs: Count
    elements: Count
    outputs: dict[Name, OutputRecord]
    termination: GoingOnRecord | None
    has_concepts: NotRequired[bool]
    in_file: NotRequired[bool]


class RulesOfSeed(_Measured):
    """The rules of one seed's network, and what was measured of them, as the file has them."""

    rule_set: RuleSetRecord


class DrawnRules(_Measured):
    """The same, as the library has them."""

    rule_set: RuleSet


class RuleSetsRecord(TypedDict):
    """What rule_sets.json holds."""

    algorithm: Word
    about: NotRequired[dict[Word, Sha256 | None] | None]
    seeds: list[RulesOfSeed]

"""What rule_sets.json holds."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from algolens.errors import FormulaError, ReadingError
from algolens.extraction import Clause, Extraction, OutputRules, Rule, TerminationRule, Unseen
from algolens.extraction.rules import Mostly
from algolens.logic import GoOn, parse
from algolens.logic.records import RuleSetRecord
from algolens.logic.rule_set import RuleSet
from algolens.reading import Count, Name, Sha256, Share, Text, Word


class ClauseRecord(Struct, frozen=True, forbid_unknown_fields=True):
    """A clause of a rule."""

    formula: Text
    support: Count


class MostlyRecord(Struct, frozen=True, forbid_unknown_fields=True):
    """A shorter rule that says almost the same."""

    formula: Text
    fidelity: Share
    exception: Text
    exceptions: Count

    def mostly(self) -> Mostly:
        """It as the library has it."""
        return Mostly(parse(self.formula), self.fidelity, parse(self.exception), self.exceptions)


class ClassRecord(Struct, frozen=True, forbid_unknown_fields=True):
    """When an output takes a class."""

    formula: Text
    clauses: list[ClauseRecord]
    literals: Count
    proven_minimal: bool
    how: Text
    support: Count
    fidelity: Share
    accuracy: Share
    mostly: MostlyRecord | None = None

    def rule(self) -> Rule:
        """It as the library has it."""
        return Rule(
            parse(self.formula),
            tuple(Clause(parse(clause.formula), clause.support) for clause in self.clauses),
            self.proven_minimal,
            self.how,
            self.support,
            self.fidelity,
            self.accuracy,
            None if self.mostly is None else self.mostly.mostly(),
        )


class OutputRecord(Struct, frozen=True, forbid_unknown_fields=True):
    """The rules of one output."""

    relevant: list[Name]
    read: bool
    classes: dict[Word, ClassRecord]
    patterns_seen: Count
    patterns_never_seen: list[Count] | None

    def rules(self) -> OutputRules:
        """They as the library has them."""
        never = self.patterns_never_seen
        return OutputRules(
            tuple(self.relevant),
            {label: of_class.rule() for label, of_class in self.classes.items()},
            self.patterns_seen,
            None if never is None else tuple(never),
            self.read,
        )


class GoingOnRecord(Struct, frozen=True, forbid_unknown_fields=True):
    """The rule for going on."""

    rule: Text
    read: bool
    fits: bool
    steps: Annotated[int, Meta(ge=1, le=2**53)]
    contradicting_steps: Count
    fidelity: Share
    of_algorithm: bool = False

    def termination(self, rule: GoOn | None) -> TerminationRule:
        """It as the library has it; rule: as the rule set has it."""
        if rule is None or str(rule) != self.rule:
            raise FormulaError("the rule set goes on by another rule than 'termination' tells.")
        if self.contradicting_steps > self.steps:
            raise FormulaError("more steps contradict the rule for going on than there are.")
        return TerminationRule(
            rule,
            self.contradicting_steps,
            self.steps,
            proven=False,
            read=self.read,
            of_algorithm=self.of_algorithm,
        )


class RulesOfSeed(Struct, frozen=True, forbid_unknown_fields=True):
    """The rules of one seed's network, and what was measured of them."""

    seed: Count
    rule_set: RuleSetRecord
    exact: bool
    unseen: Unseen
    graphs: Count
    elements: Count
    outputs: dict[Name, OutputRecord]
    termination: GoingOnRecord | None
    has_concepts: bool = True

    def extraction(self, where: str) -> Extraction:
        """They as the library has them; where: the file's name, for messages."""
        try:
            rule_set, going_on = RuleSet.of(self.rule_set), self.termination
            return Extraction(
                rule_set,
                {name: output.rules() for name, output in self.outputs.items()},
                None if going_on is None else going_on.termination(rule_set.continues),
                self.unseen,
                self.graphs,
                self.elements,
                self.exact,
                self.has_concepts,
                in_file=True,
            ).with_remarks()
        except FormulaError as problem:
            raise ReadingError(f"{where}, seed {self.seed}: {problem}") from problem


class RuleSetsRecord(Struct, frozen=True, forbid_unknown_fields=True):
    """What rule_sets.json holds."""

    algorithm: Word
    seeds: list[RulesOfSeed]
    about: dict[Word, Sha256 | None] | None = None

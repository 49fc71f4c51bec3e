"""The rules drawn from one network, what was measured of them, and that in sentences."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum
from typing import Annotated, Any

from msgspec import Meta, Struct, field, to_builtins

from algolens.errors import FormulaError, ReadingError
from algolens.extraction.termination import TerminationRule
from algolens.logic import GoOn, parse
from algolens.logic.remarks import SAMPLED, counted, said
from algolens.logic.rule_set import RuleSet, RuleSetRecord
from algolens.reading import Count, Name, Share, Subject, Text, Word


class Unseen(Enum):
    """What a rule may say about patterns that were never seen."""

    DONT_CARE = "dont-care"  # whatever makes it short
    NEGATIVE = "negative"  # that it does not hold


class Said(Struct, frozen=True, forbid_unknown_fields=True):
    """A formula as text."""

    formula: Text

    def __post_init__(self) -> None:
        parse(self.formula)


class Clause(Said, frozen=True):
    """One conjunction of a rule."""

    support: Count  # elements and steps at which it held


class Mostly(Said, frozen=True):
    """A rule with fewer clauses that says almost the same: what a network mostly follows."""

    fidelity: Share  # of elements and steps, at which it says what the decoder decided
    exception: Text  # the pattern of concepts that it fails at most often
    exceptions: Count  # elements and steps with that pattern at which it fails


class Rule(Said, frozen=True):
    """When an output takes a class."""

    clauses: list[Clause]
    literals: Count  # concepts mentioned, each as often as it is
    proven: bool = field(name="proven_minimal")  # no rule that says the same is smaller
    how: Text  # how it was minimised, in a sentence
    support: Count  # elements and steps at which it held
    fidelity: Share  # of elements and steps, at which it says what the decoder decided
    accuracy: Share  # of those, at which it says what is true
    # where the rule is long, and one of at most half the clauses says almost the same
    mostly: Mostly | None = None


class OutputRules(Struct, frozen=True, forbid_unknown_fields=True):
    """The rules of one output."""

    relevant: list[Name]  # the concepts that its decoder looks at
    # what its decoder decides was read on all patterns of the relevant concepts, seen or not
    read: bool
    classes: dict[Word, Rule]
    num_seen: Count = field(name="patterns_seen")  # distinct, of the relevant concepts
    # packed; None where there are too many to list
    never_seen: list[Count] | None = field(name="patterns_never_seen")


@dataclass(frozen=True)
class Extraction:
    """The rules of one network, and what is known about them."""

    rule_set: RuleSet  # with remarks on what was measured of it, which it carries into every export
    outputs: Mapping[str, OutputRules]
    termination: TerminationRule | None  # None where the algorithm takes a fixed number of steps
    unseen: Unseen
    num_graphs: int  # that the rules were drawn from
    num_elements: int  # nodes or edges, at all steps
    # the network's: its concepts are bits, so that what it decides can be read on every pattern
    is_exact: bool
    has_concepts: bool = True  # the network; if not, the rules go by the algorithm's own
    in_file: bool = False  # they are those of rule_sets.json

    def with_remarks(self) -> Extraction:
        """It with remarks on what was measured, which its rule set carries into every export."""
        return replace(self, rule_set=self.rule_set.with_remarks(_remarks(self)))

    def to_json(self) -> dict[str, Any]:
        """Itself as JSON; the rule set is under 'rule_set', formulas as trees."""
        return {
            "rule_set": self.rule_set.to_json(),
            "exact": self.is_exact,
            "unseen": self.unseen.value,
            "graphs": self.num_graphs,
            "elements": self.num_elements,
            "outputs": to_builtins(dict(self.outputs)),
            "termination": self.termination and self.termination.to_json(),
            **({} if self.has_concepts else {"has_concepts": False}),
        }


def _remarks(drawn: Extraction) -> tuple[str, ...]:
    """On what rules were measured, and how each agrees with its network and with the truth."""
    elements, going_on = drawn.num_elements, drawn.termination
    measured = f"{elements:,} decisions" + (
        f" and {going_on.num_steps:,} steps" if going_on else ""
    )
    graphs = f"{drawn.num_graphs:,} graphs"
    if drawn.is_exact:
        lines = [
            (
                "These rules were read off a network, on all patterns of concepts, and measured on "
                f"{graphs}: {measured}."
            )
        ]
    else:
        lines = [
            (
                f"{SAMPLED} on {graphs}, from the patterns of concepts met there, and measured "
                f"there: {measured}."
            )
        ]
        if not drawn.has_concepts:
            lines.append(
                "The network has no concepts: they go by the algorithm's own, in the states that "
                "the network brought about."
            )
        if drawn.in_file:
            lines.append("They are shown as rule_sets.json has them, and were not drawn anew.")
    for output, of_output in drawn.outputs.items():
        if drawn.is_exact and not of_output.read:
            sentence = (
                f"the rules for {output} go by {len(of_output.relevant)} concepts, too many for "
                f"all patterns: they were drawn from the {of_output.num_seen:,} met on "
                "these graphs, and on others may say what the network does not."
            )
            lines.append(said(sentence, is_right=False))
        for label, rule in of_output.classes.items():
            shares = [rule.fidelity, rule.accuracy]
            decided, true = (counted(share, elements, "decisions") for share in shares)
            sentence = (
                f"the rule for {output} = {label} says what the network decided at {decided}, and "
                f"what is true at {true}."
            )
            lines.append(said(sentence, is_right=shares == [1, 1]))
            mostly = rule.mostly
            if mostly is not None:
                lines.append(
                    f"For {output} = {label} the network mostly goes by '{mostly.formula}': "
                    "that is what it decided at "
                    f"{counted(mostly.fidelity, elements, 'decisions')}; otherwise most often "
                    f"where '{mostly.exception}' ({mostly.exceptions:,} times)."
                )
    if going_on and going_on.of_algorithm:
        lines.append(
            "The network does not tell whether to go on: the algorithm's own rule does, on the "
            "network's concepts."
        )
    elif going_on:
        sentence = (
            "the rule for going on says what the network decided at "
            f"{counted(going_on.fidelity, going_on.num_steps, 'steps')}."
        )
        lines.append(said(sentence, is_right=going_on.fits))
        if drawn.is_exact and not going_on.read:
            sentence = (
                "the rule for going on was drawn from these steps, and elsewhere may say what the "
                "network does not."
            )
            lines.append(said(sentence, is_right=False))
    return tuple(lines)


# ---- the file


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
    outputs: dict[Name, OutputRules]
    termination: GoingOnRecord | None
    has_concepts: bool = True

    def extraction(self, where: str) -> Extraction:
        """They as the library has them; where: the file's name, for messages."""
        try:
            rule_set, going_on = RuleSet.of(self.rule_set), self.termination
            return Extraction(
                rule_set,
                self.outputs,
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
    about: Subject = field(default_factory=dict)

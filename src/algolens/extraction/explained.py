"""The explanation of a trained model: what it means, its rules, and how these compare."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from algolens.algorithms import Algorithm
from algolens.engines import Run
from algolens.engines.program import Program
from algolens.errors import DefinitionError, FormulaError
from algolens.extraction.extract import standalone_program
from algolens.extraction.extraction import Extraction
from algolens.extraction.grading import Verdict
from algolens.extraction.meaning import Meaning, SampledMeaning, ShownOn
from algolens.extraction.observations import Audit, audit
from algolens.logic.remarks import percent, said, warnings
from algolens.logic.rule_set import RuleSet
from algolens.memory import phase
from algolens.models import Network


@dataclass(frozen=True, eq=False)
class Explained:
    """The rules of a model's seeds, and how each compares with the true program."""

    network: Network  # of the seed that is shown
    algorithm: str
    seeds: Sequence[int]
    extractions: Sequence[Extraction]  # of each seed
    verdicts: Sequence[Verdict]
    counts: Mapping[str, Sequence[tuple[str, int]]]  # how often each rule came over seeds
    shown: int  # the place of the seed whose rules are shown
    truth: Callable[[], Run]  # the true traces of the training graphs
    # of every observation, and of one that differs a graph
    read_off: Sequence[tuple[Meaning, ShownOn | None]] = ()
    cases: str = ""  # in a sentence, which cases those go by
    # of a network with a memory: of every concept, on samples
    sampled: Sequence[SampledMeaning] = ()
    # the algorithm, where all that it sees was found, so that the program stands alone
    found_in: Algorithm | None = None

    @property
    def rule_set(self) -> RuleSet:
        """The rules that are shown, with remarks on what was measured of them."""
        rule_set = self.extractions[self.shown].rule_set
        verdict = self.verdicts[self.shown]
        return rule_set.with_remarks(
            [
                f"Rules of {self.algorithm}, of the network of seed {self.seeds[self.shown]}.",
                *rule_set.remarks,
                said(f"they are {verdict}.", is_right=verdict.equal_on_seen),
            ]
        )

    @cached_property
    def audit(self) -> Audit:
        """What the concepts are worth on the training graphs, whose traces may have to be drawn."""
        truth = self.truth()
        with phase(f"auditing the concepts of {self.algorithm}"):
            return audit(truth, self.extractions[self.shown].rule_set)

    @cached_property
    def whole(self) -> Program | str:
        """The program with what is seen, so that it stands alone; or why there is none."""
        if not self.extractions[self.shown].has_concepts:
            return "it has no concepts of its own"
        if self.found_in is None:
            return f"what {self.algorithm} sees could not be found as statements"
        statements = {
            meaning.name: meaning.found for meaning, _ in self.read_off if meaning.found is not None
        }
        statements |= {meaning.name: meaning.found for meaning in self.sampled}
        rules = self.rule_set.with_remarks([*self.rule_set.remarks, *self._statement_remarks()])
        try:
            return standalone_program(self.found_in, statements, rules)
        except (DefinitionError, FormulaError) as problem:
            return str(problem).rstrip(".")

    def _statement_remarks(self) -> Iterator[str]:
        """What is known of the statements, in sentences."""
        if self.read_off:
            yield f"What is seen was read off the weights. {self.cases}"
        for meaning, _ in self.read_off:
            if meaning.wrong:
                sentence = (
                    f"'{meaning.name}' is not what is declared in {meaning.wrong:,} of "
                    f"{meaning.cases:,} cases."
                )
                yield said(sentence, is_right=False)
            for bits in meaning.misorders:
                sentence = (
                    f"'{meaning.name}' compares numbers of {bits} bits, which the network does not "
                    "always tell apart."
                )
                yield said(sentence, is_right=False)
        for sampled in self.sampled:
            sentence = (
                f"'{sampled.name}' was found on {sampled.samples:,} samples; it is what was "
                f"perceived at {percent(sampled.fidelity)} of them."
            )
            yield said(sentence, is_right=sampled.fidelity == 1)

    def to_json(self) -> dict[str, Any]:
        """The rules as text, for machines."""
        entry = self.extractions[self.shown]
        return {
            "algorithm": self.algorithm,
            **self._seed(self.shown, self.rule_set),
            "measured": list(self.rule_set.remarks),
            "warnings": warnings(self.rule_set.remarks),
            "unseen": entry.unseen.value,
            "details": {
                key: value
                for key, value in entry.to_json().items()
                if key in ("graphs", "elements", "outputs", "termination")
            },
            "audit": self.audit.to_json(),
            "program": None if isinstance(self.whole, str) else self.whole.to_json(),
            "sampled_meanings": [sampled.to_json() for sampled in self.sampled],
            "meanings": [
                {**meaning.to_json(), "smallest_graph": shown and shown.to_json()}
                for meaning, shown in self.read_off
            ],
            "counts": {
                what: [{"rule": rule, "seeds": count} for rule, count in counts]
                for what, counts in self.counts.items()
            },
            "seeds": [
                self._seed(place, entry.rule_set) for place, entry in enumerate(self.extractions)
            ],
        }

    def _seed(self, place: int, rule_set: RuleSet) -> dict[str, Any]:
        """The rules of a seed as text, and its verdict."""
        verdict, continues = self.verdicts[place], rule_set.continues
        return {
            "seed": self.seeds[place],
            "rules": {
                output: {label: str(rule) for label, rule in classes.items()}
                for output, classes in rule_set.rules.items()
            },
            "continues": None if continues is None else continues.as_typed,
            "equal_on_seen": verdict.equal_on_seen,
            "equal_on_all": verdict.equal_on_all,
            "first_difference": verdict.first_difference,
        }

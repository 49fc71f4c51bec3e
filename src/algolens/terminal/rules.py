"""Extracted rules for a terminal: what they say, how well, and what is left to know."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from rich import box
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from algolens.algorithms import Algorithm
from algolens.errors import DefinitionError, FormulaError
from algolens.extraction import Audit, Meaning, SampledMeaning, ShownOn, Verdict, found_program
from algolens.logic import factored, minimise
from algolens.logic.remarks import said, warnings
from algolens.logic.rule_set import RuleSet
from algolens.programs import Program
from algolens.programs.readable import not_learnt
from algolens.rules.measures import percent
from algolens.terminal.meanings import meanings_report, sampled_report


@dataclass(frozen=True, eq=False)
class Explained:
    """The rules of a model's seeds, and how each rule set compares with the true one."""

    algorithm: str
    seeds: Sequence[int]
    rules: Sequence[Mapping[str, Any]]  # of each seed, its RuleSet under 'rule_set'
    verdicts: Sequence[Verdict]
    counts: Mapping[str, Sequence[tuple[str, int]]]  # how often each rule came over seeds
    shown: int  # the place of the seed whose rules are shown
    audit: Audit
    # of every observation, and of one that differs a graph
    meanings: Sequence[tuple[Meaning, ShownOn | None]] = ()
    cases: str = ""  # in a sentence, which cases those go by
    # of a network with a memory: of every concept, on samples
    sampled: Sequence[SampledMeaning] = ()
    # the algorithm, where all that it sees was found, so that the program stands alone
    found_in: Algorithm | None = None

    @property
    def rule_set(self) -> RuleSet:
        """The rule set that is shown, with remarks on what was measured of it, and how it compares
        with the true one.
        """
        rule_set: RuleSet = self.rules[self.shown]["rule_set"]
        verdict = self.verdicts[self.shown]
        return rule_set.with_remarks(
            [
                f"Rules of {self.algorithm}, of the network of seed {self.seeds[self.shown]}.",
                *rule_set.remarks,
                said(f"they are {verdict}.", is_right=verdict.equal_on_seen),
            ]
        )

    @property
    def program(self) -> Program | None:
        """The program with what is seen, so that it stands alone; None where there is none."""
        return self._made[0]

    @property
    def why_no_program(self) -> str:
        """Why there is no such program, where there is none."""
        return self._made[1]

    @cached_property
    def _made(self) -> tuple[Program | None, str]:
        if self.found_in is None:
            return None, f"what {self.algorithm} sees could not be found as statements"
        statements = {
            meaning.name: meaning.found for meaning, _ in self.meanings if meaning.found is not None
        }
        statements |= {each.name: each.found for each in self.sampled}
        rules = self.rule_set
        try:
            return found_program(
                self.found_in,
                statements,
                rules.with_remarks([*rules.remarks, *self._on_statements()]),
            ), ""
        except (DefinitionError, FormulaError) as problem:
            return None, str(problem).rstrip(".")

    def _on_statements(self) -> Iterator[str]:
        """What is known of the statements, in sentences."""
        if self.meanings:
            yield f"What is seen was read off the weights. {self.cases}"
        for meaning, _ in self.meanings:
            if meaning.wrong:
                told = (
                    f"'{meaning.name}' is not what is declared in {meaning.wrong:,} of "
                    f"{meaning.cases:,} cases."
                )
                yield said(told, is_right=False)
            for bits in meaning.misorders:
                told = (
                    f"'{meaning.name}' compares numbers of {bits} bits, which the network does not "
                    "always tell apart."
                )
                yield said(told, is_right=False)
        for each in self.sampled:
            share = percent(each.fidelity)
            told = (
                f"'{each.name}' was found on {each.samples:,} samples; it is what was perceived at "
                f"{share} of them."
            )
            yield said(told, is_right=each.fidelity == 1)

    def to_json(self) -> dict[str, Any]:
        """The rules as text, for machines."""
        return {
            "algorithm": self.algorithm,
            "seed": self.seeds[self.shown],
            **_as_text(self.rule_set),
            **_verdict(self.verdicts[self.shown]),
            "measured": list(self.rule_set.remarks),
            "warnings": warnings(self.rule_set.remarks),
            "unseen": self.rules[self.shown]["unseen"],
            "details": {
                key: self.rules[self.shown][key]
                for key in ("graphs", "elements", "outputs", "termination")
            },
            "audit": {
                "unused": list(self.audit.unused),
                "determined": {
                    name: str(formula) for name, formula in self.audit.determined.items()
                },
                "conflicts": {
                    output: [
                        {"pattern": str(each.pattern), "counts": each.counts} for each in found
                    ]
                    for output, found in self.audit.conflicts.items()
                },
            },
            "program": None if self.program is None else self.program.to_json(),
            "sampled_meanings": [each.to_json() for each in self.sampled],
            "meanings": [
                {**meaning.to_json(), "smallest_graph": None if shown is None else shown.to_json()}
                for meaning, shown in self.meanings
            ],
            "counts": {
                what: [{"rule": rule, "seeds": count} for rule, count in each]
                for what, each in self.counts.items()
            },
            "seeds": [
                {"seed": seed, **_as_text(entry["rule_set"]), **_verdict(verdict)}
                for seed, entry, verdict in zip(self.seeds, self.rules, self.verdicts, strict=True)
            ],
        }


def rules_report(explained: Explained) -> Iterator[RenderableType]:
    """The rules of one seed with their measures, counted over seeds; the verdict; what was never
    seen; the audit.
    """
    entry, several = explained.rules[explained.shown], len(explained.seeds) > 1
    if explained.meanings:
        yield from meanings_report(explained.meanings, explained.cases)
        yield Text()
    if explained.sampled:
        yield from sampled_report(explained.sampled)
        yield Text()
    if explained.program is not None:
        yield Text("As declared, and no matter of learning:", style="bold")
        yield Text(not_learnt(explained.program))
        yield Text()
    elif explained.found_in is not None:
        yield Text(
            f"There is no program that stands alone: {explained.why_no_program}.", style="dim"
        )
    drawn = "as rule_sets.json has them, from" if entry.get("in_file") else "from"
    if entry["exact"]:
        drawn = "read off the network, and measured at"
    yield Text(
        f"{explained.algorithm}: rules of seed {explained.seeds[explained.shown]}, {drawn} "
        f"{entry['elements']:,} decisions on {entry['graphs']:,} graphs.",
        style="bold",
    )
    for output, found in entry["outputs"].items():
        yield _table(explained, output, found)
    if entry["termination"] is not None:
        yield _going_on(explained, entry["termination"])
    yield Text()
    if several:
        for what, flag in (
            ("every pattern that occurs", "equal_on_seen"),
            ("every pattern at all", "equal_on_all"),
        ):
            right = sum(getattr(verdict, flag) for verdict in explained.verdicts)
            yield Text(
                f"Equal to the true rules on {what}: {right} of {len(explained.seeds)} seeds."
            )
        for seed, verdict in zip(explained.seeds, explained.verdicts, strict=True):
            if not verdict.equal_on_all:
                yield Text(f"  seed {seed}: {verdict}.", style="dim")
    else:
        yield Text(f"They are {explained.verdicts[explained.shown]}.")
    for line in warnings(entry["rule_set"].remarks):
        yield Text(line, style="bold red")
    for output, found in entry["outputs"].items():
        yield from _never_seen(output, found)
    yield Text(str(explained.audit), style="dim")


def _table(explained: Explained, output: str, found: Mapping[str, Any]) -> Table:
    several = len(explained.seeds) > 1
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column(output)
    table.add_column("rule", overflow="fold", ratio=1)
    for heading in (*(["seeds"] if several else []), "held", "as decoder", "true"):
        table.add_column(heading, justify="right", no_wrap=True)
    for label, rule in found["classes"].items():
        formula = explained.rule_set.rules[output][label]
        cells = [str(factored(formula))]
        if several:
            count = dict(explained.counts[f"{output} = {label}"])[str(formula)]
            cells.append(f"{count} of {len(explained.seeds)}")
        cells += [f"{rule['support']:,}", percent(rule["fidelity"]), percent(rule["accuracy"])]
        table.add_row(label, *cells)
    return table


def _going_on(explained: Explained, termination: Mapping[str, Any]) -> Text:
    several = len(explained.seeds) > 1
    rule = str(explained.rule_set.continues)
    text = f"continue: {rule}"
    if several:
        text += f"  ({dict(explained.counts['continue'])[rule]} of {len(explained.seeds)} seeds)"
    if termination["fits"]:
        return Text(f"{text}\n  It fits all {termination['steps']:,} steps.")
    if termination["read"]:
        return Text(
            f"{text}\n  It fails at {termination['contradicting_steps']:,} of "
            f"{termination['steps']:,} steps."
        )
    return Text(
        f"{text}\n  No short formula fits all {termination['steps']:,} steps; this one fails at "
        f"{termination['contradicting_steps']:,}."
    )


def _never_seen(output: str, found: Mapping[str, Any]) -> Iterator[Text]:
    never = found["patterns_never_seen"]
    if never is None:
        yield Text(
            f"{output}: {found['patterns_seen']} patterns of {len(found['relevant'])} concepts "
            "were seen.",
            style="dim",
        )
    elif never:
        # as few words as tell them from what was seen
        names = tuple(found["relevant"])
        seen = np.setdiff1d(np.arange(2 ** len(names)), never)
        which = minimise(names, np.array(never), seen).formula
        told = f"{output}: {len(never)} of {2 ** len(names)} patterns were never seen: {which}."
        yield Text(f"{told} The rules were read there too." if found["read"] else told, style="dim")


def _as_text(rule_set: RuleSet) -> dict[str, Any]:
    return {
        "rules": {
            o: {label: str(rule) for label, rule in classes.items()}
            for o, classes in rule_set.rules.items()
        },
        "continues": None if rule_set.continues is None else rule_set.continues.as_typed,
    }


def _verdict(verdict: Verdict) -> dict[str, Any]:
    return {
        "equal_on_seen": verdict.equal_on_seen,
        "equal_on_all": verdict.equal_on_all,
        "first_difference": verdict.first_difference,
    }

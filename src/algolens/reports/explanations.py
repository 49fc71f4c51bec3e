"""The explanation tables (rules, and how often they came over seeds) and the table of concepts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from algolens.algorithms import algorithm as find
from algolens.errors import FormulaError
from algolens.extraction import GOING_ON, count_rules
from algolens.logic import GoOn, parse
from algolens.reports.material import ShownRun, departures_note, published
from algolens.reports.steps import short_names
from algolens.reports.tables import Cell, RuleCell, Table


def explanation_table(run: ShownRun) -> Table:
    """A row for each rule that came, commonest first, with the seeds it came in."""
    rows: list[list[Cell]] = []
    for what, rules in count_rules(run.programs).items():
        for place, (rule, count) in enumerate(rules):
            share = f"{count} of {len(run.programs)}"
            rows.append(["" if place else what, RuleCell.of(rule), share])
    return Table(
        name=f"explanations-{run.algorithm}-{run.model}",
        title=f"Rules of {run.title}",
        columns=["to explain", "rule", "seeds"],
        rows=rows,
        notes=verdicts(run),
        departures=departures_note([run]),
    )


def published_explanations(algorithm: str) -> Table | None:
    """The paper's own table, where it has one."""
    known = published()["explanations"].get(algorithm)
    if known is None:
        return None
    rows: list[list[Cell]] = []
    for what, rules in known.items():
        rows += [["" if place else what, _quoted(rule), f"{count} of 5"] for place, (rule, count) in enumerate(rules.items())]
    return Table(
        name=f"explanations-{algorithm}-published",
        title=f"Rules of {algorithm}, as published (bottleneck)",
        columns=["to explain", "rule", "seeds"],
        rows=rows,
    )


def _quoted(text: str) -> Cell:
    """A published rule; in words where it is given so."""
    try:
        return RuleCell.of(GoOn.parse(text.replace("exists:", "exists n:")) if text.startswith("exists:") else parse(text))
    except FormulaError:
        return text


def verdicts(run: ShownRun) -> list[str]:
    """How the rules compare with the true ones, alike seeds together."""
    found = run.study.get("verdicts", [])
    seeds: dict[str, list[int]] = {}
    for seed, verdict in zip(run.scores["seeds"], found, strict=bool(found)):
        seeds.setdefault(verdict["in_words"], []).append(seed)
    ordered = Counter({words: len(which) for words, which in seeds.items()}).most_common()
    return [f"Seed{'s' if count > 1 else ''} {', '.join(map(str, seeds[words]))}: {words}." for words, count in ordered]


def concepts_table(algorithms: Sequence[str]) -> Table:
    """Each algorithm's concepts, and the true rules, which no network is shown."""
    rows: list[list[Cell]] = []
    for name in algorithms:
        declaration = find(name).declaration
        concepts = [f"{concept} ({short})" for concept, short in short_names(declaration.concepts).items()]
        rules: list[tuple[str, Cell]] = [
            (f"{output} = {label}", RuleCell(rule))
            for output, classes in declaration.program.rules.items()
            for label, rule in classes.items()
        ]
        if declaration.program.continues is not None:
            rules.append((GOING_ON, RuleCell.of(declaration.program.continues)))
        for i in range(max(len(concepts), len(rules))):
            what, rule = rules[i] if i < len(rules) else ("", "")
            rows.append(["" if i else name, concepts[i] if i < len(concepts) else "", what, rule])
    return Table(
        name="concepts",
        title="Algorithms, their concepts and their true rules (not shown to any network)",
        columns=["algorithm", "concept", "what follows", "true rule"],
        rows=rows,
    )

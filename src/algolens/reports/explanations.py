"""The explanation tables (rules, and how often they came over seeds) and the table of concepts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from algolens.algorithms import Declaration
from algolens.errors import FormulaError
from algolens.extraction import GOING_ON, count_rules
from algolens.logic import GoOn, parse
from algolens.reports.material import ShownRun, departures_note, published
from algolens.reports.tables import Cell, RuleCell, Table


def explanation_table(run: ShownRun) -> Table:
    """A row for each rule that came, commonest first, with the seeds it came in."""
    rows: list[list[Cell]] = []
    for what, rules in count_rules(run.programs).items():
        for rule, count in rules:
            share = f"{count} of {len(run.programs)}"
            rows.append([what, RuleCell.of(rule), share])
    return Table(
        name=f"explanations-{run.file_name}",
        title=f"Rules of {run.title}",
        columns=["to explain", "rule", "seeds"],
        rows=rows,
        said_once=1,
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
        rows += [[what, _quoted(rule), f"{count} of 5"] for rule, count in rules.items()]
    return Table(
        name=f"explanations-{algorithm}-published",
        title=f"Rules of {algorithm}, as published (bottleneck)",
        columns=["to explain", "rule", "seeds"],
        rows=rows,
        said_once=1,
    )


def _quoted(text: str) -> Cell:
    """A published rule; in words where it is given so."""
    try:
        return RuleCell.of(
            GoOn.parse(text.replace("exists:", "exists n:"))
            if text.startswith("exists:")
            else parse(text)
        )
    except FormulaError:
        return text


def verdicts(run: ShownRun) -> list[str]:
    """How the rules compare with the true ones, alike seeds together."""
    found = run.study.get("verdicts", [])
    seeds: dict[str, list[int]] = {}
    for seed, verdict in zip(run.scores["seeds"], found, strict=bool(found)):
        seeds.setdefault(verdict["in_words"], []).append(seed)
    ordered = Counter({words: len(which) for words, which in seeds.items()}).most_common()
    return [
        f"Seed{'s' if count > 1 else ''} {', '.join(map(str, seeds[words]))}: {words}."
        for words, count in ordered
    ]


def concepts_table(declared: Mapping[str, Declaration]) -> Table:
    """Each algorithm's concepts, and the true rules, which no network is shown."""
    rows: list[list[Cell]] = []
    for name, declaration in declared.items():
        rules: list[tuple[str, Cell]] = [
            (f"{output} = {label}", RuleCell(rule))
            for output, classes in declaration.program.rules.items()
            for label, rule in classes.items()
        ]
        if declaration.program.continues is not None:
            rules.append((GOING_ON, RuleCell.of(declaration.program.continues)))
        for i in range(max(len(declaration.concepts), len(rules))):
            what, rule = rules[i] if i < len(rules) else ("", "")
            rows.append(
                [name, declaration.concepts[i] if i < len(declaration.concepts) else "", what, rule]
            )
    return Table(
        name="concepts",
        title="Algorithms, their concepts and their true rules (not shown to any network)",
        columns=["algorithm", "concept", "what follows", "true rule"],
        rows=rows,
        said_once=1,
    )

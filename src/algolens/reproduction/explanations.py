"""Tables of rules, concepts and certificates over seeds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from algolens.algorithms import Declaration
from algolens.errors import FormulaError
from algolens.extraction import GOING_ON, count_rules
from algolens.logic import GoOn, parse
from algolens.reports.material import ShownModel, departures_note, published
from algolens.reports.tables import ALL_RIGHT, Cell, RuleCell, Table
from algolens.reproduction.significance import mean_and_std


def explanation_table(run: ShownModel) -> Table:
    """A row for each rule that came, commonest first, with the seeds it came in."""
    rows: list[list[Cell]] = []
    for what, rules in count_rules(run.rule_sets).items():
        for rule, count in rules:
            share = f"{count} of {len(run.rule_sets)}"
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


def verdicts(run: ShownModel) -> list[str]:
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
            for output, classes in declaration.rule_set.rules.items()
            for label, rule in classes.items()
        ]
        if declaration.rule_set.continues is not None:
            rules.append((GOING_ON, RuleCell.of(declaration.rule_set.continues)))
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


LEGEND = (
    "Graphs that are right in every node or edge of every step, and in when they stop: percent, "
    "mean ± standard deviation over seeds, in free running; by the network, and with its rules "
    "deciding over its concepts."
)
COLUMNS = ("algorithm", "seeds certified", "nodes", "graphs", "network", "rules")


def exactness_table(runs: Sequence[ShownModel]) -> Table | None:
    """A row for each exact network and size; None where there is no exact network."""
    shown = [run for run in runs if "exactness" in run.study]
    if not shown:
        return None
    rows = []
    for run in shown:
        found = run.study["exactness"]
        certified = sum(each["proven"] for each in run.certificates)
        first = [_name(run), f"{certified} of {len(run.scores['seeds'])}"]
        for size, scores in {**run.scores["sizes"], **found["larger"]}.items():
            figures = [_cell(scores, "graphs_right"), _cell(scores, "formula_graphs_right")]
            rows.append([*first, size, str(scores["graphs"]), *figures])
    return Table(
        name="exact",
        title="Exact networks on graphs of every size",
        columns=COLUMNS,
        rows=rows,
        legend=LEGEND,
        notes=[_certified(run) for run in shown],
        said_once=2,
        all_right=ALL_RIGHT,
        departures=departures_note(shown),
    )


def _name(run: ShownModel) -> str:
    return ", ".join(filter(None, (run.algorithm, run.called)))


def _cell(scores: Mapping[str, Any], metric: str) -> str:
    if metric not in scores:
        return ""
    value = mean_and_std(scores[metric])
    return f"{value['mean']:.2f} ± {value['std']:.2f}"


def _certified(run: ShownModel) -> str:
    """What it means to be certified."""
    if not run.certificates:
        return f"{_name(run)}: no certificate is here that is about these weights."
    first = run.certificates[0]
    proven = "proven right on every graph whose numbers are as the certificate says"
    verdict = proven if first["proven"] else "not proven"
    claims = (
        "a file claims" if any(check.get("claimed") for check in first["checks"]) else "there are"
    )
    kinds = ("proof", "exhaustive", "sampled")
    proof, exhaustive, sampled = (
        sum(check["cases"] for check in first["checks"] if check["kind"] == kind) for kind in kinds
    )
    return (
        f"{_name(run)}: {verdict}, by {proof:,} cases. Besides, {claims} {exhaustive:,} runs that "
        f"were tried, all there are on the smallest graphs, and {sampled:,} that were sampled."
    )

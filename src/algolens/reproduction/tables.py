"""The tables of a report besides accuracies: rules, concepts, proofs and runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import zip_longest
from typing import Any

from algolens.algorithms import Algorithm
from algolens.errors import FormulaError
from algolens.evaluation.metrics import SizeScores
from algolens.extraction.grading import GOING_ON, count_rules
from algolens.logic import GoOn, parse
from algolens.proofs.certificate import Basis, Claimed
from algolens.reports.material import Material, ShownModel, departures_note, nodes_in_words
from algolens.reports.tables import ALL_RIGHT, Cell, RuleCell, Table
from algolens.reproduction.accuracies import published

EXACT_LEGEND = (
    "Graphs that are right in every node or edge of every step, and in when they stop: percent, "
    "mean ± standard deviation over seeds, in free running; by the network, and with its rules "
    "deciding over its concepts."
)


def explanation_table(run: ShownModel) -> Table:
    """A row for each rule that came, commonest first, with the seeds it came in."""
    rows: list[list[Cell]] = [
        [what, RuleCell.of(rule), f"{count} of {len(run.rule_sets)}"]
        for what, rules in count_rules(run.rule_sets).items()
        for rule, count in rules
    ]
    return Table(
        name=f"explanations-{run.file_name}",
        title=f"Rules of {run.title}",
        columns=["to explain", "rule", "seeds"],
        rows=rows,
        said_once=1,
        notes=_verdicts(run),
        departures=departures_note([run]),
    )


def published_explanations(algorithm: str) -> Table | None:
    """The paper's own table, where it has one."""
    known = published()["explanations"].get(algorithm)
    if known is None:
        return None
    return Table(
        name=f"explanations-{algorithm}-published",
        title=f"Rules of {algorithm}, as published (bottleneck)",
        columns=["to explain", "rule", "seeds"],
        rows=[
            [what, _quoted(rule), f"{count} of 5"]
            for what, rules in known.items()
            for rule, count in rules.items()
        ],
        said_once=1,
    )


def _quoted(text: str) -> Cell:
    """A published rule; in words where it is given so."""
    try:
        if text.startswith("exists:"):
            return RuleCell.of(GoOn.parse(text.replace("exists:", "exists n:")))
        return RuleCell(parse(text))
    except FormulaError:
        return text


def _verdicts(run: ShownModel) -> list[str]:
    """How the rules compare with the true ones, alike seeds together, most seeds first."""
    seeds: dict[str, list[str]] = {}
    if run.study is not None and run.study.verdicts:
        for seed, verdict in zip(run.scores.seeds, run.study.verdicts, strict=True):
            seeds.setdefault(verdict.in_words, []).append(str(seed))
    return [
        f"Seed{'s' if len(alike) > 1 else ''} {', '.join(alike)}: {words}."
        for words, alike in sorted(seeds.items(), key=lambda group: -len(group[1]))
    ]


def concepts_table(declared: Mapping[str, Algorithm]) -> Table:
    """Each algorithm's concepts, and the true rules, which no network is shown."""
    rows: list[list[Cell]] = []
    for name, algorithm in declared.items():
        declaration = algorithm.declaration
        rule_set = declaration.rule_set
        rules: list[tuple[str, Cell]] = [
            (f"{output} = {label}", RuleCell(rule))
            for output, classes in rule_set.rules.items()
            for label, rule in classes.items()
        ]
        if rule_set.continues is not None:
            rules.append((GOING_ON, RuleCell.of(rule_set.continues)))
        for concept, rule in zip_longest(declaration.concepts, rules):
            rows.append([name, concept or "", *(rule or ("", ""))])
    return Table(
        name="concepts",
        title="Algorithms, their concepts and their true rules (not shown to any network)",
        columns=["algorithm", "concept", "what follows", "true rule"],
        rows=rows,
        said_once=1,
    )


def exactness_table(runs: Sequence[ShownModel]) -> Table | None:
    """A row for each exact network and size; None where there is no exact network."""
    shown = {
        run: run.study.exactness
        for run in runs
        if run.study is not None and run.study.exactness is not None
    }
    if not shown:
        return None
    rows = []
    for run, exactness in shown.items():
        certified = sum(certificate.proven for certificate in run.certificates)
        first = [_name(run), f"{certified} of {len(run.scores.seeds)}"]
        for size, scores in {**run.scores.sizes, **exactness.larger}.items():
            figures = [_cell(scores, "graphs_right"), _cell(scores, "formula_graphs_right")]
            nodes = nodes_in_words(size).removesuffix(" nodes")
            rows.append([*first, nodes, str(scores.graphs), *figures])
    return Table(
        name="exact",
        title="Exact networks on graphs of every size",
        columns=["algorithm", "seeds certified", "nodes", "graphs", "network", "rules"],
        rows=rows,
        legend=EXACT_LEGEND,
        notes=[certified_note(run) for run in shown],
        said_once=2,
        all_right=ALL_RIGHT,
        departures=departures_note(list(shown)),
    )


def _name(run: ShownModel) -> str:
    return ", ".join(filter(None, (run.algorithm, run.called)))


def _cell(scores: SizeScores, metric: str) -> str:
    figure = scores.figure(metric)
    return "" if figure is None else str(figure)


def certified_note(run: ShownModel) -> str:
    """What it means for a run to be certified."""
    if not run.certificates:
        return f"{_name(run)}: no certificate is here that is about these weights."
    first = run.certificates[0]
    proven = "proven right on every graph whose numbers are as the certificate says"
    verdict = proven if first.proven else "not proven"
    is_claim = any(isinstance(check, Claimed) for check in first.checks)
    proof, exhaustive, sampled = (
        sum(check.cases for check in first.checks if check.basis is basis)
        for basis in (Basis.PROOF, Basis.EXHAUSTIVE, Basis.SAMPLED)
    )
    return (
        f"{_name(run)}: {verdict}, by {proof:,} cases. Besides, "
        f"{'a file claims' if is_claim else 'there are'} {exhaustive:,} runs that "
        f"were tried, all there are on the smallest graphs, and {sampled:,} that were sampled."
    )


def runs_table(material: Material) -> Table:
    """What was run: seeds, epochs, device, time and versions."""
    records = []
    rows = []
    for run in material.runs:
        about, seconds = run.experiment.about, run.experiment.about.get("training_seconds", 0.0)
        versions = about.get("versions", {}).items()
        record: dict[str, Any] = {
            "run": run.title,
            "seeds": ", ".join(map(str, run.scores.seeds)),
            "epochs": str(max((int(row["epoch"] or 0) for row in run.history), default=0)),
            "selected": ", ".join(map(str, about.get("selected_epochs", []))),
            "device": about.get("device", ""),
            "training time": seconds,
            "versions": ", ".join(f"{name} {version}" for name, version in versions),
            "command": about.get("command", ""),
            "departures": "; ".join(map(str, run.departures)),
        }
        records.append(record)
        shown = {
            "training time": _duration(seconds),
            "departures": str(len(run.departures)),
        }
        rows.append(list({**record, **shown}.values()))
    return Table(
        name="runs",
        title="Runs, all seeds of one together",
        columns=list(records[0]),
        rows=rows,
        notes=[
            "Epochs are selected on validation, each seed's own. Departures are the points in "
            "which a model differs from the paper: the tables of departures list them."
        ],
        records=records,
    )


def _duration(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"

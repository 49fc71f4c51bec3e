"""Changed declarations: none that is called equal may take another step than the original.

python -m benchmarks.attacked_proofs --count 40
python -m benchmarks.attacked_proofs kruskal coloring --count 100 --seconds 20

A declaration is changed in one place: a literal, a relation, a count, an order, a move, a start, a
rule, the rule for going on. Where ``prove_equal`` calls it equal to the original, both are run on
random graphs; a run that differs would be a hole in the proof.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Annotated, Any

import numpy as np
import typer
from rich.console import Console

from algolens.algorithms import Algorithm, Declaration, algorithm
from algolens.discovery import AlgorithmTeacher, Episodes
from algolens.discovery.checks import random_runs, steps_differ
from algolens.discovery.declaring import algorithm_of
from algolens.discovery.proofs import prove_equal
from algolens.errors import AlgoLensError
from algolens.execution import run_algorithm
from algolens.fields import Category, Observed

NAMES = (
    "bfs",
    "k_core",
    "independent_set",
    "coloring",
    "matching",
    "prim",
    "minimum",
    "selection_sort",
    "kruskal",
    "dijkstra",
    "topological_sort",
    "components",
)
RUNS, SIZES = 120, (1, 7)  # on which both are run
EDITS = (
    (r"\bsome\b", "every"),
    (r"\bno\b", "some"),
    (r"\bno\b", "every"),
    (r"\bevery\b", "some"),
    (r"(?<![<>=!])<(?!=)", "<="),
    (r"(?<![<>=!])<(?!=)", ">"),
    (r"(?<![<>=!])>(?!=)", "<"),
    (r"(?<![<>=!])>(?!=)", ">="),
    (r">=", ">"),
    (r"(?<![<>!])=", "!="),
    (r"~", ""),
    (r"(?<=[(& ])([a-z_]+)(?= [&|)])", r"~\1"),
    (r"\bits number\b", "its number"),
    (r"\((its \w+), (its \w+)\) ([<>]) \((my \w+), (my \w+)\)", r"\1 \3 \4"),
    (r"\((its \w+), (its \w+)\) ([<>]) \((my \w+), (my \w+)\)", r"(\2, \1) \3 (\5, \4)"),
    (r"at least (\d)", "at least 2"),
    (r"at least (\d)", "at least 4"),
    (r"\bpredecessors?\b", "neighbour"),
    (r"\bpredecessors?\b", "successor"),
    (r"\bneighbours?\b", "other node"),
    (r"\bneighbours?\b", "predecessor"),
    (r"\bother node\b", "neighbour"),
    (r"\bother edge\b", "adjacent edge"),
    (r"\badjacent edge\b", "other edge"),
    (r"\brival\b", "other link"),
    (r"\brival\b", "sibling"),
    (r"\bsibling\b", "rival"),
    (r"\bincoming link\b", "outgoing link"),
    (r"\boutgoing link\b", "incoming link"),
    (r"\bsender\b", "receiver"),
    (r"\breceiver\b", "sender"),
    (r"\bone_end\b", "other_end"),
    (r" & [^&|()]+$", ""),
    (r" \| [^&|()]+$", ""),
    (r" & ", " | "),
    (r" \| ", " & "),
    (r"^[^&|()]+ & ", ""),
)


def edited(text: str) -> Iterator[str]:
    """A statement, changed in one place."""
    for pattern, other in EDITS:
        for match in re.finditer(pattern, text):
            changed = text[: match.start()] + match.expand(other) + text[match.end() :]
            if changed != text:
                yield changed


def changed_declarations(declaration: Declaration) -> Iterator[Declaration]:
    """Declarations that are changed in one place; those that contradict themselves are left out."""
    own = {k: field for k, field in declaration.hints.items() if k not in declaration.look}
    for part, values in _changes(declaration):
        try:
            made = replace(declaration, **{"hints": own, part: values})
            _ = made.seen, made.rule_set
        except AlgoLensError:
            continue
        yield made


def _changes(declaration: Declaration) -> Iterator[tuple[str, Any]]:
    for name, entry in declaration.look.items():
        for text in edited(entry.text):
            yield "look", {**declaration.look, name: Observed(entry.location, text)}
    for name, moves in declaration.moves.items():
        texts = [moves] if isinstance(moves, str) else list(moves)
        for place, text in enumerate(texts):
            for other in edited(text):
                changed = [*texts[:place], other, *texts[place + 1 :]]
                yield "moves", {**declaration.moves, name: changed}
        if len(texts) > 1:
            yield "moves", {**declaration.moves, name: texts[::-1]}
            yield "moves", {**declaration.moves, name: texts[:1]}
    for name, start in declaration.start.items():
        for value in _other_starts(declaration, name, start):
            yield "start", {**declaration.start, name: value}
    for name, total in declaration.sums.items():
        yield "sums", {**declaration.sums, name: Observed(total.location, f"{total.text} + 1")}
    for output, classes in declaration.rule_set.rules.items():
        yield from (("rules", rules) for rules in _other_rules(declaration, output, classes))
    if declaration.continues is not None:
        for text in edited(str(declaration.rule_set.continues)):
            yield "continues", text
        for concept in declaration.concepts:
            yield "continues", concept
            yield "continues", f"~{concept}"


def _other_starts(declaration: Declaration, name: str, start: Any) -> Iterator[Any]:
    kind = declaration.predicted[name].kind
    if isinstance(kind, Category):
        yield from (label for label in kind.labels if label != start)
    elif isinstance(start, int):
        yield start + 1
    elif start in ("True", "False"):
        yield "True" if start == "False" else "False"
    elif isinstance(start, str) and "=" in start:
        yield start.replace("=", "!=")


def _other_rules(
    declaration: Declaration, output: str, classes: Mapping[str, Any]
) -> Iterator[dict[str, Any]]:
    if set(classes) != {"true", "false"}:
        labels = list(classes)
        swapped = {**classes, labels[0]: classes[labels[1]], labels[1]: classes[labels[0]]}
        yield {**declaration.rules, output: swapped}
        return
    yield {**declaration.rules, output: {"true": classes["false"], "false": classes["true"]}}
    for concept in declaration.concepts:
        for rule in (f"({classes['true']}) & {concept}", f"({classes['true']}) | {concept}"):
            yield {**declaration.rules, output: {"true": rule, "false": f"~({rule})"}}


def takes_other_steps(declaration: Declaration, ours: Algorithm, runs: list[Episodes]) -> bool:
    """Whether a declaration differs from an algorithm on one of some runs of it."""
    schema = AlgorithmTeacher(ours).schema
    changed = algorithm_of(schema, declaration, "changed")
    try:
        return any(
            bool(steps_differ(schema, some, Episodes.of(run)).any())
            for some in runs
            for run in [run_algorithm(changed, some.graph, some.inputs, check=False)]
        )
    except AlgoLensError:
        return True


def attack(name: str, count: int, seconds: float, seed: int = 0) -> Counter[str]:
    """How many changed declarations were called equal, and how many of these are not."""
    ours, rng = algorithm(name), np.random.default_rng(seed)
    runs = list(random_runs(AlgorithmTeacher(ours), RUNS, SIZES, rng))
    every = list(changed_declarations(ours.declaration))
    counts: Counter[str] = Counter()
    for place in rng.permutation(len(every))[:count]:
        declaration = every[place]
        differs = takes_other_steps(declaration, ours, runs)
        is_proven = prove_equal(declaration.program, ours, seconds).proven
        counts["changed"] += 1
        counts["differ"] += differs
        counts["proven"] += is_proven
        counts["wrong"] += is_proven and differs
        if is_proven and differs:
            print(f"{name}: proven and wrong: {declaration}")
    return counts


def _command(
    names: Annotated[list[str] | None, typer.Argument(help="By default twelve algorithms.")] = None,
    count: Annotated[int, typer.Option(min=1, help="Changes of each.")] = 30,
    seconds: Annotated[float, typer.Option(help="Of computing, for each proof.")] = 5.0,
    seed: Annotated[int, typer.Option(help="Of graphs, and of which changes are taken.")] = 0,
) -> None:
    console, total = Console(width=120), Counter[str]()
    for name in names or NAMES:
        counts = attack(name, count, seconds, seed)
        total += counts
        console.print(name, _words(counts), highlight=False)
    console.print("in all", _words(total), highlight=False)
    if total["wrong"]:
        raise typer.Exit(1)


def _words(counts: Counter[str]) -> str:
    return (
        f"{counts['changed']} changed, {counts['differ']} differ on a run, "
        f"{counts['proven']} proven equal, {counts['wrong']} of them wrong"
    )


if __name__ == "__main__":
    typer.run(_command)

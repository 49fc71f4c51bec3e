"""Changed declarations: none that is called equal may take another step than the original.

python -m benchmarks.attacked_proofs --count 40
python -m benchmarks.attacked_proofs kruskal coloring --count 100 --seconds 20

A declaration is changed in one place: a literal, a relation, a count, an order, a move, a start, a
rule, the rule for going on. Where ``prove_equal`` calls it equal to the original, both are run on
random graphs; a run that differs would be a hole in the proof.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import count as counter
from typing import Annotated

import numpy as np
import typer
from msgspec.structs import replace
from rich.console import Console

from algolens.algorithms import Algorithm, Declaration, algorithm
from algolens.discovery import AlgorithmOracle, Episodes
from algolens.discovery.declaring import algorithm_of
from algolens.discovery.differences import first_difference
from algolens.discovery.sampling import random_runs
from algolens.engines import run_algorithm
from algolens.errors import AlgoLensError
from algolens.language.ir import (
    STEPS,
    And,
    Arith,
    Case,
    Compare,
    Const,
    Expr,
    Get,
    Let,
    Not,
    Op,
    Or,
    Quantified,
    The,
    View,
    children,
    rebuilt,
)
from algolens.language.relations import RELATIONS
from algolens.proofs.equality.proof import prove_equal

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
ORDERS: dict[Op, tuple[Op, ...]] = {
    "<": ("<=", ">"),
    ">": ("<", ">="),
    ">=": (">",),
    "<=": ("<",),
    "=": ("!=",),
    "!=": ("=",),
}
# relations that look alike; a group each
ALIKE = (
    ("predecessor", "neighbour", "successor", "other node"),
    ("other edge", "adjacent edge"),
    ("rival", "sibling", "other link"),
    ("incoming link", "outgoing link"),
)
ENDS = {"sender": "receiver", "receiver": "sender", "one_end": "other_end"}
VIEWS = {relation.phrase(1): relation.view for relation in RELATIONS}


def changed(node: Expr) -> Iterator[Expr]:
    """An expression, changed in one place."""
    yield from _itself_changed(node)
    for place, child in enumerate(children(node)):
        for other in () if _is_key(node, place) else changed(child):
            yield _with_part(node, place, other)


def _with_part(node: Expr, place: int, other: Expr) -> Expr:
    places = counter()
    made: Expr = rebuilt(node, lambda part: other if next(places) == place else part)
    return made


def _is_key(node: Expr, place: int) -> bool:
    """Whether a part says which relation is looked at: that changes as a whole."""
    return isinstance(node, Quantified | The) and place < len(children(node.view))


def _itself_changed(node: Expr) -> Iterator[Expr]:
    match node:
        case Const(bool() as value):
            yield Const(not value)
        case Const(value):
            yield Const(value + 1)
        case Not(term):
            yield term
        case Get(column, at, of):
            yield Not(node)
            if column in ENDS and (at, column) in STEPS:
                yield Get(ENDS[column], at, of)
        case And(terms) | Or(terms):
            yield Or(terms) if isinstance(node, And) else And(terms)
            for place in range(len(terms)):
                rest = terms[:place] + terms[place + 1 :]
                yield type(node)(rest) if len(rest) > 1 else rest[0]
        case Compare(left, op, right):
            for other in ORDERS[op]:
                yield Compare(left, other, right)
            if len(left) > 1:
                yield Compare(left[:1], op, right[:1])
                yield Compare(left[::-1], op, right[::-1])
        case Arith():
            yield Arith(node, "+", Const(1))
        case Case(cases, otherwise):
            if len(cases) > 1:
                yield Case(cases[::-1], otherwise)
                yield Case(cases[:1], otherwise)
        case Quantified(quantity, view, body, least):
            yield Quantified("some" if quantity == "every" else "every", view, body)
            for other_count in {2, 4} - {least} if quantity == "at least" else ():
                yield Quantified(quantity, view, body, other_count)
    if isinstance(node, Quantified | The):
        yield from (replace(node, view=view) for view in _other_views(node.view))


def _other_views(view: View) -> Iterator[View]:
    for group in ALIKE:
        if view.words in group:
            yield from (VIEWS[words] for words in group if words != view.words)


def changed_declarations(declaration: Declaration) -> Iterator[Declaration]:
    """Declarations that are changed in one place; those that contradict themselves are left out."""
    program = declaration.program
    for part in ("start", "lets", "becomes"):
        lets: tuple[Let, ...] = getattr(program, part)
        for place, let in enumerate(lets):
            for value in changed(let.value):
                made = (*lets[:place], Let(let.name, let.at, value), *lets[place + 1 :])
                try:
                    yield Declaration(replace(program, **{part: made}))
                except (AlgoLensError, AssertionError, IndexError):  # a class too many
                    continue


def takes_other_steps(declaration: Declaration, ours: Algorithm, runs: list[Episodes]) -> bool:
    """Whether a declaration differs from an algorithm on one of some runs of it."""
    schema = AlgorithmOracle(ours).schema
    changed = algorithm_of(schema, declaration, "changed")
    try:
        return any(
            bool((first_difference(schema, some, Episodes.of(run)) >= 0).any())
            for some in runs
            for run in [run_algorithm(changed, some.graph, some.inputs, check=False)]
        )
    except AlgoLensError:
        return True


def attack(name: str, count: int, seconds: float, seed: int = 0) -> Counter[str]:
    """How many changed declarations were called equal, and how many of these are not."""
    ours, rng = algorithm(name), np.random.default_rng(seed)
    runs = list(random_runs(AlgorithmOracle(ours), RUNS, SIZES, rng))
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

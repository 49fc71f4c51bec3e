"""What engines compute is what a program says: shown by Z3 on all graphs of up to three nodes."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from msgspec.structs import replace

from algolens.algorithms import algorithm, algorithms
from algolens.language import ir
from algolens.language.lower import lower
from tests.conformance.cases import random_case
from tests.conformance.proven_lowering import check_lowering
from tests.effort import in_proportion

pytest.importorskip("z3")
PLANTED = ("bfs", "coloring", "dijkstra", "kruskal", "components", "k_core")


@pytest.mark.parametrize("name", algorithms())
def test_every_statement_is_equal_to_what_it_is_lowered_to(name):
    program = algorithm(name).declaration.program
    answers = list(check_lowering(program))
    assert len(answers) == len([*program.start, *program.lets, *program.becomes])
    assert {answer.answer for answer in answers} == {"equal"}, [*map(str, answers)]


@pytest.mark.parametrize("chunk", range(4))
def test_statements_of_random_declarations_are_equal_to_what_they_are_lowered_to(chunk):
    count = in_proportion(60) // 4
    for seed in range(chunk * count, (chunk + 1) * count):
        for answer in check_lowering(random_case(seed).program, nodes=3):
            assert answer.answer == "equal", f"seed {seed}: {answer}"


@pytest.mark.parametrize("name", PLANTED)
def test_planted_mistakes_are_found(name):
    """A mistake in what is lowered is told from what the program says."""
    program = algorithm(name).declaration.program
    missed, planted = [], 0
    for mistake, lowered in mistaken(lower(program)):
        planted += 1
        if all(answer.answer == "equal" for answer in check_lowering(program, lowered)):
            missed.append(mistake)
    assert planted > 2
    assert not missed


def mistaken(lowered: ir.Program) -> Iterator[tuple[str, ir.Program]]:
    """A lowered program with one mistake in an aggregate or in a bound, one after the other."""
    for group in ("lets", "becomes"):
        lets: tuple[ir.Let, ...] = getattr(lowered, group)
        for place, let in enumerate(lets):
            for mistake, value in mistakes(let.value):
                wrong = (*lets[:place], replace(let, value=value), *lets[place + 1 :])
                yield f"{mistake} in {let.name}", replace(lowered, **{group: wrong})


def mistakes(value: ir.Expr) -> Iterator[tuple[str, ir.Expr]]:
    match value:
        case ir.First(group, where, keys, last, rank):
            if keys:
                yield "last for first", ir.First(group, where, keys, not last, rank)
            if keys and keys[-1] != ir.Get(ir.NUMBER, group.rows):  # ties go by index anyway
                yield "a key less", ir.First(group, where, keys[:-1], last, rank)
            yield "all rows", ir.First(group, ir.TRUE, keys, last, rank)
            yield "the second", ir.First(group, where, keys, last, 0 if rank else 1)
        case ir.Any(group, where):
            yield "all rows", ir.Any(group, ir.TRUE)
            yield "opposite", ir.Any(group, ir.negation(where))
            if group.rows == "link":
                yield "the other end", ir.Any(replace(group, key=(other_end(group.key[0]),)), where)
        case ir.Count(group, where):
            yield "all rows", ir.Count(group, ir.TRUE)
        case ir.Within(of, least, most):
            yield "one less", ir.Within(of, least, most - 1)


def other_end(key: ir.Expr) -> ir.Expr:
    if isinstance(key, ir.Get) and key.column in ("sender", "receiver"):
        return replace(key, column={"sender": "receiver", "receiver": "sender"}[key.column])
    return key

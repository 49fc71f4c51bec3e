"""What a program calls what is its own decides nothing."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

import algolens as al
from algolens.algorithms import (
    Algorithm,
    Graph,
    Node,
    algorithm,
    algorithms,
    mask,
    number,
    per,
)
from algolens.engines.program import Program
from algolens.errors import AlgoLensError
from algolens.language.ir import GOES_ON
from algolens.language.parse import Parser, parse
from algolens.language.rules import with_lets
from algolens.language.words import Words, named_fields
from algolens.proofs.equality.renaming import renamed, with_names


def own_names(program: Program) -> list[str]:
    """Of the state and the features, all that the task does not name."""
    hir = program.program
    told = {*hir.inputs, *hir.outputs, *hir.outcomes, GOES_ON}
    names = dict.fromkeys((*hir.state, *(let.name for let in hir.lets)))
    return [name for name in names if name not in told]


def called(program: Program, names: dict[str, str]) -> Program:
    """The same program, written with other names."""
    return replace(program, program=with_names(program.program, names), words=Words())


def saying(program: Program, **texts: str) -> Program:
    """The same with other statements."""
    fields, at = named_fields(program.program), {let.name: let.at for let in program.program.lets}
    said = {n: parse(Parser.statement, text, at[n], fields) for n, text in texts.items()}
    return replace(program, program=with_lets(program.program, said), words=Words())


@pytest.mark.parametrize("name", algorithms())
def test_a_copy_under_other_names_is_equal(name):
    ours = Program.of(algorithm(name))
    own = own_names(ours)
    fresh = called(ours, {name: f"x{place}" for place, name in enumerate(own)})
    turned = called(ours, dict(zip(own, reversed(own), strict=True)))
    for other in (fresh, turned):
        for found in (al.compare(ours, other), al.compare(other, ours)):
            assert found.proven
            assert found.invariant is None


@pytest.mark.parametrize(
    ("name", "look", "continues", "differ"),
    [
        ("bfs_tree", {"is_visited": "visited & some neighbour"}, None, True),
        ("independent_set", {"is_undecided": "status is undecided | False"}, None, False),
        ("dfs_topological_sort", {}, "some node (~is_finished)", False),
    ],
)
def test_a_verdict_is_the_same_under_other_names(name, look, continues, differ):
    ours = Program.of(algorithm(name))
    other = saying(ours, **look, **({} if continues is None else {GOES_ON: continues}))
    own = own_names(other)
    again = called(other, {name: f"x{place}" for place, name in enumerate(own)})
    found, beside = al.compare(other, ours), al.compare(again, ours)
    assert found.differ == beside.differ == differ
    assert found.proven == beside.proven == (not differ)
    assert found.difference == beside.difference


class Ticking(Algorithm):
    """Two numbers of the state, of one kind: one counts up, the other stays."""

    first = Node.input(mask)
    reached = Node.output(mask, start="first", becomes="is_reached | is_odd")
    ticks = Graph.state(number(8), start=0, becomes="more where has_any")
    rests = Graph.state(number(8), start=0, becomes="rests where has_any")

    more = Graph.derived("ticks + 1")
    is_reached = Node.concept("reached")
    is_odd = Node.concept("graph's ticks > graph's rests")
    has_any = Graph.derived("some node (reached)")

    most_steps = 3 * per(Graph)


@pytest.mark.parametrize(
    "names",
    [
        {"ticks": "rests", "rests": "ticks"},
        {"ticks": "steps_taken", "is_odd": "when_reached", "more": "how_many_reached"},
        {"ticks": "begun", "has_any": "connected_part", "is_odd": "once_is_odd"},
    ],
)
def test_words_of_a_proof_are_names_as_others_are(names):
    ours = Program.of(Ticking())
    other = called(ours, names)
    assert al.compare(ours, other).proven
    # true of every element, and written otherwise, so that Z3 is asked
    name = names.get("is_reached", "is_reached")
    reached = names.get("reached", "reached")
    longer = saying(other, **{name: f"{reached} & (some other node | {reached})"})
    for found in (al.compare(ours, longer), al.compare(longer, ours)):
        assert found.proven


@pytest.mark.parametrize("name", ["reached", "ticks", "more", "is_odd", "first"])
def test_nothing_is_called_as_a_word_of_a_proof_is(name):
    """Proofs write a wide line in their own words."""
    with pytest.raises(AlgoLensError, match="read it as 'steps_taken'"):
        renamed(Ticking().declaration, {name: "steps\N{FULLWIDTH LOW LINE}taken"})

"""What a program calls what is its own decides nothing."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest

import algolens as al
from algolens.algorithms import Algorithm, Declaration, Limit, algorithm, algorithms
from algolens.errors import AlgoLensError
from algolens.fields import Location, Mask, Number, at_graph, at_node
from algolens.programs import Program, renamed

OF_THE_FORMAT = ("low", "kind", "at", "to", "times", "per", "terms", "constant", "start", "state")


def own_names(program: Program) -> list[str]:
    """Of the state, sums and observations, all that the task does not name."""
    declared = program.declaration
    told = {*declared.inputs, *declared.outputs, *declared.outcomes}
    names = dict.fromkeys((*declared.state, *declared.sums, *declared.look))
    kept = {*told, *OF_THE_FORMAT}
    return [name for name in names if name not in kept and not name.startswith("constant_")]


def called(program: Program, names: dict[str, str]) -> Program:
    """The same program, written with other names."""
    said = {key: value for key, value in program.to_json().items() if key != "words"}
    if not names:
        return Program.from_json(said)
    word = re.compile(rf"\b({'|'.join(map(re.escape, names))})\b")
    return Program.from_json(json.loads(word.sub(lambda one: names[one[1]], json.dumps(said))))


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
        ("bfs_tree", {"has_been_visited": "visited & some neighbour"}, None, True),
        ("independent_set", {"is_undecided": "status is undecided | False"}, None, False),
        ("dfs_topological_sort", {}, "~is_finished", False),
    ],
)
def test_a_verdict_is_the_same_under_other_names(name, look, continues, differ):
    ours = Program.of(algorithm(name))
    declared = ours.declaration
    texts = {
        key: replace(entry, text=look.get(key, entry.text)) for key, entry in declared.look.items()
    }
    hints = {key: field for key, field in declared.hints.items() if key not in declared.look}
    changed = replace(
        declared,
        look=texts,
        continues=continues or declared.continues,
        hints=hints,
        words=type(declared.words)(),
    )
    other = replace(ours, declaration=changed)
    own = own_names(other)
    again = called(other, {name: f"x{place}" for place, name in enumerate(own)})
    found, beside = al.compare(other, ours), al.compare(again, ours)
    assert found.differ == beside.differ == differ
    assert found.proven == beside.proven == (not differ)
    assert found.difference == beside.difference


class Ticking(Algorithm):
    """Two numbers of the state, of one kind: one counts up, the other stays."""

    name = "ticking"

    def declare(self) -> Declaration:
        return Declaration(
            location=Location.NODE,
            inputs={"first": at_node(Mask(), start_only=True)},
            state=("reached", "ticks", "rests"),
            start={"reached": "first", "ticks": 0, "rests": 0},
            sums={"more": at_graph("ticks + 1")},
            look={
                "is_reached": at_node("reached"),
                "is_odd": at_node("graph's ticks > graph's rests"),
                "has_any": at_graph("some node (reached)"),
            },
            concepts=("is_reached", "is_odd"),
            outputs={"reached": Mask()},
            hints={"ticks": at_graph(Number(8)), "rests": at_graph(Number(8))},
            moves={"ticks": "more where has_any", "rests": "rests where has_any"},
            rules={"reached": {"true": "is_reached | is_odd", "false": "~(is_reached | is_odd)"}},
            most_steps=Limit(3, Location.GRAPH),
        )


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
    text = other.declaration.look["is_reached"].text
    look = {
        **other.declaration.look,
        "is_reached": at_node(f"{text} & (some other node | reached)"),
    }
    hints = {key: f for key, f in other.declaration.hints.items() if key not in look}
    longer = replace(other, declaration=replace(other.declaration, look=look, hints=hints))
    for found in (al.compare(ours, longer), al.compare(longer, ours)):
        assert found.proven


@pytest.mark.parametrize("name", ["reached", "ticks", "more", "is_odd", "first"])
def test_nothing_is_called_as_a_word_of_a_proof_is(name):
    """Proofs write a wide line in their own words."""
    with pytest.raises(AlgoLensError, match="read it as 'steps_taken'"):
        renamed(Ticking().declaration, {name: "steps\N{FULLWIDTH LOW LINE}taken"})

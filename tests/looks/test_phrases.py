"""Phrases are refused where they name nothing, and say what their slots hold where they do."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import networkx as nx
import pytest

import algolens as al
from algolens.algorithms import Words, algorithm
from algolens.errors import DefinitionError
from algolens.execution import run_algorithm
from algolens.graphs import from_networkx, stream
from algolens.looks import parse_look
from algolens.looks.english import in_english
from algolens.programs import Program
from algolens.terminal.sentences import Sentences


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ({"phrases": {"visited": "{me"}}, "a brace without its other one"),
        ({"phrases": {"visited": "{sauce}"}}, "a node has no sauce"),
        ({"phrases": {"wisited": "x"}}, "phrase for 'wisited', which is no concept"),
        ({"phrases": {"visited": {"seen": "x"}}}, "a node has no seen"),
        ({"phrases": {"visited": 3}}, "3 is no phrase"),
        ({"phrases": {"visited": {"True": 3}}}, "is no phrase"),
        ({"phrases": {"visited": "{its number}"}}, "outside of every quantifier"),
        ({"phrases": {"visited": "{neighbours (seen)}"}}, "a node has no seen"),
        ({"phrases": {"has_been_visited": "{new}"}}, "{new} is the value of an output"),
        ({"phrases": {"has_been_visited": ("a", "b", "c")}}, "there are 3 phrases"),
        ({"examined": "seen"}, "examined: "),
        ({"lines": {"seen": "look"}}, "line of pseudo-code at 'seen'"),
        ({"phrases": []}, "the phrases of words are no dictionary"),
    ],
)
def test_a_phrase_that_names_nothing_is_refused_in_one_line(words: dict[str, Any], complaint: str):
    with pytest.raises(DefinitionError) as refused:
        replace(algorithm("bfs").declaration, words=Words(**words))
    assert complaint in str(refused.value)
    assert "\n" not in str(refused.value)


def test_slots_hold_names_counts_and_the_users_own_numbers():
    said = (
        "{me}|{weight}|{one_end's number}|{how many adjacent edges}|{adjacent edges (True)}|{new}"
    )
    chosen = algorithm("kruskal")
    declaration = replace(chosen.declaration, words=Words(phrases={"in_mst": said}))
    spoken = Program("spoken", declaration).algorithm
    roads = nx.Graph([("a", "b", {"weight": 0.5}), ("b", "c", {"weight": 0.25})])
    graph = from_networkx(roads)
    inputs, _ = spoken.read(graph, stream(0, "kruskal"))
    sentences = Sentences(run_algorithm(spoken, graph, inputs))
    assert sentences.about(0, "in_mst", 1).sentence == "b - c|0.25|1|1|a - b|yes"


def test_what_is_said_makes_no_other_program():
    spoken = Program.of(algorithm("bfs"))
    silent = replace(spoken, declaration=replace(spoken.declaration, words=Words()), title="")
    assert spoken == silent
    read = Program.from_json(json.loads(json.dumps(spoken.to_json())))
    assert read.to_json() == spoken.to_json()
    written = {
        key: value for key, value in spoken.to_json().items() if key not in ("words", "title")
    }
    assert Program.from_json(written) == spoken
    options = spoken.algorithm.options, silent.algorithm.options
    assert options[0] == options[1]  # by which data and certificates are known


@pytest.mark.parametrize(
    ("statement", "english"),
    [
        (
            "color is 0 & no neighbour (color is 0 & its priority > my priority)",
            "it has color 0 and no neighbour that has color 0 has a higher priority",
        ),
        ("every predecessor (placed)", "every predecessor is placed"),
        ("~at least 3 neighbours (in_core)", "fewer than 3 neighbours are in core"),
        ("~sender's visited | improves", "its sender is not visited or it improves"),
    ],
)
def test_a_statement_without_a_phrase_is_said_in_english(statement: str, english: str):
    assert in_english(parse_look(statement)) == english


def test_the_reason_of_a_rejected_edge_can_be_read_without_knowing_the_algorithm():
    roads = nx.Graph([("a", "b", {"weight": 1}), ("b", "c", {"weight": 2})])
    roads.add_edge("a", "c", weight=3)
    told = al.execute("kruskal", roads).to_json(trace=True)["trace"][2]["told"]
    assert [each["sentence"] for each in told] == [
        "a - c (3) is rejected: both ends are already connected"
    ]

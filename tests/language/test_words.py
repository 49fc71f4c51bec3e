"""Sentences are refused where they name nothing, and say what their slots hold where they do."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

import networkx as nx
import pytest
from msgspec import structs

import algolens as al
from algolens.algorithms import Words, algorithm, algorithms
from algolens.engines import run_algorithm
from algolens.engines.program import Program
from algolens.errors import DefinitionError
from algolens.graphs import from_networkx, stream
from algolens.language.ir import GOES_ON, Quantified, parts_of
from algolens.language.latex import start_to_latex, steps_to_latex
from algolens.language.words import listing
from algolens.text.declared import pseudocode_text
from algolens.text.sentences import Sentences


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ({"phrases": {"visited": "{me"}}, "a brace without its other one"),
        ({"phrases": {"visited": "{sauce}"}}, "a node has no sauce"),
        ({"phrases": {"wisited": "x"}}, "phrase for 'wisited', which is no feature"),
        ({"phrases": {"visited": {"seen": "x"}}}, "a node has no seen"),
        ({"phrases": {"visited": "{its number}"}}, "outside of every quantifier"),
        ({"phrases": {"visited": "{neighbours (seen)}"}}, "a node has no seen"),
        ({"phrases": {"has_been_visited": "{new}"}}, "{new} is the value of an output"),
        ({"phrases": {"has_been_visited": ("a", "b", "c")}}, "there are 3 phrases"),
        ({"examined": "seen"}, "examined: "),
        ({"lines": {"seen": "look"}}, "line of pseudo-code at 'seen'"),
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
    spoken = structs.replace(Program.of(chosen), words=Words(phrases={"in_mst": said})).algorithm
    roads = nx.Graph([("a", "b", {"weight": 0.5}), ("b", "c", {"weight": 0.25})])
    graph = from_networkx(roads)
    inputs, _ = spoken.read(graph, stream(0, "kruskal"))
    sentences = Sentences(run_algorithm(spoken, graph, inputs))
    assert sentences.about(0, "in_mst", 1).sentence == "b - c|0.25|1|1|a - b|yes"


def test_what_is_said_makes_no_other_program():
    spoken = Program.of(algorithm("bfs"))
    silent = structs.replace(spoken, words=Words(), title="")
    assert spoken == silent
    read = Program.from_json(json.loads(json.dumps(spoken.to_json())))
    assert read.to_json() == spoken.to_json()
    written = {
        key: value for key, value in spoken.to_json().items() if key not in ("words", "title")
    }
    assert Program.from_json(written) == spoken
    options = spoken.algorithm.options, silent.algorithm.options
    assert options[0] == options[1]  # by which data and certificates are known


def test_what_nobody_has_a_sentence_for_is_shown_by_its_name_and_formula():
    chosen = structs.replace(Program.of(algorithm("dijkstra")), words=Words()).algorithm
    roads = nx.Graph()
    roads.add_weighted_edges_from([("a", "b", 4), ("b", "c", 0.5), ("a", "c", 7)])
    graph = from_networkx(roads)
    inputs, _ = chosen.read(graph, stream(0, "dijkstra"), source="a")
    sentences = Sentences(run_algorithm(chosen, graph, inputs))
    said = [told.sentence for told in sentences.told(0)]
    assert said == [
        "b: reached becomes yes, because is improved: yes",
        "c: reached becomes yes, because is improved: yes",
        "a: done becomes yes, because is next: yes",
        "b: distance becomes 4, from a -> b",
        "c: distance becomes 7, from a -> c",
        "b: parent becomes a, from a -> b",
        "c: parent becomes a, from a -> c",
    ]
    told = sentences.about(1, "improves", 2)
    assert told.sentence == "b -> c: improves: yes"
    assert told.formula == (
        "sender's is_next & (~receiver's reached | offer < receiver's distance)"
    )
    assert pseudocode_text(chosen).splitlines() == [
        "start: reached is me = graph's source; done is False; distance is 0; parent is me",
        "repeat",
        "    reached becomes is_reached | is_improved",
        "    done becomes is_done | is_next",
        "    distance becomes the incoming link's offer (improves)",
        "    parent becomes the incoming link's sender (improves)",
        "until no node (is_next)",
    ]


@pytest.mark.parametrize("name", algorithms())
def test_latex_has_every_name_and_balanced_braces(name: str):
    declaration = algorithm(name).declaration
    if declaration.speech is None:
        return
    program = declaration.program
    latex = start_to_latex(program) + steps_to_latex(program, declaration.decided)
    for one, other in ("{}", "()"):
        assert latex.count(one) == latex.count(other)
    assert not re.search(r"(?<!\\)_", latex)
    for let in (*program.lets, *program.start):
        named = let.name.replace("_", r"\_")
        assert named in latex or let.name == GOES_ON
    quantifiers = [
        each
        for let in program.lets
        if let.name != GOES_ON
        for each in parts_of(let.value, Quantified)
    ]
    count = latex.count(r"\exists") + latex.count(r"\forall")
    assert count >= len(quantifiers)
    listed = listing(program, declaration.decided)
    assert [name for name, _, _ in listed["begins"]] == [*declaration.state]


def test_the_reason_of_a_rejected_edge_can_be_read_without_knowing_the_algorithm():
    roads = nx.Graph([("a", "b", {"weight": 1}), ("b", "c", {"weight": 2})])
    roads.add_edge("a", "c", weight=3)
    told = al.execute("kruskal", roads).to_json(trace=True)["trace"][2]["told"]
    assert [each["sentence"] for each in told] == [
        "a - c (3) is rejected: both ends are already connected"
    ]

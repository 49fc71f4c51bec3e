"""The paper's protocol is whole, and what differs from it is found, and nothing else."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from algolens.protocol import Departure, departures, fact_in_words, known_algorithms, protocol

PRESETS = ("paper", "paper-unregularised", "standard", "oracle", "exact")
models = st.tuples(
    st.sampled_from([*known_algorithms(), "unknown"]), st.sampled_from(PRESETS), st.booleans()
)


def facts_of(model: tuple[str, str, bool]) -> dict[str, dict[str, Any]]:
    return protocol(model[0], model[1], at_nodes=model[2])


@given(models)
def test_every_fact_says_what_it_is_of(model):
    for name, fact in facts_of(model).items():
        assert fact["what"], name
        assert set(fact) <= {"what", "text", "code"}, name


@pytest.mark.parametrize("algorithm", known_algorithms())
def test_of_the_papers_algorithms_every_fact_is_said_by_the_text_or_by_the_code(algorithm):
    facts = protocol(algorithm, "paper", at_nodes=algorithm != "kruskal")
    assert [name for name, fact in facts.items() if not {"text", "code"} & set(fact)] == []


@given(models, st.data())
def test_what_is_as_said_departs_in_nothing_and_what_is_changed_departs(model, data):
    """Facts on which text and code differ cannot be as both say: they are left out here."""
    facts = {
        name: fact
        for name, fact in facts_of(model).items()
        if "text" not in fact or "code" not in fact
    }
    ours = {
        name: fact.get("text", fact.get("code"))
        for name, fact in facts.items()
        if {"text", "code"} & set(fact)
    }
    assert departures(facts, ours) == []
    changed = data.draw(st.sets(st.sampled_from(sorted(ours))))
    other = {name: 1e9 if name in changed else value for name, value in ours.items()}
    assert [each.what for each in departures(facts, other)] == [
        facts[name]["what"] for name in facts if name in changed
    ]


@given(st.booleans())
def test_where_text_and_code_differ_either_departs_and_says_both(as_the_text):
    fact = {"what": "weighted", "text": False, "code": True}
    (found,) = departures({"weights": fact}, {"weights": not as_the_text})
    assert str(found) == f"weighted: {fact_in_words(not as_the_text)} (text: no; code: yes)"
    assert found.to_json() == {
        "what": "weighted",
        "ours": not as_the_text,
        "text": False,
        "code": True,
    }


def test_a_count_that_is_known_roughly_is_compared_roughly():
    facts = {"parameters": {"what": "parameters", "code": 20_000}}
    assert departures(facts, {"parameters": 20_132}) == []
    assert departures(facts, {"parameters": 84_550}) == [
        Departure("parameters", 84_550, {"code": 20_000})
    ]


def test_values_are_told_in_words():
    told = {True: "yes", None: "none", 3000: "3,000", 0.0: "0", "Adam": "Adam"}
    assert {value: fact_in_words(value) for value in told} == told
    assert [fact_in_words(each) for each in ([20, 50], [])] == ["20, 50", "none"]
    assert fact_in_words({"has_priority": 10.0}) == "has_priority 10"
    assert fact_in_words({}) == "none"

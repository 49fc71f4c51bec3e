"""Every algorithm that ships is told in its own words: sentences, and legends."""

from __future__ import annotations

import pytest

from algolens.algorithms import Declaration, algorithm, algorithms
from algolens.text.sentences import Sentences
from tests.player.runs import drawn_run

# of the graphs that are tables, as their recipes draw them
FAMILIES = {"pairs": "grid:9", "intervals": "intervals:10", None: "erdos_renyi:7"}
SEEDS = (1, 4)


def told_fields(declaration: Declaration) -> list[str]:
    """What a step decides: the outputs, and the fields that words speak of."""
    fields = (*declaration.outputs, *declaration.state)
    return [
        name
        for name in dict.fromkeys(fields)
        if name in declaration.outputs or name in declaration.words.phrases
    ]


@pytest.mark.parametrize("name", algorithms())
def test_what_is_decided_is_told_in_declared_words(name):
    chosen = algorithm(name)
    declaration = chosen.declaration
    for seed in SEEDS:
        run = drawn_run(chosen, FAMILIES[chosen.table], seed)
        sentences = Sentences(run)
        for step in range(run.num_steps):
            told = list(sentences.told(step))
            for each in told:
                assert "_" not in each.sentence, (step, each)
            changed = {field: sentences.changed(step, field) for field in told_fields(declaration)}
            assert told or not any(changed.values()), f"seed {seed}, step {step + 1} says nothing"
            for field, elements in changed.items():
                for element in elements:
                    about = sentences.about(step, field, element)
                    made = sentences._effect(step, field, element)
                    assert about.is_silent or not about.sentence.startswith(made), about


@pytest.mark.parametrize("name", algorithms())
def test_every_concept_has_a_phrase(name):
    declaration = algorithm(name).declaration
    is_color = name == "coloring"  # of which there are as many as one wants
    assert is_color or set(declaration.concepts) <= set(declaration.words.phrases)


@pytest.mark.parametrize("name", algorithms())
def test_legends_are_words(name):
    declaration = algorithm(name).declaration
    states, predicted = declaration.words.states, declaration.predicted
    drawn = {field: predicted[field] for field in (*declaration.outputs, *declaration.state)}
    labels = [
        label for field in drawn.values() if field.kind == "category" for label in field.classes
    ]
    masks = [field for field, known in drawn.items() if known.kind == "mask"]
    assert states, "no state has a name"
    assert not any("_" in said for said in (*states.values(), *declaration.words.names.values()))
    if labels:
        assert name == "coloring" or set(labels) <= set(states)
    elif any(mask in states for mask in masks):
        assert "none" in states
    else:
        assert any(field in states for field in drawn), "sets have no name"

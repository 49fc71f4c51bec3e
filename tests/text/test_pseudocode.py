"""Laws of pseudo-code: what changes, changes by a line."""

from __future__ import annotations

import pytest

import algolens as al
from algolens.algorithms import algorithm, algorithms
from algolens.language.words import AROUND
from algolens.text.declared import code_lines
from algolens.text.sentences import Sentences
from tests.player.runs import drawn_run
from tests.told import fired


@pytest.mark.parametrize("name", algorithms())
def test_a_step_that_changes_an_output_carries_out_a_line(name):
    run = drawn_run(algorithm(name), "erdos_renyi:6", 5)
    declaration, sentences = run.algorithm.declaration, Sentences(run)
    keys = [line.key for line in code_lines(run.algorithm)]
    assert keys[:2] == ["start", "repeat"]
    assert keys[-1] == "until"
    for step in range(run.num_steps):
        lines = [each for each in fired(run, step, sentences) if each.line not in AROUND]
        assert [each.line for each in lines] == sorted({each.line for each in lines}, key=int)
        assert all(each.at is not None and each.elements for each in lines)
        changes = any(sentences.changed(step, output) for output in declaration.outputs)
        assert lines or not changes, step


def test_the_lines_of_a_declaration_are_public():
    text = al.pseudocode("dijkstra")
    assert text.splitlines()[2:] == [
        "    settle the nearest waiting node",
        "    relax its edges: a neighbour takes the path through it if that is shorter",
        "until no node waits",
    ]

"""What a concept means on samples: the smallest statement that fits what was perceived, how well,
and where it fails.
"""

from __future__ import annotations

import numpy as np
import pytest

from algolens.algorithms import algorithm
from algolens.engines import Run, run_algorithm
from algolens.engines.tensors import Running
from algolens.extraction.sampled import sampled_meanings
from algolens.graphs import sample, stream
from algolens.language.parse import Parser, parse
from tests.other_runs import with_field

COLORING = algorithm("coloring")


@pytest.fixture(scope="module")
def truth() -> Run:
    rng = stream(0, "sampled meanings")
    graph = sample("configuration", 12, 40, rng)
    return run_algorithm(COLORING, graph, COLORING.sample(graph, rng))


def perceiving(truth: Run, concept: str, text: str) -> Run:
    """The run of a network that takes a concept for something else."""
    program = COLORING.declaration.program
    running, seen = Running(program, truth.graph), []
    taken = parse(Parser.statement, text, "node", program.inputs | program.state)
    for step in range(truth.num_steps):
        running.look(truth.inputs, {"color": truth.state("color")[step]})
        seen.append(running.tensors.value("node", taken))
    return with_field(truth, concept, np.stack(seen))


def test_true_concepts_are_found_to_be_what_is_declared(truth):
    for found in sampled_meanings(truth):
        assert found.fidelity == 1
        assert found.misfits == ()
        if found.name != "color_5_seen":  # on these graphs, four colors suffice
            assert found.equal
            assert found.declared == found.in_words


@pytest.mark.parametrize(
    "text",
    [
        "color is 0",
        "some neighbour (color is 0)",
        "color is 0 & no neighbour (its priority > my priority)",
    ],
)
def test_what_a_network_takes_a_concept_for_is_found(truth, text):
    found = {each.name: each for each in sampled_meanings(perceiving(truth, "has_priority", text))}[
        "has_priority"
    ]
    assert found.in_words == text
    assert found.fidelity == 1
    assert not found.equal


def test_mistakes_that_are_rare_are_told_and_make_no_statement_longer(truth):
    seen = truth["has_priority"].dense().copy()
    alive = np.flatnonzero(truth.is_alive[0][truth.graph.owner(COLORING.declaration.location)])
    wrong = alive[np.random.default_rng(0).permutation(len(alive))[:3]]
    seen[0, wrong] = ~seen[0, wrong]
    spoilt = with_field(truth, "has_priority", seen)
    found = {each.name: each for each in sampled_meanings(spoilt)}["has_priority"]
    assert found.equal
    assert round((1 - found.fidelity) * found.samples) == 3
    assert sum(each.times for each in found.misfits) <= 3
    assert "a node (color 0" in found.misfits[0].situation
    assert found.to_json()["on"] == "samples"

"""What is called proven is so: no declaration that is proven equal takes another step."""

import re
from dataclasses import replace
from itertools import islice

import numpy as np
import pytest

import algolens as al
from algolens.algorithms import algorithm
from algolens.discovery import AlgorithmTeacher
from algolens.discovery.checks import random_runs, steps_differ
from algolens.discovery.declaring import algorithm_of
from algolens.discovery.equality import prove_equal
from algolens.discovery.schema import Episodes
from algolens.errors import AlgoLensError
from algolens.execution import run_algorithm
from algolens.fields import Observed

NAMES = ["bfs", "k_core", "independent_set", "topological_sort", "prim"]
MOST = 8  # statements changed, of one algorithm
EDITS = [
    (r"\bsome\b", "every"),
    (r"\bno\b", "every"),
    (r"(?<![<>=])<(?!=)", "<="),
    (r"(?<![<>=])>(?!=)", "<"),
    (r"~", ""),
    (r"at least (\d)", "at least 2"),
    (r"predecessor|neighbour", "other node"),
    (r" & [a-z_' ]+$", ""),
]


def edited(declaration):
    """Declarations of which one statement is changed."""
    for name, entry in declaration.look.items():
        for pattern, other in EDITS:
            text = re.sub(pattern, other, entry.text, count=1)
            if text != entry.text:
                look = {**declaration.look, name: Observed(entry.location, text)}
                hints = {k: f for k, f in declaration.hints.items() if k not in declaration.look}
                try:
                    yield replace(declaration, look=look, hints=hints)
                except AlgoLensError:
                    continue


@pytest.mark.parametrize("name", NAMES)
def test_proven_is_never_wrong(name):
    ours = algorithm(name)
    assert prove_equal(ours.declaration, ours.declaration).proven
    teacher = AlgorithmTeacher(ours)
    runs = list(random_runs(teacher, 12, (2, 9), np.random.default_rng(5)))
    refuted = 0
    for other in islice(edited(ours.declaration), MOST):
        changed = algorithm_of(teacher.schema, other, "changed")
        try:
            wrong = any(
                bool(steps_differ(teacher.schema, some, Episodes.of(run)).any())
                for some in runs
                for run in [run_algorithm(changed, some.graph, some.inputs, check=False)]
            )
        except AlgoLensError:
            wrong = True
        refuted += wrong
        if wrong:
            assert not prove_equal(other, ours.declaration, seconds=5).proven
    assert refuted


def test_smaller_and_proven_by_an_invariant():
    found = al.discover("independent_set", runs=12, nodes=4)
    ours = algorithm("independent_set").declaration
    assert len(found.declaration.look) < len(ours.look)
    proof = prove_equal(found.declaration, ours)
    assert proof.proven
    assert "node: status is not out | some neighbour (status is chosen)" in proof.invariant

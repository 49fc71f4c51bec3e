"""Words only say what is so: without them, every algorithm runs, exports and compares the same."""

from __future__ import annotations

import pytest
from msgspec import structs

import algolens as al
from algolens.algorithms import Declaration, algorithm, algorithms
from algolens.engines import run_algorithm
from algolens.engines.program import Program
from tests.effort import few_runs


@pytest.mark.parametrize("name", algorithms())
def test_nothing_is_computed_from_words(name):
    ours = algorithm(name)

    class Silent(type(ours)):  # type: ignore[misc]
        name = ours.name

        @property
        def declaration(self) -> Declaration:
            return Declaration(ours.declaration.program)

    silent, spoken = Silent(), few_runs(ours, 3)
    run = run_algorithm(silent, spoken.graph, spoken.inputs)
    for output in ours.declaration.outputs:
        assert run.shown(output) == spoken.shown(output)
    assert run.outcomes.keys() == spoken.outcomes.keys()
    for graph in range(spoken.graph.num_graphs):
        for output in ours.declaration.outputs:
            assert run.take([graph]).shown(output, 0) == spoken.take([graph]).shown(output, 0)
    one, other = Program.of(ours), Program.of(silent)
    assert one.program == other.program
    assert one.to_python_source() == other.to_python_source()
    assert one.to_sql() == other.to_sql()
    assert al.compare(ours, silent).proven


def test_what_is_endless_is_declared():
    """The path from the source to itself has no narrowest edge, and so no width."""
    width = al.execute("widest_path", "examples/village.csv", source="Mill").result["width"]
    assert width["Mill"] is None
    ours = Program.of(algorithm("widest_path"))
    assert Program.from_json(ours.to_json()) == ours
    bounded = structs.replace(ours, program=structs.replace(ours.program, endless={}))
    found = al.compare(ours, bounded)
    assert found.differ
    assert "width of node 0 is not shown by the first, shown by the second" in str(found)

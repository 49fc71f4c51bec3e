"""Pointers that are wrong now and then, in runs that nobody can ask for again."""

import numpy as np
from benchmarks.noisy_oracle import NoisyOracle

from algolens.algorithms import algorithm
from algolens.discovery import AlgorithmOracle, Limits
from algolens.discovery.examples import Examples
from algolens.discovery.moves import Coverage, sources
from algolens.discovery.sampling import random_runs
from algolens.discovery.search import Search
from algolens.language.text import Text


def test_the_true_source_explains_wrong_pointers_but_for_exceptions():
    """Not one with more in view, which has wrong values by chance; nor a cheaper one."""
    oracle = NoisyOracle(algorithm("components"), 0.05, 4)
    runs = list(random_runs(oracle, 40, (3, 9), np.random.default_rng(0)))
    search = Search(oracle.schema, runs, Limits())
    (moves,) = search.moves(Limits(allowed=0.1))
    ((coverage,), *_) = moves.plans
    assert coverage.source.relation is not None
    assert coverage.source.relation.phrase(1) == "incoming link"
    assert Text({})(coverage.source.said) == "sender's component"


def test_without_exceptions_marks_are_the_same():
    """Whoever is marked and refused by exact marks is marked and refused by the majority."""
    oracle = AlgorithmOracle(algorithm("bfs_tree"))
    examples = Examples(
        oracle.schema, list(random_runs(oracle, 12, (3, 8), np.random.default_rng(0)))
    )
    declared = oracle.schema.state["parent"]
    after, before = examples.after("parent"), examples.earlier("parent")
    steps = examples.has_step(declared.at)
    changed = steps & (after != before)
    compared = 0
    for source in sources(examples, "parent"):
        coverage = Coverage.of(source, examples, after)
        exact = coverage.marks(changed, steps, Limits())
        if source.relation is None or exact is None:
            continue
        compared += 1
        tolerant = coverage.marks(changed, steps, Limits(allowed=1e-9))
        assert tolerant is not None
        assert np.array_equal(tolerant[0], exact[0])
        assert np.array_equal(tolerant[1], exact[1])
    assert compared

"""Pointers that are wrong now and then, in runs that nobody can ask for again."""

import numpy as np
from benchmarks.noisy_teacher import NoisyTeacher

from algolens.algorithms import algorithm
from algolens.discovery import AlgorithmTeacher
from algolens.discovery.moving import Reach, sources
from algolens.discovery.sampling import random_runs
from algolens.discovery.search import Search
from algolens.discovery.situations import Situations
from algolens.language.text import Text


def test_the_true_source_explains_wrong_pointers_but_for_exceptions():
    """Not one with more in view, which has wrong values by chance; nor a cheaper one."""
    teacher = NoisyTeacher(algorithm("components"), 0.05, 4)
    runs = list(random_runs(teacher, 40, (3, 9), np.random.default_rng(0)))
    search = Search(teacher.schema, runs, float("inf"))
    search.bench.exceptions = 0.1
    (moves,) = search.move_searches()
    ((reach,), *_) = moves.plans
    assert reach.source.relation is not None
    assert reach.source.relation.phrase(1) == "incoming link"
    assert Text({})(reach.source.said) == "sender's component"
    assert 0 < moves.doubt() < 0.06


def test_without_exceptions_marks_are_the_same():
    """Whoever is marked and refused by exact marks is marked and refused by the majority."""
    teacher = AlgorithmTeacher(algorithm("bfs_tree"))
    situations = Situations(
        teacher.schema, list(random_runs(teacher, 12, (3, 8), np.random.default_rng(0)))
    )
    declared = teacher.schema.state["parent"]
    after, before = situations.after("parent"), situations.earlier("parent")
    steps = situations.of_graphs("has_step", declared.location).astype(bool)
    changed = steps & (after != before)
    compared = 0
    for source in sources(situations, "parent"):
        reach = Reach.of(source, situations, declared.location, after)
        exact = reach.marks(changed, steps)
        if source.relation is None or exact is None:
            continue
        compared += 1
        tolerant = reach.marks(changed, steps, share=1e-9)
        assert tolerant is not None
        assert np.array_equal(tolerant[0], exact[0])
        assert np.array_equal(tolerant[1], exact[1])
    assert compared

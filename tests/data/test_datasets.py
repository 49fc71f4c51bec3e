"""The paper's sets, and fresh data."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from algolens.algorithms import algorithm
from algolens.data import cache_folder, datasets, fixed, fresh, held_out
from algolens.data.graph_sets import signatures
from algolens.engines import run_algorithm
from algolens.errors import AlgoLensWarning, GraphError
from algolens.graphs import Graph, Recipe, sample, stream

NAMES = ["bfs", "coloring", "kruskal"]
SMALL = Recipe(families=("ladder", "tree"), size=6, train=20, held_out=3, test_sizes=(6, 9))


@pytest.fixture(autouse=True)
def _own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("ALGOLENS_CACHE", str(tmp_path / "cache"))


@pytest.mark.parametrize(
    ("name", "train", "held_out", "size", "tests"),
    [
        ("bfs", 700, 70, 20, [20, 50, 100]),
        ("coloring", 800, 80, 20, [20, 50, 100]),
        ("kruskal", 2000, 200, 8, [8, 20, 50, 100]),
    ],
)
def test_the_papers_counts_and_sizes(name, train, held_out, size, tests):
    chosen = algorithm(name)
    assert list(chosen.recipe.test_sizes) == tests
    tests = tests[:2]  # the larger take long, and are drawn alike
    sets = fixed(chosen, recipe=replace(chosen.recipe, test_sizes=tuple(tests)))
    assert sets.train.graph.num_graphs == train
    assert sets.validation.graph.num_graphs == held_out
    assert (sets.train.graph.node_counts == size).all()
    assert (sets.validation.graph.node_counts == size).all()
    assert sorted(sets.tests) == tests
    for number, test in sets.tests.items():
        assert test.graph.num_graphs == held_out
        assert (test.graph.node_counts == number).all()
    parts = [sets.train, sets.validation, *sets.tests.values()]
    fields = chosen.declaration.inputs
    marks = [mark for run in parts for mark in signatures(fields, run.graph, run.inputs).tolist()]
    assert len(set(marks)) == len(marks)
    for run in parts:
        some = run.take(range(min(100, run.graph.num_graphs)))
        assert run_algorithm(chosen, some.graph, some.inputs).equals(some)


@pytest.mark.parametrize("name", NAMES)
def test_the_seed_alone_decides_and_the_cache_changes_nothing(name, monkeypatch, tmp_path):
    chosen = algorithm(name)
    made, kept = fixed(chosen, 1, SMALL), fixed(chosen, 1, SMALL)
    assert len(list(cache_folder().glob("*.kept"))) == 4
    monkeypatch.setenv("ALGOLENS_CACHE", str(tmp_path / "another"))
    again, other = fixed(chosen, 1, SMALL), fixed(chosen, 2, SMALL)
    for one, two in [(made, kept), (made, again)]:
        assert one.train.equals(two.train)
        assert one.validation.equals(two.validation)
        assert all(one.tests[size].equals(two.tests[size]) for size in one.tests)
    assert not made.train.equals(other.train)


def test_a_damaged_or_unwritable_cache_costs_only_time(monkeypatch, tmp_path):
    chosen = algorithm("bfs")
    made = fixed(chosen, 0, SMALL)
    for path in cache_folder().glob("*.kept"):
        path.write_bytes(b"not a tensor")
    with pytest.warns(AlgoLensWarning):
        assert fixed(chosen, 0, SMALL).train.equals(made.train)
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("ALGOLENS_CACHE", str(tmp_path / "file"))
    assert fixed(chosen, 0, SMALL).train.equals(made.train)


def test_options_and_recipes_have_their_own_entries():
    fixed(algorithm("coloring", colors=5), 0, SMALL)
    fixed(algorithm("coloring", colors=6), 0, SMALL)
    assert len(list(cache_folder().glob("*.kept"))) == 8


def test_sets_of_few_different_graphs_are_apart_or_refused():
    # a square: 3 labelled ones, 4 sources
    few = Recipe(families=("ladder",), size=4, train=8, held_out=2, test_sizes=(4,))
    sets = fixed(algorithm("bfs"), 0, few)
    marks = [
        m
        for run in (sets.train, sets.validation, sets.tests[4])
        for m in signatures(run.algorithm.declaration.inputs, run.graph, run.inputs)
    ]
    assert len(set(marks)) == 12
    with pytest.raises(GraphError, match="too few different graphs of 4 nodes"):
        fixed(
            algorithm("bfs"),
            0,
            Recipe(families=("ladder",), size=4, train=13, held_out=2, test_sizes=(4,)),
        )


@given(st.integers(0, 3), st.integers(1, 4))
def test_graphs_of_another_seed_are_apart_from_those_of_the_first(seed, tested):
    # of 12 that there are
    few = Recipe(families=("ladder",), size=4, train=2, held_out=2, test_sizes=(4,))
    bfs = algorithm("bfs")
    own = fixed(bfs, 0, few)
    (test,) = held_out(
        bfs, [4], seed + 1, replace(few, train=1, held_out=1, tested=tested), apart_from=(0, few)
    )[4]
    marks = {
        mark
        for run in (own.train, own.validation, own.tests[4], test)
        for mark in signatures(bfs.declaration.inputs, run.graph, run.inputs).tolist()
    }
    assert test.graph.num_graphs == tested
    assert len(marks) == 6 + tested


@given(st.integers(1, 900), st.integers(1, 8))
def test_test_graphs_are_shared_out_evenly(tested, families):
    counts = Recipe(families=tuple("abcdefgh"[:families]), tested=tested).counts("test").values()
    assert sum(counts) == tested
    assert max(counts) - min(counts) <= 1


@pytest.mark.parametrize("name", NAMES)
def test_a_large_set_comes_in_portions_and_is_the_same(name, monkeypatch):
    chosen, recipe = algorithm(name), replace(SMALL, tested=7)
    (whole,) = held_out(chosen, [9], 3, recipe)[9]
    monkeypatch.setattr(datasets, "MOST_KEPT_IN_ALL", 62)
    monkeypatch.setattr(datasets, "PORTION", 270)
    portions = list(held_out(chosen, [9], 3, recipe)[9])
    assert [portion.graph.num_graphs for portion in portions] == [3, 3, 1]
    for first, portion in zip((0, 3, 6), portions, strict=True):
        assert portion.equals(whole.take(range(first, first + portion.graph.num_graphs)))


@pytest.mark.parametrize("name", NAMES)
def test_fresh_data_is_new_each_time_and_repeatable(name):
    chosen = algorithm(name)
    first, second = islice(fresh(chosen, 30, seed=5, sizes=(8, 12)), 2)
    again = next(fresh(chosen, 30, seed=5, sizes=(8, 12)))
    assert first.equals(again)
    assert not first.equals(second)
    assert first.graph.num_graphs == 30
    assert set(first.graph.node_counts.tolist()) <= {8, 12}
    assert run_algorithm(chosen, first.graph, first.inputs).equals(first)


@given(st.integers(0, 2**32))
def test_signatures_tell_graphs_apart(seed):
    bfs = algorithm("bfs")
    graph = sample("tree", 6, 20, stream(seed)).relabelled(stream(seed, "x"))
    inputs = bfs.sample(graph, stream(seed, "inputs"))
    marks = signatures(bfs.declaration.inputs, graph, inputs)
    described = [
        (tuple(map(tuple, graph.take([i]).graph.edges.T.tolist())), int(inputs["source"][i]))
        for i in range(graph.num_graphs)
    ]
    for i in range(20):
        for j in range(i):
            assert (marks[i] == marks[j]) == (described[i] == described[j])
    alone = Graph.join([graph.take([i]).graph for i in (3, 1)])
    source = {"source": inputs["source"][torch.tensor([3, 1])]}
    assert signatures(bfs.declaration.inputs, alone, source).tolist() == [
        marks[3],
        marks[1],
    ]

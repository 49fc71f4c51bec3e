"""What runs without a graph: numbers, points, words, edges in a line, and each one's example."""

from __future__ import annotations

import numpy as np
import pytest

import algolens as al
from algolens.algorithms import algorithms
from algolens.errors import AlgoLensError


@pytest.mark.parametrize("name", algorithms())
def test_each_runs_on_its_own_example_and_finds_what_its_reference_does(name):
    run = al.execute(name)
    assert not run.is_cut_short
    assert run.steps > 1
    assert run.agrees
    assert "random" not in run.given.title
    assert name not in run.given.title


@pytest.mark.parametrize("name", algorithms())
def test_what_is_drawn_for_people_is_small(name):
    run = al.execute(name, "erdos_renyi:8", seed=3)
    for field, values in run.run.inputs.items():
        if run.run.algorithm.declaration.inputs[field].kind == "number" and "letter" not in field:
            assert np.abs(values).max() < 100, field
    assert "erdos_renyi" not in run.given.title


def test_numbers():
    run = al.execute("quicksort", [5, 2, 9, 1])
    assert run.result["place"] == {5: 2, 2: 1, 9: 3, 1: 0}
    assert run.given.title == "4 numbers"
    assert al.execute("quicksort", "5,2,9,1").result["place"] == run.result["place"]
    assert al.execute(
        "quicksort",
        "5 2",
    ).nodes == (5, 2)
    assert al.load("quicksort").execute(np.array([5, 2, 9, 1])).result["place"][9] == 3
    assert al.execute("bubble_sort", [0.5, 0.25]).result["place"] == {0.5: 1, 0.25: 0}
    assert al.execute("maximum_subarray", [-1, 4]).result["in_best"] == {-1: False, 4: True}
    assert al.execute("minimum", [3, 3, 3]).nodes == ("3", "3'", "3''")


def test_numbers_and_one_more():
    assert al.execute("binary_search", [1, 3, 5, 7], 5).result["is_result"][5]
    assert al.execute("binary_search", [1, 3, 5, 7], target=5).result["is_result"][5]
    assert al.execute("quickselect", [5, 2, 9], 0).result["found"][2]


def test_words():
    run = al.load("lcs_length").execute("ABCBDAB", "BDCABA")
    lengths = {str(cell): length for cell, length in run.result["length"].items()}
    assert lengths["B7:A6'"] == 4
    assert "B7:B5'" in lengths
    said = "B7:B5': both letters are B: length 4, one more than the 3 that was up and to the left"
    assert said in run.table()
    found = al.execute("kmp_matcher", "ABABABAC", "ABABAC")
    assert found.result["match"]["text 3"]
    assert "Letter 8 of the text and letter 6 of the pattern are both C" in found.table()
    assert al.execute("naive_string_matcher", "ßäß", "ß").result["match"]["text 1"]


def test_points_and_other_rows():
    hull = al.execute("jarvis_march", [(0, 0), (4, 1), (3, 5), (2, 2)])
    assert hull.result["in_hull"] == {"A": True, "B": True, "C": True, "D": False}
    assert al.execute("segments_intersect", "0,0 4,4 0,4 4,0").outcomes["intersects"]
    assert not al.execute("segments_intersect", "0,0 4,4 0,1 4,5").outcomes["intersects"]
    chosen = al.execute("activity_selection", "1,4 3,5 5,7").result["selected"]
    assert chosen == {"A": True, "B": False, "C": True}
    chain = al.execute("matrix_chain_order", "10,30,5,60").result["cost"]
    assert {str(cell): cost for cell, cost in chain.items()}["1:3"] == 4500


def test_edges():
    run = al.execute("dijkstra", "A-B:4, B-C:2 A-C:9")
    assert run.result["distance"] == {"A": 0, "B": 4, "C": 6}
    assert al.execute("dijkstra", [("A", "B", 4), ("B", "C", 2)], "B").result["distance"]["A"] == 4
    directed = al.execute("dijkstra", "A->B:4 B->C:2 C->A:9", source="B")
    assert directed.result["distance"] == {"A": 11, "B": 0, "C": 2}
    assert al.execute("topological_sort", "A-B B-C").run.graph.directed


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("quicksort", "5,2,x"), "'x' came: quicksort takes numbers, as in 5,2,9,1, or a graph"),
        (("quicksort", ""), "nothing came: quicksort takes numbers"),
        (("quicksort", []), "nothing came"),
        (("quicksort", [1, None]), "'None' came"),
        (("quicksort", "1,2", "3"), "'3' is one argument too many: quicksort takes numbers"),
        (("binary_search", "1,2", "3", "4"), "'4' is one argument too many: .*, then the target"),
        (("binary_search", "1,2", "x"), "'target' of the graph is 'x'"),
        (("kmp_matcher", "ABAB"), "'ABAB' came: kmp_matcher takes words"),
        (("kmp_matcher", "ABAB", ""), "'ABAB' came: kmp_matcher takes words"),
        (("kmp_matcher", "AB", "ABAB"), "the pattern has 4 letters and the text 2"),
        (("lcs_length", "A" * 1500, "B" * 600), "the pairs of 2,100 nodes are too many"),
        (("graham_scan", "0,0 1"), "'1' is one argument too many"),
        (("graham_scan", "0,0 1,2,3"), "'1,2,3' came: graham_scan takes points"),
        (("dijkstra", "A-B"), "A-B: there is no such file"),
        (("dijkstra", [("A",)]), "came: dijkstra takes a graph"),
        (("bfs", "nx:petersen", "3", "4"), "'4' is one argument too many: bfs takes a graph"),
    ],
)
def test_what_does_not_fit_is_refused_in_one_line(words, complaint):
    with pytest.raises(AlgoLensError, match=complaint) as refused:
        al.execute(*words)
    assert "\n" not in str(refused.value)


def test_an_algorithm_without_an_example_says_so():
    class Lonely(type(al.load("bfs").algorithm)):  # type: ignore[misc]
        example = ""

    with pytest.raises(AlgoLensError, match="lonely has no example: give a graph"):
        al.execute(Lonely)


def test_items_are_a_word_and_inputs():
    with pytest.raises(AlgoLensError, match=r"items is 'numbers': write a word, then inputs"):

        class Wrong(type(al.load("bfs").algorithm)):  # type: ignore[misc]
            items = "numbers"

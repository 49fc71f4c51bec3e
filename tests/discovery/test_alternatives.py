"""Answers of one price are kept until a run tells them apart."""

from dataclasses import replace

import numpy as np
import pytest

import algolens as al
from algolens.algorithms import algorithm
from algolens.discovery import AlgorithmOracle, Limits
from algolens.discovery.decisions import Script
from algolens.discovery.differences import still_tied
from algolens.discovery.sampling import random_runs
from algolens.discovery.search import Search
from algolens.language.ir import Get

from .boxes import Sickness


def tied_answers(oracle, few):
    """A search, and the answers of the same price as those that it took."""
    search = Search(oracle.schema, few, Limits())
    search.run(Script())
    made = search.script.decisions.values()
    return search, [other for one in made for other in one.others]


@pytest.mark.parametrize("name", ["coloring", "independent_set"])
def test_the_black_box_tells_answers_apart(name):
    oracle, rng = AlgorithmOracle(algorithm(name)), np.random.default_rng(0)
    few = list(random_runs(oracle, 2, (3, 5), rng))
    search, others = tied_answers(oracle, few)
    assert others  # two runs tell little
    taken = search.script.decisions
    assert all(one.said != taken[one.name].said for one in others)
    assert still_tied(search, others, few) == others  # they explain what they were found on
    assert not still_tied(search, others, list(random_runs(oracle, 40, (8, 16), rng)))


def test_an_answer_that_names_what_is_observed_no_more_is_left_out():
    oracle = AlgorithmOracle(algorithm("coloring"))
    few = list(random_runs(oracle, 2, (3, 5), np.random.default_rng(0)))
    search, (first, *_) = tied_answers(oracle, few)
    gone = replace(first.chosen[0], says=lambda: Get("seen_before", "node"))
    assert not still_tied(search, [replace(first, chosen=(gone,))], few)


def test_what_no_run_tells_apart_is_told():
    # a node falls ill beside one that is ill; beside one that is late or immune it already is
    found = al.discover(Sickness, runs=20, seed=5, nodes=3)
    told = found.to_json()["undecided"]
    assert told
    assert told[0]["decision"] == "health"
    assert "told apart by no run" in found.known

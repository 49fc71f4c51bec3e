"""Answers of one price are kept until a run tells them apart."""

from dataclasses import replace

import numpy as np
import pytest

import algolens as al
from algolens.algorithms import algorithm
from algolens.discovery import AlgorithmTeacher
from algolens.discovery.checks import Alternatives
from algolens.discovery.sampling import random_runs
from algolens.discovery.search import Search
from algolens.language.ir import Get

from .boxes import Sickness


@pytest.mark.parametrize("name", ["coloring", "independent_set"])
def test_the_black_box_tells_answers_apart(name):
    teacher, rng = AlgorithmTeacher(algorithm(name)), np.random.default_rng(0)
    few = list(random_runs(teacher, 2, (3, 5), rng))
    search = Search(teacher.schema, few, np.inf)
    search.run()
    others = Alternatives(search)
    first = others.undecided()
    assert first  # two runs tell little
    assert all(one.taken != one.other for one in first)
    others.hold_against(few)
    assert len(others.undecided()) == len(first)  # they settle what they were found on
    others.hold_against(list(random_runs(teacher, 40, (8, 16), rng)))
    assert not others.undecided()


def test_an_answer_that_names_what_is_observed_no_more_is_left_out():
    teacher = AlgorithmTeacher(algorithm("coloring"))
    few = list(random_runs(teacher, 2, (3, 5), np.random.default_rng(0)))
    search = Search(teacher.schema, few, np.inf)
    search.run()
    others = Alternatives(search)
    others.left = [replace(others.left[0], said=(Get("seen_before", "node"),))]
    others.hold_against(few)
    assert not others.left


def test_what_no_run_tells_apart_is_told():
    # a node falls ill beside one that is ill; beside one that is late or immune it already is
    found = al.discover(Sickness, runs=20, seed=5, nodes=3)
    told = found.to_json()["undecided"]
    assert told
    assert told[0]["decision"] == "health"
    assert "told apart by no run" in found.known

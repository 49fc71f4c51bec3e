"""A column of the search is what the library's observer says of the statement."""

import numpy as np
import pytest
import torch

from algolens.algorithms import algorithm
from algolens.discovery import AlgorithmOracle, Limits
from algolens.discovery.candidates import Candidates
from algolens.discovery.examples import Examples
from algolens.discovery.moves import sources
from algolens.discovery.sampling import random_runs
from algolens.language.ir import Field

WHERE = [
    ("bfs_tree", "link"),
    ("kruskal", "edge"),
    ("kruskal", "node"),
    ("dijkstra", "node"),
    ("topological_sort", "graph"),
]


@pytest.mark.parametrize(("name", "location"), WHERE)
def test_columns_are_what_the_observer_sees(name, location):
    oracle, rng = AlgorithmOracle(algorithm(name)), np.random.default_rng(0)
    examples = Examples(oracle.schema, list(random_runs(oracle, 3, (4, 6), rng)))
    observations = Candidates(examples, location).up_to(Limits(price=4)).all
    assert len(observations) > 10
    for place in rng.choice(len(observations), min(60, len(observations)), replace=False):
        observation = observations[place]
        seen = torch.cat(examples.observe(location, observation.said)).numpy()
        assert (seen == observation.column).all(), str(observation.said)


def test_every_state_of_a_run_is_a_situation():
    oracle, rng = AlgorithmOracle(algorithm("bfs")), np.random.default_rng(1)
    episodes = list(random_runs(oracle, 4, (5, 8), rng))
    examples = Examples(oracle.schema, episodes)
    assert examples.count("graph") == sum(
        int(some.lengths.sum()) + some.graph.num_graphs for some in episodes
    )
    steps = examples.has_step("node")
    grown = examples.after("visited")[steps] | ~examples.earlier("visited")[steps]
    assert grown.all()  # a visited node stays visited


def test_a_search_without_time_has_few_statements_and_no_error():
    oracle = AlgorithmOracle(algorithm("k_core"))
    runs = list(random_runs(oracle, 4, (3, 5), np.random.default_rng(0)))
    candidates = Candidates(Examples(oracle.schema, runs), "node")
    candidates.up_to(Limits(price=3, until=0.0))
    assert not candidates.complete


def test_sums_have_no_sums_as_parts():
    oracle = AlgorithmOracle(algorithm("topological_sort"))
    episodes = list(random_runs(oracle, 4, (2, 5), np.random.default_rng(0)))
    examples = Examples(oracle.schema, episodes)
    before = sources(examples, "position")
    zeros = examples.split(np.zeros(examples.count("node"), np.int64), "node")
    examples.add({"some_sum": (Field("node", "number", bits=8), zeros)})
    assert sources(examples, "position") == before

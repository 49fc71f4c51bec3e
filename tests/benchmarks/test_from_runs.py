"""What is taught from runs is what occurs in runs: a situation is one that an element is in, and
its truth is what is seen.
"""

from __future__ import annotations

import pytest
import torch
from benchmarks.from_runs import FromRuns, measure

from algolens.algorithms import algorithm
from algolens.engines import run_algorithm
from algolens.experiment.config import preset
from algolens.graphs import sample, stream
from algolens.models import Network
from algolens.models.exact import Exact
from algolens.training.stars import true_of


@pytest.mark.parametrize("name", ["bfs_tree", "dijkstra", "k_core", "kruskal", "topological_sort"])
def test_situations_are_those_of_runs_and_stars_are_drawn_from_them(name):
    made = preset("exact", algorithm(name))
    chosen = made.find_algorithm()
    graph = sample("tree", 7, 6, stream(0), directed=chosen.recipe.directed)
    trace = run_algorithm(chosen, graph, chosen.sample(graph, stream(1))).to("cpu")
    network = Network(chosen, made.architecture, (0,))
    assert isinstance(network.perceiver, Exact)
    lessons = FromRuns(network, trace, made.schedule)
    states = int((trace.lengths + 1).sum())
    for part, statement in network.perceiver.statements.items():
        seen = lessons.situations[part]
        truth = true_of(statement, seen.own, seen.counts)
        elements = int(((trace.lengths + 1) * trace.graph.counts(statement.at)).sum())
        after = states - trace.graph.num_graphs  # whether to go on is asked after a step
        assert int(seen.times.sum()) == (
            after if part not in chosen.declaration.statements else elements
        )
        # what runs keep is seen before each step; the last look is not kept
        if part in chosen.declaration.predicted:
            shown = int(truth.long() @ seen.times)
            alive = trace.is_alive[:, trace.graph.owner(statement.at)]
            assert (
                int((trace[part].dense() & alive).sum())
                <= shown
                <= int((trace[part].dense() & alive).sum()) + elements
            )
        own, kinds, there = lessons.draw(statement, 50, torch.Generator().manual_seed(0))
        counts = torch.zeros(50, max(statement.num_neighbours, 1), dtype=torch.int64).scatter_add_(
            1, kinds, there.long()
        )
        rows = torch.cat([own[:, None], counts[:, : statement.num_neighbours]], 1).tolist()
        known = torch.cat([seen.own[:, None], seen.counts], 1).tolist()
        assert all(row in known for row in rows)


def test_seeds_come_out_with_cases_and_shares():
    seeds = measure("bfs", (0, 1), graphs=20, batches=30)
    assert [each.seed for each in seeds] == [0, 1]
    assert all(each.cases > 20 and set(each.right) == {20, 100} for each in seeds)

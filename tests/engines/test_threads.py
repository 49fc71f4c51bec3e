"""Threads: one for small tensors, all for large ones, and afterwards as many as before."""

from __future__ import annotations

import sys
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from algolens.algorithms import algorithm
from algolens.engines import Threads, run_algorithm
from algolens.engines import threads as module
from algolens.engines.threads import LARGE, threads_for
from algolens.experiment.model import load_model
from algolens.graphs import Graph, stream
from algolens.graphs.families import erdos_renyi
from algolens.models import NetworkParts
from algolens.proofs.certify import certify_network
from tests.models.networks import random_network
from tests.strategies import batches, streams


@pytest.fixture
def told(monkeypatch):
    """The numbers of threads that are asked for, where there may be eight."""
    asked: list[int] = []
    now = [8]

    def ask(count: int) -> None:
        asked.append(count)
        now[0] = count

    monkeypatch.setattr(torch, "get_num_threads", lambda: now[0])
    monkeypatch.setattr(torch, "set_num_threads", ask)
    return asked


@given(st.integers(0, 4 * LARGE), st.integers(1, 64))
def test_small_tensors_get_one_thread_and_large_ones_all(numbers, most):
    assert threads_for(numbers, most) == (most if numbers >= LARGE else 1)


@given(st.lists(st.integers(0, 2 * LARGE)))
def test_afterwards_there_are_as_many_as_before(sizes):
    before = torch.get_num_threads()
    with Threads() as threads:
        for size in sizes:
            threads.suit(size)
    assert torch.get_num_threads() == before


def test_afterwards_is_also_after_a_failure(told):
    with pytest.raises(ZeroDivisionError):
        run_algorithm(
            algorithm("bfs"),
            Graph.pack([2], [(0, 1)]),
            {"source": torch.tensor([0])},
            decide=lambda _: {"visited": torch.tensor(1 // 0)},
        )
    assert told == [1, 8]


@given(batches(), streams())
def test_a_run_on_small_graphs_asks_for_one_thread(graph, rng):
    bfs = algorithm("bfs")
    with pytest.MonkeyPatch.context() as patch:
        seen: list[int] = []
        patch.setattr(torch, "get_num_threads", lambda: 8)
        patch.setattr(torch, "set_num_threads", seen.append)
        run_algorithm(bfs, graph, bfs.sample(graph, rng))
    assert seen == [1, 8]


def test_a_run_on_a_large_graph_keeps_all_threads(told):
    bfs, nodes = algorithm("bfs"), 100_000
    graph = Graph.pack([nodes], erdos_renyi(nodes, 1, stream(0), 6 / nodes))
    assert graph.num_nodes + graph.num_edges >= LARGE
    run_algorithm(bfs, graph, bfs.sample(graph, stream(0)))
    assert told == []


def test_large_graphs_that_have_finished_leave_small_ones_with_one_thread(told, monkeypatch):
    """A star ends after two steps; the path beside it goes on alone."""
    monkeypatch.setattr(module, "LARGE", 100)
    spokes, path = [(0, i) for i in range(1, 80)], [(80 + i, 81 + i) for i in range(19)]
    graph = Graph.pack([80, 20], spokes + path)
    run_algorithm(algorithm("bfs"), graph, {"source": torch.tensor([0, 0])})
    assert told == [1, 8]


def test_a_network_with_wide_memory_counts_what_it_remembers(told, monkeypatch):
    network = random_network("bfs")
    sockets: dict[str, Any] = NetworkParts(network).sockets
    graph = Graph.pack([20], [(i, i + 1) for i in range(19)])
    monkeypatch.setattr(module, "LARGE", 20 * network.architecture.width)
    run_algorithm(network.algorithm, graph, {"source": torch.tensor([0])}, **sockets)
    assert told == [1, 8]  # before its first look, nothing is remembered


@pytest.mark.usefixtures("told")
def test_a_proof_takes_one_thread(monkeypatch):
    at_work: list[int] = []
    network = load_model("bfs").network.only(0)
    module_of_certificates = sys.modules[certify_network.__module__]
    prove = module_of_certificates.prove

    def watched(*arguments):
        at_work.append(torch.get_num_threads())
        return prove(*arguments)

    monkeypatch.setattr(module_of_certificates, "prove", watched)
    certify_network(network)
    assert at_work == [1]
    assert torch.get_num_threads() == 8

"""A network run by its layers, message by message, does what it does by tables; tables follow the
weights as they are.
"""

from __future__ import annotations

import copy
from typing import Any

import pytest
import torch

import algolens as al
from algolens.algorithms import Algorithm, Values, algorithm, algorithms
from algolens.engines import Run, run_algorithm
from algolens.errors import GraphError
from algolens.graphs import Graph, sample, stream
from algolens.models import Architecture, Network, NetworkParts
from algolens.models.architecture import EXACT
from algolens.models.exact import Exact, StageTable
from tests.effort import covering
from tests.models.networks import random_network, sampled

DECLARED = [name for name, cls in algorithms().items() if not cls().declaration.in_python]


def small_graphs(chosen: Algorithm, seed: int) -> Graph:
    """Three graphs side by side: any, any, and one node."""
    graph = Graph.join(
        [
            sample(*family, 1, stream(seed, *family))
            for family in (("erdos_renyi", 6), ("erdos_renyi", 4), ("grid", 1))
        ]
    )
    return (
        Graph.pack(graph.node_counts, graph.edges.T, directed=True)
        if chosen.graphs == "directed"
        else graph
    )


def ran(network: Network, graph: Graph, inputs: Values, *, by_layers: bool) -> Run | str:
    """The run; or why it is refused, as where a wrong network adds up what has no room."""
    sockets: dict[str, Any] = NetworkParts(network, by_layers=by_layers).sockets
    try:
        return run_algorithm(network.algorithm, graph, inputs, **sockets)
    except GraphError as problem:
        return str(problem)


def assert_alike(network: Network, graph: Graph, inputs: Values) -> bool:
    """Whether there were runs to compare: both, or none, are refused."""
    tables, layers = (
        ran(network, graph, inputs, by_layers=by_layers) for by_layers in (False, True)
    )
    if isinstance(tables, str) or isinstance(layers, str):
        assert tables == layers
        return False
    assert layers.equals(tables)
    return True


def shaken(network: Network, seed: int) -> Network:
    """The same with random weights, so large and off balance that everything makes a difference;
    comparators too.
    """
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, parameter in network.named_parameters():
            noise = torch.randn(parameter.shape, generator=generator)
            parameter.copy_(0.05 * noise) if "comparisons" in name else parameter.mul_(2).add_(
                0.5 * noise
            )
    return network


@pytest.mark.parametrize("name", covering(DECLARED))
def test_layers_and_tables_agree_for_models_that_ship(name, monkeypatch):
    network = al.load(name).network.only(0).cpu()
    graph = small_graphs(network.algorithm, 0)
    inputs = sampled(network.algorithm, graph, stream(0))
    assert assert_alike(network, graph, inputs)
    # the layers do run, and no table is made
    monkeypatch.setattr(StageTable, "of", None)
    fresh = Network(network.algorithm, network.architecture, network.seeds)
    fresh.load_state_dict(network.state_dict())
    assert isinstance(ran(fresh, graph, inputs, by_layers=True), Run)
    with pytest.raises(TypeError):
        ran(fresh, graph, inputs, by_layers=False)


@pytest.mark.parametrize("name", covering(DECLARED))
def test_layers_and_tables_agree_whatever_the_weights(name):
    chosen, compared = algorithm(name), 0
    for seed in range(3):
        network = shaken(
            Network(chosen, Architecture(processor=EXACT, width=6, message_bits=3), (seed,)), seed
        )
        graph = small_graphs(chosen, seed)
        compared += assert_alike(network, graph, sampled(chosen, graph, stream(seed)))
    assert compared


def test_a_network_of_the_paper_runs_alike_by_network_and_by_layers():
    network = random_network("bfs", scale=2.0)
    graph = sample("erdos_renyi", 8, 3, stream(0))
    assert assert_alike(network, graph, sampled(network.algorithm, graph, stream(1)))


@pytest.mark.parametrize("by_layers", [False, True])
def test_weights_that_changed_through_data_are_read_anew(by_layers):
    """A write through .data leaves no trace but the contents."""
    network = shaken(
        Network(
            algorithm("bfs_tree"), Architecture(processor=EXACT, width=6, message_bits=3), (0,)
        ),
        0,
    )
    graph = sample("erdos_renyi", 8, 2, stream(0))
    inputs, parts = (
        sampled(network.algorithm, graph, stream(0)),
        NetworkParts(network, by_layers=by_layers),
    )
    assert isinstance(network.perceiver, Exact)
    runs = []
    for sign in (1, -1):
        for parameter in (*network.perceiver.stages.parameters(), *network.decoders.parameters()):  # type: ignore[attr-defined]
            parameter.data.mul_(sign)
        runs.append(run_algorithm(network.algorithm, graph, inputs, **parts.sockets))
        fresh: dict[str, Any] = NetworkParts(copy.deepcopy(network)).sockets
        assert runs[-1].equals(run_algorithm(network.algorithm, graph, inputs, **fresh))
        # equal weights are not read again
        assert network.perceiver.tables() is network.perceiver.tables()
    assert not runs[0].equals(runs[1])

"""Networks without memory against their equations, case by case, alone and in company."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch
from examples.independent_set import IndependentSet
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor
from torch.testing import assert_close

from algolens.algorithms import Algorithm, Declaration, Values, algorithm
from algolens.data import arbitrary
from algolens.errors import ContractError
from algolens.fields import Category, Location, Mask, Number, at_edge, at_node
from algolens.graphs import Graph, stream
from algolens.models import Architecture, Network, NetworkParts
from algolens.models.architecture import MEMORYLESS
from algolens.models.layers import leaky
from algolens.models.memoryless import Memoryless
from algolens.models.memoryless.classes import Classes
from algolens.models.memoryless.comparison import Comparison
from tests.models.networks import numbers, several

EXACT = Architecture(width=6, processor=MEMORYLESS, message_bits=5)


class Contagion(Algorithm):
    """Two labelled fields, a number that may be equal, and a state that is a concept: all that a node can carry."""

    name = "contagion"

    def declare(self) -> Declaration:
        return Declaration(
            location=Location.NODE,
            inputs={"immune": at_node(Mask()), "strength": at_node(Number(3))},
            state=("ill", "met"),
            concepts=("met", "stronger_is_ill", "is_immune"),
            outputs={"ill": Category(3)},
            rules={"ill": {"0": "is_immune", "1": "stronger_is_ill & ~is_immune", "2": "~stronger_is_ill & ~is_immune"}},
        )

    def start(self, graph: Graph, inputs: Values) -> dict[str, Tensor]:
        return {"ill": torch.zeros(graph.num_nodes).long(), "met": torch.zeros(graph.num_nodes).bool()}

    def perceive(self, graph: Graph, inputs: Values, state: Values) -> dict[str, Tensor]:
        ill = state["ill"] == 1
        strongest = graph.max_over_neighbours(inputs["strength"], where=ill, empty=-1)
        met = state["met"] | graph.any_over_neighbours(ill)
        return {"met": met, "stronger_is_ill": strongest >= inputs["strength"], "is_immune": inputs["immune"]}


ALL = {"bfs": algorithm("bfs"), "coloring": algorithm("coloring"), "set": IndependentSet(), "contagion": Contagion()}
names = st.sampled_from(sorted(ALL))


def random_network(name: str, seeds: tuple[int, ...] = (0,), scale: float = 4.0) -> Network:
    network = Network(ALL[name], EXACT, seeds)
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.mul_(scale)
    return network


def perceiver(network: Network) -> Memoryless:
    assert isinstance(network.perceiver, Memoryless)
    return network.perceiver


@several
@given(names, numbers)
def test_a_look_is_its_equation_node_by_node(name, seed):
    """Bits from each neighbour, "or", then concepts; written out for one node at a time."""
    network = random_network(name, (seed,)).eval()
    eye, w = perceiver(network), {key: value[0].detach() for key, value in network.perceiver.named_parameters()}
    setting = arbitrary(ALL[name], 3, stream(seed), most_nodes=6)
    graph, values = setting.graph, {**setting.inputs, **setting.state}
    found = eye(eye.prepare(graph, setting.inputs), setting.state).head[0]
    classes = eye.classes.of(values).tolist()
    for i in range(graph.num_nodes):
        joined = torch.zeros(EXACT.message_bits)
        for j in graph.links[0][graph.links[1] == i].tolist():
            hidden = (
                w["exchange.receiver.weight"][classes[i]]
                + w["exchange.receiver.bias"][0]
                + w["exchange.sender.weight"][classes[j]]
            )
            compared = []
            for number, kind in eye.classes.numbers.items():
                comparison = eye.comparisons[number]
                difference = comparison.weights[0] @ (kind.encode(values[number][i]) - kind.encode(values[number][j])).double()
                a, b = w[f"comparisons.{number}.offset"][0]
                compared += [float(torch.asinh(difference) + a > 0), float(torch.asinh(-difference) + b > 0)]
            if compared:
                hidden = hidden + torch.tensor(compared) @ w["exchange.compare.weight"]
            bits = leaky(hidden) @ w["exchange.message.weight"] + w["exchange.message.bias"][0] > 0
            joined = torch.maximum(joined, bits.float())
        own = (
            w["exchange.conclude.own.weight"][classes[i]]
            + w["exchange.conclude.own.bias"][0]
            + joined @ w["exchange.conclude.bits.weight"]
        )
        assert_close(
            found[i],
            leaky(own) @ w["exchange.conclude.last.weight"] + w["exchange.conclude.last.bias"][0],
            atol=1e-4,
            rtol=1e-4,
        )


@several
@given(names, numbers)
def test_case_by_case_and_link_by_link_are_the_same(name, seed):
    network = random_network(name, (seed,))
    eye = perceiver(network)
    setting = arbitrary(ALL[name], 8, stream(seed))
    by_link = eye(eye.prepare(setting.graph, setting.inputs), setting.state).head
    network.eval()
    prepared = eye.prepare(setting.graph, setting.inputs)
    assert prepared.cases is not None or name == "contagion"  # whose kinds of neighbours are too many for a number
    assert_close(eye(prepared, setting.state).head, by_link, atol=1e-4, rtol=1e-4)


@several
@given(names, numbers)
def test_a_seed_alone_gives_what_it_gives_among_others(name, seed):
    network = random_network(name, (seed, seed + 1, 5))
    setting = arbitrary(ALL[name], 4, stream(seed))
    together = network.perceiver(network.perceiver.prepare(setting.graph, setting.inputs), setting.state, None).head
    for place in range(3):
        alone = network.only(place).perceiver
        found = alone(alone.prepare(setting.graph, setting.inputs), setting.state, None).head
        assert_close(found[0], together[place], atol=1e-4, rtol=1e-4)


@several
@given(names, numbers)
def test_a_graph_goes_on_where_one_of_its_nodes_asks(name, seed):
    network = random_network(name, (seed,))
    if network.termination is None:
        return
    parts, setting = NetworkParts(network), arbitrary(ALL[name], 6, stream(seed))
    percept = parts.perceive(setting.graph, setting.inputs, setting.state, None)
    asks = network.termination(percept.concepts[None].float())[0] > 0
    owner = setting.graph.node_owner
    expected = [bool(asks[owner == g].any()) for g in range(setting.graph.num_graphs)]
    assert parts.continues(setting.graph, percept).tolist() == expected


@given(names, numbers)
def test_classes_are_numbers_for_every_combination_of_values(name, seed):
    classes = Classes(ALL[name].declaration)
    every = torch.arange(classes.count)
    assert torch.equal(classes.of(classes.values(every)), every)
    setting = arbitrary(ALL[name], 3, stream(seed))
    values = {**setting.inputs, **setting.state}
    back = classes.values(classes.of(values))
    assert all(torch.equal(back[field], values[field]) for field in classes.labelled)


@given(st.integers(1, 16), numbers)
def test_scores_add_up_places(bits, seed):
    comparison = Comparison(1, bits)
    comparison.draw(0, torch.Generator().manual_seed(seed))
    values = torch.randint(0, 2**bits, (9,), generator=torch.Generator().manual_seed(seed))
    theta = torch.zeros((), dtype=torch.float64)
    expected = torch.zeros(9, dtype=torch.float64)
    for place in range(bits):  # the lowest first
        theta = theta + 10 * comparison.change[0, bits - 1 - place].double()
        expected = expected + torch.sinh(theta) * (values >> place & 1)
    assert_close(comparison.scores(Number(bits).encode(values))[0], expected)


class OnEdges(Contagion):
    name = "on_edges"

    def declare(self) -> Declaration:
        declared = super().declare()
        return replace(declared, inputs={**declared.inputs, "length": at_edge(Number(4))})


def test_what_it_cannot_read_is_refused():
    with pytest.raises(
        ContractError, match="reads as input: a Mask or a Category or a Number at nodes; and 'length' is a Number at edges"
    ):
        Network(OnEdges(), EXACT, (0,))
    with pytest.raises(ContractError, match="learns concepts at nodes, and these sit at edges"):
        Network(algorithm("kruskal"), EXACT, (0,))

"""Networks for flat sets against their equations, pair by pair and case by case, alone and in company."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch
from hypothesis import given
from torch.testing import assert_close

from algolens.algorithms import algorithm
from algolens.data import Situations
from algolens.errors import ContractError
from algolens.models import Network, NetworkParts
from algolens.models.architecture import FLAT_SETS
from algolens.models.flat_sets.hearing import CaseByCase, PairByPair
from algolens.models.layers import leaky
from algolens.models.memoryless.exchange import Exchange
from tests.models.flat_sets.networks import KRUSKAL, SMALL, eye, random_network, settings
from tests.models.networks import numbers, several

Heard = list[tuple[int, list[float]]]  # the class of each other one, and the bits of the comparison with it


def concluded(exchange: Exchange, own: int, heard: Heard) -> torch.Tensor:
    """An exchange, written out for one element."""
    w = {key: value[0].detach() for key, value in exchange.named_parameters()}
    joined = torch.zeros(SMALL.message_bits)
    for other, compared in heard:
        hidden = w["receiver.weight"][own] + w["receiver.bias"][0] + w["sender.weight"][other]
        if compared:
            hidden = hidden + torch.tensor(compared) @ w["compare.weight"]
        joined = torch.maximum(joined, (leaky(hidden) @ w["message.weight"] + w["message.bias"][0] > 0).float())
    hidden = w["conclude.own.weight"][own] + w["conclude.own.bias"][0] + joined @ w["conclude.bits.weight"]
    return leaky(hidden) @ w["conclude.last.weight"] + w["conclude.last.bias"][0]


@several
@given(numbers)
def test_a_look_is_its_equations_one_by_one(seed):
    network = random_network((seed,)).eval()
    perceiver, setting = eye(network), settings(seed, 3, 5)
    graph, state = setting.graph, setting.state
    look = perceiver(perceiver.prepare(graph, setting.inputs), state)
    weight, priority = (each[0] for each in perceiver.scores(setting.inputs))

    def bits(scores: torch.Tensor, i: int, j: int) -> list[float]:
        return perceiver.comparison((scores[i] - scores[j]).view(1, 1))[0, 0].tolist()

    classes = (2 * state["in_mst"].long() + state["lighter_edges_visited"].long()).tolist()
    target = (state["parent"] + graph.first_node[graph.node_owner]).tolist()
    edge_owner, node_owner, ends = graph.edge_owner.tolist(), graph.node_owner.tolist(), graph.edges.T.tolist()
    for e, (u, v) in enumerate(ends):
        others = [j for j in range(graph.num_edges) if edge_owner[j] == edge_owner[e] and j != e]
        lighter, in_mst = concluded(perceiver.edges, classes[e], [(classes[j], bits(weight, e, j)) for j in others])
        nodes = [k for k in range(graph.num_nodes) if node_owner[k] == edge_owner[e]]
        same = concluded(perceiver.ends, 0, [(2 * (target[u] == k) + (target[v] == k), []) for k in nodes])[0]
        assert_close(look.head[0, e], torch.stack([lighter, same, in_mst]), atol=1e-4, rtol=1e-4)
        w = {key: value[0].detach() for key, value in perceiver.joins.named_parameters()}
        hidden = w["own.weight"][classes[e]] + w["own.bias"][0] + (look.head[0, e] > 0).float() @ w["bits.weight"]
        joins = leaky(hidden) @ w["last.weight"] + w["last.bias"][0]
        assert bool(look.settled["joins"][0, e]) == bool(joins > 0)
    joins, united = look.settled["joins"][0].tolist(), look.settled["united"][0].tolist()
    takes, leaves = [], []
    for k in range(graph.num_nodes):
        calls: Heard = [(int(joins[e]), []) for e, pair in enumerate(ends) for end in pair if target[end] == k]
        assert united[k] == bool(concluded(perceiver.roots, 0, calls) > 0)
        others = [j for j in range(graph.num_nodes) if node_owner[j] == node_owner[k] and j != k]
        rivals = [(int(united[j]), bits(priority, k, j)) for j in others]
        left, taken = concluded(perceiver.rivals, int(united[k]), rivals).tolist()
        leaves.append(left > 0)
        takes.append(taken)
    for k in range(graph.num_nodes):
        nodes = [j for j in range(graph.num_nodes) if node_owner[j] == node_owner[k]]
        after = int(look.settled["parent"][0, k]) + nodes[0]
        if not leaves[target[k]]:
            assert after == target[k]
        else:
            assert takes[after] == pytest.approx(max(takes[j] for j in nodes), abs=1e-4)


@several
@given(numbers)
def test_case_by_case_and_pair_by_pair_are_the_same(seed):
    network, setting = random_network((seed,)), settings(seed, 12, 8)
    perceiver = eye(network)
    looks = [
        perceiver(hearing(perceiver, setting.graph, setting.inputs), setting.state) for hearing in (PairByPair, CaseByCase)
    ]
    assert_close(looks[0].head, looks[1].head, atol=1e-4, rtol=1e-4)
    for name, values in looks[0].settled.items():
        if name != "parent":  # of two nodes that are alike to it, either may be the one to go to
            assert torch.equal(values, looks[1].settled[name])
    assert isinstance(perceiver.prepare(setting.graph, setting.inputs), PairByPair)
    network.eval()
    assert isinstance(perceiver.prepare(setting.graph, setting.inputs), CaseByCase)


@several
@given(numbers)
def test_a_seed_alone_gives_what_it_gives_among_others(seed):
    network, setting = random_network((seed, seed + 1, 5)), settings(seed)
    together = eye(network)(eye(network).prepare(setting.graph, setting.inputs), setting.state)
    for place in range(3):
        alone = eye(network.only(place))
        found = alone(alone.prepare(setting.graph, setting.inputs), setting.state)
        assert_close(found.head[0], together.head[place], atol=1e-4, rtol=1e-4)
        for name in ("joins", "united"):
            assert torch.equal(found.settled[name][0], together.settled[name][place])


@several
@given(numbers)
def test_a_graph_alone_gives_what_it_gives_in_company(seed):
    parts, setting = NetworkParts(random_network((seed,))), settings(seed)
    whole = parts.perceive(setting.graph, setting.inputs, setting.state, None)
    for i in range(setting.graph.num_graphs):
        chosen, alone = setting.graph.take([i]), setting.take(KRUSKAL, [i])
        found = parts.perceive(alone.graph, alone.inputs, alone.state, None)
        assert torch.equal(found.concepts, whole.concepts[chosen.edges])
        assert torch.equal(found.hints["joins"], whole.hints["joins"][chosen.edges])
        for name in ("united", "parent"):
            assert torch.equal(found.hints[name], whole.hints[name][chosen.nodes])


@several
@given(numbers)
def test_every_part_is_taught_from_the_truth_before_it(seed):
    """Where no numbers are compared, what is taught is what runs, given true concepts and hints."""
    network, met = random_network((seed,)), Situations.of(KRUSKAL, settings(seed, 9))
    perceiver, setting = eye(network), met.setting
    studied = perceiver.study(met, torch.Generator().manual_seed(seed))
    hearing = CaseByCase(perceiver, setting.graph, setting.inputs)
    target = hearing.target(setting.state["parent"])
    place = KRUSKAL.declaration.concepts.index("nodes_in_same_set")
    assert_close(studied.head[:, :, [place]], hearing.ends(target), atol=1e-4, rtol=1e-4)
    joins = hearing.joins(perceiver.classes.of(setting.state), met.concepts[None])
    assert_close(studied.hints["joins"][0], joins, atol=1e-4, rtol=1e-4)
    united = hearing.roots(target, met.hints["joins"].long()).squeeze(-1)
    assert_close(studied.hints["united"][0], united, atol=1e-4, rtol=1e-4)
    for name, (_, truth) in studied.hints.items():
        assert torch.equal(truth, met.hints[name])


def test_what_it_cannot_read_is_refused():
    with pytest.raises(ContractError, match=f"'{FLAT_SETS}' learns concepts at edges, and these sit at nodes"):
        Network(algorithm("coloring"), SMALL, (0,))
    with pytest.raises(
        ContractError, match="gives as hint: joins, united, parent; and 'next_edge' is a Pointer to edges at graphs"
    ):
        Network(algorithm("kruskal"), SMALL, (0,))
    with pytest.raises(ContractError, match="has a bottleneck"):
        Network(KRUSKAL, replace(SMALL, bottleneck=False), (0,))

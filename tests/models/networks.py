"""Networks for the laws: random ones, and one whose weights are set by hand so that it is right."""

from __future__ import annotations

from random import Random
from typing import Any

import networkx as nx
import numpy as np
import torch
from hypothesis import settings
from hypothesis import strategies as st
from torch import Tensor, nn

from algolens.algorithms import Algorithm, Values, algorithm
from algolens.arrays import all_to
from algolens.graphs import Graph
from algolens.models import Architecture, Network
from algolens.models.network import ConceptDecoder
from algolens.models.recurrent import Recurrent
from tests import strategies
from tests.effort import examples
from tests.models.several_fields import SeveralFields

# 9 colors suffice for 9 nodes
ALGORITHMS = {"bfs": algorithm("bfs"), "coloring": algorithm("coloring", colors=9)}

EVERY = {**ALGORITHMS, "several_fields": SeveralFields()}

patient = settings(deadline=None)  # the first use of PyTorch takes its time
several = examples(25)  # for laws that take some milliseconds each time
few = examples(10)  # for those that take longer still
names = st.sampled_from(sorted(ALGORITHMS))
every_name = st.sampled_from(sorted(EVERY))
numbers = st.integers(0, 2**32 - 1)


def batches(**sizes: int) -> st.SearchStrategy[Graph]:
    """Graphs with tensors, as networks take them."""
    return strategies.batches(**sizes).map(lambda graph: graph.to("cpu"))


def nameless(graph: nx.Graph) -> Graph:
    """A graph with tensors, without the names of its nodes."""
    return strategies.nameless(graph).to("cpu")


def sampled(chosen: Algorithm, graph: Graph, rng: np.random.Generator) -> Values:
    """Random inputs, as tensors."""
    return all_to(chosen.sample(graph, rng), "cpu")


def gifts(name: str) -> st.SearchStrategy[tuple[str, ...]]:
    """Concepts that may be given to a network; often none."""
    declaration = EVERY[name].declaration
    free = [concept for concept in declaration.concepts if concept not in declaration.state]
    return st.lists(st.sampled_from(free), unique=True, max_size=3).map(tuple)


def random_network(
    name: str, seeds: tuple[int, ...] = (0,), *, scale: float = 1.0, **parts: Any
) -> Network:
    """A small network as first drawn. scale: larger weights make it surer of itself, and its runs
    livelier.
    """
    network = Network(EVERY[name], Architecture(**{"width": 6, **parts}), seeds)
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.mul_(scale)
    return network


def random_state(name: str, graph: Graph, seed: int) -> dict[str, Tensor]:
    """Any state, reached or not."""
    generator = torch.Generator().manual_seed(seed)
    if name == "bfs":
        return {"visited": torch.rand(graph.num_nodes, generator=generator) < 0.5}
    return {"color": torch.randint(0, 10, (graph.num_nodes,), generator=generator)}


def random_inputs(name: str, graph: Graph, seed: int) -> Values:
    """Inputs as the algorithm reads them, of which a network sees the priorities only."""
    generator = torch.Generator().manual_seed(seed)
    if name == "bfs":
        return {
            "source": (torch.rand(graph.num_graphs, generator=generator) * graph.node_counts).long()
        }
    return {"priority": torch.randint(0, 256, (graph.num_nodes,), generator=generator)}


@st.composite
def even_batches(draw: st.DrawFn, max_graphs: int = 5, max_nodes: int = 7) -> Graph:
    """Graphs of as many nodes each."""
    size, count = draw(st.integers(1, max_nodes)), draw(st.integers(1, max_graphs))
    pairs = [(u, v) for v in range(size) for u in range(v)]
    edges = []
    for i in range(count):
        chosen = draw(st.lists(st.sampled_from(pairs), unique=True, max_size=12)) if pairs else []
        edges += [(u + i * size, v + i * size) for u, v in chosen]
    return Graph.pack([size] * count, edges).to("cpu")


def neighbours(graph: Graph) -> list[list[int]]:
    """The neighbours of every node, the node itself first."""
    found = [[i] for i in range(graph.num_nodes)]
    for u, v in graph.edges.T.tolist():
        found[u].append(v)
        found[v].append(u)
    return found


def look(
    network: Network, graph: Graph, inputs: Values, state: Values, memory: Tensor | None
) -> tuple[Tensor, Tensor, Tensor]:
    """One look of all seeds: encoded and latent [S, N, width], and the head [S, N, C]."""
    perceiver = recurrent(network)
    constant, edge_index = perceiver.prepare(graph, inputs)
    given = perceiver.encoder.given(state, constant)
    last = torch.zeros_like(given) if memory is None else memory
    z, latent = perceiver.step(given, last, edge_index)
    return z, latent, perceiver.head(z, latent)[0]


def recurrent(network: Network) -> Recurrent:
    """The perceiver of a network for an algorithm on nodes."""
    assert isinstance(network.perceiver, Recurrent)
    return network.perceiver


def decoder(network: Network, output: str) -> ConceptDecoder:
    """The concept decoder of an output."""
    found = network.decoders[output]
    assert isinstance(found, ConceptDecoder)
    return found


def kept(network: Network, output: str, place: int = 0) -> list[int]:
    """The concepts that an output's decoder of one seed still reads, by their places."""
    return (
        network.state_dict()[f"decoders.{output}.kept"][place]
        .flatten()
        .nonzero()
        .flatten()
        .tolist()
    )


def of_seed(module: nn.Module, place: int = 0) -> dict[str, Tensor]:
    """One seed's weights by name: matrices [inputs, outputs] and vectors [outputs]."""
    return {
        name: each[place, 0] if name.rpartition(".")[2] == "bias" else each[place]
        for name, each in module.named_parameters()
    }


def gru_cell(gru: nn.Module, width: int, place: int = 0) -> nn.GRUCell:
    """PyTorch's own unit with one seed's weights."""
    w = of_seed(gru, place)
    cell = nn.GRUCell(width, width).to(w["from_input.weight"].dtype)
    with torch.no_grad():
        cell.weight_ih.copy_(w["from_input.weight"].T)
        cell.weight_hh.copy_(w["from_state.weight"].T)
        cell.bias_ih.copy_(w["from_input.bias"])
        cell.bias_hh.copy_(w["from_state.bias"])
    return cell


def right_bfs(width: int = 8) -> Network:
    """Breadth-first search by hand: every weight is 0 but those that follow.

    A latent state is (a neighbour is visited, the node is visited, the first and not the second).
    """
    network = Network(ALGORITHMS["bfs"], Architecture(width=width), (0,))
    sure = 40.0  # a logit far out, where sigmoid and tanh round to 0, 1 or -1
    # the gate's part for the new state; before it stand those for reset and update
    new = slice(2 * width, None)
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.zero_()
        w = of_seed(network)
        w["perceiver.encoder.join.visited.weight"][1, 0] = 1  # z_0: visited
        w["perceiver.processor.first.weight"][0, width] = 1  # sent to neighbours
        # x_1: visited, kept for oneself
        w["perceiver.processor.first.weight"][0, 2 * width + 1] = 1
        w["perceiver.processor.message.weight"][0, 0] = 1  # the maximum of what was sent is "or"
        w["perceiver.processor.update.weight"][0, 0] = 1  # x_0: a neighbour is visited
        # the old state is let go
        w["perceiver.processor.gate.from_input.bias"][width : 2 * width] = -sure
        # h_0: a neighbour is visited
        w["perceiver.processor.gate.from_input.weight"][0, new][0] = sure
        # h_1: the node is visited
        w["perceiver.processor.gate.from_input.weight"][1, new][1] = sure
        w["perceiver.processor.gate.from_input.weight"][0, new][2] = sure  # h_2: the node is next,
        # which is h_0 - h_1, as a node is its own neighbour
        w["perceiver.processor.gate.from_input.weight"][1, new][2] = -sure
        w["perceiver.head_latent.weight"][0, 0] = 1
        w["perceiver.head_latent.weight"][1, 1] = 1
        w["perceiver.head_last.weight"][1, 0] = sure  # has_been_visited
        w["perceiver.head_last.weight"][0, 1] = sure  # has_visited_neighbours
        w["perceiver.head_last.bias"][:] = -sure / 2
        w["decoders.visited.first.weight"][1, 0] = 1
        w["decoders.visited.last.weight"][0, 0] = sure
        w["decoders.visited.last.bias"][:] = -sure / 2
        # PrediNet looks for a node that is next, and for one that is not: the source is always
        # among these. Where there is no next one, both looks find the same. The maximum of h_0 is
        # 1, and serves as the queries' constant.
        w["termination.queries.weight"][0, 0] = sure
        w["termination.queries.weight"][0, width] = -sure
        w["termination.key.weight"][2, 0] = 1
        w["termination.relate.weight"][2, 0] = 1
        w["termination.output.weight"][0, 0] = 1
        w["termination.decide.weight"][0, 0] = sure
        w["termination.decide.bias"][:] = -sure / 2
    return network


def new_numbers(graph: Graph, random: Random) -> Tensor:
    """[N] the new number of each node, where those of every graph are numbered anew."""
    new = torch.empty(graph.num_nodes, dtype=torch.int64)
    for i in range(graph.num_graphs):
        nodes = (graph.node_owner == i).nonzero().flatten()
        turned = nodes.tolist()
        random.shuffle(turned)
        new[nodes] = torch.tensor(turned)
    return new

"""The teacher-forced run of a batch: at every step the network sees the true state, and its own memory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

import torch
from torch import Tensor

from algolens.fields import Kind
from algolens.models.recurrent.encoder import Constant
from algolens.models.recurrent.neighbourhoods import Neighbourhoods
from algolens.models.recurrent.thought import Thought

if TYPE_CHECKING:
    from algolens.models.network import Network
    from algolens.models.recurrent.perceiver import Recurrent
    from algolens.models.recurrent.samples import Samples


@dataclass
class Unrolled:
    """What the network gave at every step, and what was true; a list has an entry for each step."""

    heads: list[Tensor] = field(default_factory=list)  # each [S, N, C]
    scores: dict[str, list[Tensor]] = field(default_factory=dict)  # each [S, N, ...]
    latent: list[Tensor] = field(default_factory=list)  # each [S, N, width]: the look-ahead's
    concepts: list[Tensor] = field(default_factory=list)  # each [N, C]: true
    outputs: dict[str, list[Tensor]] = field(default_factory=dict)  # each [N]: true
    goes_on: list[Tensor] = field(default_factory=list)  # each [G]: true
    node_counts: list[Tensor] = field(default_factory=list)  # each [G]
    alive_nodes: list[Tensor] = field(default_factory=list)  # each [N]: 0 where a graph has ended; empty where none is there
    alive_graphs: list[Tensor] = field(default_factory=list)  # each [G]


def unroll(network: Network, samples: Samples, graphs: Tensor, lengths: list[int], *, always: bool) -> Unrolled:
    """Runs the network through the true traces of some graphs.

    At time t + 1 all graphs that took step t are looked at in their true state. Those that go on take the next step from it;
    and for all of them it is the look-ahead of step t, provided that the network's own output was right. Where it was
    wrong, the graph is looked at once more, in the state that the network believes in.

    graphs: which ones, the longest first. lengths: their steps. always: every step and look-ahead of every graph, in vain or
    not, so that shapes do not depend on what comes out: for CUDA graphs.
    """
    perceiver = cast("Recurrent", network.perceiver)
    done = Unrolled(scores={name: [] for name in network.outputs}, outputs={name: [] for name in network.outputs})
    fed_back = network.algorithm.declaration.state
    working, table, nodes = graphs, samples.table.take(graphs), samples.table.nodes_of(graphs)
    states = {name: samples.states[name][nodes] for name in fed_back}
    concepts, goes_on = samples.concepts[nodes], samples.goes_on[graphs]
    outputs = {name: value[nodes] for name, value in samples.outputs.items()}
    steps = samples.steps[graphs]
    constant = perceiver.encoder.constant({name: value[nodes] for name, value in samples.inputs.items()})
    memory = perceiver.no_memory(len(nodes), nodes.device)
    thought = perceiver.look(constant, {name: value[:, 0] for name, value in states.items()}, memory, table)
    twice = samples.table.take(torch.cat([graphs, graphs])) if always else None
    for step in range(max(lengths)):
        count = len(lengths) if always else sum(length > step for length in lengths)
        if count < len(working):
            working = graphs[:count]
            table = samples.table.take(working)
        n = table.num_nodes
        thought = thought.first(n)
        head = perceiver.head(thought)
        scores = network.decide(head)
        done.heads.append(head)
        done.concepts.append(concepts[:n, step])
        done.goes_on.append(goes_on[:count, step])
        done.node_counts.append(table.node_counts)
        for name, value in scores.items():
            done.scores[name].append(value)
            done.outputs[name].append(outputs[name][:n, step])
        if always:
            alive = (steps > step).float()
            done.alive_graphs.append(alive)
            done.alive_nodes.append(alive.repeat_interleave(n // count))
        believed = {name: network.outputs[name].predict(scores[name].detach()) for name in fed_back}
        wrong = torch.arange(count, device=graphs.device) if always else _wrong(believed, outputs, step, table)
        true_state = {name: value[:n, step + 1] for name, value in states.items()}
        if len(wrong):
            both = twice or samples.table.take(torch.cat([working, working[wrong]]))
            thought, ahead = _look_twice(
                network.outputs, perceiver, both, table.nodes_of(wrong), true_state, believed, thought.latent, constant
            )
        else:
            thought = perceiver.look(constant.rows(n), true_state, thought.latent, table)
            ahead = thought.latent
        done.latent.append(ahead)
    return done


def _wrong(believed: Mapping[str, Tensor], outputs: Mapping[str, Tensor], step: int, table: Neighbourhoods) -> Tensor:
    """Which graphs of the batch some seed got wrong somewhere."""
    n = table.num_nodes
    nodes = torch.stack([(value != outputs[name][:n, step]).any(0) for name, value in believed.items()]).any(0)
    if table.even is not None:
        return nodes.view(-1, table.even).any(1).nonzero().flatten()
    places = torch.arange(len(table.node_counts), device=nodes.device)
    owner = torch.repeat_interleave(places, table.node_counts)
    return owner[nodes].unique()


def _look_twice(
    outputs: Mapping[str, Kind],
    perceiver: Recurrent,
    both: Neighbourhoods,
    again: Tensor,
    true_state: Mapping[str, Tensor],
    believed: Mapping[str, Tensor],
    memory: Tensor,
    constant: Constant,
) -> tuple[Thought, Tensor]:
    """The next look at the true state, and the look-ahead's latent states, both in one go.

    again: [N'] the nodes of the graphs to look at once more, in the state that the network believes in.
    """
    seeds, n = memory.shape[:2]
    state = {}
    for name, value in true_state.items():
        own = outputs[name].encode(believed[name].index_select(1, again))
        state[name] = torch.cat([value.expand(seeds, *value.shape), own], 1)
    thought = perceiver.look(constant.rows(n, again), state, torch.cat([memory, memory.index_select(1, again)], 1), both)
    true_look = thought.first(n)
    return true_look, true_look.latent.index_copy(1, again, thought.latent[:, n:])

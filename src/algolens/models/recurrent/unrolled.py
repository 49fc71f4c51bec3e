"""The teacher-forced run of a batch: at every step the network sees the true state, and its own
memory.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import torch
from torch import Tensor

from algolens.graphs.elements import owners
from algolens.models.layers import rows_of

if TYPE_CHECKING:
    from algolens.models.network import Network
    from algolens.models.recurrent.recurrent import Recurrent
    from algolens.models.recurrent.samples import Samples


@dataclass(frozen=True, eq=False)
class Unrolled:
    """What the network gave at every step, and what was true.

    A row is a node at a step, R in all: step after step, at each the nodes of those graphs that
    take it. So are the P pairs of a graph and a step.
    """

    head: Tensor  # [S, R, C]
    scores: Mapping[str, Tensor]  # each [S, R, ...]
    ahead: Tensor  # [S, R, width]: the look-ahead's latent states
    concepts: Tensor  # [R, C]: true
    outputs: Mapping[str, Tensor]  # each [R]: true
    # scores [S, R, ...] and truth [R] of each field beside the concepts
    hints: Mapping[str, tuple[Tensor, Tensor]]
    goes_on: Tensor  # [P]: true
    node_counts: Tensor  # [P]
    alive_nodes: Tensor | None  # [R]: 0 where a graph has ended; None where no such row is there
    alive_graphs: Tensor | None  # [P]


def unroll(
    network: Network, samples: Samples, graphs: Tensor, lengths: list[int], *, always: bool
) -> Unrolled:
    """Runs the network through the true traces of some graphs.

    At time t + 1 all graphs that took step t are looked at in their true state. Those that go on
    take the next step from it; and for all of them it is the look-ahead of step t, provided that
    the network's own output was right. Where it was wrong, the graph is looked at once more, in the
    state that the network brought about: all such graphs of all steps at once.

    graphs: which ones, the longest first. lengths: their steps. always: every step and look-ahead
    of every graph, needed or not, so that shapes do not depend on what comes out: for CUDA graphs.
    """
    perceiver = cast("Recurrent", network.perceiver)
    table, nodes = samples.table.take(graphs), samples.table.nodes_of(graphs)
    counts = [
        len(lengths) if always else sum(length > step for length in lengths)
        for step in range(max(lengths))
    ]
    tables = [table]
    for count in counts:
        tables.append(tables[-1].first(count))
    sizes = [each.num_nodes for each in tables]  # of the first look, and of the one after each step
    node, step = _rows(sizes[1:], nodes)
    graph, graph_step = _rows(counts, graphs)

    # the true states: before the first step, and after every step
    most = samples.concepts.shape[1]
    row = nodes[node] * most + step
    after = torch.cat([nodes * (most + 1), row + nodes[node] + 1])
    state = {
        name: each.flatten(0, 1).index_select(0, after) for name, each in samples.states.items()
    }
    constant = perceiver.encoder.constant(
        {name: each.index_select(0, nodes) for name, each in samples.inputs.items()}
    )
    constant = constant.repeated(sizes)
    memory = perceiver.no_memory(len(nodes), nodes.device)
    looks = perceiver.recur(perceiver.encoder.given(constant, state), memory, tables)

    # of each look, the part that a step is taken from
    places = torch.arange(sum(sizes), device=nodes.device).split(sizes)
    taken = torch.cat([each[:n] for each, n in zip(places, sizes[1:], strict=False)])
    concepts = samples.concepts.flatten(0, 1).index_select(0, row)
    head, beside = perceiver.parted(rows_of(perceiver.head(looks), taken))
    head = network.with_given_concepts(head, concepts)
    scores = network.decide(head)
    outputs = {name: each.view(-1).index_select(0, row) for name, each in samples.outputs.items()}
    hints = {name: each.view(-1).index_select(0, row) for name, each in samples.hints.items()}
    seen = {
        name: concepts[:, place] > 0
        for place, name in enumerate(network.algorithm.declaration.concepts)
    }
    truth = {**seen, **hints, **outputs}

    predicted = predicted_state(network, head, {**beside, **scores})
    node_counts = table.node_counts[graph]
    pairs, again = graph, torch.arange(len(row), device=row.device)
    if not always:
        wrong = torch.stack([(each != truth[name]).any(0) for name, each in predicted.items()]).any(
            0
        )
        pairs, again = _chosen(wrong, graph, node_counts, table.even)
    ahead = looks.latent[:, len(nodes) :]
    if len(again):
        state = {
            name: perceiver.state[name].encode(each.index_select(1, again))
            for name, each in predicted.items()
        }
        given = perceiver.encoder.given(constant.rows(again + len(nodes)), state)
        look = perceiver.recur(
            given, rows_of(looks.latent, taken[again]), [samples.table.take(graphs[pairs])]
        )
        ahead = ahead.index_copy(1, again, look.latent)

    alive = (samples.steps[graphs[graph]] > graph_step).float() if always else None
    return Unrolled(
        head=head,
        scores=scores,
        ahead=ahead,
        concepts=concepts,
        outputs=outputs,
        hints={name: (each, truth[name]) for name, each in beside.items()},
        goes_on=samples.goes_on.view(-1).index_select(0, graphs[graph] * most + graph_step),
        node_counts=node_counts,
        alive_nodes=None if alive is None else alive.repeat_interleave(len(row) // len(alive)),
        alive_graphs=alive,
    )


def predicted_state(
    network: Network, head: Tensor, scores: Mapping[str, Tensor]
) -> dict[str, Tensor]:
    """The state that the network brings about, each field [S, R]: from its scores, or a concept
    from what the head gave.
    """
    declaration, found = network.algorithm.declaration, {}
    for name in declaration.state:
        if name in scores:
            found[name] = declaration.predicted[name].kind.predict(scores[name].detach())
        else:
            # as the loop takes it
            found[name] = torch.sigmoid(head[..., declaration.concepts.index(name)].detach()) > 0.5
    return found


def _rows(sizes: list[int], elements: Tensor) -> tuple[Tensor, Tensor]:
    """Of each row which element it is, by its place, and which step. sizes: how many elements, the
    first, take each step.
    """
    count = len(elements)
    every = torch.arange(len(sizes) * count, device=elements.device)
    rows = torch.cat([each[:n] for each, n in zip(every.split(count), sizes, strict=True)])
    return rows % count, rows // count


def _chosen(
    wrong: Tensor, graph: Tensor, node_counts: Tensor, even: int | None
) -> tuple[Tensor, Tensor]:
    """The graph of each pair with a row [R] that is wrong, and all rows of these pairs."""
    if even is not None:
        pairs = wrong.view(-1, even).any(1)
        return graph[pairs], pairs.repeat_interleave(even).nonzero().flatten()
    pair = owners(node_counts)
    pairs = torch.zeros_like(graph, dtype=torch.bool).index_fill_(0, pair[wrong], True)
    return graph[pairs], pairs[pair].nonzero().flatten()

"""True traces as they teach the recurrent network: a row for each node, a batch being an index."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import torch
from torch import Tensor

from algolens.execution import Run, Timeline
from algolens.graphs.elements import owners
from algolens.models.architecture import network_inputs
from algolens.models.layers import rows_of
from algolens.models.perceiver import Lessons, Taught
from algolens.models.recurrent.neighbourhoods import Neighbourhoods

if TYPE_CHECKING:
    from algolens.models.network import Network
    from algolens.models.recurrent.recurrent import Recurrent


@dataclass(frozen=True, eq=False)
class Samples(Lessons):
    """True traces of many graphs."""

    table: Neighbourhoods
    lengths: list[int]  # [G] steps of each graph, known without asking the device
    steps: Tensor  # [G] the same, on the device
    inputs: dict[str, Tensor]  # encoded, each [N, width]
    # encoded, before each step and after the last, each [N, T + 1, width]
    states: dict[str, Tensor]
    concepts: Tensor  # [N, T, C] 0 or 1; after a graph's end, as it rests
    resting: Tensor  # [N, C] 0 or 1: after the end
    outputs: dict[str, Tensor]  # each [N, T]
    hints: dict[str, Tensor]  # each [N, T]
    goes_on: Tensor  # [G, T] 0 or 1
    can_record: bool

    @classmethod
    def of(
        cls, trace: Run, device: torch.device, *, self_loops: bool, can_record: bool = True
    ) -> Samples:
        """The trace as samples on a device."""
        declaration = trace.algorithm.declaration
        # on a GPU, computing empty slots costs less than waiting: there, every neighbourhood is one
        # column
        rows = (
            int(torch.bincount(trace.graph.links[1]).max()) + 1 if device.type == "cuda" else None
        )
        moved = trace.to(device)
        table = Neighbourhoods.of(moved.graph, rows, self_loops=self_loops)
        # graphs of one size, neighbourhoods of one column
        is_even = table.even is not None and not len(table.owner)
        taken = moved.is_alive[:, moved.graph.node_owner]
        concepts = torch.where(taken[:, :, None], moved.patterns(), moved.resting)
        return cls(
            table=table,
            lengths=trace.lengths.tolist(),
            steps=moved.lengths,
            inputs={
                name: field.kind.encode(moved.inputs[name])
                for name, field in network_inputs(declaration).items()
            },
            states={
                name: declaration.predicted[name].kind.encode(_by_element(moved.state(name)))
                for name in declaration.state
            },
            concepts=concepts.transpose(0, 1).float().contiguous(),
            resting=moved.resting.float(),
            outputs={name: _by_element(value) for name, value in moved.outputs.items()},
            hints={name: _by_element(value) for name, value in moved.hints.items()},
            goes_on=moved.goes_on.T.float().contiguous(),
            can_record=can_record and is_even,
        )

    def teach(
        self, network: Network, graphs: Tensor, lengths: list[int], *, always: bool = False
    ) -> Taught:
        """At every step the network sees the true state, and its own memory.

        At time t + 1 all graphs that took step t are looked at in their true state. Those that go
        on take the next step from it; and for all of them it is the look-ahead of step t, provided
        that the network's own output was right. Where it was wrong, the graph is looked at once
        more, in the state that the network brought about: all such graphs of all steps at once.

        A row is a node at a step, R in all: step after step, at each the nodes of those graphs that
        take it. So are the P pairs of a graph and a step.
        """
        perceiver = cast("Recurrent", network.perceiver)
        nodes, device = self.table.nodes_of(graphs), graphs.device
        counts = [
            len(lengths) if always else sum(length > step for length in lengths)
            for step in range(max(lengths))
        ]
        tables = [self.table.take(graphs)]
        for count in counts:
            tables.append(tables[-1].first(count))
        # of the first look, and of the one after each step
        sizes = [table.num_nodes for table in tables]
        node, step = _rows(sizes[1:], nodes)
        graph, graph_step = _rows(counts, graphs)

        # the true states: before the first step, and after every step
        most = self.concepts.shape[1]
        row = nodes[node] * most + step
        after = torch.cat([nodes * (most + 1), row + nodes[node] + 1])
        state = {
            name: values.flatten(0, 1).index_select(0, after)
            for name, values in self.states.items()
        }
        constant = perceiver.encoder.constant(
            {name: values.index_select(0, nodes) for name, values in self.inputs.items()}
        ).repeated(sizes)
        looks = perceiver.recur(
            perceiver.encoder.given(constant, state),
            perceiver.no_memory(len(nodes), device),
            tables,
        )

        # of each look, the part that a step is taken from
        places = torch.arange(sum(sizes), device=device).split(sizes)
        taken = torch.cat([look[:n] for look, n in zip(places, sizes[1:], strict=False)])
        concepts = self.concepts.flatten(0, 1).index_select(0, row)
        head, beside = perceiver.parted(rows_of(perceiver.head(looks), taken))
        head = network.with_given_concepts(head, concepts)
        scores = network.decide(head)
        truth = {
            name: concepts[:, place] > 0
            for place, name in enumerate(network.algorithm.declaration.concepts)
        }
        for name, values in {**self.hints, **self.outputs}.items():
            truth[name] = values.view(-1).index_select(0, row)

        # the look-ahead, computed again where the state that the network brings about is wrong
        predicted = _predicted_state(network, head, {**beside, **scores})
        node_counts = tables[0].node_counts[graph]
        pairs, again = graph, torch.arange(len(row), device=device)
        if not always:
            wrong = [(values != truth[name]).any(0) for name, values in predicted.items()]
            pairs, again = _chosen(torch.stack(wrong).any(0), graph, node_counts, self.table.even)
        ahead = looks.latent[:, len(nodes) :]
        if len(again):
            own = {
                name: perceiver.state[name].encode(values.index_select(1, again))
                for name, values in predicted.items()
            }
            look = perceiver.recur(
                perceiver.encoder.given(constant.rows(again + len(nodes)), own),
                rows_of(looks.latent, taken[again]),
                [self.table.take(graphs[pairs])],
            )
            ahead = ahead.index_copy(1, again, look.latent)
        goes_on = None
        if network.termination is not None:
            goes_on = (
                network.termination(ahead, self.table.members_of(node_counts)),
                self.goes_on.view(-1).index_select(0, graphs[graph] * most + graph_step),
            )

        # graphs that have ended count no more
        alive = (self.steps[graphs[graph]] > graph_step).float() if always else None
        return Taught(
            head=head,
            concepts=concepts,
            scores=scores,
            outputs={name: truth[name] for name in self.outputs},
            hints={name: (values, truth[name]) for name, values in beside.items()},
            weight=None if alive is None else alive.repeat_interleave(len(row) // len(alive)),
            goes_on=goes_on,
            goes_on_weight=alive,
        )

    @torch.no_grad()
    def run_free(self, network: Network) -> Taught:
        """What a network gives where it sees only what it gave itself, beside what is true.

        A graph counts until the network stops it, for at most as many steps as the largest graph
        has nodes, as in the authors' code. Where the algorithm has ended before, the graph's final
        state is true.
        """
        perceiver, table = cast("Recurrent", network.perceiver), self.table
        assert network.termination is not None
        members, owner = table.members_of(table.node_counts), owners(table.node_counts)
        constant = perceiver.encoder.constant(self.inputs)
        state = {name: values[:, 0] for name, values in self.states.items()}
        memory = perceiver.no_memory(table.num_nodes, table.owner.device)
        look = perceiver.recur(perceiver.encoder.given(constant, state), memory, [table])
        alive = look.latent.new_ones(len(network.seeds), len(table.node_counts)).bool()
        steps: list[Taught] = []
        for step in range(int(table.node_counts.max())):
            concepts, truth, goes_on = self._true_at(step)
            head, beside = perceiver.parted(perceiver.head(look))
            head = network.with_given_concepts(head, concepts)
            scores = network.decide(head)
            predicted = _predicted_state(network, head, {**beside, **scores})
            state = {name: perceiver.state[name].encode(own) for name, own in predicted.items()}
            look = perceiver.recur(perceiver.encoder.given(constant, state), look.latent, [table])
            logits = network.termination(look.latent, members)
            steps.append(
                Taught(
                    head=head,
                    concepts=concepts,
                    scores=scores,
                    outputs={name: truth[name] for name in self.outputs},
                    hints={name: (values, truth[name]) for name, values in beside.items()},
                    weight=alive[:, owner].float(),
                    goes_on=(logits, goes_on),
                    goes_on_weight=alive.float(),
                )
            )
            alive = alive & (logits > 0)
            if not alive.any():
                break
        return _one_after_another(steps)

    def _true_at(self, step: int) -> tuple[Tensor, dict[str, Tensor], Tensor]:
        """True concepts [N, C], fields [N] and going on [G] at a step; after the end, at rest."""
        last = self.concepts.shape[1] - 1
        fields = {
            name: values[:, min(step, last)]
            for name, values in {**self.outputs, **self.hints}.items()
        }
        if step > last:
            return self.resting, fields, torch.zeros_like(self.goes_on[:, 0])
        return self.concepts[:, step], fields, self.goes_on[:, step]


def _rows(sizes: list[int], elements: Tensor) -> tuple[Tensor, Tensor]:
    """The element, by its place, and the step of each row. sizes: how many take each step."""
    count = len(elements)
    every = torch.arange(len(sizes) * count, device=elements.device).split(count)
    rows = torch.cat([step[:n] for step, n in zip(every, sizes, strict=True)])
    return rows % count, rows // count


def _predicted_state(
    network: Network, head: Tensor, scores: Mapping[str, Tensor]
) -> dict[str, Tensor]:
    """The state that the network brings about, each field [S, R], from its scores or the head."""
    declaration, state = network.algorithm.declaration, {}
    for name in declaration.state:
        if name in scores:
            state[name] = declaration.predicted[name].kind.predict(scores[name].detach())
        else:
            # as the loop takes it
            state[name] = torch.sigmoid(head[..., declaration.concepts.index(name)].detach()) > 0.5
    return state


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


def _one_after_another(steps: list[Taught]) -> Taught:
    """All steps as one: what differs between seeds is [S, R, ...], what is true [R, ...]."""

    def given(values: Iterable[Tensor | None]) -> Tensor:
        return torch.cat([value for value in values if value is not None], 1)

    def true(values: Iterable[Tensor]) -> Tensor:
        return torch.cat(list(values))

    first, goes_on = steps[0], [step.goes_on for step in steps if step.goes_on is not None]
    return Taught(
        head=given(step.head for step in steps),
        concepts=true(step.concepts for step in steps),
        scores={name: given(step.scores[name] for step in steps) for name in first.scores},
        outputs={name: true(step.outputs[name] for step in steps) for name in first.outputs},
        hints={
            name: (
                given(step.hints[name][0] for step in steps),
                true(step.hints[name][1] for step in steps),
            )
            for name in first.hints
        },
        weight=given(step.weight for step in steps),
        goes_on=(given(logits for logits, _ in goes_on), true(truth for _, truth in goes_on)),
        goes_on_weight=given(step.goes_on_weight for step in steps),
    )


def _by_element(over_time: Timeline) -> Tensor:
    """[N, T] all steps of each element."""
    return over_time.dense().T.contiguous()

"""True traces as they teach the recurrent network: a row for each node, a batch being an index."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import torch
from torch import Tensor

from algolens.engines import Run, Timeline
from algolens.graphs.elements import owners
from algolens.models.architecture import network_inputs
from algolens.models.layers import rows_of
from algolens.models.perceiver import Lessons, Taught
from algolens.models.recurrent.look_rows import Alike, LookRows, rows_in_order
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
    alike: Alike | None  # which nodes need be computed only once; None: each is computed
    can_record: bool

    @classmethod
    def of(
        cls,
        trace: Run,
        device: torch.device,
        *,
        self_loops: bool,
        can_record: bool = True,
        by_set: bool = False,
    ) -> Samples:
        """The trace as samples on a device. by_set: as of a processor."""
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
        inputs = {
            name: field.kind.encode(moved.inputs[name])
            for name, field in network_inputs(declaration).items()
        }
        states = {
            name: declaration.predicted[name].kind.encode(_by_element(moved.state(name)))
            for name in declaration.state
        }
        alike = None
        if by_set and self_loops and device.type == "cpu":
            seen = list(states.values())
            seen += [x[:, None].expand(-1, seen[0].shape[1], -1) for x in inputs.values()]
            alike = Alike.of(moved.graph, moved.lengths + 1, torch.cat(seen, -1))
        return cls(
            table=table,
            lengths=trace.lengths.tolist(),
            steps=moved.lengths,
            inputs=inputs,
            states=states,
            concepts=concepts.transpose(0, 1).float().contiguous(),
            resting=moved.resting.float(),
            outputs={name: _by_element(value) for name, value in moved.outputs.items()},
            hints={name: _by_element(value) for name, value in moved.hints.items()},
            goes_on=moved.goes_on.T.float().contiguous(),
            can_record=can_record and is_even,
            alike=alike,
        )

    def teach(
        self, network: Network, graphs: Tensor, lengths: list[int], *, always: bool = False
    ) -> Taught:
        """At every step the network sees the true state, and its own memory.

        At time t + 1 all graphs that took step t are looked at in their true state. Those that go
        on take the next step from it; and for all of them it is the look-ahead of step t, provided
        that the network's own output was right. Where it was wrong, the graph is looked at once
        more, in the state that the network brought about: all such graphs of all steps at once.

        A step is one of R, of a node: step after step, at each the nodes of those graphs that take
        it. So are the P pairs of a graph and a step. What a look computes is a row (``LookRows``).
        """
        perceiver = cast("Recurrent", network.perceiver)
        nodes, device = self.table.nodes_of(graphs), graphs.device
        counts = [
            len(lengths) if always else sum(length > step for length in lengths)
            for step in range(max(lengths))
        ]
        node_counts = self.table.node_counts[graphs]
        rows = self._rows(network, graphs, counts, nodes, always=always)
        node, step = rows_in_order(rows.step_sizes, len(nodes), device)
        graph, graph_step = rows_in_order(counts, len(graphs), device)

        # the true states: before the first step, and after every step
        most = self.concepts.shape[1]
        state = {
            name: values.flatten(0, 1).index_select(0, nodes[rows.place] * (most + 1) + rows.look)
            for name, values in self.states.items()
        }
        constant = perceiver.encoder.constant(
            {name: values.index_select(0, nodes) for name, values in self.inputs.items()}
        )
        is_shared = rows.before is not None
        constant = constant.rows(rows.place) if is_shared else constant.repeated(rows.sizes)
        looks = perceiver.recur(
            perceiver.encoder.given(constant, state),
            perceiver.no_memory(rows.sizes[0], device),
            rows.tables,
            rows.goes_on_from,
        )

        # what is true of every step
        row = nodes[node] * most + step
        concepts = self.concepts.flatten(0, 1).index_select(0, row)
        truth = {
            name: concepts[:, place] > 0
            for place, name in enumerate(network.algorithm.declaration.concepts)
        }
        for name, values in {**self.hints, **self.outputs}.items():
            truth[name] = values.view(-1).index_select(0, row)

        # what the network gives for it, computed for rows where these are shared, else for steps
        given = perceiver.head(looks)
        head, beside = perceiver.parted(given if is_shared else rows_of(given, rows.taken))
        head = network.with_given_concepts(head, concepts)
        scores = network.decide(head)
        predicted = _predicted_state(network, head, {**beside, **scores})
        brought_about = predicted  # by each step
        if is_shared:
            head, taken = rows_of(head, rows.taken), rows.taken
            scores, beside = (
                {name: rows_of(values, taken) for name, values in parts.items()}
                for parts in (scores, beside)
            )
            brought_about = {name: rows_of(values, taken) for name, values in predicted.items()}

        # the look-ahead, computed again where the state that the network brings about is wrong
        pairs, again = graph, torch.arange(len(row), device=device)
        if not always:
            wrong = [(values != truth[name]).any(0) for name, values in brought_about.items()]
            pairs, again = _chosen(
                torch.stack(wrong).any(0), graph, node_counts[graph], self.table.even
            )
        latent = looks.latent
        if len(again):
            if rows.before is None:
                place, last = rows.ahead[again], rows.taken[again]
                table, source = self.table.take(graphs[pairs]), again
            else:
                place = rows.ahead[again].unique()
                source = last = rows.before[place]
                table = rows.chosen_table(place)
            own = {
                name: perceiver.state[name].encode(values.index_select(1, source))
                for name, values in predicted.items()
            }
            look = perceiver.recur(
                perceiver.encoder.given(constant.rows(place), own), rows_of(latent, last), [table]
            )
            latent = latent.index_copy(1, place, look.latent)
        goes_on = None
        if network.termination is not None:
            ahead = rows_of(latent, rows.ahead) if is_shared else latent[:, len(nodes) :]
            goes_on = (
                network.termination(ahead, self.table.members_of(node_counts[graph])),
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

    def _rows(
        self, network: Network, graphs: Tensor, counts: list[int], nodes: Tensor, *, always: bool
    ) -> LookRows:
        """What a batch computes: every node, or of those that are alike one."""
        if self.alike is not None and not always and not network.architecture.given:
            until = self.table.node_counts[graphs].cumsum(0).tolist()
            return self.alike.rows(nodes, [len(nodes), *(until[count - 1] for count in counts)])
        tables = [self.table.take(graphs)]
        for count in counts:
            tables.append(tables[-1].first(count))
        return LookRows.of_every_node(tables)

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

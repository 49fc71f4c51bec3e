"""True traces of many graphs, as they teach a recurrent network: teacher forcing in batches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, cast

import torch
from torch import Tensor

from algolens.engines import Run
from algolens.graphs.elements import owners, ranges
from algolens.models.architecture import network_inputs
from algolens.models.layers import members_of, rows_of
from algolens.models.perceiver import Lessons, Taught

if TYPE_CHECKING:
    from algolens.models.network import Network
    from algolens.models.recurrent.recurrent import Recurrent


class Samples(Lessons):
    """True traces of many graphs, on a device. takes_maximum: as a ``Processor`` does."""

    def __init__(
        self, trace: Run, device: torch.device, *, self_loops: bool, takes_maximum: bool
    ) -> None:
        moved = trace.to(device)
        graph, self.trace = moved.graph, moved
        self.lengths = trace.lengths.tolist()
        arcs = graph.arcs if self_loops else graph.arcs[:, graph.arcs[0] != graph.arcs[1]]
        arc_counts = torch.bincount(graph.node_owner[arcs[1]], minlength=graph.num_graphs)
        self.nodes = Members(graph.node_counts)
        self.can_record = (
            device.type == "cuda"
            and takes_maximum
            and self.nodes.even is not None
            and bool(arc_counts.all())
        )
        if self.can_record:
            # every graph repeats its last edge until it has as many as the others
            place = torch.arange(int(arc_counts.max()), device=device)
            last = arc_counts.cumsum(0)[:, None] - 1
            arcs = arcs[:, (last + 1 - arc_counts[:, None] + place).minimum(last).flatten()]
            arc_counts = torch.full_like(arc_counts, len(place))
        self.arcs, self.edge_index = Members(arc_counts), arcs
        self.inputs = {
            name: moved.inputs[name] for name in network_inputs(trace.algorithm.declaration)
        }
        # each [T + 1, N]: before each step and after the last
        self.states = {name: moved.state(name).dense() for name in moved.start}
        # each [T, N]
        self.fields = {
            name: over_time.dense() for name, over_time in {**moved.outputs, **moved.hints}.items()
        }
        # [T, N, C] 0 or 1; after a graph's end, as it rests
        taken = moved.is_alive[:, graph.node_owner, None]
        self.concepts = torch.where(taken, moved.patterns(), moved.resting).float()
        # [T + 1, N] which nodes' latent states must agree; None: each is computed
        self.alike = None
        if takes_maximum and self_loops and device.type == "cpu":
            inputs = [x.expand(len(taken) + 1, -1) for x in self.inputs.values()]
            seen = torch.stack([*self.states.values(), *inputs], -1).long()
            self.alike = alike(arcs, seen, moved.lengths[graph.node_owner])

    def teach(
        self, network: Network, graphs: Tensor, lengths: list[int], *, always: bool = False
    ) -> Taught:
        """At every step the network sees the true state, and its own memory.

        At time t + 1 all graphs that took step t are looked at in their true state. Those that go
        on take the next step from it; and for all of them it is the look-ahead of step t, provided
        that the network's own output was right. Where it was wrong, the graph is looked at once
        more, in the state that the network brought about: all such graphs of all steps at once.

        A step is one of R, of a node: step after step, at each the nodes of those graphs that take
        it. So are the P pairs of a graph and a step.
        """
        perceiver = cast("Recurrent", network.perceiver)
        encoder = perceiver.encoder
        count, num_nodes, device = len(graphs), self.trace.graph.num_nodes, graphs.device
        looked_at = [
            count,
            *(
                count if always else sum(length > step for length in lengths)
                for step in range(max(lengths))
            ),
        ]
        steps = [torch.full((n,), step - 1, device=device) for step, n in enumerate(looked_at)]
        chosen = graphs[torch.cat([torch.arange(n, device=device) for n in looked_at])]
        nodes, rows, pair = self._rows(graphs, chosen, looked_at)
        # of each step of a node and of a graph: the pair, the node, the step
        pair, graph, graph_step = (
            pair[rows.sizes[0] :] - count,
            chosen[count:],
            torch.cat(steps[1:]),
        )
        node, step = nodes[rows.place[rows.sizes[0] :]], graph_step[pair]
        if self.alike is not None and not always and not network.architecture.given:
            classes = self.alike.flatten()[rows.look * num_nodes + nodes[rows.place]]
            rows = rows.merged(rows.look * num_nodes + classes)

        # the true states: before the first step, and after every step
        place = rows.look * num_nodes + nodes[rows.place]
        state = {name: values.flatten()[place] for name, values in self.states.items()}
        constant = encoder.constant({name: values[nodes] for name, values in self.inputs.items()})
        constant = None if constant is None else rows_of(constant, rows.place)
        looks = perceiver.recur(
            encoder.given(state, constant),
            rows.sizes,
            rows.edges_of_looks(),
            rows.before_of_looks(),
        )

        # what the network gives, for all rows
        head, beside = perceiver.parted(perceiver.head(looks))
        before_end = self.concepts.flatten(0, 1)
        head = network.with_given_concepts(head, before_end[place.clamp(max=len(before_end) - 1)])
        scores = network.decide(head)
        brought_about = _predicted_state(network, head, {**beside, **scores})
        # what is true of every step
        at = step * num_nodes + node
        truth = {name: values.flatten()[at] for name, values in self.fields.items()}
        concepts = before_end[at]
        for name, column in zip(
            network.algorithm.declaration.concepts, concepts.unbind(1), strict=True
        ):
            truth[name] = column > 0

        # the look-ahead, computed again where the state that the network brings about is wrong
        if always:
            again, edges = rows.ahead, rows.edges[:, rows.edge_sizes[0] :] - rows.sizes[0]
            needed, among = again, again - rows.sizes[0]
        else:
            wrong = [
                (values[:, rows.taken] != truth[name]).any(0)
                for name, values in brought_about.items()
            ]
            wrong_pairs = torch.zeros_like(graph, dtype=torch.bool)
            wrong_pairs[pair[torch.stack(wrong).any(0)]] = True
            is_again = torch.zeros_like(rows.place, dtype=torch.bool)
            is_again[rows.ahead[wrong_pairs[pair]]] = True
            again, edges = is_again.nonzero().flatten(), rows.edges[:, is_again[rows.edges[1]]]
            # a row of several nodes may receive from rows of other graphs, which agree with its own
            is_again[edges[0]] = True
            needed, number = is_again.nonzero().flatten(), is_again.cumsum(0) - 1
            edges, among = number[edges], number[again]
        latent = looks.latent
        if len(again):
            source = rows.before[needed - rows.sizes[0]]
            own = {name: values[:, source] for name, values in brought_about.items()}
            constant = None if constant is None else rows_of(constant, needed)
            last = rows_of(latent, source)
            z = encoder(encoder.given(own, constant), last)
            found = rows_of(perceiver.process(z, last, edges), among)
            latent = latent.index_copy(1, again, found)
        goes_on = None
        if network.termination is not None:
            members = members_of(self.trace.graph.node_counts[graph], self.nodes.even)
            goes_on = (
                network.termination(rows_of(latent, rows.ahead), members),
                self.trace.goes_on[graph_step, graph].float(),
            )

        # graphs that have ended count no more
        alive = (self.trace.lengths[graph] > graph_step).float() if always else None
        return Taught(
            head=rows_of(head, rows.taken),
            concepts=concepts,
            scores={name: rows_of(values, rows.taken) for name, values in scores.items()},
            outputs={name: truth[name] for name in self.trace.outputs},
            hints={
                name: (rows_of(values, rows.taken), truth[name]) for name, values in beside.items()
            },
            weight=None if alive is None else alive[pair],
            goes_on=goes_on,
            goes_on_weight=alive,
        )

    def _rows(
        self, graphs: Tensor, chosen: Tensor, looked_at: list[int]
    ) -> tuple[Tensor, Rows, Tensor]:
        """All nodes; a row for each at every look; and the pair of a graph and a look it is of.

        chosen: [P] the graph of each pair. looked_at: how many graphs each look has, of the first.
        """
        node, pair = self.nodes.of(chosen)
        arc, arc_pair = self.arcs.of(chosen)
        counts = self.trace.graph.node_counts[chosen]
        shift = counts.cumsum(0) - counts - self.nodes.first[chosen]
        sizes = self.nodes.sizes(graphs, looked_at)
        every = torch.arange(len(node), device=node.device)
        before = torch.cat(
            [rows[:size] for rows, size in zip(every.split(sizes), sizes[1:], strict=False)]
        )
        look = torch.cat([torch.full((n,), i, device=node.device) for i, n in enumerate(sizes)])
        edges = self.edge_index.index_select(1, arc) + shift[arc_pair]
        nodes = node[: sizes[0]]
        rows = Rows(
            place=torch.cat([every[:size] for size in sizes]),
            look=look,
            sizes=sizes,
            edges=edges,
            edge_sizes=self.arcs.sizes(graphs, looked_at),
            before=before,
            taken=before,
            ahead=every[sizes[0] :],
        )
        return nodes, rows, pair

    @torch.no_grad()
    def run_free(self, network: Network) -> Taught:
        """What a network gives where it sees only what it gave itself, beside what is true.

        A graph counts until the network stops it, for at most as many steps as the largest graph
        has nodes, as in the authors' code. Where the algorithm has ended before, the graph's final
        state is true.
        """
        assert network.termination is not None
        graph = self.trace.graph
        prepared = network.perceiver.prepare(graph, self.inputs)
        members = members_of(graph.node_counts, self.nodes.even)
        look = network.perceiver(prepared, {key: x[0] for key, x in self.states.items()}, None)
        alive = look.memory.new_ones(len(network.seeds), graph.num_graphs)
        last, steps = len(self.concepts) - 1, []
        for step in range(int(graph.node_counts.max())):
            concepts = self.concepts[step] if step <= last else self.trace.resting.float()
            truth = {name: values[min(step, last)] for name, values in self.fields.items()}
            head = network.with_given_concepts(look.head, concepts)
            scores, hints = network.decide(head), look.hints
            state = _predicted_state(network, head, {**hints, **scores})
            look = network.perceiver(prepared, state, look.memory)
            logits = network.termination(look.memory, members)
            asked = self.trace.goes_on[min(step, last)].float() * (step <= last)
            steps.append((head, concepts, scores, hints, truth, logits, asked, alive))
            alive = alive * (logits > 0)
            if not alive.any():
                break
        heads, concepts_of, scores_of, hints_of, truths, logits_of, asked_of, alives = zip(
            *steps, strict=True
        )
        alive, truth = torch.cat(alives, 1), _joined(truths, 0)
        owner = torch.cat(
            [graph.node_owner + graph.num_graphs * step for step in range(len(steps))]
        )
        return Taught(
            head=torch.cat(heads, 1),
            concepts=torch.cat(concepts_of),
            scores=_joined(scores_of, 1),
            outputs={name: truth[name] for name in self.trace.outputs},
            hints={name: (values, truth[name]) for name, values in _joined(hints_of, 1).items()},
            weight=alive[:, owner],
            goes_on=(torch.cat(logits_of, 1), torch.cat(asked_of)),
            goes_on_weight=alive,
        )


def _joined(steps: Sequence[Mapping[str, Tensor]], dim: int) -> dict[str, Tensor]:
    """All steps as one."""
    return {name: torch.cat([step[name] for step in steps], dim) for name in steps[0]}


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


class Members:
    """The nodes, or edges, of graphs of these sizes [G], one graph after the other."""

    def __init__(self, counts: Tensor) -> None:
        self.counts, self.first = counts, counts.cumsum(0) - counts
        sizes = counts.unique().tolist()
        # of every graph, where all have as many: a GPU is then not waited for
        self.even = sizes[0] if len(sizes) == 1 else None

    def of(self, graphs: Tensor) -> tuple[Tensor, Tensor]:
        """The members of some graphs, and for each the place of its graph among these."""
        if self.even is None:
            counts = self.counts[graphs]
            return ranges(self.first[graphs], counts), owners(counts)
        members = self.first[graphs][:, None] + torch.arange(self.even, device=graphs.device)
        places = torch.arange(len(graphs), device=graphs.device).repeat_interleave(self.even)
        return members.flatten(), places

    def sizes(self, graphs: Tensor, counts: Sequence[int]) -> list[int]:
        """How many members the first so many of some graphs have."""
        if self.even is not None:
            return [count * self.even for count in counts]
        until = [0, *self.counts[graphs].cumsum(0).tolist()]
        return [until[count] for count in counts]


@dataclass(frozen=True, eq=False)
class Rows:
    """What a batch computes: nodes at looks, look after look, L in all."""

    place: Tensor  # [L] the node of each row, by its place in the batch
    look: Tensor  # [L] its look
    sizes: list[int]  # how many rows each look has
    edges: Tensor  # [2, A] the rows of senders and receivers, look after look
    edge_sizes: list[int]  # how many edges each look has
    before: Tensor  # of each row but the first look's, the row of its node at the look before
    taken: Tensor  # [R] the row that each step of a node is taken from
    ahead: Tensor  # [R] the row of the look after it

    def edges_of_looks(self) -> list[Tensor]:
        """For each look its edges, by the places of rows in the look."""
        first = accumulate(self.sizes, initial=0)
        parts = self.edges.split(self.edge_sizes, 1)
        return [part - start for part, start in zip(parts, first, strict=False)]

    def before_of_looks(self) -> list[Tensor | slice]:
        """For each look but the first ``before``, by the places of rows in the look before."""
        if self.before is self.taken:  # a row for each node: those that go on come first
            return [slice(size) for size in self.sizes[1:]]
        first = accumulate(self.sizes, initial=0)
        parts = self.before.split(self.sizes[1:])
        return [part - start for part, start in zip(parts, first, strict=False)]

    def merged(self, keys: Tensor) -> Rows:
        """Of all rows with equal keys [L], which differ from look to look, one.

        The messages that it receives are those of the first, each once.
        """
        distinct, row = keys.unique(return_inverse=True)  # in the order of looks
        every = torch.arange(len(row))
        shown = torch.full_like(distinct, len(row)).scatter_reduce_(0, row, every, "amin")
        is_shown = torch.zeros_like(row, dtype=torch.bool)
        is_shown[shown] = True
        senders, receivers = row[self.edges[:, is_shown[self.edges[1]]]]
        different = (receivers * len(shown) + senders).unique()
        edges = torch.stack([different % len(shown), different // len(shown)])
        look = self.look[shown]
        sizes = torch.bincount(look, minlength=len(self.sizes)).tolist()
        return Rows(
            place=self.place[shown],
            look=look,
            sizes=sizes,
            edges=edges,
            edge_sizes=torch.bincount(look[edges[1]], minlength=len(self.sizes)).tolist(),
            before=row[self.before[shown[sizes[0] :] - self.sizes[0]]],
            taken=row[self.taken],
            ahead=row[self.ahead],
        )


def alike(arcs: Tensor, seen: Tensor, last: Tensor) -> Tensor | None:
    """[T + 1, N] a number for nodes that have the same latent state, whatever the weights are.

    Those whose inputs, states and last latent states agree, and whose senders have the same set of
    these: a maximum of messages does not tell how many send the same. One row of each is computed:
    478 of 3,760 in a batch of BFS, where five seeds take 67 ms in place of 321. None where more
    than half of all rows differ, and little would be gained.

    Parameters
    ----------
    arcs
        [2, A] senders and receivers.
    seen
        [T + 1, N, fields] the values that the encoder reads.
    last
        [N] the last look at each node.
    """
    num_nodes = seen.shape[1]
    # a set of numbers is told by the sum of random ones, but for a chance of 2**-62
    generator = torch.Generator().manual_seed(0)
    marks = torch.randint(2**62, (num_nodes,), generator=generator)
    latent, classes, spare = torch.zeros_like(last), [], int((last + 1).sum()) // 2
    for look, values in enumerate(seen):
        encoded = _numbered(torch.cat([values, latent[:, None]], 1))
        sent = (arcs[1] * num_nodes + encoded[arcs[0]]).unique()
        received = torch.zeros_like(latent).index_add_(
            0, sent // num_nodes, marks[sent % num_nodes]
        )
        latent = _numbered(torch.stack([encoded, received], 1))
        classes.append(latent)
        spare -= len(latent[last >= look].unique())
        if spare < 0:
            return None
    return torch.stack(classes)


def _numbered(rows: Tensor) -> Tensor:
    """[N] a number for each different row of [N, K]."""
    return rows.unique(dim=0, return_inverse=True)[1]

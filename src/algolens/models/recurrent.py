"""Encoder, processor and concept head, with a memory at every node (eqs. 1 to 3 of the paper); and
true traces of many graphs, as they teach it: teacher forcing in batches.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, Any, cast

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from algolens.algorithms import OWN, Algorithm, Declaration, Values
from algolens.engines import Run
from algolens.errors import AlgoLensError, UnknownNameError
from algolens.graphs import Graph
from algolens.language.fields import Field
from algolens.language.finite import Statement
from algolens.language.ir import IT, NUMBER, Get, parts_of, speaks_of
from algolens.models.architecture import (
    LITERAL,
    PAPERS,
    Architecture,
    Slot,
    mismatch,
    network_inputs,
)
from algolens.models.layers import (
    GRU,
    SLOPE,
    Bias,
    Linear,
    in_one_matrix,
    leaky,
    rows_of,
)
from algolens.models.own_classes import GAVE, add_class, own_file, refuse_nan
from algolens.models.packing import Packing, repeated
from algolens.models.perceiver import Lessons, Perceived, Perceiver, Taught

if TYPE_CHECKING:
    from algolens.models.network import Network


class Encoder(nn.Module):
    """Eq. 1: z = f(x, h). Fields are embedded, then joined with the last latent state.

    A single field goes straight into one affine map with the state, and in the authors' code
    LeakyReLU follows; several are embedded first (a class in one layer, a number's bits in two),
    and joined in two layers, as in the authors' code.
    """

    def __init__(
        self, seeds: int, kinds: Mapping[str, Field], width: int, *, ends_leaky: bool
    ) -> None:
        super().__init__()
        self.ends_leaky = ends_leaky  # after one layer; after two it always does
        self.kinds = {name: kind for name, kind in kinds.items() if kind.width}
        several = len(self.kinds) > 1
        widths = {name: width if several else kind.width for name, kind in self.kinds.items()}
        fan_in = sum(widths.values()) + width
        self.embed = nn.ModuleDict()
        for name, kind in self.kinds.items() if several else ():
            layers = [kind.width, *[width] * (kind.kind == "number")]
            self.embed[name] = nn.Sequential(*(Linear(seeds, inputs, width) for inputs in layers))
        # the joint map in parts, so that what does not change between steps is computed once
        self.join = nn.ModuleDict()
        for name, inputs in widths.items():
            self.join[name] = Linear(seeds, inputs, width, bias=False, fan_in=fan_in)
        self.join_memory = Linear(seeds, width, width, fan_in=fan_in)
        self.deepen = Linear(seeds, width, width) if several else None

    def given(self, values: Values, constant: Tensor | None = None) -> Any:
        """[S, R, width] the joint map but for the memory; None where none of the fields is seen.

        values: of fields, each [R] or [S, R]. constant: what was computed of other fields.
        """
        for name, kind in self.kinds.items():
            if name in values:
                x = kind.encode(values[name])
                x = x if x.dim() == 3 else x.expand(len(self.join_memory.weight), *x.shape)
                for layer in cast(nn.Sequential, self.embed[name]) if self.deepen else ():
                    x = leaky(layer(x))
                x = self.join[name](x)
                constant = x if constant is None else constant + x
        return constant

    def forward(self, given: Tensor, memory: Tensor) -> Tensor:
        """[S, N, width], from what was given and the memory, both [S, N, width]."""
        z = given + self.join_memory(memory)
        if self.deepen is None:
            return leaky(z) if self.ends_leaky else z
        return leaky(self.deepen(leaky(z)))


class MessagePassing(nn.Module):
    """h_i = GRU(leaky(U [z_i, max_j M(z_i, z_j)]), h_i), where M is two layers with LeakyReLU."""

    def __init__(self, count: int, width: int) -> None:
        super().__init__()
        # what the encoded input gives to its own message, to its neighbours' messages, and to its
        # update, in one product
        self.first = Linear(count, width, 3 * width, bias=False, fan_in=2 * width)
        self.first_bias = Bias(count, width, fan_in=2 * width)
        self.message = Linear(count, width, width, bias=False)
        self.message_bias = Bias(count, width, fan_in=width)
        self.update = Linear(count, width, width, fan_in=2 * width)
        self.gate = GRU(count, width)
        self.by_values = True  # whether a GPU gathers values

    def facts(self) -> dict[str, Any]:
        """What it is, under the names of the protocol's facts."""
        return {"processor": "message passing with maximum", "processor_layers": 2}

    def connect(self, edge_index: Tensor, seeds: int, n: int) -> Tensor:
        """[2, S * A] senders and receivers among the rows of all seeds, for ``forward``.

        On a GPU [2, S * A, width], where PyTorch gathers values faster than rows: an epoch of
        coloring takes 0.13 s in place of 0.15 on an H200 (``python -m benchmarks.training --gpu``,
        and with ``--without values``).
        """
        rows = torch.stack([in_one_matrix(index, seeds, n) for index in edge_index])
        width = self.message.weight.shape[1]
        by_values = self.by_values and rows.is_cuda
        return rows[:, :, None].repeat(1, 1, width) if by_values else rows

    def forward(self, z: Tensor, memory: Tensor, edges: Tensor) -> Tensor:
        receiver, sender, own = self.first(z).chunk(3, -1)
        shared = self.message.shared
        weight, uses = (
            (self.message.weight, None) if shared is None else (shared.weight, shared.uses)
        )
        best = MaxMessage.apply(self.first_bias(receiver), sender, weight, edges, uses)
        # the second layer's bias and LeakyReLU are monotonic, and may follow the maximum
        message = leaky(self.message_bias(best))
        return self.gate(leaky(own + self.update(message)), memory)


class MaxMessage(torch.autograd.Function):
    """[S, N, F] max over all j that send to i of leaky(receiver_i + sender_j) @ weight, or 0.

    Messages are computed in place: autograd's own would keep each of them four times.

    The rows of all seeds are one matrix, along which PyTorch gathers and scatters fastest.
    """

    @staticmethod
    def forward(
        ctx: Any,
        receiver: Tensor,
        sender: Tensor,
        weight: Tensor,
        edges: Tensor,
        uses: list[Any] | None,  # of the weight, where its gradient is summed up last
    ) -> Tensor:
        seeds, n, width = receiver.shape
        ctx.uses = uses
        senders, receivers = edges
        first = _rows(sender.reshape(-1, width), senders)
        first += _rows(receiver.reshape(-1, width), receivers)
        first = F.leaky_relu_(first, SLOPE).view(seeds, -1, width)
        second = torch.bmm(first, weight).flatten(0, 1)
        best = second.new_full((seeds * n, second.shape[1]), -torch.inf)
        at = receivers if edges.dim() == 3 else receivers[:, None].expand_as(second)
        best.scatter_reduce_(0, at, second, "amax")
        ctx.save_for_backward(first, second, best, weight, senders, receivers)
        return best.masked_fill(best == -torch.inf, 0).view(seeds, n, -1)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        first, second, best, weight, senders, receivers = ctx.saved_tensors
        # 1 where a message is the best, else 0: as numbers, for PyTorch is slow with booleans
        share = torch.eq(second, _rows(best, receivers), out=torch.empty_like(second))
        # equal messages share the gradient; a node that nobody sends to has none
        equals = _sums(share, receivers, len(best)).clamp_(min=1)
        share.mul_(_rows(grad.flatten(0, 1) / equals, receivers))
        share = share.view(len(first), -1, share.shape[1])
        # LeakyReLU's gradient goes by the sign of its result as well as by that of its argument
        grad_first = torch.ops.aten.leaky_relu_backward(
            torch.bmm(share, weight.mT), first, SLOPE, True
        ).flatten(0, 1)
        shape = (*grad.shape[:2], first.shape[2])
        grad_receiver, grad_sender = (
            _sums(grad_first, index, len(best)).view(shape) for index in (receivers, senders)
        )
        grad_weight = None
        if ctx.uses is None:
            grad_weight = torch.bmm(first.mT, share)
        else:
            ctx.uses.append((first, share))
        return grad_receiver, grad_sender, grad_weight, None, None


def _rows(x: Tensor, index: Tensor) -> Tensor:
    """[A, F] rows of x [N, F]. index: [A], or [A, F] with each as often as there are values."""
    return x.index_select(0, index) if index.dim() == 1 else x.gather(0, index)


def _sums(x: Tensor, index: Tensor, n: int) -> Tensor:
    """[N, F] the sums of the rows of x [A, F] that go to each place. index: as above."""
    sums = x.new_zeros(n, x.shape[1])
    return sums.index_add_(0, index, x) if index.dim() == 1 else sums.scatter_add_(0, index, x)


class Convolution(nn.Module):
    """h_i = GRU(leaky(convolution(z)_i), h_i), with a convolution of its own for each seed."""

    def __init__(
        self, seeds: tuple[int, ...], width: int, convolution: type[nn.Module], *, self_loops: bool
    ) -> None:
        super().__init__()
        self.convolutions = nn.ModuleList()
        for seed in seeds:
            with torch.random.fork_rng(devices=[]):
                torch.manual_seed(seed)
                self.convolutions.append(_made(convolution, width, self_loops=self_loops))
        self.gate = GRU(len(seeds), width)

    def facts(self) -> dict[str, Any]:
        """What it is, under the names of the protocol's facts."""
        convolution = type(self.convolutions[0])
        is_pyg = convolution.__module__.startswith("torch_geometric.")
        whose = "of PyTorch Geometric" if is_pyg else "of the user's own"
        return {"processor": f"{convolution.__name__} {whose}"}

    def connect(self, edge_index: Tensor, _seeds: int, _n: int) -> Tensor:
        """The edges as a convolution takes them."""
        return edge_index

    def forward(self, z: Tensor, memory: Tensor, edge_index: Tensor) -> Tensor:
        modules = zip(self.convolutions, z, strict=True)
        latent = torch.stack([leaky(convolve(x, edge_index)) for convolve, x in modules])
        return self.gate(latent, memory)


# classes in files of users, by their names
PROCESSORS: dict[str, type[nn.Module]] = {}


def _of_pyg(name: str) -> type[nn.Module]:
    """The convolution of PyTorch Geometric of a name."""
    try:
        from torch_geometric import nn as pyg
    except ImportError as missing:
        raise AlgoLensError(
            f"'{name}' would be a convolution of PyTorch Geometric, which is not installed: pip "
            "install 'algolens[pyg]', or name a class in a file of yours, as my_file.py:Mine."
        ) from missing
    known = [convolution for convolution in dir(pyg) if convolution.endswith("Conv")]
    if name not in known:
        hint = " A class in a file of yours is named as in my_file.py:Mine."
        raise UnknownNameError("convolution of PyTorch Geometric", name, known, hint)
    return cast(type[nn.Module], getattr(pyg, name))


def _made(convolution: type[nn.Module], width: int, *, self_loops: bool) -> nn.Module:
    """A convolution with what it asks for, tried on two nodes."""
    offered: dict[str, Any] = {
        "width": width,  # a user's own
        "in_channels": width,
        "out_channels": width,
        # GINConv and its like
        "nn": nn.Sequential(nn.Linear(width, width), nn.LeakyReLU(), nn.Linear(width, width)),
        "aggregators": ["mean", "max", "std"],  # PNAConv
        "scalers": ["identity", "amplification", "attenuation"],
        "deg": torch.tensor([0, 1, 2, 4, 4, 8, 2, 1]),
    }
    accepted = inspect.signature(convolution).parameters
    options = {
        key: value
        for place, (key, value) in enumerate(offered.items())
        if key in accepted and (place < 3 or accepted[key].default is inspect.Parameter.empty)
    }
    if not self_loops and "add_self_loops" in accepted:
        options["add_self_loops"] = False  # some add them where the edges have none
    try:
        made: nn.Module = convolution(**options)
        with torch.no_grad():
            fits = made(torch.zeros(2, width), torch.tensor([[0, 1], [1, 0]])).shape == (2, width)
        reason = "it gives another width"
    except Exception as problem:  # whatever a convolution raises, the user should choose another
        fits, reason = False, (str(problem).splitlines() or [type(problem).__name__])[0]
    if not fits:
        raise AlgoLensError(
            f"{convolution.__name__} cannot be used with nodes, edges and a width alone "
            f"({reason}): choose another, as GATv2Conv or GINConv."
        )
    return made


def add_processor(name: str, *, sha256: str | None = None) -> str | None:
    """Runs the file of a processor of the user's own, so that networks find it by its name.

    Parameters
    ----------
    name : str
        As in ``my_file.py:Mine``, from the current folder; any other processor's needs no file.
    sha256 : str, optional
        The SHA-256 that the file's text should have; a file with another is not run.

    Returns
    -------
    str or None
        The SHA-256 of the file's text; None where there is no file.

    Raises
    ------
    AlgoLensError
        There is no such file or class, its text is another, or the class is no processor.
    """
    if not isinstance(name, str):
        raise AlgoLensError(
            f"processor={name!r} should be a name: put the class into a file, and give "
            "'my_file.py:Mine'."
        )
    if OWN.fullmatch(name) is None:
        return None
    return add_class("processor", name, PROCESSORS, sha256, _try_out)


@torch.no_grad()
def _try_out(name: str) -> None:
    """Run a user's class on a path of three nodes; ``_made`` refuses what gives another shape."""
    made = _made(PROCESSORS[name], 5, self_loops=True)
    x = torch.randn(3, 5, generator=torch.Generator().manual_seed(0))
    refuse_nan(made(x, torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])), GAVE)


class Recurrent(Perceiver):
    """Encoder, processor and concept head, for algorithms on nodes.

    Hints come from the hidden layer of the concept head, beside the concepts. Where there is no
    bottleneck, so do the concepts that are state: they are fed back, though nothing is decided from
    them.
    """

    location = "node"
    runs_seeds = True

    def __init__(
        self, declaration: Declaration, architecture: Architecture, seeds: tuple[int, ...]
    ) -> None:
        super().__init__(declaration, architecture, seeds)
        count, width, name = self.count, self.width, architecture.processor
        self.self_loops, predicted = architecture.self_loops, declaration.predicted
        state = {field: predicted[field] for field in declaration.state}
        fed_back = [field for field in state if field in declaration.concepts]
        if architecture.bottleneck:
            fed_back, scores = [], len(declaration.concepts)
        else:
            scores = sum(kind.num_scores for kind in declaration.outputs.values())
        self.beside = {field: predicted[field] for field in (*fed_back, *declaration.hints)}
        inputs = network_inputs(declaration)
        self.encoder = Encoder(count, {**inputs, **state}, width, ends_leaky=name == LITERAL)
        # a maximum: how many neighbours send the same makes no difference
        self.takes_maximum = name in (PAPERS, LITERAL)
        self.processor = (
            MessagePassing(count, width)
            if self.takes_maximum
            else Convolution(
                seeds, width, PROCESSORS.get(name) or _of_pyg(name), self_loops=self.self_loops
            )
        )
        # the name of the user's own processor, which is not trusted; of any other, none
        self.of_user = name if own_file(architecture) else ""
        self.head_encoded = Linear(count, width, width, fan_in=2 * width)
        self.head_latent = Linear(count, width, width, bias=False, fan_in=2 * width)
        self.head_last = Linear(count, width, scores)
        scores_beside = sum(kind.num_scores for kind in self.beside.values())
        self.head_beside = Linear(count, width, scores_beside) if scores_beside else None

    @classmethod
    def objection(cls, algorithm: Algorithm, architecture: Architecture) -> str | None:
        declaration = algorithm.declaration
        classes = Slot("node", ("mask", "category"))
        read = Slot("node", (*classes.kinds, "number"))
        objection = mismatch(
            algorithm,
            "node",
            inputs=[read],
            state=[classes],
            outputs=[classes],
            hints=[classes],
        )
        if objection is None and not declaration.in_python:
            counts = architecture.processor not in (PAPERS, LITERAL)
            objection = _out_of_reach(declaration.statements, counts=counts)
        return objection

    def facts(self) -> dict[str, Any]:
        is_plain = self.encoder.deepen is None and not self.encoder.ends_leaky
        return {
            "network": (
                "encoder, processor, concept decoder; latent states handed on from step to step"
            ),
            "width": self.width,
            "encoder_end": "nothing" if is_plain else "LeakyReLU",
            "self_loops": self.self_loops,
            **self.processor.facts(),
        }

    def edges(self, graph: Graph) -> Tensor:
        """[2, A] senders and receivers, by receiver."""
        arcs: Tensor = graph.arcs
        return arcs if self.self_loops else arcs[:, arcs[0] != arcs[1]]

    def prepare(self, graph: Graph, inputs: Values) -> tuple[Tensor | None, Tensor]:
        """The encoded inputs, and the edges as the processor takes them."""
        return self.encoder.given(inputs), self.connect(self.edges(graph), graph.num_nodes)

    def connect(self, edge_index: Tensor, n: int) -> Tensor:
        """Edges between n nodes as the processor takes them."""
        return self.processor.connect(edge_index, self.count, n)

    def forward(
        self, prepared: tuple[Tensor | None, Tensor], state: Values, memory: Tensor | None
    ) -> Perceived:
        constant, edges = prepared
        given = self.encoder.given(state, constant)
        memory = torch.zeros_like(given) if memory is None else memory
        z, latent = self.step(given, memory, edges)
        head, hints = self.head(z, latent)
        return Perceived(head, hints, memory=latent)

    def lessons(self, trace: Run, device: torch.device) -> Samples:
        return Samples(trace, device, self)

    def step(self, given: Tensor, memory: Tensor, edges: Tensor) -> tuple[Tensor, Tensor]:
        """Eqs. 1 and 2 (or 5 and 6): encoded and new latent states, both [S, N, width].

        given: what the encoder computed of all but the memory. edges: as ``connect`` gives them.
        """
        z = self.encoder(given, memory)
        latent = self.processor(z, memory, edges)
        if self.of_user:
            refuse_nan(latent, f"{self.of_user}: {GAVE}")
        return z, latent

    def head(self, z: Tensor, latent: Tensor) -> tuple[Tensor, dict[str, Tensor]]:
        """Eq. 3 before the sigmoid, [S, N, C]; and the scores of the fields beside it."""
        hidden = leaky(self.head_encoded(z) + self.head_latent(latent))
        if self.head_beside is None:
            return self.head_last(hidden), {}
        sizes = [kind.num_scores for kind in self.beside.values()]
        parts = zip(self.beside.items(), self.head_beside(hidden).split(sizes, -1), strict=True)
        return self.head_last(hidden), {name: kind.shaped(part) for (name, kind), part in parts}


def _out_of_reach(statements: Mapping[str, Statement], *, counts: bool) -> str | None:
    """The first statement that one round of messages along edges cannot tell, as an objection."""
    rounds: dict[str, int] = {}
    for name, statement in statements.items():
        view = statement.view
        # along edges are those at the other end of links
        if view is not None and view.it == IT:
            return f"sends messages along edges, and '{name}' looks at every {view.words}"
        if statement.most > 1 and not counts:
            return (
                f"takes the largest message and counts none, and '{name}' counts up to "
                f"{statement.most}: a processor that sums, as --processor GINConv, may learn it"
            )
        columns = [
            column
            for feature in (*statement.own, *statement.others)
            for side in feature.sides
            for term in side
            for column in parts_of(term, Get)
        ]
        if any(each.column == NUMBER for each in columns):
            return (
                f"is not shown the numbers of nodes, which '{name}' compares: declare an input "
                "Number to compare instead"
            )
        rounds[name] = int(view is not None)
        for each in columns:
            if each.column in rounds:
                further = rounds[each.column] + (IT in speaks_of(each))
                rounds[name] = max(rounds[name], further)
        if rounds[name] > 1:
            return (
                f"sends messages once in a step, and '{name}' looks at what neighbours see among "
                "theirs"
            )
    return None


def merged(classes: Tensor, edges: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """One row for all members of equal classes [L]: the row of each, of each row the first that it
    stands for, and the edges [2, A] between rows: it receives what that one does, each once.
    """
    distinct, row = classes.unique(return_inverse=True)
    shown = torch.full_like(distinct, len(row))
    shown.scatter_reduce_(0, row, torch.arange(len(row)), "amin")
    is_shown = torch.zeros_like(row, dtype=torch.bool)
    is_shown[shown] = True
    senders, receivers = row[edges[:, is_shown[edges[1]]]]
    different = (receivers * len(shown) + senders).unique()
    return row, shown, torch.stack([different % len(shown), different // len(shown)])


class Samples(Lessons):
    """True traces of many graphs, on a device."""

    can_count_on = True

    def __init__(self, trace: Run, device: torch.device, perceiver: Recurrent) -> None:
        super().__init__(trace, device)
        moved, graph = self.trace, self.trace.graph
        arcs = perceiver.edges(graph)
        arc_counts = torch.bincount(graph.node_owner[arcs[1]], minlength=graph.num_graphs)
        self.nodes = Packing.of(graph.node_counts)
        self.can_record = (
            device.type == "cuda"
            and perceiver.takes_maximum
            and self.nodes.absent is None
            and bool(arc_counts.all())
        )
        if self.can_record:
            # every graph repeats its last edge until it has as many as the others
            place = torch.arange(int(arc_counts.max()), device=device)
            last = arc_counts.cumsum(0)[:, None] - 1
            arcs = arcs[:, (last + 1 - arc_counts[:, None] + place).minimum(last).flatten()]
            arc_counts = torch.full_like(arc_counts, len(place))
        self.arcs, self.edge_index = Packing.of(arc_counts), arcs
        # [T, N, C] 0 or 1; after a graph's end, as it rests
        taken = moved.is_alive[:, graph.node_owner, None]
        self.concepts = torch.where(taken, moved.patterns(), moved.resting).float()
        # [T + 1, N] which nodes' latent states must agree; None: each is computed
        self.alike = None
        if perceiver.takes_maximum and perceiver.self_loops and device.type == "cpu":
            inputs = [x.expand(len(taken) + 1, -1) for x in self.inputs.values()]
            values = torch.stack([*self.states.values(), *inputs], -1).long()
            self.alike = alike(arcs, values, moved.lengths[graph.node_owner])

    def teach(
        self, network: Network, graphs: Tensor, lengths: list[int], *, always: bool = False
    ) -> Taught:
        """At every step the network sees the true state, and its own memory.

        At time t + 1 all graphs that took step t are looked at in their true state. Those that go
        on take the next step from it; and for all of them it is the look-ahead of step t, provided
        that the network's own output was right. Where it was wrong, the graph is looked at once
        more, in the state that the network brought about: all such graphs of all steps at once.

        L rows are computed, look after look. A step is one of R, of a node: step after step, at
        each the nodes of those graphs that take it. So are the P pairs of a graph and a step.
        """
        perceiver, device = cast(Recurrent, network.perceiver), graphs.device
        encoder = perceiver.encoder
        num_nodes, num_graphs = self.trace.graph.num_nodes, self.trace.graph.num_graphs
        alive = [
            len(graphs) if always else sum(length > step for length in lengths)
            for step in range(max(lengths))
        ]
        nodes, packed = self.nodes.take(graphs)
        arcs, packed_arcs = self.arcs.take(graphs)
        shift = packed.first - self.nodes.first[graphs]
        arcs = self.edge_index[:, arcs] + shift[packed_arcs.owner]
        sizes, edge_sizes = (each.sizes([len(graphs), *alive]) for each in (packed, packed_arcs))
        # look after look, the nodes that it shows, by their places in the batch
        look = repeated(range(len(sizes)), sizes, device)
        node = torch.cat([torch.arange(size, device=device) for size in sizes])
        every = torch.arange(len(node), device=device)
        starts = zip(edge_sizes, accumulate([0, *sizes[:-1]]), strict=True)
        edges = torch.cat([arcs[:, :size] + start for size, start in starts], 1)
        alike = None if always or network.architecture.given else self.alike
        row = shown = every
        if alike is not None:
            row, shown, edges = merged(look * num_nodes + alike[look, nodes[node]], edges)
            edge_sizes = torch.bincount(look[shown[edges[1]]]).tolist()
        counts = sizes if alike is None else torch.bincount(look[shown]).tolist()
        first = [0, *accumulate(counts)]  # of each look's rows

        # [R] the row that a step is taken at and that of its look-ahead, its place among all nodes
        # at all steps, and its pair
        later = every[sizes[0] :]
        taken, ahead = row[later - repeated(sizes, sizes[1:], device)], row[later]
        at = (look[later] - 1) * num_nodes + nodes[node[later]]
        pair = repeated([0, *accumulate(alive)], sizes[1:], device) + packed.owner[node[later]]
        # [P] the graph, and its place among all graphs at all steps
        graph = torch.cat([graphs[:count] for count in alive])
        graph_at = repeated(range(len(alive)), alive, device) * num_graphs + graph
        # [L - first look] the row of the look before that each row goes on from
        before = taken[shown[first[1] :] - sizes[0]]

        # the true states: before the first step, and after every step
        seen = look[shown] * num_nodes + nodes[node[shown]]
        state = {name: values.flatten()[seen] for name, values in self.states.items()}
        constant = encoder.given({name: values[nodes] for name, values in self.inputs.items()})
        constant = None if constant is None else rows_of(constant, node[shown])
        given = encoder.given(state, constant).split(counts, 1)
        memory = torch.zeros_like(given[0])
        steps = []
        for step, (part, between) in enumerate(zip(given, edges.split(edge_sizes, 1), strict=True)):
            if not step or not always:  # else all looks have the same
                connected = perceiver.connect(between - first[step], counts[step])
            if step and alike is not None:
                rows = before[first[step] - first[1] : first[step + 1] - first[1]]
                memory = rows_of(memory, rows - first[step - 1])
            z, memory = perceiver.step(part, memory[:, : counts[step]], connected)
            steps.append((z, memory))
        z, latent = (torch.cat(parts, 1) for parts in zip(*steps, strict=True))

        # what the network gives, for all rows
        head, beside = perceiver.head(z, latent)
        true_concepts = self.concepts.flatten(0, 1)
        head = network.with_given_concepts(
            head, true_concepts[seen.clamp(max=len(true_concepts) - 1)]
        )
        scores = network.decide(head)
        brought_about = _predicted_state(network, head, {**beside, **scores})
        # what is true of every step
        truth = {name: values.flatten()[at] for name, values in self.fields.items()}
        concepts = true_concepts[at]
        names = network.algorithm.declaration.concepts
        truth |= {name: concepts[:, column] > 0 for column, name in enumerate(names)}

        # the look-ahead, computed again where the state that the network brings about is wrong
        if always:
            again = needed = torch.arange(first[1], first[-1], device=device)
            edges = edges[:, edge_sizes[0] :]
            number = torch.arange(-first[1], len(needed), device=device)
        else:
            wrong = [
                (values[:, taken] != truth[name]).any(0) for name, values in brought_about.items()
            ]
            wrong_pairs = torch.zeros_like(graph, dtype=torch.bool)
            wrong_pairs[pair[torch.stack(wrong).any(0)]] = True
            is_again = torch.zeros_like(seen, dtype=torch.bool)
            is_again[ahead[wrong_pairs[pair]]] = True
            again, edges = is_again.nonzero().flatten(), edges[:, is_again[edges[1]]]
            # a row of several nodes may receive from rows of other graphs, which agree with its own
            is_again[edges[0]] = True
            needed, number = is_again.nonzero().flatten(), is_again.cumsum(0) - 1
        if len(again):
            source = before[needed - first[1]]
            own = {name: values[:, source] for name, values in brought_about.items()}
            constant = None if constant is None else rows_of(constant, needed)
            given = encoder.given(own, constant)
            connected = perceiver.connect(number[edges], len(source))
            _, found = perceiver.step(given, rows_of(latent, source), connected)
            latent = latent.index_copy(1, again, rows_of(found, number[again]))
        goes_on = None
        if network.termination is not None:
            logits = network.termination(rows_of(latent, ahead), self.nodes.take(graph)[1])
            goes_on = (logits, self.trace.goes_on.flatten()[graph_at].float())

        # graphs that have ended count no more
        lasts = (self.trace.lengths[graph] > graph_at // num_graphs).float() if always else None
        return Taught(
            head=rows_of(head, taken),
            concepts=concepts,
            scores={name: rows_of(values, taken) for name, values in scores.items()},
            outputs={name: truth[name] for name in self.trace.outputs},
            hints={name: (rows_of(values, taken), truth[name]) for name, values in beside.items()},
            goes_on=goes_on,
            weight={} if lasts is None else {"node": lasts[pair], "graph": lasts},
        )

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
        look = network.perceiver(prepared, {key: x[0] for key, x in self.states.items()}, None)
        alive = look.memory.new_ones(len(network.seeds), graph.num_graphs)
        last, steps = len(self.concepts) - 1, []
        for step in range(int(graph.node_counts.max())):
            concepts = self.concepts[step] if step <= last else self.trace.resting.float()
            head = network.with_given_concepts(look.head, concepts)
            scores, hints = network.decide(head), look.hints
            state = _predicted_state(network, head, {**hints, **scores})
            look = network.perceiver(prepared, state, look.memory)
            logits = network.termination(look.memory, self.nodes)
            asked = self.trace.goes_on[min(step, last)].float() * (step <= last)
            truth = {name: values[min(step, last)] for name, values in self.fields.items()}
            steps.append((head, concepts, scores, hints, truth, logits, asked, alive))
            alive = alive * (logits > 0)
            if not alive.any():
                break
        heads, concepts_of, scores_of, hints_of, truths, logits_of, asked_of, alives = zip(
            *steps, strict=True
        )
        truth = _joined(truths, 0)
        return Taught(
            head=torch.cat(heads, 1),
            concepts=torch.cat(concepts_of),
            scores=_joined(scores_of, 1),
            outputs={name: truth[name] for name in self.trace.outputs},
            hints={name: (values, truth[name]) for name, values in _joined(hints_of, 1).items()},
            goes_on=(torch.cat(logits_of, 1), torch.cat(asked_of)),
            weight={
                "node": torch.cat([alive[:, graph.node_owner] for alive in alives], 1),
                "graph": torch.cat(alives, 1),
            },
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
            state[name] = declaration.predicted[name].predict(scores[name].detach())
        else:
            # as the loop takes it
            state[name] = torch.sigmoid(head[..., declaration.concepts.index(name)].detach()) > 0.5
    return state


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

"""The yardstick for training: the paper's network in plain PyTorch Geometric, all graphs of a batch
in step.

Written as one would for clarity: ``MessagePassing``, ``Data`` and ``DataLoader`` as they come, one
seed at a time. The same model, losses and weights as ``algolens.training``, so that only how it is
computed differs.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch_geometric.data import Data
from torch_geometric.loader import DataLoader
from torch_geometric.nn import MessagePassing, global_add_pool, global_max_pool
from torch_geometric.utils import softmax

from algolens.engines import Run
from algolens.training import Schedule
from algolens.training.objective import Objective

WIDTH = 32


class Processor(MessagePassing):  # type: ignore[misc]
    """h_i = GRU(leaky(U [z_i, max_j M(z_i, z_j)]), h_i)."""

    def __init__(self) -> None:
        super().__init__(aggr="max")
        self.message_layers = _layers(2 * WIDTH, WIDTH, WIDTH)
        self.update_layer = _layers(2 * WIDTH, WIDTH)
        self.gate = nn.GRUCell(WIDTH, WIDTH)

    def forward(self, z: Tensor, hidden: Tensor, edge_index: Tensor) -> Tensor:
        return self.gate(self.propagate(edge_index, x=z), hidden)

    def message(self, x_i: Tensor, x_j: Tensor) -> Tensor:
        return self.message_layers(torch.cat([x_i, x_j], -1))

    def update(self, aggregated: Tensor, x: Tensor) -> Tensor:
        return self.update_layer(torch.cat([x, aggregated], -1))


class BfsEncoder(nn.Module):
    """One affine map of [visited, last latent state]."""

    def __init__(self) -> None:
        super().__init__()
        self.join = nn.Linear(2 + WIDTH, WIDTH)

    def forward(self, visited: Tensor, bits: Tensor, hidden: Tensor) -> Tensor:
        return self.join(torch.cat([F.one_hot(visited, 2).float(), hidden], -1))


class ColoringEncoder(nn.Module):
    """Color and priority bits are embedded, then joined with the last latent state in two
    layers.
    """

    def __init__(self, num_colors: int, num_bits: int) -> None:
        super().__init__()
        self.num_colors = num_colors
        self.color = _layers(num_colors, WIDTH)
        self.priority = _layers(num_bits, WIDTH, WIDTH)
        self.join = _layers(3 * WIDTH, WIDTH, WIDTH)

    def forward(self, color: Tensor, bits: Tensor, hidden: Tensor) -> Tensor:
        embedded = self.color(F.one_hot(color, self.num_colors).float())
        return self.join(torch.cat([embedded, self.priority(bits), hidden], -1))


class Termination(nn.Module):
    """PrediNet with one head: two nodes of each graph are looked for, and compared."""

    def __init__(self) -> None:
        super().__init__()
        self.queries = nn.ModuleList([nn.Linear(WIDTH, WIDTH, bias=False) for _ in range(2)])
        self.key = nn.Linear(WIDTH, WIDTH, bias=False)
        self.relate = nn.Linear(WIDTH, WIDTH, bias=False)
        self.output = _layers(WIDTH, WIDTH)
        self.decide = nn.Linear(WIDTH, 1)

    def forward(self, latent: Tensor, owner: Tensor) -> Tensor:
        """[N, width] and the graph of each node to logits [G]."""
        pooled, keys = global_max_pool(latent, owner), self.key(latent)
        found = []
        for query in self.queries:
            attention = softmax((keys * query(pooled)[owner]).sum(-1), owner)
            found.append(global_add_pool(attention[:, None] * latent, owner))
        return self.decide(self.output(self.relate(found[0] - found[1]))).squeeze(-1)


class PlainNetwork(nn.Module):
    """Encoder, processor, concept head, concept decoder and termination network."""

    def __init__(self, encoder: nn.Module, num_concepts: int, num_scores: int) -> None:
        super().__init__()
        self.encoder = encoder
        self.processor = Processor()
        self.head = nn.Sequential(_layers(2 * WIDTH, WIDTH), nn.Linear(WIDTH, num_concepts))
        self.decoder = nn.Sequential(_layers(num_concepts, WIDTH), nn.Linear(WIDTH, num_scores))
        self.termination = Termination()

    def forward(
        self, batch: Data, state: Tensor, hidden: Tensor
    ) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """One step: concept logits [N, C], scores [N, K], logits of going on [G], and the new
        latent state [N, width].
        """
        encoded = self.encoder(state, batch.bits, hidden)
        hidden = self.processor(encoded, hidden, batch.edge_index)
        concepts = self.head(torch.cat([encoded, hidden], -1))
        scores = self.decoder(torch.sigmoid(concepts))
        # the look-ahead: one step more, from the state that the network believes in
        encoded_ahead = self.encoder(predict(scores), batch.bits, hidden)
        ahead = self.processor(encoded_ahead, hidden, batch.edge_index)
        return concepts, scores, self.termination(ahead, batch.batch), hidden


class PlainTraining:
    """The training of one seed."""

    def __init__(self, train: Run, schedule: Schedule, seed: int) -> None:
        # the weights of rare classes, as the library counts them
        self.weights = Objective(train, schedule, torch.device("cpu"))
        self.smoothing = schedule.smoothing
        with torch.random.fork_rng():
            torch.manual_seed(seed)
            self.network = network_for(train)
        shuffled = torch.Generator().manual_seed(seed)
        self.loader = DataLoader(
            data_of(train), schedule.batch_size, shuffle=True, generator=shuffled
        )
        self.adam = torch.optim.AdamW(
            self.network.parameters(),
            schedule.learning_rate,
            betas=(0.9, schedule.beta2),
            weight_decay=schedule.weight_decay,
        )

    def epoch(self) -> float:
        """Trains for an epoch, and gives its mean loss."""
        total = 0.0
        for batch in self.loader:
            loss = self.loss(batch)
            self.adam.zero_grad()
            loss.backward()
            self.adam.step()
            total += loss.item()
        return total / len(self.loader)

    def loss(self, batch: Data) -> Tensor:
        """The summed losses of a batch under teacher forcing; a graph that has ended contributes
        nothing.
        """
        num_steps = int(batch.steps.max())
        hidden = torch.zeros(batch.num_nodes, WIDTH)
        given = []
        for step in range(num_steps):
            *seen, hidden = self.network(batch, batch.states[:, step], hidden)
            given.append(seen)
        # each [N or G, T, ...]
        concepts, scores, goes_on = (torch.stack(each, 1) for each in zip(*given, strict=True))
        is_alive = torch.arange(num_steps) < batch.steps[:, None]  # [G, T]
        node_is_alive = is_alive[batch.batch]

        true_concepts, true_goes_on = batch.concepts[:, :num_steps], batch.goes_on[:, :num_steps]
        on_concepts = F.binary_cross_entropy_with_logits(
            concepts, self._softened(true_concepts), reduction="none"
        )
        if self.weights.positive is not None:
            on_concepts = on_concepts * torch.where(true_concepts > 0, self.weights.positive, 1.0)
        on_concepts = (on_concepts * self.weights.concept).sum(-1)[node_is_alive].mean()
        on_outputs = self._on_outputs(
            scores[node_is_alive], batch.outputs[:, :num_steps][node_is_alive]
        )
        on_goes_on = F.binary_cross_entropy_with_logits(
            goes_on[is_alive], self._softened(true_goes_on[is_alive])
        )
        l1 = torch.stack([each.abs().sum() for each in self.network.decoder[0].parameters()]).sum()
        return on_concepts + on_outputs + on_goes_on + self.weights.schedule.l1 * l1

    def _on_outputs(self, scores: Tensor, truth: Tensor) -> Tensor:
        if scores.shape[-1] == 1:
            return F.binary_cross_entropy_with_logits(scores.squeeze(-1), truth.float())
        losses = F.cross_entropy(scores, truth, reduction="none")
        (class_weights,) = self.weights.classes.values()
        return (losses if class_weights is None else losses * class_weights[truth]).mean()

    def _softened(self, truth: Tensor) -> Tensor:
        return truth * (1 - self.smoothing) + self.smoothing / 2


def predict(scores: Tensor) -> Tensor:
    """The likeliest class: [N, K] to [N]; one score alone is a logit."""
    return (scores.squeeze(-1) > 0).long() if scores.shape[-1] == 1 else scores.argmax(-1)


def network_for(train: Run) -> PlainNetwork:
    """A network for the algorithm of a trace: BFS or coloring."""
    declaration = train.algorithm.declaration
    (output,) = declaration.outputs.values()
    encoder: nn.Module = BfsEncoder()
    if "priority" in declaration.inputs:
        encoder = ColoringEncoder(output.width, declaration.inputs["priority"].width)
    return PlainNetwork(encoder, len(declaration.concepts), output.num_scores)


def data_of(train: Run) -> list[Data]:
    """A trace as PyTorch Geometric's data, a graph each. After a graph's own last step its values
    stay as they were.
    """
    (name,) = train.outputs
    states, outputs = (
        over_time.dense().T.long() for over_time in (train.state(name), train.outputs[name])
    )
    concepts, goes_on = train.patterns().transpose(0, 1).float(), train.goes_on.T.float()
    bits = torch.zeros(train.graph.num_nodes, 0)
    if "priority" in train.inputs:
        kind = train.algorithm.declaration.inputs["priority"]
        bits = kind.encode(train.inputs["priority"])
    data = []
    for number in range(train.graph.num_graphs):
        chosen = train.graph.take([number])
        data.append(
            Data(
                edge_index=chosen.graph.arcs,  # both ways, and self-loops
                num_nodes=chosen.graph.num_nodes,
                bits=bits[chosen.nodes],
                states=states[chosen.nodes],  # [N, T + 1]
                concepts=concepts[chosen.nodes],  # [N, T, C]
                outputs=outputs[chosen.nodes],  # [N, T]
                goes_on=goes_on[[number]],  # [1, T]
                steps=train.lengths[[number]],  # [1]
            )
        )
    return data


def _layers(*widths: int) -> nn.Sequential:
    """Affine maps with LeakyReLU after each."""
    layers = nn.Sequential()
    for i in range(len(widths) - 1):
        layers += nn.Sequential(nn.Linear(widths[i], widths[i + 1]), nn.LeakyReLU(0.01))
    return layers

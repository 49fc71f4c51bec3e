"""A network in the loop's sockets: it sees its own past and nothing of the truth."""

from __future__ import annotations

import torch
from torch import Tensor

from algolens.algorithms import Values
from algolens.errors import AlgoLensError
from algolens.execution import Percept
from algolens.graphs import Graph
from algolens.models.neighbourhoods import Neighbourhoods
from algolens.models.network import Network


class NetworkParts:
    """The network of one seed as ``perceive``, ``decide`` and ``continues``: ``execute(..., **parts.sockets)``."""

    def __init__(self, network: Network) -> None:
        if len(network.seeds) != 1:
            raise AlgoLensError(f"one seed runs at a time, and {len(network.seeds)} came: take one with network.only(place).")
        self.network = network.eval()
        self.declaration = network.algorithm.declaration
        self._graph: Graph | None = None
        self._inputs: Values | None = None

    @property
    def sockets(self) -> dict[str, object]:
        """All three, by the names that ``execute`` gives them."""
        continues = {"continues": self.continues} if self.declaration.terminates else {}
        return {"perceive": self.perceive, "decide": self.decide, **continues}

    @torch.no_grad()
    def perceive(self, graph: Graph, inputs: Values, state: Values, memory: Tensor | None) -> Percept:
        """Eqs. 1 to 3."""
        self._prepare(graph, inputs)
        network, fields = self.network, self.declaration.predicted
        encoded = {name: fields[name].kind.encode(value) for name, value in state.items()}
        last = network.no_memory(graph.num_nodes, graph.device) if memory is None else memory[None]
        thought = network.look(self._constant, encoded, last, self._table)
        head = network.head(thought)[0]
        bottleneck = network.architecture.bottleneck
        return Percept(torch.sigmoid(head) if bottleneck else head, {}, thought.latent[0], has_concepts=bottleneck)

    @torch.no_grad()
    def decide(self, concepts: Tensor) -> dict[str, Tensor]:
        """Eq. 4, and the likeliest class of each output."""
        scores = self.network.decide_concepts(concepts[None])
        return {name: kind.predict(scores[name][0]) for name, kind in self.declaration.outputs.items()}

    @torch.no_grad()
    def continues(self, graph: Graph, percept: Percept) -> Tensor:
        """Eqs. 7 and 8 on the next step's latent states: the look-ahead."""
        assert self.network.termination is not None
        assert percept.memory is not None
        return self.network.termination(percept.memory[None], self._table.members)[0] > 0

    def _prepare(self, graph: Graph, inputs: Values) -> None:
        """What stays the same while a graph is worked on: its neighbourhoods and its encoded inputs."""
        if graph is self._graph and inputs is self._inputs:
            return
        kinds = {name: self.declaration.inputs[name].kind for name in self.network.encoder.inputs}
        self._constant = self.network.encoder.constant({name: kind.encode(inputs[name]) for name, kind in kinds.items()})
        self._table = Neighbourhoods.of(graph)
        self._graph, self._inputs = graph, inputs

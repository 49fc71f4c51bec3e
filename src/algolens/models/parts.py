"""A network in the loop's sockets: it sees its own past, and of the truth only given concepts."""

from __future__ import annotations

from functools import partial
from typing import Any

import torch
from torch import Tensor

from algolens.algorithms import Values
from algolens.engines import Percept, PlannedPart, perceive_with_oracle, rules_of
from algolens.errors import AlgoLensError, GraphError
from algolens.graphs import Graph
from algolens.language.ir import GOES_ON
from algolens.logic.formula import Formula
from algolens.logic.patterns import all_patterns
from algolens.logic.rule_set import table_rows
from algolens.models.exact import Exact
from algolens.models.network import Network
from algolens.models.packing import Packing

MOST_LOOKED_UP = 12  # concepts, of which all patterns fit into a table


class NetworkParts:
    """A network as ``perceive``, ``decide`` and ``continues`` of the loop.

    Parameters
    ----------
    network
        A network of one seed.
    by_layers
        An exact network runs by tables of all that its layers can come upon, unless the layers
        themselves are to run. Any other network runs by its layers in either case.
    together
        Several seeds run at once: a batch holds its graphs once for each seed, one seed after the
        other. The perceiver ``runs_seeds``.

    Raises
    ------
    AlgoLensError
        The network holds several seeds, and they are not to run together.

    Examples
    --------
    ``run_algorithm(network.algorithm, graph, inputs, **NetworkParts(network).sockets)``
    """

    def __init__(
        self, network: Network, *, by_layers: bool = False, together: bool = False
    ) -> None:
        self.seeds = len(network.seeds)
        if self.seeds != 1 and not (together and network.perceiver.runs_seeds):
            raise AlgoLensError(
                f"one seed runs at a time, and {len(network.seeds)} came: take one with "
                "network.only(place)."
            )
        self.network, self.by_layers = network.eval(), by_layers
        self.declaration = network.algorithm.declaration
        # a given concept comes from the algorithm, in the network's own state
        look = perceive_with_oracle(self._look, network.algorithm, network.architecture.given)
        # with the same as statements
        device = network.device
        self.perceive = PlannedPart(look, partial(self._stated, going_on=False), device)
        self.decide = PlannedPart(self._looked_up, self._rules, device)
        self.continues = PlannedPart(self._continues, partial(self._stated, going_on=True), device)
        self._graph: Graph | None = None
        self._inputs: Values | None = None
        self._decided: dict[str, Tensor] | None = None  # outputs, for every pattern of concepts

    @property
    def sockets(self) -> dict[str, Any]:
        """All three, by the loop's names for them, for a run that begins: weights are read anew."""
        self._graph = None
        asks = self.declaration.terminates and self.network.perceiver.tells_going_on
        continues = {"continues": self.continues} if asks else {}
        return {"perceive": self.perceive, "decide": self.decide, **continues}

    @torch.no_grad()
    def _look(self, graph: Graph, inputs: Values, state: Values, memory: Tensor | None) -> Percept:
        """Eqs. 1 to 3."""
        self._prepare(graph, inputs)
        if self.seeds > 1:
            state = {name: value.view(self.seeds, -1) for name, value in state.items()}
        look = self.network.perceiver(
            self._prepared, state, None if memory is None else self._by_seed(memory)
        )
        bottleneck, fields = self.network.architecture.bottleneck, self.declaration.predicted
        if look.head is None:
            seen = dict(look.settled)
            concepts = torch.stack([seen.pop(name) for name in self.declaration.concepts]).T
            return Percept(concepts, seen)
        return Percept(
            concepts=(torch.sigmoid(look.head) if bottleneck else look.head).flatten(0, 1),
            hints={
                **{
                    name: fields[name].predict(given.flatten(0, 1))
                    for name, given in look.hints.items()
                },
                **look.settled,
            },
            memory=None if look.memory is None else look.memory.flatten(0, 1),
            goes_on=None if look.goes_on is None else look.goes_on.flatten() > 0,
            has_concepts=bottleneck,
        )

    @torch.no_grad()
    def _looked_up(self, concepts: Tensor) -> dict[str, Tensor]:
        """Eq. 4, and the likeliest class of each output."""
        # concepts that are bools have few patterns: these are looked up
        is_few = concepts.dtype == torch.bool and concepts.shape[1] <= MOST_LOOKED_UP
        if self.by_layers or self.seeds > 1 or not is_few:
            return self._decide(concepts)
        if self._decided is None:
            patterns = torch.from_numpy(all_patterns(concepts.shape[1]))
            self._decided = self._decide(patterns.to(concepts.device))
        rows = table_rows(concepts)
        return {name: table.index_select(0, rows) for name, table in self._decided.items()}

    def _decide(self, concepts: Tensor) -> dict[str, Tensor]:
        scores = self.network.decide_concepts(self._by_seed(concepts.float()))
        return {
            name: kind.predict(scores[name].flatten(0, 1))
            for name, kind in self.network.outputs.items()
        }

    def _by_seed(self, rows: Tensor) -> Tensor:
        """[S, N, ...] of [S * N, ...]."""
        return rows.view(self.seeds, -1, *rows.shape[1:])

    @torch.no_grad()
    def _continues(self, graph: Graph, percept: Percept) -> Tensor:
        """Eqs. 7 and 8 on the look-ahead's latent states; without memory, on its concepts."""
        if percept.goes_on is not None:
            return percept.goes_on
        termination = self.network.termination
        if isinstance(self.network.perceiver, Exact):
            # an algorithm may have no inputs
            self._prepare(graph, {} if self._inputs is None else self._inputs)
            return self.network.perceiver.goes_on(self._prepared, percept.concepts)
        assert termination is not None
        assert percept.memory is not None
        return termination(self._by_seed(percept.memory), self._nodes).flatten() > 0

    def _stated(self, *, going_on: bool) -> Any:
        """What the stages of an exact network observe, or when it goes on, as HIR.

        None of any other network, and by layers.
        """
        perceiver = self.network.perceiver
        is_own = not self.by_layers and not self.network.architecture.given
        stated = perceiver.stated() if is_own and isinstance(perceiver, Exact) else None
        if stated is None:
            return None
        observed = dict(stated)
        asked = observed.pop(GOES_ON, None)
        return asked if going_on else observed

    def _rules(self) -> dict[str, dict[str, Formula]] | None:
        return rules_of(
            lambda concepts: self.decide(torch.from_numpy(concepts)), self.declaration.rule_set
        )

    def _prepare(self, graph: Graph, inputs: Values) -> None:
        """What stays the same while a graph is worked on."""
        if graph is self._graph and inputs is self._inputs:
            return
        if graph.directed and not self.network.perceiver.takes_directed:
            raise GraphError(
                f"this network for {self.network.algorithm.name} learnt undirected graphs, and "
                "this graph is directed: take one of the preset 'exact', or the graph without "
                "directions."
            )
        perceiver, whole = self.network.perceiver, (graph, inputs)
        if self.seeds > 1:
            first = graph.take(range(graph.num_graphs // self.seeds))
            fields = self.declaration.inputs
            inputs = {name: x[first.index(fields[name].at)] for name, x in inputs.items()}
            graph = first.graph
        way = {"by_layers": self.by_layers} if isinstance(perceiver, Exact) else {}
        self._prepared = perceiver.prepare(graph, inputs, **way)
        self._nodes = Packing.of(graph.node_counts)
        (self._graph, self._inputs), self._decided = whole, None

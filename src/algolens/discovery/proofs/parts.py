"""The connected part of the graph that a node is in, as a node of it that a proof may speak of.

``root's connected_part = connected_part`` says that a pointer stays within a part. What is the same
at both ends of every edge is the same in a whole part, by induction along a path: so where no edge
joins two sets, every set is a part.
"""

from __future__ import annotations

import numpy as np
import torch
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from torch import Tensor

from algolens.algorithms import Declaration
from algolens.discovery.proofs.state_words import StateWords
from algolens.discovery.proofs.theory import WIDE, Expression, Value, for_all, z3
from algolens.fields import Field, Pointer
from algolens.graphs import Graph, Location

NODE, LINK = Location.NODE, Location.LINK
PART = f"connected{WIDE}part"


class Parts:
    """The lowest node that a node is connected with, where a state has pointers to compare it with.

    Parameters
    ----------
    declaration : Declaration
        Whose state may have pointers from nodes to nodes.
    """

    def __init__(self, declaration: Declaration) -> None:
        state = {name: declaration.predicted[name] for name in declaration.state}
        self.at_nodes = [name for name, field in state.items() if field.location is NODE]
        self.pointers = [name for name in self.at_nodes if isinstance(state[name].kind, Pointer)]
        self.fields = {PART: Field(NODE, Pointer(NODE))} if self.pointers else {}

    def of(self, graph: Graph) -> dict[str, Tensor]:
        """The parts of a batch of graphs."""
        if not self.fields:
            return {}
        links = coo_array(
            (np.ones(graph.links.shape[1]), graph.links.numpy()), (graph.num_nodes,) * 2
        )
        count, labels = connected_components(links, directed=False)
        lowest = np.full(count, graph.num_nodes)
        np.minimum.at(lowest, labels, np.arange(graph.num_nodes))
        first = graph.first_node[graph.owner(NODE)]
        return {PART: torch.from_numpy(lowest[labels]) - first}

    def declare(self, words: StateWords) -> None:
        """Adds it to what is known of a graph."""
        theory = words.theory
        for name, field in self.fields.items():
            part = z3.Function(name, theory.sorts[NODE], theory.sorts[NODE])
            words.define(name, field, part)
            node, link = theory.variable(NODE), theory.variable(LINK, "link")
            ends = [theory.steps[LINK, step](link) for step in ("sender", "receiver")]
            joined = theory.where_there(LINK, part(ends[0]) == part(ends[1]))
            words.views.definitions[name] = [
                for_all([node], part(part(node)) == part(node), [[part(node)]]),
                for_all([link], joined, [[part(end)] for end in ends]),
            ]

    def along(self, words: StateWords) -> None:
        """Adds to a state: a value is the same in a whole part, or differs along an edge."""
        for name in self.fields:
            part: Value = words.values[name]
            words.views.definitions[name] = [
                self._same(words, part, words.values[field]) for field in self.at_nodes
            ]

    def _same(self, words: StateWords, part: Value, value: Value) -> Expression:
        theory = words.theory
        node, link = theory.variable(NODE), theory.variable(LINK, "between")
        sender, receiver = (theory.steps[LINK, step](link) for step in ("sender", "receiver"))
        differs = z3.And(theory.has_edges, value(sender) != value(receiver))
        same = for_all([node], value(node) == value(part(node)), [[value(node), part(node)]])
        return z3.Or(differs, same)

"""How many nodes a mask is true of, as a number of the graph that a proof may speak of.

``count = how_many_passed`` relates a number that a step raises to the nodes that it marks. What is
said of it is true of the numbers of elements of finite sets.
"""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor

from algolens.algorithms import Declaration
from algolens.discovery.proofs.state_words import StateWords
from algolens.discovery.proofs.theory import WIDE, Expression, for_all, z3
from algolens.fields import Field, Mask, Number
from algolens.graphs import Graph, Location

NODE, GRAPH = Location.NODE, Location.GRAPH


class Counts:
    """A number for each mask of nodes, where a graph has a number to compare it with.

    Parameters
    ----------
    declaration : Declaration
        Whose state has masks.
    """

    def __init__(self, declaration: Declaration) -> None:
        state = {name: declaration.predicted[name] for name in declaration.state}
        of_graph = [field for field in state.values() if field.location is GRAPH]
        some = state if any(isinstance(field.kind, Number) for field in of_graph) else {}
        self.masks = {
            f"how_many{WIDE}{name}": name
            for name, field in some.items()
            if field.location is NODE and isinstance(field.kind, Mask)
        }
        self.fields = dict.fromkeys(self.masks, Field(GRAPH, Number(61)))

    def of(self, graph: Graph, values: Mapping[str, Tensor]) -> dict[str, Tensor]:
        """Counts in a state of a batch of graphs."""
        none, owner = torch.zeros(graph.num_graphs, dtype=torch.int64), graph.owner(NODE)
        return {
            count: none.index_add(0, owner, values[name].long())
            for count, name in self.masks.items()
        }

    def declare(self, words: StateWords) -> None:
        """Adds them to a state: 0 where the mask is true of none, and as many as there are nodes
        where it is true of all.
        """
        theory = words.theory
        for count, name in self.masks.items():
            words.declare(count, self.fields[count])
            how_many, mask = words.values[count](None), words.values[name]
            node = theory.variable(NODE)
            marked, left = (theory.variable(NODE, word) for word in ("marked", "left"))
            there = z3.If(mask(node), how_many > 0, how_many < theory.count[NODE])
            words.axioms += [
                how_many <= theory.count[NODE],
                z3.Or(how_many == 0, z3.And(mask(marked), theory.is_met(NODE, marked))),
                z3.Or(
                    how_many == theory.count[NODE],
                    z3.And(z3.Not(mask(left)), theory.is_met(NODE, left)),
                ),
                for_all([node], there, [[mask(node)]]),
            ]

    def between(self, now: StateWords, after: StateWords) -> list[Expression]:
        """How counts of two states differ: there are more where some were added, and more by two
        where two were; where some were added and there are no more, some were lost.
        """
        made, theory = [], now.theory
        for count, name in self.masks.items():
            before, then = now.values[count](None), after.values[count](None)
            was, is_now = now.values[name], after.values[name]
            one, other, lost, node = (theory.variable(NODE, "changed") for _ in range(4))
            added = [z3.And(is_now(it), z3.Not(was(it))) for it in (one, other)]
            is_lost = z3.And(was(lost), z3.Not(is_now(lost)), theory.is_met(NODE, lost))
            more = z3.Implies(
                z3.And(is_now(node), z3.Not(was(node))), z3.Or(then > before, is_lost)
            )
            made += [
                z3.Implies(then > before, z3.And(added[0], theory.is_met(NODE, one))),
                z3.Implies(
                    then > before + 1, z3.And(*added, one != other, theory.is_met(NODE, other))
                ),
                z3.Implies(then < before, is_lost),
                for_all([node], more, [[is_now(node)], [was(node)]]),
            ]
        return made

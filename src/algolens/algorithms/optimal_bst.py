"""Optimal binary search tree: the tree in which a search takes the fewest comparisons on average
(Knuth 1971).
"""

import networkx as nx
import numpy as np
from torch import Tensor

from algolens.algorithms import Algorithm, Declaration, PlainValues, Words, _forms, _tables
from algolens.fields import Location, Mask, Number, Pointer, at_edge, at_link, at_node
from algolens.graphs import Graph
from algolens.layouts import Grid

MOST_BITS = 57  # of a number of searches

WORDS = Words(
    phrases={
        "cost": (
            "{me}: cost {new} = {its sender's cost} for the left tree {its sender} + {its edge's "
            "rest's cost} for the right tree {its edge's rest} + weight {whole_weight}: no other "
            "root costs less"
        ),
        "weight": "",
        "left_tree": "",
        "known": {
            "was_known": "{me} has a cost",
            "becomes_known & some incoming link (is_best)": "",
            "becomes_known": "{me} is known: all shorter intervals are",
            "True": "{me} has no cost yet: shorter intervals come first",
        },
        "was_known": (
            "its cost is known",
            "its cost is not known",
        ),
        "becomes_known": (
            "all shorter intervals are known",
            "shorter intervals are not known, or it is known itself",
        ),
    },
    lines={
        "start": "an empty tree costs the weight of its gap",
        "becomes_known": "every interval one key longer",
        "is_best": "takes the root for which a search costs least",
        "until": "every interval is known",
    },
    states={
        "known": "cost known",
        "none": "cost not known",
    },
)


class OptimalBst(Algorithm):
    """In step l, every interval of l keys takes the root for which a search costs least: the costs
    of the two trees below it, and the weight of the whole interval.

    The nodes of a user are the gaps between keys, in order: ``gap`` is how often a search ends in
    it, and ``key`` how often it ends at the key after it; the last gap has a key of 0. The interval
    from gap i to gap j is a cell of a table. A link leads to it from its left tree, (i, k), and the
    right tree is the ``rest``, (k + 1, j); the root is the key after gap k. ``left_tree`` points to
    the left tree.
    """

    name = "optimal_bst"
    title = "Optimal binary search tree"
    group = "tables"
    graphs = "directed"
    table = "intervals"
    layout = Grid(of="cost", triangle=True)
    recipe = _tables.INTERVAL_TABLES

    bits: int = 10  # of a number of searches

    def declare(self) -> Declaration:
        _tables.check_bits(self.bits, MOST_BITS)
        return Declaration(
            location=Location.NODE,
            words=WORDS,
            inputs={
                "column_key": at_node(Number(self.bits)),
                "column_gap": at_node(Number(self.bits)),
                **_tables.pointers("left"),
                "rest": at_edge(Pointer(Location.NODE)),
            },
            state=("known", "cost", "weight", "left_tree"),
            start={
                "known": "left = me",
                "cost": "column_gap",
                "weight": "column_gap",
                "left_tree": "me",
            },
            sums={
                "whole_weight": at_node("left's weight + left's column_key + column_gap"),
                "cost_by_it": at_link(
                    "sender's cost + edge's rest's cost + receiver's left's weight + receiver's "
                    "left's column_key + receiver's column_gap"
                ),
            },
            look={
                "was_known": at_node("known"),
                "becomes_known": at_node("~known & left's known"),
                "is_open": at_link("~receiver's known & receiver's left's known"),
                "is_best": at_link(
                    "is_open & no rival ((its cost_by_it, its number) < (my cost_by_it, my number))"
                ),
            },
            moves={
                "weight": "whole_weight where becomes_known",
                "cost": "the incoming link's cost_by_it (is_best)",
                "left_tree": "the incoming link's sender (is_best)",
            },
            hints={"weight": at_node(Number(61))},
            concepts=("was_known", "becomes_known"),
            outputs={
                "known": Mask(),
                "cost": Number(61),
                "left_tree": Pointer(Location.NODE, itself_is_none=True),
            },
            rules={"known": _forms.where_any("was_known", "becomes_known")},
            continues="becomes_known",
            only_where={"cost": "known"},
        )

    def sample(self, graph: Graph, rng: np.random.Generator) -> dict[str, Tensor]:
        drawn = _tables.draw_intervals(graph, rng, self.bits, "key", "gap")
        return {name: drawn[name] for name in self.declaration.inputs}

    def reference(self, graph: nx.Graph, inputs: PlainValues) -> PlainValues:
        costs: dict[tuple[int, int], int] = {}
        at = _tables.intervals_of(graph)
        for i, j in at:
            inside = [graph.nodes[at[i, k]] for k in range(i, j + 1)]
            weight = sum(cell["column_gap"] for cell in inside)
            weight += sum(cell["column_key"] for cell in inside[:-1])
            below = [costs[i, k] + costs[k + 1, j] for k in range(i, j)]
            costs[i, j] = weight + min(below, default=0)
        return {"cost": {at[pair]: cost for pair, cost in costs.items()}} if at else {}

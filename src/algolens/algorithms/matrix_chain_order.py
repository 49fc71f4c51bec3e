"""Matrix chain order: the order of multiplications of matrices that costs least (Godbole 1973)."""

import networkx as nx
import numpy as np
from torch import Tensor

from algolens.algorithms import Algorithm, Declaration, Limit, PlainValues, Words, _forms, _tables
from algolens.fields import Location, Mask, Number, Pointer, at_edge, at_graph, at_link, at_node
from algolens.graphs import Graph
from algolens.layouts import Grid

MOST_BITS = 19  # of a size: three are multiplied

WORDS = Words(
    phrases={
        "cost": (
            "{me}: cost {new} = {its sender's cost} for {its sender} + {its edge's rest's cost} "
            "for {its edge's rest} + {its sender's up's row_size} x {its sender's column_size} x "
            "{column_size} to multiply them: the cheapest split"
        ),
        "first_part": "",
        "known": {
            "was_known": "{me} has a cost",
            "becomes_known": "",
            "True": "{me} has no cost yet: no way to split it is known",
        },
        "is_unfinished": ("a cost changed in the last step", "no cost changed in the last step"),
        "was_known": (
            "its cost is known",
            "its cost is not known",
        ),
        "becomes_known": (
            "a way to split it into known parts is there",
            "no way to split it into known parts is there",
        ),
    },
    lines={
        "start": "a single matrix costs nothing",
        "is_best": (
            "every part of the chain finds the cheapest way to split it into two known parts"
        ),
        "improves": "and takes it if it costs less than before",
        "until": "no cost changes",
    },
    states={
        "known": "cost known",
        "none": "cost not known",
    },
)


class MatrixChainOrder(Algorithm):
    """Every part of the chain looks at all ways to split it into two known parts, and takes the
    cheapest where that costs less than before.

    The nodes of a user are the sizes of the matrices, in order: matrix i has as many rows as the
    ``size`` of node i - 1, and as many columns as that of node i. The part from matrix i to matrix
    j is a cell of a table. A link leads to it from its first part, (i, k), and its second part is
    the ``rest``, (k + 1, j). ``first_part`` points to the first part.
    """

    name = "matrix_chain_order"
    title = "Matrix chain order"
    group = "tables"
    graphs = "directed"
    table = "intervals"
    layout = Grid(of="cost", triangle=True)
    recipe = _tables.INTERVAL_TABLES

    bits: int = 10  # of a size

    def declare(self) -> Declaration:
        _tables.check_bits(self.bits, MOST_BITS)
        return Declaration(
            location=Location.NODE,
            words=WORDS,
            inputs={
                "row_size": at_node(Number(self.bits)),
                "column_size": at_node(Number(self.bits)),
                **_tables.pointers("up"),
                **_tables.pointers("left", start_only=True),
                "rest": at_edge(Pointer(Location.NODE)),
            },
            state=("has_begun", "changed", "known", "cost", "first_part"),
            start={
                "has_begun": "False",
                "changed": "False",
                # the first size belongs to no matrix
                "known": "left = me & up != me",
                "cost": 0,
                "first_part": "me",
            },
            sums={
                "cost_by_it": at_link(
                    "sender's cost + edge's rest's cost + sender's up's row_size * sender's "
                    "column_size * receiver's column_size"
                )
            },
            look={
                "has_begun": at_graph("True"),
                "is_active": at_graph("~last has_begun | last changed"),
                "is_open": at_link("sender's known & edge's rest's known"),
                "is_best": at_link(
                    "is_open & no rival (is_open & (its cost_by_it, its number) < (my cost_by_it, "
                    "my number))"
                ),
                "improves": at_link("is_best & (~receiver's known | cost_by_it < receiver's cost)"),
                "changed": at_graph("some link (improves)"),
                "was_known": at_node("known"),
                "becomes_known": at_node("some incoming link (is_open)"),
                "is_unfinished": at_node("graph's is_active"),
            },
            moves={
                "cost": "the incoming link's cost_by_it (improves)",
                "first_part": "the incoming link's sender (improves)",
            },
            concepts=("was_known", "becomes_known", "is_unfinished"),
            outputs={
                "known": Mask(),
                "cost": Number(61),
                "first_part": Pointer(Location.NODE, itself_is_none=True),
            },
            rules={"known": _forms.where_any("was_known", "becomes_known")},
            continues="is_unfinished",
            most_steps=Limit(2),
            only_where={"cost": "known"},
        )

    def sample(self, graph: Graph, rng: np.random.Generator) -> dict[str, Tensor]:
        drawn = _tables.draw_intervals(graph, rng, self.bits, "size")
        return {name: drawn[name] for name in self.declaration.inputs}

    def reference(self, graph: nx.Graph, inputs: PlainValues) -> PlainValues:
        at = _tables.intervals_of(graph)
        if not at:
            return {}
        sizes = [graph.nodes[node]["row_size"] for (i, j), node in at.items() if i == j]
        costs: dict[tuple[int, int], int] = {}
        for i, j in at:
            splits = [
                costs[i, k] + costs[k + 1, j] + sizes[i - 1] * sizes[k] * sizes[j]
                for k in range(i, j)
            ]
            costs[i, j] = min(splits, default=0)
        known = {at[i, j]: cost for (i, j), cost in costs.items() if (i - 1, j) in at}
        return {"cost": known, "known": dict.fromkeys(known, True)}

"""Matrix chain order: the order of multiplications of matrices that costs least (Godbole 1973)."""

from __future__ import annotations

from algolens.algorithms import (
    Edge,
    Graph,
    Link,
    Node,
    Option,
    mask,
    number,
    per,
    pointer,
    pointer_or_none,
)
from algolens.algorithms._tables import IntervalTable, cells_of
from algolens.language.layouts import Grid


class MatrixChainOrder(IntervalTable):
    """Every part of the chain looks at all ways to split it into two known parts, and takes the
    cheapest where that costs less than before.

    The nodes of a user are the sizes of the matrices, in order: matrix i has as many rows as the
    ``size`` of node i - 1, and as many columns as that of node i. The part from matrix i to matrix
    j is a cell of a table. A link leads to it from its first part, (i, k), and its second part is
    the ``rest``, (k + 1, j). ``first_part`` points to the first part.
    """

    layout = Grid(of="cost", triangle=True)
    example, items = "3,5,2,6,4", ("matrix sizes", "size")
    bits = Option(10, 1, 19)  # of a size: three are multiplied

    row_size, column_size = Node.input(number(bits)), Node.input(number(bits))
    up, left = Node.input(pointer(Node)), Node.input(pointer(Node))
    rest = Edge.input(pointer(Node))

    cost_by_it = Link.derived(
        "sender's cost + edge's rest's cost + sender's up's row_size * sender's column_size * "
        "receiver's column_size"
    )
    is_open = Link.derived("sender's known & edge's rest's known")
    is_best = Link.derived(
        "me = least rival (is_open) by cost_by_it, number",
        line="every part of the chain finds the cheapest way to split it into two known parts",
    )
    improves = Link.derived(
        "is_best & (~receiver's known | cost_by_it < receiver's cost)",
        line="and takes it if it costs less than before",
    )
    cost = Node.output(
        number(61),
        becomes="the incoming link's cost_by_it (improves)",
        only_where="known",
        tells="{me}: cost {new} = {its sender's cost} for {its sender} + {its edge's rest's cost} "
        "for {its edge's rest} + {its sender's up's row_size} x {its sender's column_size} x "
        "{column_size} to multiply them: the cheapest split",
    )
    first_part = Node.output(
        pointer_or_none(Node), becomes="the incoming link's sender (improves)", tells=""
    )

    becomes_known = Node.derived(
        "some incoming link (is_open)",
        yes="a way to split it into known parts is there",
        no="no way to split it into known parts is there",
    )
    known = Node.output(
        mask,
        start="left = me & up != me",  # the first size belongs to no matrix
        becomes="known | becomes_known",
        tells={
            "known": "{me} has a cost",
            "becomes_known": "",
            "True": "{me} has no cost yet: no way to split it is known",
        },
        says="its cost is [not] known",
    )

    has_begun = Graph.state(mask, becomes="True")
    changed = Graph.derived("some link (improves)")
    has_changed = Graph.state(mask, becomes="changed")
    is_active = Graph.derived("~has_begun | has_changed")
    is_unfinished = Node.derived(
        "graph's is_active",
        yes="a cost changed in the last step",
        no="no cost changed in the last step",
    )
    goes_on, most_steps = "some node (is_unfinished)", 2 * per(Node)
    legend = {"known": "cost known", "True": "cost not known"}
    starts_with, ends_when = "a single matrix costs nothing", "no cost changes"

    def reference(self, graph, inputs):
        at = cells_of(graph, "intervals")
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
        return {"cost": known, "known": set(known)}

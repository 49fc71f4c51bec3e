"""Optimal binary search tree: the tree in which a search takes the fewest comparisons on average
(Knuth 1971).
"""

from __future__ import annotations

from algolens.algorithms import Edge, Link, Node, Option, mask, number, pointer, pointer_or_none
from algolens.algorithms._tables import IntervalTable, cells_of
from algolens.language.layouts import Grid


class OptimalBst(IntervalTable):
    """In step l, every interval of l keys takes the root for which a search costs least: the costs
    of the two trees below it, and the weight of the whole interval.

    The nodes of a user are the gaps between keys, in order: ``gap`` is how often a search ends in
    it, and ``key`` how often it ends at the key after it; the last gap has a key of 0. The interval
    from gap i to gap j is a cell of a table. A link leads to it from its left tree, (i, k), and the
    right tree is the ``rest``, (k + 1, j); the root is the key after gap k. ``left_tree`` points to
    the left tree.
    """

    title, layout = "Optimal binary search tree", Grid(of="cost", triangle=True)
    example, items = "15,5 10,10 5,5 10,5 20,5 0,10", ("gaps and keys", "key", "gap")
    bits = Option(10, 1, 57)  # of a number of searches

    column_key, column_gap = Node.input(number(bits)), Node.input(number(bits))
    left, rest = Node.input(pointer(Node)), Edge.input(pointer(Node))

    becomes_known = Node.derived(
        "~known & left's known",
        line="every interval one key longer",
        yes="all shorter intervals are known",
        no="shorter intervals are not known, or it is known itself",
    )
    known = Node.output(
        mask,
        start="left = me",
        becomes="known | becomes_known",
        tells={
            "known": "{me} has a cost",
            "becomes_known & some incoming link (is_best)": "",
            "becomes_known": "{me} is known: all shorter intervals are",
            "True": "{me} has no cost yet: shorter intervals come first",
        },
        says="its cost is [not] known",
    )

    whole_weight = Node.derived("left's weight + left's column_key + column_gap")
    weight = Node.state(
        number(61), start="column_gap", becomes="whole_weight where becomes_known", tells=""
    )
    cost_by_it = Link.derived("sender's cost + edge's rest's cost + receiver's whole_weight")
    is_open = Link.derived("~receiver's known & receiver's left's known")
    is_best = Link.derived(
        "is_open & me = least rival by cost_by_it, number",
        line="takes the root for which a search costs least",
    )
    cost = Node.output(
        number(61),
        start="column_gap",
        becomes="the incoming link's cost_by_it (is_best)",
        only_where="known",
        tells="{me}: cost {new} = {its sender's cost} for the left tree {its sender} + {its edge's "
        "rest's cost} for the right tree {its edge's rest} + weight {whole_weight}: no other root "
        "costs less",
    )
    left_tree = Node.output(
        pointer_or_none(Node), becomes="the incoming link's sender (is_best)", tells=""
    )

    goes_on = "some node (becomes_known)"
    legend = {"known": "cost known", "True": "cost not known"}
    starts_with, ends_when = "an empty tree costs the weight of its gap", "every interval is known"

    def reference(self, graph, inputs):
        costs: dict[tuple[int, int], int] = {}
        at = cells_of(graph, "intervals")
        for i, j in at:
            inside = [graph.nodes[at[i, k]] for k in range(i, j + 1)]
            weight = sum(cell["column_gap"] for cell in inside)
            weight += sum(cell["column_key"] for cell in inside[:-1])
            below = [costs[i, k] + costs[k + 1, j] for k in range(i, j)]
            costs[i, j] = weight + min(below, default=0)
        return {"cost": {at[pair]: cost for pair, cost in costs.items()}} if at else {}

"""What algorithms on a row of numbers share."""

from __future__ import annotations

from algolens.algorithms import Algorithm, Bits, Node, number
from algolens.lazy import nx


class Numbers(Algorithm, part=True):
    """Each node has a number, its ``key``."""

    group, graphs, items = "orders", "any", ("numbers", "key")
    bits = Bits(10)  # of a number

    key = Node.input(number(bits))


def in_order(graph: nx.Graph) -> list[int]:
    """The nodes from the least number to the greatest; of equal ones, the first."""
    return sorted(graph, key=lambda node: graph.nodes[node]["key"])


def places(graph: nx.Graph) -> dict[int, int]:
    """The place of each node in that order, from 0 on."""
    return {node: place for place, node in enumerate(in_order(graph))}


def all_differ(graph: nx.Graph) -> bool:
    """Whether no two numbers are equal."""
    return len(set(nx.get_node_attributes(graph, "key").values())) == len(graph)

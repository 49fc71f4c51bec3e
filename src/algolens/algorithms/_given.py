"""What algorithms refuse of a user's inputs, by name.

The page of a run carries out the same checks, by the same names, in ``checks.js``: so it takes a
graph that is changed there exactly where the command does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import torch
from torch import Tensor

from algolens.errors import GraphError, InputError
from algolens.graphs import Graph, Location

Values = Mapping[str, Tensor]
Check = tuple[str, ...]  # its name in CHECKS, then the names of inputs and options


def end_not_before(graph: Graph, inputs: Values, begin: str, end: str) -> None:
    """Refuses a node that ends before it begins."""
    wrong = (inputs[begin] > inputs[end]).nonzero()
    if len(wrong):
        node = int(wrong[0])
        raise InputError(
            f"{graph.describe(Location.NODE, node)} begins at {int(inputs[begin][node])} and "
            f"ends at {int(inputs[end][node])}: give an end that is not before the beginning."
        )


def ascending(graph: Graph, inputs: Values, name: str) -> None:
    """Refuses numbers that are not in the order of their nodes."""
    key, owner = inputs[name], graph.owner(Location.NODE)
    wrong = ((key[1:] < key[:-1]) & (owner[1:] == owner[:-1])).nonzero()
    if len(wrong):
        node = int(wrong[0]) + 1
        raise InputError(
            f"{graph.describe(Location.NODE, node)} has the {name} {int(key[node])}, and the one "
            f"before it {int(key[node - 1])}: give {name}s in order."
        )


def below_count(graph: Graph, inputs: Values, name: str) -> None:
    """Refuses a number of the graph that is no place of a node, counted from 0."""
    wrong = (inputs[name] >= graph.node_counts).nonzero()
    if len(wrong):
        place, nodes = int(inputs[name][wrong[0]]), int(graph.node_counts[wrong[0]])
        raise InputError(
            f"the {name} is {place}, and there are {nodes} numbers: give one from 0 to {nodes - 1}."
        )


def pattern_last(graph: Graph, inputs: Values, name: str) -> None:
    """Refuses a pattern that is not the end of the row, is empty, or longer than the text."""
    owner, inside = graph.owner(Location.NODE), inputs[name]
    wrong = (inside[:-1] & ~inside[1:] & (owner[:-1] == owner[1:])).nonzero()
    if len(wrong):
        raise InputError(
            f"{graph.describe(Location.NODE, int(wrong[0]) + 1)} is a letter of the text after one "
            "of the pattern: give the text first, then the pattern."
        )
    lengths = torch.zeros(graph.num_graphs, dtype=torch.long).index_add(0, owner, inside.long())
    for nodes, length in zip(graph.node_counts.tolist(), lengths.tolist(), strict=True):
        if not 1 <= length <= max(1, nodes - length):
            raise InputError(
                f"the pattern has {length} letters and the text {nodes - length}: give a pattern "
                "of at least one letter that is not longer than the text."
            )


def first_word_first(graph: Graph, inputs: Values, up: str, in_second: str) -> None:
    """Refuses a row of letters in which one of the first word comes after one of the second."""
    above = graph.first_node[graph.node_owner] + inputs[up]
    wrong = (inputs[in_second][above] & ~inputs[in_second]).nonzero()
    if len(wrong):
        raise InputError(
            f"the row of {graph.describe(Location.NODE, int(wrong[0]))} is a letter of the first "
            "word after one of the second: give the first word, then the second."
        )


def no_three_on_a_line(graph: Graph, inputs: Values, x: str, y: str) -> None:
    """Refuses three points on a line, and two in one place: which are corners is then open."""
    counts, first = graph.counts(Location.NODE), graph.first(Location.NODE)
    for count in counts.unique().tolist():
        begin = first[counts == count]
        nodes = begin[:, None] + torch.arange(count)  # [graphs, points]
        for place in range(count - 1):
            met = _met_on_a_line(inputs[x].numpy()[nodes], inputs[y].numpy()[nodes], place)
            if met is not None:
                of_graph, *others = met
                met_nodes = dict.fromkeys((place, *others))
                said = [
                    graph.describe(Location.NODE, int(nodes[of_graph, node])) for node in met_nodes
                ]
                raise InputError(
                    f"{', '.join(said[:-1])} and {said[-1]} are on one line, or in one place, "
                    "where it is open which are corners: leave one out."
                )


def _met_on_a_line(x: np.ndarray, y: np.ndarray, place: int) -> tuple[int, int, int] | None:
    """A graph, and two later points that a point sees in one direction, or the opposite one.

    x, y: [graphs, points]. None where there are none; of a point in the same place, it twice.
    """
    east, north = (axis[:, place + 1 :] - axis[:, place, None] for axis in (x, y))
    common = np.maximum(np.gcd(east, north), 1)
    common = np.where((east < 0) | ((east == 0) & (north < 0)), -common, common)
    east, north = east // common, north // common
    for graph, other in np.argwhere((east == 0) & (north == 0))[:1].tolist():
        return graph, place + 1 + other, place + 1 + other
    order = np.lexsort((north, east), axis=-1)
    ways = [np.take_along_axis(axis, order, 1) for axis in (east, north)]
    alike = (np.diff(ways[0]) == 0) & (np.diff(ways[1]) == 0)
    for graph, other in np.argwhere(alike)[:1].tolist():
        one, two = sorted(place + 1 + int(order[graph, other + more]) for more in (0, 1))
        return graph, one, two
    return None


def colors_suffice(graph: Graph, inputs: Values, name: str, colors: int) -> None:
    """Refuses priorities under which a node would need one color more."""
    stuck = without_color(graph, inputs[name], colors)
    if stuck.any():
        raise too_few_colors(graph, int(stuck.nonzero()[0]), colors, "under these priorities")


def too_few_colors(graph: Graph, node: int, colors: int, when: str) -> GraphError:
    """An error that says for which node no color is left."""
    return GraphError(
        f"node '{graph.name_of(node)}' would need more than {colors} colors {when}: allow "
        f"more, with the option colors={colors + 1}, or give other priorities or a sparser graph."
    )


def without_color(graph: Graph, priority: Tensor, colors: int) -> Tensor:
    """[N] bools: the nodes for which no color would be left.

    A node waits for its neighbours of higher priority, and sees their colors only: every edge is
    looked at once.
    """
    senders, receivers = graph.links
    higher = priority.index_select(0, senders) > priority.index_select(0, receivers)
    senders, receivers = senders[higher], receivers[higher]
    waiting = torch.bincount(receivers, minlength=graph.num_nodes)
    seen = torch.zeros(colors + 2, graph.num_nodes, dtype=torch.bool, device=graph.device)
    color = torch.zeros(graph.num_nodes, dtype=torch.uint8, device=graph.device)
    turn = waiting == 0
    while turn.any():
        free = turn.clone()
        for k in range(1, colors + 1):
            color.masked_fill_(free & ~seen[k], k)
            free &= seen[k]
        color.masked_fill_(free, colors + 1)
        now = turn.index_select(0, senders)
        to = receivers[now]
        seen.view(-1)[color.index_select(0, senders[now]).long() * graph.num_nodes + to] = True
        waiting.index_add_(0, to, torch.full_like(to, -1))
        senders, receivers = senders[~now], receivers[~now]
        turn = (waiting == 0) & (color == 0)
    return color > colors


CHECKS: dict[str, Callable[..., None]] = {
    check.__name__: check
    for check in (
        end_not_before,
        ascending,
        below_count,
        pattern_last,
        first_word_first,
        no_three_on_a_line,
        colors_suffice,
    )
}

"""What algorithms refuse of inputs, by name: a condition on plain arrays, of which each is a row.

Each is told in words, or None where nothing is refused. A program that stands alone names its
checks: as Python it has their source (``check_source``), as SQL a query (``programs/sql.py``), and
the page carries some of them out (``own_graph.js``).
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from algolens.arrays import NUMPY, Values
from algolens.errors import DefinitionError
from algolens.graphs import Graph
from algolens.language.fields import Field
from algolens.language.points import draw_points

Fields = Mapping[str, Field]
Rng = np.random.Generator
Check = tuple[str | int, ...]  # its name in CHECKS, then the names of inputs and options
Arrays = Mapping[str, Any]  # of inputs by name; of graphs, what ``as_arrays`` gives


def end_not_before(graph: Arrays, inputs: Arrays, begin: str, end: str) -> str | None:
    """A node that ends before it begins."""
    for node in np.flatnonzero(inputs[begin] > inputs[end])[:1]:
        return (
            f"{graph['called'](node)} begins at {inputs[begin][node]} and ends at "
            f"{inputs[end][node]}: give an end that is not before the beginning."
        )
    return None


def ascending(graph: Arrays, inputs: Arrays, name: str) -> str | None:
    """Numbers that are not in the order of their nodes."""
    key, owner = inputs[name], graph["owner"]
    for node in np.flatnonzero((key[1:] < key[:-1]) & (owner[1:] == owner[:-1]))[:1] + 1:
        return (
            f"{graph['called'](node)} has the {name} {key[node]}, and the one before it "
            f"{key[node - 1]}: give {name}s in order."
        )
    return None


def below_count(graph: Arrays, inputs: Arrays, name: str) -> str | None:
    """A number of the graph that is no place of a node, counted from 0."""
    counts = graph["count"]
    for one in np.flatnonzero(inputs[name] >= counts)[:1]:
        return (
            f"the {name} is {inputs[name][one]}, and there are {counts[one]} numbers: give one "
            f"from 0 to {counts[one] - 1}."
        )
    return None


def pattern_last(graph: Arrays, inputs: Arrays, name: str) -> str | None:
    """A pattern that is not the end of the row, is empty, or longer than the text."""
    owner, inside = graph["owner"], inputs[name].astype(bool)
    for node in np.flatnonzero(inside[:-1] & ~inside[1:] & (owner[:-1] == owner[1:]))[:1] + 1:
        return (
            f"{graph['called'](node)} is a letter of the text after one of the pattern: give the "
            "text first, then the pattern."
        )
    lengths = np.bincount(owner[inside], minlength=len(graph["count"]))
    for length, text in zip(lengths, graph["count"] - lengths, strict=True):
        if not 1 <= length <= max(1, text):
            return (
                f"the pattern has {length} letters and the text {text}: give a pattern of at least "
                "one letter that is not longer than the text."
            )
    return None


def first_word_first(graph: Arrays, inputs: Arrays, up: str, in_second: str) -> str | None:
    """A row of letters in which one of the first word comes after one of the second."""
    first = np.cumsum(graph["count"]) - graph["count"]
    in_second_word = inputs[in_second].astype(bool)
    above = in_second_word[first[graph["owner"]] + inputs[up]]
    for node in np.flatnonzero(above & ~in_second_word)[:1]:
        return (
            f"the row of {graph['called'](node)} is a letter of the first word after one of the "
            "second: give the first word, then the second."
        )
    return None


def no_three_on_a_line(graph: Arrays, inputs: Arrays, x: str, y: str) -> str | None:
    """Three points on a line, or two in one place: which are corners is then open."""
    counts = graph["count"]
    first = np.cumsum(counts) - counts
    for count in np.unique(counts):
        nodes = first[counts == count][:, None] + np.arange(count)  # [graphs, points]
        for place in range(count - 1):
            met = met_on_a_line(inputs[x][nodes], inputs[y][nodes], place)
            if met is not None:
                of_graph, *others = met
                said = [graph["called"](nodes[of_graph, one]) for one in sorted({place, *others})]
                return (
                    f"{', '.join(said[:-1])} and {said[-1]} are on one line, or in one place, "
                    "where it is open which are corners: leave one out."
                )
    return None


def met_on_a_line(x: np.ndarray, y: np.ndarray, place: int) -> tuple[int, int, int] | None:
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


def colors_suffice(graph: Arrays, inputs: Arrays, name: str, colors: int) -> str | None:
    """Priorities under which a node would need one color more."""
    stuck = without_color(graph["sender"], graph["receiver"], inputs[name], colors)
    for node in np.flatnonzero(stuck)[:1]:
        return too_few_colors(graph["called"](node), colors, "under these priorities")
    return None


def too_few_colors(node: str, colors: int, when: str) -> str:
    """For which node no color is left, in words."""
    return (
        f"{node} would need more than {colors} colors {when}: allow more, with the option "
        f"colors={colors + 1}, or give other priorities or a sparser graph."
    )


def without_color(
    senders: np.ndarray, receivers: np.ndarray, priority: np.ndarray, colors: int
) -> np.ndarray:
    """[N] bools: the nodes for which no color would be left.

    A node waits for its neighbours of higher priority, and sees their colors only: every edge is
    looked at once.
    """
    count = len(priority)
    higher = priority[senders] > priority[receivers]
    senders, receivers = senders[higher], receivers[higher]
    waiting = np.bincount(receivers, minlength=count)
    seen = np.zeros((colors + 2, count), bool)
    color = np.zeros(count, np.int64)
    turn = waiting == 0
    while turn.any():
        color[turn] = 1 + np.argmin(seen[1:, turn], 0)  # the first that is not seen
        now = turn[senders]
        to = receivers[now]
        seen[color[senders[now]], to] = True
        seen[colors + 1] = False  # of one more there are enough
        waiting -= np.bincount(to, minlength=count)
        senders, receivers = senders[~now], receivers[~now]
        turn = (waiting == 0) & (color == 0)
    return color > colors


def all_differ(_: Arrays, inputs: Arrays, name: str) -> str | None:
    """Two equal numbers, of which all are to differ."""
    values, counts = np.unique(inputs[name], return_counts=True)
    for value in values[counts > 1][:1]:
        return f"several have the {name} {value}: give numbers of which no two are equal."
    return None


def neighbours_differ(graph: Arrays, inputs: Arrays, name: str) -> str | None:
    """Two neighbours of one number."""
    value = inputs[name]
    for node in graph["receiver"][value[graph["sender"]] == value[graph["receiver"]]][:1]:
        return (
            f"{graph['called'](node)} and a neighbour have the {name} {value[node]}: give numbers "
            "that differ between neighbours."
        )
    return None


CheckFunction = Callable[..., str | None]
NUMBER, MASK = "a number at the node", "a mask at the node"
# each with what its arguments are
CHECKS: dict[str, tuple[CheckFunction, list[str]]] = {
    "end_not_before": (end_not_before, [NUMBER, NUMBER]),
    "ascending": (ascending, [NUMBER]),
    "below_count": (below_count, ["a number at the graph"]),
    "pattern_last": (pattern_last, [MASK]),
    "first_word_first": (first_word_first, ["a pointer at the node", MASK]),
    "no_three_on_a_line": (no_three_on_a_line, [NUMBER, NUMBER]),
    "colors_suffice": (colors_suffice, [NUMBER, "a whole number"]),
}
# what kinds of numbers refuse: in the library it is a check of values
DIFFERENT = {"graph": all_differ, "neighbours": neighbours_differ}


# Each takes fields, a graph, drawn inputs and a random stream, then what its check takes, and gives
# inputs that the check lets pass.


def _end_after_begin(
    _: Fields, __: Graph, drawn: Values, ___: Rng, begin: str, end: str
) -> dict[str, np.ndarray]:
    both = np.stack([drawn[begin], drawn[end]])
    return {begin: both.min(0), end: both.max(0)}


def _in_order(_: Fields, graph: Graph, drawn: Values, __: Rng, name: str) -> dict[str, np.ndarray]:
    owner, by_value = graph.node_owner, drawn[name].argsort(kind="stable")
    return {name: drawn[name][by_value[owner[by_value].argsort(kind="stable")]]}


def _place(_: Fields, graph: Graph, __: Values, rng: Rng, name: str) -> dict[str, np.ndarray]:
    return {name: np.asarray(rng.integers(0, graph.node_counts))}


def _pattern_at_end(
    _: Fields, graph: Graph, __: Values, rng: Rng, name: str
) -> dict[str, np.ndarray]:
    counts, owner = graph.node_counts, graph.node_owner
    text = counts - rng.integers(1, np.maximum(counts // 2, 1) + 1)
    number = np.arange(graph.num_nodes) - graph.first_node[owner]
    return {name: number >= text[owner]}


def _rows_of_words(
    _: Fields, graph: Graph, drawn: Values, __: Rng, up: str, in_second: str
) -> dict[str, np.ndarray]:
    first, second = graph.first_node[graph.node_owner], drawn[in_second]
    is_wrong = second[first + drawn[up]] & ~second
    return {up: np.where(is_wrong, np.arange(graph.num_nodes) - first, drawn[up])}


def _no_line(
    fields: Fields, graph: Graph, _: Values, rng: Rng, x: str, y: str
) -> dict[str, np.ndarray]:
    points = draw_points(graph, min(fields[x].bits, fields[y].bits), rng)
    return {
        name: points[axis] if fields[name].signed else points[axis] - points[axis].min()
        for axis, name in (("x", x), ("y", y))
    }


# of checks, how inputs are drawn that they let pass
DRAWS: dict[str, Callable[..., dict[str, np.ndarray]]] = {
    "end_not_before": _end_after_begin,
    "ascending": _in_order,
    "below_count": _place,
    "pattern_last": _pattern_at_end,
    "first_word_first": _rows_of_words,
    "no_three_on_a_line": _no_line,
}


def refuse_checks(checks: Iterable[Sequence[Any]], inputs: Mapping[str, Field]) -> None:
    """Raises an error where a check is unknown, or its arguments are not what it speaks of."""

    def said(given: Any) -> str:
        if type(given) is int and given > 0:
            return "a whole number"
        field = inputs.get(given)
        return f"a {field.kind} at the {field.at}" if field else ""

    for name, *arguments in checks:
        _, wanted = CHECKS.get(name, (None, []))
        if not wanted or [*map(said, arguments)] != wanted:
            raise DefinitionError(
                f"checks has ({name!r}, ...) of {', '.join(map(repr, arguments)) or 'nothing'}: "
                + (
                    f"give {', '.join(wanted)}."
                    if wanted
                    else f"begin with one of {', '.join(CHECKS)}."
                )
            )


def as_arrays(graph: Graph) -> Arrays:
    """What checks know of a graph."""
    graph = graph.to(NUMPY)
    senders, receivers = graph.links
    return {
        "owner": graph.node_owner,
        "count": graph.node_counts,
        "sender": senders,
        "receiver": receivers,
        "called": lambda node: graph.describe("node", int(node)),
    }


def check_source(check: CheckFunction) -> dict[str, str]:
    """The source of a check and of what it calls, by their names, without types."""
    names = check.__code__.co_names
    helpers = [globals()[name] for name in names if inspect.isfunction(globals().get(name))]
    made = {name: text for helper in helpers for name, text in check_source(helper).items()}
    tree = ast.parse(inspect.getsource(check))
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            node.returns = None
        if isinstance(node, ast.arg):
            node.annotation = None
    return {**made, check.__name__: ast.unparse(tree)}

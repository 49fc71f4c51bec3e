"""What came of a run of one graph, for a terminal: by what is declared, whatever the algorithm.

An outcome of the graph is one line, with those that it rests on. Masks and classes are lists of
nodes or edges, edges with the user's own numbers and their total. Nodes that point to a node of
their group make groups. Nodes that point along edges make a tree: a table of parents and of the
ways from the root, with the numbers that were found. Long lists and tables are cut, and say by how
much.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

import numpy as np
from rich import box
from rich.console import RenderableType
from rich.table import Column, Table
from rich.text import Text

from algolens.arrays import NUMPY
from algolens.engines import Run
from algolens.engines.numbers import given_numbers
from algolens.graphs import At, Graph
from algolens.graphs.attributes import ExactNumber
from algolens.language.fields import Field
from algolens.language.ir import ME, Not, Quantified, negation, put
from algolens.language.text import plain, table_of
from algolens.lazy import nx
from algolens.text.names import (
    MOST_LISTED,
    arrow,
    element_name,
    listed,
    quoted,
    total,
    value_in_words,
    written,
)
from algolens.text.seen import Scene
from algolens.text.sentences import Sentences

MOST_ON_A_WAY = 20  # nodes; of a longer way, so many of its first and its last


def outcome_summary(run: Run, *, everything: bool = False) -> Iterator[RenderableType]:
    """The outcome, then every output at the end; everything: nothing is cut, however long."""
    run = run.to(NUMPY)
    outputs, most = run.algorithm.declaration.outputs, None if everything else MOST_LISTED
    for name in run.outcomes:
        yield from map(Text, _outcome(run, name))
    trees = [name for name, kind in outputs.items() if kind.itself_is_none]
    numbers = [name for name, kind in outputs.items() if kind.kind == "number"]
    if trees or numbers:
        yield from _table(run, trees, numbers, most)
    for name, kind in outputs.items():
        if kind.to is not None and name not in trees and not run.algorithm.table:
            yield from map(Text, _groups(run, name, most))
        elif not trees and not numbers:
            yield from map(Text, _listed(run, name, kind, most))
    if not numbers:
        for name in trees:
            yield from map(Text, _tree_edges(run, name, most))


def count_in_words(number: int, what: str) -> str:
    """So many of something.

    >>> count_in_words(1, "node"), count_in_words(2000, "edge")
    ('1 node', '2,000 edges')
    """
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"


# ---- outcomes


def _outcome(run: Run, name: str) -> Iterator[str]:
    """Whether it holds, and why; of two sides of a graph that has none, an odd cycle."""
    yield f"{Sentences(run).outcome(name)}." if run.has_trace else _answer(run, name)
    declaration = run.algorithm.declaration
    for output, kind in declaration.outputs.items():
        is_side = len(kind.labels) == 2
        if is_side and declaration.location == "node":
            cycle = _odd_cycle(run.graph, run.final(output), _witnesses(run, name))
            names = [quoted(run.graph.name_of(node)) for node in [*cycle, *cycle[:1]]]
            if names:
                yield f"an odd cycle: {' - '.join(names)}"


def _answer(run: Run, name: str) -> str:
    return f"{plain(name)}: {value_in_words(bool(run.outcomes[name][0]))}."


def _witnesses(run: Run, outcome: str) -> list[int]:
    """The elements that show an outcome true, where some are said to be so, or else false.

    Of ``no node (shares_side)``, those that do; of ``every node (is_placed)``, those that are not.
    """
    declaration = run.algorithm.declaration
    speech = declaration.speech
    value = None if speech is None else speech.told[outcome].value
    match value.term if isinstance(value, Not) else value:
        case Quantified("some" | "every" as quantity, view, body) if speech is not None:
            if table_of(view) != declaration.location:
                return []
        case _:
            return []

    scene = Scene(run, speech.program).at(run.num_steps)
    shown = put(negation(body) if quantity == "every" else body, it=ME)
    found: list[int] = scene.all(shown, table_of(view)).nonzero()[0].tolist()
    return found


def _odd_cycle(graph: Graph, side: np.ndarray, places: Sequence[int]) -> list[int]:
    """A cycle of odd length through an edge between two of these nodes on one side; or none.

    Two ends on one side are an even number of edges apart that change sides. side: [N] 0 or 1.
    """
    edges, sides = graph.edges.T.tolist(), side.tolist()
    alternating = nx.Graph((u, v) for u, v in edges if sides[u] != sides[v])
    alternating.add_nodes_from(places)
    for u, v in edges:
        is_odd = {u, v} <= set(places) and sides[u] == sides[v]
        if is_odd and nx.has_path(alternating, u, v):
            return nx.shortest_path(alternating, v, u)
    return []


# ---- lists


def _listed(run: Run, name: str, field: Field, most: int | None) -> Iterator[str]:
    """The nodes or edges of each class, masks only where true; of edges' numbers also the sum."""
    location = run.algorithm.declaration.location
    numbers = _edge_numbers(run) if location == "edge" else {}
    final, is_mask = run.final(name).astype(int), field.kind == "mask"
    states = list(run.algorithm.declaration.words.states)
    for other in states[: states.index(name)] if name in states and is_mask else ():
        if other in run.outputs:  # of several states, the first counts
            final = final & ~run.final(other)
    order = run.graph.named_order(location)
    for label in field.classes[is_mask:]:
        members = order[final[order] == field.classes.index(label)].tolist()
        if members or is_mask:
            named = listed(members, most, partial(_with_numbers, run, location, numbers=numbers))
            of_label = run.algorithm.declaration.words.states.get(label, f"{plain(name)} {label}")
            yield f"{_called(run, name) if is_mask else of_label}: {named}"
        if is_mask:
            yield from _totals(numbers, members)


def _called(run: Run, name: str) -> str:
    """What elements are called where a mask holds, or before the name that they point to."""
    return run.algorithm.declaration.words.states.get(name, plain(name))


def _groups(run: Run, name: str, most: int | None) -> Iterator[str]:
    """The nodes that point to one node, group by group."""
    groups: dict[str, list[int]] = {}
    named = partial(element_name, run.graph, run.algorithm.declaration.location)
    shown = run.shown(name)
    for place in run.graph.named_order(run.algorithm.declaration.location).tolist():
        groups.setdefault(shown[place], []).append(place)
    yield f"{count_in_words(len(groups), 'group')} by {plain(name)}:"
    for target, members in list(groups.items())[:most]:
        yield f"{_called(run, name)} {value_in_words(target)}: {listed(members, most, named)}"
    if most is not None and len(groups) > most:
        yield f"and {count_in_words(len(groups) - most, 'more group')}."


def _with_numbers(
    run: Run, location: At, place: int, numbers: Mapping[str, Sequence[ExactNumber]]
) -> str:
    shown = ", ".join(written(values[place]) for values in numbers.values())
    return element_name(run.graph, location, place) + (f" ({shown})" if shown else "")


def _totals(numbers: Mapping[str, Sequence[ExactNumber]], members: Sequence[int]) -> Iterator[str]:
    for name, values in numbers.items():
        yield f"total {name}: {total([values[i] for i in members])}"


def _edge_numbers(run: Run) -> dict[str, list[ExactNumber]]:
    """The numbers of edges as the user gave them, without those that are random by nature."""
    return {
        name: given_numbers(run.algorithm, run.graph, run.inputs, name)
        for name, field in run.algorithm.declaration.inputs.items()
        if field.at == "edge" and field.kind == "number" and not field.drawn
    }


# ---- trees


def _table(
    run: Run, trees: Sequence[str], numbers: Sequence[str], most: int | None
) -> Iterator[RenderableType]:
    """A row for each node or edge, with the paths to it, in the order of the first number."""
    declaration = run.algorithm.declaration
    location = declaration.location
    shown = {
        name: run.shown(name)
        for name, kind in declaration.outputs.items()
        if kind.to is None or name in trees or run.algorithm.table
    }
    paths = {
        "path" if len(trees) == 1 else f"path by {plain(name)}": _paths(
            run, name, None if most is None else MOST_ON_A_WAY
        )
        for name in trees
    }
    headings = ["" if run.algorithm.items else location, *map(plain, shown), *paths]
    table = Table(*(Column(heading, overflow="fold") for heading in headings), box=box.SIMPLE_HEAD)
    rows = run.graph.named_order(location).tolist()
    drawn = getattr(run.algorithm.layout, "where", None) or ""
    if drawn in run.hints:  # other cells of a table have no meaning
        rows, most = [i for i in rows if run.final(drawn)[i]], None
    elif numbers:
        rows.sort(key=lambda i: (shown[numbers[0]][i] is None, shown[numbers[0]][i] or 0))
    for i in rows[:most]:
        values = [value_in_words(column[i]) for column in shown.values()]
        ways = [path_to(i) for path_to in paths.values()]
        table.add_row(*map(Text, [element_name(run.graph, location, i), *values, *ways]))
    yield table
    if most is not None and len(rows) > most:
        yield Text(f"and {count_in_words(len(rows) - most, f'more {location}')}.")


def _paths(run: Run, name: str, most: int | None) -> Callable[[int], str]:
    """Gives the way to a node from its root; of a node alone that no input names, none."""
    parents: list[int] = run.final(name).tolist()  # of one graph: places are numbers of nodes
    named = {
        int(run.inputs[given][0])
        for given, field in run.algorithm.declaration.inputs.items()
        if field.at == "graph" and field.to == "node"
    }
    leads = {parent for node, parent in enumerate(parents) if parent != node} | named
    between = arrow(run.graph)

    def path_to(node: int) -> str:
        way, seen = [node], {node}
        while parents[way[-1]] != way[-1] and parents[way[-1]] not in seen:
            way.append(parents[way[-1]])
            seen.add(way[-1])
        names = [quoted(run.graph.name_of(passed)) for passed in reversed(way)]
        if most is not None and len(names) > most + 1:
            names[most - 1 : -1] = [f"... ({len(names) - most} more)"]
        if parents[way[-1]] != way[-1]:  # the pointers lead in a circle
            names.insert(0, "...")
        is_alone = parents[node] == node and node not in leads
        return "-" if is_alone else between.join(names)

    return path_to


def _tree_edges(run: Run, name: str, most: int | None) -> Iterator[str]:
    """The edges that nodes point along, with their numbers and the total, where edges have some."""
    numbers, parents = _edge_numbers(run), run.final(name)
    if not numbers:
        return
    tails, heads = run.graph.edges
    is_used = parents[heads] == tails
    if not run.graph.directed:
        is_used |= parents[tails] == heads
    order = run.graph.named_order("edge")
    members = order[is_used[order]].tolist()
    named = partial(_with_numbers, run, "edge", numbers=numbers)
    yield f"edges by {plain(name)}: {listed(members, most, named)}"
    yield from _totals(numbers, members)

"""What came of a run of one graph, for a terminal: by what is declared, whatever the algorithm.

An outcome of the graph is one line, with those that it rests on. Masks and classes are lists of nodes or edges, edges with
the user's own numbers and their total. Nodes that point to a node of their group make groups. Nodes that point along edges
make a tree: a table of parents and of the ways from the root, with the numbers that were found.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import torch
from rich import box
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from algolens.execution import Run
from algolens.execution.own_numbers import given_numbers
from algolens.fields import Category, Kind, Mask, Number, Pointer
from algolens.graphs import Location
from algolens.graphs.attributes import ExactNumber
from algolens.reports.numbers import total, written
from algolens.reports.witnesses import odd_cycle, witnesses

MOST_WITNESSES = 5


def summary(run: Run) -> Iterator[RenderableType]:
    """The outcome, then every output when all is done."""
    declaration = run.algorithm.declaration
    for name, value in run.outcomes.items():
        yield from map(Text, _outcome(run, name, bool(value[0])))
    in_table = {name for name, kind in declaration.outputs.items() if _leads_along_edges(kind) or isinstance(kind, Number)}
    if in_table:
        yield _table(run)
    for name, kind in declaration.outputs.items():
        if not in_table:
            yield from map(Text, _listed(run, name, kind))
        elif isinstance(kind, Pointer) and not _leads_along_edges(kind):
            yield from map(Text, _groups(run, name))
    found = {name for name in in_table if isinstance(declaration.outputs[name], Number)}
    for name in in_table - found if not found else ():
        yield from map(Text, _tree_edges(run, name))


def counted(number: int, what: str) -> str:
    """So many of something.

    >>> counted(1, "node"), counted(2, "edge")
    ('1 node', '2 edges')
    """
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def value_in_words(value: Any) -> str:
    """A value of an output in a cell."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "-" if value is None else str(value)


def _leads_along_edges(kind: Kind) -> bool:
    """Whether it is a pointer to a neighbour, of a tree; else it points to a node that stands for a group."""
    return isinstance(kind, Pointer) and kind.itself_is_none


# ---- outcomes


def _outcome(run: Run, name: str, value: bool) -> Iterator[str]:
    """Whether it holds; and where some nodes show that it does not, or that it does, which."""
    places = witnesses(run, name)
    location = run.algorithm.declaration.location
    shown = ", ".join(run.graph.name_at(location, place) for place in places[:MOST_WITNESSES])
    more = ", ..." if len(places) > MOST_WITNESSES else ""
    yield f"{name}: {value_in_words(value)}" + (f" (see {shown}{more})" if places else "")
    for output, kind in run.algorithm.declaration.outputs.items():
        if places and isinstance(kind, Category) and kind.num_classes == 2 and location is Location.NODE:
            cycle = odd_cycle(run.graph, run.final(output), places)
            if cycle:
                yield "an odd cycle: " + " - ".join(map(run.graph.name_of, [*cycle, cycle[0]]))


# ---- lists


def _listed(run: Run, name: str, kind: Kind) -> Iterator[str]:
    """The nodes or edges of each class, masks only where true; of edges with numbers, also their sum."""
    if isinstance(kind, Pointer):
        yield from _groups(run, name)
        return
    numbers = _edge_numbers(run) if run.algorithm.declaration.location is Location.EDGE else {}
    final, is_mask = run.final(name).long(), isinstance(kind, Mask)
    for label in kind.labels[1:] if is_mask else kind.labels:
        members = (final == kind.labels.index(label)).nonzero().flatten().tolist()
        if members or is_mask:
            named = ", ".join(_with_numbers(run, i, numbers) for i in members) or "none"
            yield f"{name if is_mask else f'{name} {label}'}: {named}"
        if is_mask:
            yield from _totals(numbers, members)


def _groups(run: Run, name: str) -> Iterator[str]:
    """The nodes that point to one node, group by group."""
    groups: dict[str, list[str]] = {}
    location = run.algorithm.declaration.location
    for place, target in enumerate(run.shown(name)):
        groups.setdefault(target, []).append(run.graph.name_at(location, place))
    yield f"{counted(len(groups), 'group')} by {name}:"
    for target, members in groups.items():
        yield f"{name} {target}: {', '.join(members)}"


def _with_numbers(run: Run, edge: int, numbers: Mapping[str, Sequence[ExactNumber]]) -> str:
    shown = ", ".join(written(values[edge]) for values in numbers.values())
    return run.graph.name_at(run.algorithm.declaration.location, edge) + (f" ({shown})" if shown else "")


def _totals(numbers: Mapping[str, Sequence[ExactNumber]], members: Sequence[int]) -> Iterator[str]:
    for name, values in numbers.items():
        yield f"total {name}: {total([values[i] for i in members])}"


def _edge_numbers(run: Run) -> dict[str, list[ExactNumber]]:
    """The numbers of edges that were read, as the user gave them where they did; without those that are random by nature."""
    return {
        name: given_numbers(run.algorithm, run.graph, run.inputs, name)
        for name, field in run.algorithm.declaration.inputs.items()
        if field.location is Location.EDGE and isinstance(field.kind, Number) and not field.drawn
    }


# ---- trees


def _table(run: Run) -> Table:
    """A row for each node or edge: what was found of it, and the way to it along pointers; in the order of the first number."""
    declaration = run.algorithm.declaration
    shown = {name: run.shown(name) for name in declaration.outputs}
    trees = [name for name, kind in declaration.outputs.items() if _leads_along_edges(kind)]
    numbers = [name for name, kind in declaration.outputs.items() if isinstance(kind, Number)]
    columns = [name for name, kind in declaration.outputs.items() if not isinstance(kind, Pointer) or name in trees]
    table = Table(box=box.SIMPLE_HEAD)
    for column in (declaration.location.value, *columns):
        table.add_column(column)
    paths = {name: _paths(run, name) for name in trees}
    for name in trees:
        table.add_column("path" if len(trees) == 1 else f"path by {name}", overflow="fold")
    rows = list(range(run.graph.count(declaration.location)))
    if numbers:
        rows.sort(key=lambda i: (shown[numbers[0]][i] is None, shown[numbers[0]][i] or 0))
    for i in rows:
        cells = [run.graph.name_at(declaration.location, i), *(value_in_words(shown[name][i]) for name in columns)]
        table.add_row(*map(Text, [*cells, *(paths[name][i] for name in trees)]))
    return table


def _paths(run: Run, name: str) -> list[str]:
    """The way to each node from its root; none where it points nowhere and none points to it, unless an input names it."""
    parents: list[int] = run.final(name).tolist()  # of one graph: places are numbers of nodes
    named = {int(run.inputs[each][0]) for each, field in run.algorithm.declaration.inputs.items() if _names_node(field)}
    leads = {parent for node, parent in enumerate(parents) if parent != node} | named
    paths, arrow = [], " -> " if run.graph.directed else " - "
    for node, parent in enumerate(parents):
        way, seen = [node], {node}
        while parents[way[-1]] != way[-1] and parents[way[-1]] not in seen:
            way.append(parents[way[-1]])
            seen.add(way[-1])
        in_circle = parents[way[-1]] != way[-1]
        text = arrow.join(run.graph.name_of(each) for each in reversed(way))
        paths.append("-" if parent == node and node not in leads else f"...{arrow}{text}" if in_circle else text)
    return paths


def _names_node(field: Any) -> bool:
    return field.location is Location.GRAPH and isinstance(field.kind, Pointer) and field.kind.to is Location.NODE


def _tree_edges(run: Run, name: str) -> Iterator[str]:
    """The edges that nodes point along, with their numbers, and the total; where there are numbers at edges."""
    numbers, parents = _edge_numbers(run), run.final(name)
    if not numbers:
        return
    tails, heads = run.graph.edges
    is_used = (parents[heads] == tails) | (
        (parents[tails] == heads) if not run.graph.directed else torch.zeros_like(tails).bool()
    )
    members = is_used.nonzero().flatten().tolist()
    shown = [
        f"{run.graph.name_at(Location.EDGE, edge)} ({', '.join(written(values[edge]) for values in numbers.values())})"
        for edge in members
    ]
    yield f"edges by {name}: {', '.join(shown) or 'none'}"
    yield from _totals(numbers, members)

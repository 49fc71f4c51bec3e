"""Whether an algorithm gives what a reference gives: a function of its author's, usually by
NetworkX.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import networkx as nx
from torch import Tensor

from algolens.errors import AlgoLensError
from algolens.execution import Run
from algolens.fields import Kind, Location


@dataclass(frozen=True)
class Agreement:
    """How runs compare with the reference."""

    graphs: int  # so many were compared
    compared: tuple[str, ...]  # the outputs and outcomes that the reference knows
    difference: str | None  # the first, in words; None where there is none


def agreement(run: Run) -> Agreement | None:
    """How the runs of a batch compare with the algorithm's reference, graph by graph; None where it
    has none.
    """
    compared: dict[str, None] = {}
    found = {
        name: _as_numbers(kind, run.final(name), run.shown(name))
        for name, kind in _outputs(run).items()
    }
    for number in range(run.graph.num_graphs):
        graph, inputs = as_networkx(run, number)
        expected = run.algorithm.reference(graph, inputs)
        if expected is None:
            return None
        compared |= dict.fromkeys(expected)
        for difference in _differences(run, number, found, expected):
            # as they were, whatever reference() did with them
            graph, inputs = as_networkx(run, number)
            where = (
                f"on {len(graph)} nodes with the edges "
                f"{list(graph.edges(data=bool(_at_edges(run))))}"
            )
            given = f" and {inputs}" if inputs else ""
            return Agreement(number + 1, tuple(compared), f"{where}{given}, {difference}")
    return Agreement(run.graph.num_graphs, tuple(compared), None)


def as_networkx(run: Run, number: int) -> tuple[nx.Graph, dict[str, Any]]:
    """A graph of a run, nodes 0, 1, ..., with its inputs as attributes; and what the graph itself
    has one of.
    """
    graph = nx.DiGraph() if run.graph.directed else nx.Graph()
    graph.add_nodes_from(range(int(run.graph.node_counts[number])))
    edges = _edges(run, number)
    graph.add_edges_from(edges)
    inputs = {}
    for name, field in run.algorithm.declaration.inputs.items():
        mine = run.inputs[name][_span(run, field.location, number)]
        is_place = field.kind.points_to is Location.NODE
        values = mine.tolist() if is_place else field.kind.shown(mine, run.graph, field.location)
        if field.location is Location.GRAPH:
            inputs[name] = values[0]
        elif field.location is Location.NODE:
            nx.set_node_attributes(graph, dict(enumerate(values)), name)
        else:
            nx.set_edge_attributes(graph, dict(zip(edges, values, strict=True)), name)
    return graph, inputs


def _differences(
    run: Run, number: int, found: Mapping[str, list[Any]], expected: Mapping[str, Any]
) -> Iterator[str]:
    declaration = run.algorithm.declaration
    span = _span(run, declaration.location, number)
    for name, values in expected.items():
        if name in run.outcomes:
            outcome = bool(run.outcomes[name][number])
            if outcome != values:
                yield f"{name} is {outcome}, and {values} by reference()"
            continue
        if name not in found:
            known = ", ".join([*run.outputs, *run.outcomes])
            raise AlgoLensError(
                f"reference() gives '{name}', which is no output and no outcome: there are {known}."
            )
        true = _expected(run, number, values, declaration.outputs[name].left_out)
        for place, (mine, other) in enumerate(zip(found[name][span], true, strict=True)):
            if mine != other:
                where = (
                    f"{declaration.location.value} "
                    f"{run.graph.name_at(declaration.location, span.start + place)}"
                )
                yield f"{name} of {where} is {mine}, and {other} by reference()"


def _expected(run: Run, number: int, values: Mapping[Any, Any], nothing: Any) -> list[Any]:
    """What a reference gave for every element of a graph."""
    if run.algorithm.declaration.location is Location.NODE:
        return [values.get(node, nothing) for node in range(int(run.graph.node_counts[number]))]
    if run.graph.directed:
        return [values.get(edge, nothing) for edge in _edges(run, number)]
    return [values.get((u, v), values.get((v, u), nothing)) for u, v in _edges(run, number)]


def _edges(run: Run, number: int) -> list[tuple[int, int]]:
    """The edges of a graph, by the places of their ends in it."""
    first = int(run.graph.first(Location.NODE)[number])
    return [
        (u - first, v - first)
        for u, v in run.graph.edges.T[_span(run, Location.EDGE, number)].tolist()
    ]


def _span(run: Run, location: Location, number: int) -> slice:
    """Where the elements of a graph stand among those of the batch."""
    if location is Location.GRAPH:
        return slice(number, number + 1)
    first = int(run.graph.first(location)[number])
    return slice(first, first + int(run.graph.counts(location)[number]))


def _as_numbers(kind: Kind, values: Tensor, shown: list[Any]) -> list[Any]:
    """What is shown, with nodes that are pointed to by their numbers."""
    if kind.points_to is not Location.NODE:
        return shown
    return [
        None if name is None else place for name, place in zip(shown, values.tolist(), strict=True)
    ]


def _outputs(run: Run) -> Mapping[str, Kind]:
    return {
        name: kind
        for name, kind in run.algorithm.declaration.outputs.items()
        if name in run.outputs
    }


def _at_edges(run: Run) -> list[str]:
    return [
        name
        for name, field in run.algorithm.declaration.inputs.items()
        if field.location is Location.EDGE
    ]

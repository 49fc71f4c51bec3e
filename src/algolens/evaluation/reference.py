"""Whether an algorithm gives what a reference gives: a function of its author's, usually by NetworkX."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import networkx as nx

from algolens.errors import AlgoLensError
from algolens.execution import Run
from algolens.fields import Location, Mask, Pointer


@dataclass(frozen=True)
class Agreement:
    """How runs compare with the reference."""

    graphs: int  # so many were compared
    compared: tuple[str, ...]  # the outputs and outcomes that the reference knows
    difference: str | None  # the first, in words; None where there is none


def agreement(run: Run) -> Agreement | None:
    """How the runs of a batch compare with the algorithm's reference, graph by graph; None where it has none."""
    compared: dict[str, None] = {}
    for number in range(run.graph.num_graphs):
        alone = run.take([number])
        graph, inputs = as_networkx(alone)
        expected = alone.algorithm.reference(graph, inputs)
        if expected is None:
            return None
        compared |= dict.fromkeys(expected)
        for difference in _differences(alone, expected):
            graph, inputs = as_networkx(alone)  # as they were, whatever reference() did with them
            where = f"on {alone.graph.num_nodes} nodes with the edges {list(graph.edges(data=bool(_at_edges(alone))))}"
            given = f" and {inputs}" if inputs else ""
            return Agreement(number + 1, tuple(compared), f"{where}{given}, {difference}")
    return Agreement(run.graph.num_graphs, tuple(compared), None)


def as_networkx(run: Run) -> tuple[nx.Graph, dict[str, Any]]:
    """The one graph of a run, nodes 0, 1, ..., with its inputs as attributes; and what the graph itself has one of."""
    graph = nx.DiGraph() if run.graph.directed else nx.Graph()
    graph.add_nodes_from(range(run.graph.num_nodes))
    edges = [(u, v) for u, v in run.graph.edges.T.tolist()]
    graph.add_edges_from(edges)
    inputs = {}
    for name, field in run.algorithm.declaration.inputs.items():
        values = _as_numbers(field.kind, field.kind.shown(run.inputs[name], run.graph, field.location), run)
        if field.location is Location.GRAPH:
            inputs[name] = values[0]
        elif field.location is Location.NODE:
            nx.set_node_attributes(graph, dict(enumerate(values)), name)
        else:
            nx.set_edge_attributes(graph, dict(zip(edges, values, strict=True)), name)
    return graph, inputs


def _differences(run: Run, expected: Mapping[str, Any]) -> Iterator[str]:
    declaration = run.algorithm.declaration
    for name, values in expected.items():
        if name in run.outcomes:
            found = bool(run.outcomes[name][0])
            if found != values:
                yield f"{name} is {found}, and {values} by reference()"
            continue
        if name not in run.outputs:
            known = ", ".join([*run.outputs, *run.outcomes])
            raise AlgoLensError(f"reference() gives '{name}', which is no output and no outcome: there are {known}.")
        kind = declaration.outputs[name]
        nothing = False if isinstance(kind, Mask) else None
        for place, found in enumerate(_as_numbers(kind, run.shown(name), run)):
            true = _expected(run, values, place, nothing)
            if found != true:
                where = f"{declaration.location.value} {run.graph.name_at(declaration.location, place)}"
                yield f"{name} of {where} is {found}, and {true} by reference()"


def _expected(run: Run, values: Any, place: int, nothing: Any) -> Any:
    if run.algorithm.declaration.location is Location.NODE:
        return values.get(place, nothing)
    u, v = run.graph.edges[:, place].tolist()
    return values.get((u, v), nothing if run.graph.directed else values.get((v, u), nothing))


def _as_numbers(kind: Any, shown: list[Any], run: Run) -> list[Any]:
    """What is shown, with nodes that are pointed to by their numbers."""
    if not isinstance(kind, Pointer) or kind.to is not Location.NODE:
        return shown
    return [None if name is None else run.graph.place_of[name] for name in shown]


def _at_edges(run: Run) -> list[str]:
    return [name for name, field in run.algorithm.declaration.inputs.items() if field.location is Location.EDGE]

"""Whether an algorithm gives what its author's reference gives, usually by NetworkX."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import networkx as nx

from algolens.algorithms import PlainValues
from algolens.engines import Run
from algolens.errors import AlgoLensError
from algolens.graphs.attributes import BACK


@dataclass(frozen=True)
class Agreement:
    """How runs compare with the reference."""

    graphs: int  # so many were compared
    compared: tuple[str, ...]  # the outputs and outcomes that the reference knows
    difference: str | None  # the first, in words; None where there is none


def agreement(run: Run) -> Agreement | None:
    """Compares the runs of a batch with the algorithm's reference; None where it has none."""
    compared: dict[str, None] = {}
    run = run.without_trace()
    for number in range(run.graph.num_graphs):
        alone = run.take([number])
        expected = run.algorithm.reference(*as_networkx(alone))
        if expected is None:
            return None
        if not isinstance(expected, Mapping):
            raise AlgoLensError(
                f"reference() gives a {type(expected).__name__}: return a dictionary by output, "
                f"as in {{{next(iter(run.outputs))!r}: ...}}."
            )
        compared |= dict.fromkeys(expected)
        difference = next(_differences(alone, expected), None)
        if difference is not None:
            # as they were, whatever reference() did with them
            graph, inputs = as_networkx(alone)
            weighted = any(
                field.at in ("edge", "link") for field in run.algorithm.declaration.inputs.values()
            )
            edges = list(graph.edges(data=weighted))
            given = f" and {inputs}" if inputs else ""
            where = f"on {len(graph)} nodes with the edges {edges}{given}"
            return Agreement(number + 1, tuple(compared), f"{where}, {difference}")
    return Agreement(run.graph.num_graphs, tuple(compared), None)


def as_networkx(run: Run) -> tuple[nx.Graph, dict[str, Any]]:
    """The graph of a run with its inputs as attributes; and the inputs of the whole graph.

    Of an input ``x`` at links, an undirected edge (u, v) with u < v has ``x`` and ``x_back``.
    """
    graph = nx.DiGraph() if run.graph.directed else nx.Graph()
    graph.add_nodes_from(range(run.graph.num_nodes))
    edges = _edges(run)
    graph.add_edges_from(edges)
    inputs = {}
    for name, field in run.algorithm.declaration.inputs.items():
        tensor = run.inputs[name]
        is_node = field.to == "node"
        values = tensor.tolist() if is_node else field.shown(tensor, run.graph)
        if field.at == "graph":
            inputs[name] = values[0]
        elif field.at == "node":
            nx.set_node_attributes(graph, dict(enumerate(values)), name)
        else:
            # of an undirected graph's links, the second half leads back
            nx.set_edge_attributes(graph, dict(zip(edges, values, strict=False)), name)
            back = dict(zip(edges, values[len(edges) :], strict=False))
            nx.set_edge_attributes(graph, back, name + BACK)
    return graph, inputs


def _differences(run: Run, expected: PlainValues) -> Iterator[str]:
    """Where the run of one graph differs from what its reference gave, in words."""
    location = run.algorithm.declaration.location
    for name, value in expected.items():
        if name in run.outcomes:
            outcome = bool(run.outcomes[name][0])
            if outcome != value:
                yield f"{name} is {outcome}, and {value} by reference()"
            continue
        if name not in run.outputs:
            known = ", ".join([*run.outputs, *run.outcomes])
            raise AlgoLensError(
                f"reference() gives '{name}', which is no output and no outcome: there are {known}."
            )
        pairs = zip(_results(run, name), _expected(run, name, value), strict=True)
        for place, (result, wanted) in enumerate(pairs):
            if result != wanted:
                where = f"{location} {run.graph.name_at(location, place)}"
                yield f"{name} of {where} is {result}, and {_told(wanted, result)} by reference()"


def _told(wanted: Any, result: Any) -> str:
    """A value of a reference; where it reads as the result does, its type and what to write."""
    if str(wanted) != str(result):
        return str(wanted)
    return f"{wanted!r}, of type {type(wanted).__name__} (write {result!r})"


def _results(run: Run, name: str) -> list[Any]:
    """An output of every element, as it is shown; a node that is pointed to by its number."""
    shown = run.shown(name)
    if run.algorithm.declaration.outputs[name].to != "node":
        return shown
    numbers = run.final(name).tolist()
    return [None if text is None else node for text, node in zip(shown, numbers, strict=True)]


def _expected(run: Run, name: str, values: Mapping[Any, Any]) -> list[Any]:
    """What a reference gave for every element; one that it left out is false, or None."""
    declaration = run.algorithm.declaration
    if isinstance(values, set | frozenset):  # of those that have it
        values = dict.fromkeys(values, True)
    if not isinstance(values, Mapping):
        example = "{0: ...}" if declaration.location == "node" else "{(0, 1): ...}"
        raise AlgoLensError(
            f"reference() gives for '{name}' a {type(values).__name__}: give a dictionary by "
            f"{declaration.location}, as in {{{name!r}: {example}}}."
        )
    left_out = False if declaration.outputs[name].kind == "mask" else None
    if declaration.location == "node":
        return [values.get(node, left_out) for node in range(run.graph.num_nodes)]
    if run.graph.directed:
        return [values.get(edge, left_out) for edge in _edges(run)]
    return [values.get((u, v), values.get((v, u), left_out)) for u, v in _edges(run)]


def _edges(run: Run) -> list[tuple[int, int]]:
    return [(u, v) for u, v in run.graph.edges.T.tolist()]

"""Many graphs of a user at once: a folder of files, or a list; their inputs given or drawn."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import networkx as nx
import torch

from algolens.algorithms import Algorithm
from algolens.errors import AlgoLensError, GraphError
from algolens.execution import Run, run_algorithm
from algolens.experiment import TestSets
from algolens.front.given_graph import read_graph
from algolens.graphs import Graph, Location, stream

SUFFIXES = (".csv", ".tsv", ".graphml", ".json")
GIVEN = "given"  # in the place of a size


def own_test_sets(algorithm: Algorithm, graphs: Any, seed: int) -> TestSets:
    """The true traces of a user's graphs. seed: of the inputs that they do not carry."""
    parts, drawn = [], dict[str, int]()
    for place, (name, given) in enumerate(_listed(graphs)):
        try:
            graph, inputs, missing = _read(algorithm, given, seed, place)
            parts.append((graph, inputs))
        except AlgoLensError as problem:
            raise GraphError(f"{name}: {str(problem).removeprefix(f'{name}: ')}") from problem
        for field in missing:
            drawn[field] = drawn.get(field, 0) + 1
    sizes = [graph.num_nodes for graph, _ in parts]
    about = {"given": len(parts), "nodes": [min(sizes), max(sizes)], "data_seed": seed}
    return TestSets({GIVEN: (_trace(algorithm, parts),)}, {**about, "drawn": drawn})


def _trace(algorithm: Algorithm, parts: Sequence[tuple[Graph, Mapping[str, torch.Tensor]]]) -> Run:
    graph = Graph.join([graph for graph, _ in parts])
    names = algorithm.declaration.inputs
    inputs = {name: torch.cat([inputs[name] for _, inputs in parts]) for name in names}
    return run_algorithm(algorithm, graph, inputs)


def _listed(graphs: Any) -> list[tuple[str, Any]]:
    """The graphs, each with what a message calls it."""
    if isinstance(graphs, str | os.PathLike) and Path(graphs).is_dir():
        files = sorted(path for path in Path(graphs).iterdir() if path.suffix.lower() in SUFFIXES)
        if not files:
            ends = "end in .csv, .tsv, .graphml or .json"
            raise GraphError(f"{graphs} holds no graph: put files into it that {ends}.")
        return [(str(path), path) for path in files]
    if isinstance(graphs, str | os.PathLike):
        return [(str(graphs), graphs)]
    if isinstance(graphs, nx.Graph | Graph) or not isinstance(graphs, Iterable):
        raise GraphError(
            f"graphs= takes a number, a folder of files, or a list of graphs; a "
            f"{type(graphs).__name__} came."
        )
    listed = [(f"graph {place}", given) for place, given in enumerate(graphs)]
    if not listed:
        raise GraphError("graphs= is empty: give at least one graph.")
    return listed


def _read(
    algorithm: Algorithm, given: Any, seed: int, place: int
) -> tuple[Graph, dict[str, torch.Tensor], list[str]]:
    """A graph, its inputs, and which of them were drawn."""
    graph = read_graph(given, by_default=algorithm.recipe.directed).graph
    if algorithm.with_room_for(graph) != algorithm:
        bits = algorithm.with_room_for(graph).options["bits"]
        raise GraphError(f"it needs numbers of {bits} bits: train with the option bits={bits}.")
    rng = stream(seed, "given", algorithm.name, place)
    drawn = algorithm.sample(graph, rng)
    fields = algorithm.declaration.inputs
    whole = [name for name, field in fields.items() if field.location is Location.GRAPH]
    carried = given.graph if isinstance(given, nx.Graph) else {}
    if hasattr(given, "edge_index"):  # a graph of PyTorch Geometric
        carried = {name: given[name] for name in whole if name in given}
    arguments = {name: _plain(carried[name]) for name in whole if name in carried}
    inputs, _ = algorithm.read(graph, rng, draw_all=True, **arguments)
    there = {Location.NODE: graph.node_attributes, Location.EDGE: graph.edge_attributes}
    missing = [
        name
        for name, field in fields.items()
        if name not in arguments and name not in there.get(field.location, {})
    ]
    return graph, {**inputs, **{name: drawn[name] for name in missing}}, missing


def _plain(value: Any) -> Any:
    """A tensor of one value as that value."""
    return value.item() if isinstance(value, torch.Tensor) and value.numel() == 1 else value

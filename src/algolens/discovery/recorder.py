"""Recording a loop of one's own in Python: its states step by step, as a file of runs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any

import networkx as nx

from algolens.discovery.plain import as_tensor
from algolens.discovery.recorded import RecordedRuns
from algolens.disk import write_file
from algolens.errors import AlgoLensError, DefinitionError, UnknownNameError
from algolens.graphs import Graph
from algolens.language.fields import Category, Field, Location


class Recorder:
    """Records the states of your own loop, for ``al.discover``.

    Parameters
    ----------
    state : mapping of str to Field
        What the loop changes, as ``{"awake": at_node(Mask())}``.
    inputs : mapping of str to Field, optional
        What it reads: attributes of the graph's nodes, edges, or of the graph.
    name : str
        What the loop is called.
    outputs : sequence of str, optional
        The fields of the state that are its outputs; by default all.

    Examples
    --------
    >>> import networkx as nx
    >>> from algolens.language.fields import Mask, at_node
    >>> recorder = Recorder(state={"hot": at_node(Mask())}, name="spread")
    >>> for source in range(4):
    ...     graph = nx.path_graph(5)
    ...     hot = {source}
    ...     recorder.begin(graph, hot={node: node in hot for node in graph})
    ...     while True:
    ...         wider = hot | {other for node in hot for other in graph[node]}
    ...         if wider == hot:
    ...             break
    ...         hot = wider
    ...         recorder.step(hot={node: node in hot for node in graph})
    ...     recorder.end()
    >>> len(recorder.runs)
    4
    """

    def __init__(
        self,
        state: Mapping[str, Field],
        inputs: Mapping[str, Field] | None = None,
        *,
        name: str = "recorded",
        outputs: tuple[str, ...] | list[str] | None = None,
    ) -> None:
        for part, fields in (("state", state), ("inputs", inputs or {})):
            if not isinstance(fields, Mapping) or not all(
                isinstance(field, Field) for field in fields.values()
            ):
                raise DefinitionError(
                    f'{part} is {fields!r}: give fields by name, as {{"visited": at_node(Mask())}}.'
                )
        if not state:
            raise DefinitionError("state names no field: name what the loop changes.")
        self.state, self.inputs, self.name = dict(state), dict(inputs or {}), name
        self.outputs = list(outputs or self.state)
        for output in self.outputs:
            if output not in self.state:
                raise UnknownNameError("field of the state", output, self.state)
        self.runs: list[dict[str, Any]] = []
        self._graph: Graph | None = None
        self._names: dict[Any, int] = {}

    def begin(self, graph: nx.Graph, **state: Any) -> None:
        """A run begins on a graph, in this state; one that is still open was cut short."""
        self._graph = None  # until all that came was read
        if graph.is_multigraph() or graph.number_of_nodes() == 0:
            raise AlgoLensError(
                "a graph without parallel edges, of at least one node, is recorded."
            )
        self._names = {node: place for place, node in enumerate(graph)}
        ends = [(self._names[u], self._names[v]) for u, v in graph.edges]
        packed = Graph.pack([len(graph)], ends, directed=graph.is_directed())
        run = {
            "graph": {
                "directed": graph.is_directed(),
                "nodes": [{"id": place} for place in self._names.values()],
                "edges": [{"source": u, "target": v} for u, v in ends],
            },
            "inputs": {
                name: self._read(name, field, _attribute(graph, name, field), packed)
                for name, field in self.inputs.items()
            },
            "start": self._state(state, packed),
            "trace": [],
            "stopped": "limit",
        }
        self.runs.append(run)
        self._graph = packed

    def step(self, **state: Any) -> None:
        """The state after a step: a value of every element, for every field."""
        run = self._open()
        assert self._graph is not None
        run["trace"].append({"state": self._state(state, self._graph)})

    def end(self) -> None:
        """The loop has finished: from the last state, it takes no step."""
        self._open()["stopped"] = "rule"
        self._graph = None

    def to_json(self) -> dict[str, Any]:
        """All runs as a document that ``al.discover`` takes from a file."""
        directed = {run["graph"]["directed"] for run in self.runs}
        graphs = {(True,): "directed", (False,): "undirected"}.get(tuple(directed), "any")
        return {
            "name": self.name,
            "inputs": {name: field.to_json() for name, field in self.inputs.items()},
            "state": {name: field.to_json() for name, field in self.state.items()},
            "outputs": self.outputs,
            "graphs": graphs,
            "runs": self.runs,
        }

    def save(self, path: str | PathLike[str]) -> Path:
        """Write all runs as JSON."""
        file = Path(path)
        write_file(file, json.dumps(self.to_json()))
        return file

    def teacher(self) -> RecordedRuns:
        """What was recorded, as ``al.discover`` takes it."""
        return RecordedRuns.of(self.to_json(), "what was recorded")

    def _open(self) -> dict[str, Any]:
        if self._graph is None:
            raise AlgoLensError("no run is open: call recorder.begin(graph, ...) first.")
        return self.runs[-1]

    def _state(self, given: Mapping[str, Any], graph: Graph) -> dict[str, Any]:
        for name in given:
            if name not in self.state:
                raise UnknownNameError("field of the state", name, self.state)
        for name in self.state:
            if name not in given:
                raise DefinitionError(f"no '{name}' came: give a value for all that state names.")
        fields = self.state
        return {name: self._read(name, fields[name], value, graph) for name, value in given.items()}

    def _read(self, name: str, field: Field, given: Any, graph: Graph) -> Any:
        """Values as JSON, in the order of elements: what is changed later does not change them."""
        values = as_tensor(name, field, given, graph, self._names).tolist()
        kind = field.kind
        shown = [kind.labels[value] for value in values] if isinstance(kind, Category) else values
        return shown[0] if field.location is Location.GRAPH else shown


def _attribute(graph: nx.Graph, name: str, field: Field) -> Any:
    """An input that a graph of NetworkX has as an attribute."""
    if field.location is Location.GRAPH:
        if name not in graph.graph:
            raise DefinitionError(
                f"the graph has no attribute '{name}': set graph.graph['{name}']."
            )
        return graph.graph[name]
    if field.location is Location.NODE:
        return nx.get_node_attributes(graph, name)
    return nx.get_edge_attributes(graph, name)

"""Runs that were recorded, as an oracle: from a file, or from a loop of one's own in Python."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any, Literal

import msgspec
import networkx as nx
import numpy as np
import torch
from torch import Tensor

from algolens.algorithms import Values, algorithms
from algolens.discovery.oracle import (
    AlgorithmOracle,
    Episodes,
    Oracle,
    Schema,
    episodes_of,
)
from algolens.disk import write_file
from algolens.errors import AlgoLensError, DefinitionError, UnknownNameError, brief, naming
from algolens.graphs import At, Graph
from algolens.language import ir
from algolens.language.fields import NOWHERE, Field
from algolens.reading import Name, Word, as_record, read_record

Fields = Mapping[str, Field]
Names = Mapping[Any, int]  # the number of each node, by what values call it


def read_values(
    fields: Fields, given: Mapping[str, Any], graph: Graph, names: Names
) -> dict[str, Tensor]:
    """The values of fields on one graph; what else came is passed over.

    given: by field; of each, by node, or by edge ``(u, v)``, or in their order; at the graph, one
    value.
    """
    made = {}
    for name, field in fields.items():
        if name not in given:
            raise DefinitionError(f"'{name}' is missing: give a value for every field.")
        values, location = given[name], field.at
        if location == "graph":
            values = [values]
        elif isinstance(values, Mapping):
            either_way = location == "edge" and not graph.directed
            keys = _keys(location, graph, names)
            values = [_value_of(name, values, key, either_way) for key in keys]
        elif isinstance(values, str | bytes) or not isinstance(values, Iterable):
            raise DefinitionError(f"'{name}' has the value {values!r}: give one for each element.")
        whole = [_whole(name, field, value, names) for value in values]
        count = graph.count(location)
        if len(whole) != count:
            raise DefinitionError(
                f"'{name}' has {len(whole)} values on a graph of {count} {location}s: give "
                "one for each."
            )
        made[name] = torch.from_numpy(np.array(whole, dtype=np.int64).astype(field.dtype))
    return made


def written(field: Field, values: Tensor) -> Any:
    """Values of a field in the order of the elements; at the graph, one value."""
    shown = values.tolist()
    if field.kind == "category":
        shown = [field.classes[value] for value in shown]
    return shown[0] if field.at == "graph" else shown


def plain_values(field: Field, values: Tensor, graph: Graph) -> Any:
    """The values of a field on one graph, by node number or by edge."""
    shown = written(field, values)
    if field.at == "graph":
        return shown
    names = {node: node for node in range(graph.num_nodes)}
    return dict(zip(_keys(field.at, graph, names), shown, strict=True))


def graph_with_inputs(graph: Graph, fields: Fields, inputs: Values) -> nx.Graph:
    """One graph with its inputs as attributes: of nodes, of edges, and of the graph."""
    made = nx.DiGraph() if graph.directed else nx.Graph()
    made.add_nodes_from(range(graph.num_nodes))
    made.add_edges_from(graph.edges.T.tolist())
    for name, field in fields.items():
        values = plain_values(field, inputs[name], graph)
        if field.at == "node":
            nx.set_node_attributes(made, values, name)
        elif field.at == "edge":
            nx.set_edge_attributes(made, values, name)
        else:
            made.graph[name] = values
    return made


def _keys(location: At, graph: Graph, names: Names) -> list[Any]:
    """What each element of a location is called."""
    called = {place: name for name, place in names.items()}
    if location == "node":
        return [called[node] for node in range(graph.num_nodes)]
    ends = graph.edges if location == "edge" else graph.links
    return [(called[u], called[v]) for u, v in ends.T.tolist()]


def _value_of(name: str, given: Mapping[Any, Any], key: Any, either_way: bool) -> Any:
    for one in (key, key[::-1]) if either_way else (key,):
        if one in given:
            return given[one]
    raise DefinitionError(f"'{name}' has no value for {key!r}: give one for each element.")


def _whole(name: str, field: Field, value: Any, names: Names) -> int:
    try:
        if field.labels:
            return field.labels.index(str(value))
        if field.to is not None:
            return names[value] if field.to == "node" else int(value)
        whole = int(value)
        is_one = field.holds(whole) if field.kind == "number" else whole in (0, 1)
        if whole == value and is_one:
            return whole
    except (KeyError, ValueError, TypeError, OverflowError):
        pass
    raise DefinitionError(
        f"'{name}' has the value {value!r}, which is no {field.kind} as it is "
        "declared: correct it, or declare another kind."
    )


Document = dict[str, Any] | list[Any]  # of JSON
NodeId = str | int | float
Written = dict[Word, Any]  # by field; what a field can be is its kind's matter


class NodeRecord(msgspec.Struct, frozen=True):
    """A node of a graph in node-link form; what else is said of it is passed over, as below."""

    id: NodeId


class EdgeRecord(msgspec.Struct, frozen=True):
    """An edge."""

    source: NodeId
    target: NodeId


class GraphRecord(msgspec.Struct, frozen=True):
    """A graph in node-link form."""

    nodes: list[NodeRecord]
    edges: list[EdgeRecord]
    directed: bool = False


class StepRecord(msgspec.Struct, frozen=True):
    """The state after a step; a trace of ours names what it is of."""

    state: Written = {}
    concepts: Written = {}
    hints: Written = {}
    outputs: Written = {}

    @property
    def values(self) -> Written:
        """All values by field."""
        return {**self.concepts, **self.hints, **self.outputs, **self.state}


class RunRecord(msgspec.Struct, frozen=True):
    """A run: its graph, inputs, and the state at the start and after steps."""

    graph: GraphRecord
    start: Written
    trace: list[StepRecord]
    inputs: Written = {}
    outcome: dict[Word, bool | str | int] | None = None
    stopped: Word = "rule"
    # of a run that ``execute --json --trace`` printed
    algorithm: Word = ""
    options: dict[Word, int] = {}


class RunsRecord(msgspec.Struct, frozen=True):
    """A file of runs, with its fields."""

    state: dict[Name, ir.Field]
    runs: list[RunRecord]
    inputs: dict[Name, ir.Field] = {}
    outputs: list[Name] | None = None
    name: Name = "recorded"
    graphs: Literal["undirected", "directed", "any"] = "undirected"


class RecordedRuns(Oracle):
    """Runs that were recorded; none can be asked for.

    Parameters
    ----------
    schema : Schema
        The fields.
    episodes : sequence of Episodes
        The runs.
    """

    can_run = False

    def __init__(self, schema: Schema, episodes: Sequence[Episodes]) -> None:
        self.schema, self.episodes = schema, tuple(episodes)

    @classmethod
    def read(cls, path: Path) -> RecordedRuns:
        """The runs of a file, as docs/discover.md describes it.

        Raises
        ------
        AlgoLensError
            Where it is no such file; the message says what is missing.
        """
        return cls.of(read_record(path, Document), str(path))  # type: ignore[arg-type]

    @classmethod
    def of(cls, document: Any, where: str = "the document") -> RecordedRuns:
        """The runs of a document in JSON: its fields and runs, or what ``execute --json --trace``
        prints, one run or a list of them.
        """
        try:
            if isinstance(document, Mapping) and "runs" in document:
                whole = as_record(document, RunsRecord, where)
                schema, runs = _schema(whole), whole.runs
            else:
                listed = document if isinstance(document, list) else [document]
                runs = as_record(listed, list[RunRecord], where)
                schema = AlgorithmOracle(algorithms()[runs[0].algorithm](**runs[0].options)).schema
        except (KeyError, IndexError, TypeError, OverflowError) as problem:
            raise AlgoLensError(
                f"{where} is no file of runs ({type(problem).__name__}: {brief(problem)}): see "
                "docs/discover.md for what it holds."
            ) from problem
        episodes = []
        for number, run in enumerate(runs):
            try:
                episodes.append(_episode(schema, run))
            except (AlgoLensError, KeyError, TypeError, OverflowError) as problem:
                raise AlgoLensError(f"{where}, run {number}: {brief(problem)}") from problem
        return cls(schema, episodes)

    def run(self, graph: Graph, inputs: Values) -> Episodes:
        raise AlgoLensError("these runs were recorded: no other can be asked for.")


def _schema(document: RunsRecord) -> Schema:
    inputs, state = document.inputs, document.state
    for name, field in (*inputs.items(), *state.items()):
        with naming(f"'{name}'"):
            field.check()
    outputs = {name: state[name] for name in document.outputs or state}
    location = next(iter(outputs.values())).at
    return Schema(document.name, location, inputs, state, outputs, graphs=document.graphs)


def _episode(schema: Schema, run: RunRecord) -> Episodes:
    """The run that a record holds."""
    names = {node.id: place for place, node in enumerate(run.graph.nodes)}
    ends = [end for edge in run.graph.edges for end in (edge.source, edge.target)]
    for end in ends:
        if end not in names:
            raise DefinitionError(f"an edge leads to {end!r}, which is none of its nodes.")
    pairs = np.array([names[end] for end in ends], np.int64).reshape(-1, 2)
    graph = Graph.pack([len(names)], pairs, directed=run.graph.directed).to("cpu")

    def read(what: str, fields: Fields, values: Written) -> dict[str, Tensor]:
        try:
            plain = {name: _plain(value) for name, value in values.items()}
            return read_values(fields, plain, graph, names)
        except AlgoLensError as problem:
            raise DefinitionError(f"{what}: {problem}") from problem

    inputs = read("inputs", schema.inputs, run.inputs)
    states = [read("start", schema.state, run.start)]
    for number, step in enumerate(run.trace, 1):
        states.append(read(f"step {number}", schema.decided, step.values))
    made = episodes_of(schema, graph, inputs, [states], finished=run.stopped == "rule")
    told = run.outcome or {}
    outcomes = {name: torch.tensor([bool(told[name])]) for name in schema.outcomes}
    return replace(made, outcomes=outcomes)


def _plain(values: Any) -> Any:
    """Values by edge as a list of rows, by edge as ``(u, v)``."""
    if isinstance(values, list) and values and isinstance(values[0], Mapping):
        return {(row["source"], row["target"]): row["value"] for row in values}
    return values


class Recorder:
    """Records the states of your own loop, for ``al.discover``.

    Parameters
    ----------
    state : mapping of str to Field
        The fields that the loop changes, such as ``{"awake": Node(mask)}``.
    inputs : mapping of str to Field, optional
        The attributes that it reads, of nodes, edges or the graph.
    name : str
        Name of the loop.
    outputs : sequence of str, optional
        The fields of the state that are outputs; by default, all.

    Examples
    --------
    >>> import networkx as nx
    >>> from algolens.algorithms import Node, mask
    >>> recorder = Recorder(state={"hot": Node(mask)}, name="spread")
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
        state: Fields,
        inputs: Fields | None = None,
        *,
        name: str = "recorded",
        outputs: Sequence[str] = (),
    ) -> None:
        self.state, self.inputs, self.name = state, inputs or {}, name
        for part, fields in (("state", self.state), ("inputs", self.inputs)):
            if not isinstance(fields, Mapping) or not all(
                isinstance(field, Field) and field.at != NOWHERE for field in fields.values()
            ):
                raise DefinitionError(
                    f'{part} is {fields!r}: give fields by name, as {{"visited": Node(mask)}}.'
                )
        if not state:
            raise DefinitionError("state names no field: name what the loop changes.")
        self.outputs = list(outputs or state)
        self._check_names(self.outputs)
        self.runs: list[dict[str, Any]] = []
        self._open: tuple[dict[str, Any], Graph, Names] | None = None

    def begin(self, graph: nx.Graph, **state: Any) -> None:
        """Begin a run on a graph, in this state; a run that is still open counts as cut short."""
        self._open = None  # until all that came was read
        if graph.is_multigraph() or graph.number_of_nodes() == 0:
            raise AlgoLensError(
                "a graph without parallel edges, of at least one node, is recorded."
            )
        names = {node: place for place, node in enumerate(graph)}
        ends = [(names[u], names[v]) for u, v in graph.edges]
        packed = Graph.pack([len(graph)], ends, directed=graph.is_directed())
        given = {name: _attribute(graph, name, field) for name, field in self.inputs.items()}
        run = {
            "graph": {
                "directed": graph.is_directed(),
                "nodes": [{"id": place} for place in names.values()],
                "edges": [{"source": u, "target": v} for u, v in ends],
            },
            "inputs": _as_json(self.inputs, given, packed, names),
            "start": self._read(state, packed, names),
            "trace": [],
            "stopped": "limit",
        }
        self.runs.append(run)
        self._open = run, packed, names

    def step(self, **state: Any) -> None:
        """Record the state after a step: for every field, a value for each element."""
        run, graph, names = self._run()
        run["trace"].append({"state": self._read(state, graph, names)})

    def end(self) -> None:
        """End the run: the loop has stopped at the last state."""
        run, *_ = self._run()
        run["stopped"], self._open = "rule", None

    def to_json(self) -> dict[str, Any]:
        """Return all runs as a JSON document that ``al.discover`` can read from a file."""
        directed = {run["graph"]["directed"] for run in self.runs}
        inputs, state = (
            {name: field.to_json() for name, field in fields.items()}
            for fields in (self.inputs, self.state)
        )
        return {
            "name": self.name,
            "inputs": inputs,
            "state": state,
            "outputs": self.outputs,
            "graphs": {(True,): "directed", (False,): "undirected"}.get(tuple(directed), "any"),
            "runs": self.runs,
        }

    def save(self, path: str | PathLike[str]) -> Path:
        """Write all runs as JSON."""
        file = Path(path)
        write_file(file, json.dumps(self.to_json()))
        return file

    def oracle(self) -> RecordedRuns:
        """Return the recorded runs as an oracle for ``al.discover``."""
        return RecordedRuns.of(self.to_json(), "what was recorded")

    def _run(self) -> tuple[dict[str, Any], Graph, Names]:
        """The run that is open, and its graph."""
        if self._open is None:
            raise AlgoLensError("no run is open: call recorder.begin(graph, ...) first.")
        return self._open

    def _check_names(self, given: Iterable[str]) -> None:
        for name in given:
            if name not in self.state:
                raise UnknownNameError("field of the state", name, self.state)

    def _read(self, given: Mapping[str, Any], graph: Graph, names: Names) -> dict[str, Any]:
        self._check_names(given)
        return _as_json(self.state, given, graph, names)


def _as_json(
    fields: Fields, given: Mapping[str, Any], graph: Graph, names: Names
) -> dict[str, Any]:
    """Values as JSON, in the order of elements: what is changed later does not change them."""
    values = read_values(fields, given, graph, names)
    return {name: written(fields[name], value) for name, value in values.items()}


def _attribute(graph: nx.Graph, name: str, field: Field) -> Any:
    """An input that a graph of NetworkX has as an attribute."""
    if field.at == "graph":
        return graph.graph.get(name)
    at_node = field.at == "node"
    return (nx.get_node_attributes if at_node else nx.get_edge_attributes)(graph, name)

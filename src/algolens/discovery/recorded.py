"""Runs that were recorded, as a teacher: from a file, or from a loop of one's own in Python."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, Literal

import msgspec
import networkx as nx
import numpy as np
import torch
from msgspec.structs import replace
from torch import Tensor

from algolens.algorithms import Values, algorithms
from algolens.discovery.teachers import (
    AlgorithmTeacher,
    Episodes,
    RunTeacher,
    Schema,
    as_column,
    episode,
)
from algolens.disk import write_file
from algolens.errors import AlgoLensError, DefinitionError, UnknownNameError, brief
from algolens.graphs import Graph
from algolens.language import ir
from algolens.language.fields import Category, Field, Location, Number, Pointer, to_field
from algolens.reading import Name, Word, as_record, read_record


def as_tensor(
    name: str, field: Field, given: Any, graph: Graph, names: Mapping[Any, int]
) -> Tensor:
    """The values of a field on one graph.

    Parameters
    ----------
    name, field
        What it is.
    given
        By node, or by edge ``(u, v)``; or in their order; at the graph, one value.
    graph : Graph
        The graph.
    names : mapping
        The number of each node, by what the values call it.
    """
    if field.location is Location.GRAPH:
        values = [given]
    elif isinstance(given, Mapping):
        values = [_of(name, given, key) for key in _keys(field.location, graph, names)]
    elif isinstance(given, str | bytes) or not isinstance(given, Iterable):
        raise DefinitionError(f"'{name}' has the value {given!r}: give one for each element.")
    else:
        values = list(given)
    count = graph.count(field.location)
    if len(values) != count:
        raise DefinitionError(
            f"'{name}' has {len(values)} values on a graph of {count} {field.location.value}s: "
            "give one for each."
        )
    whole = [_whole(name, field, value, names) for value in values]
    return torch.from_numpy(np.array(whole, dtype=np.int64).astype(field.kind.dtype))


def plain_values(field: Field, values: Tensor, graph: Graph) -> Any:
    """The values of a field on one graph, by node number or by edge."""
    shown = values.tolist()
    if isinstance(field.kind, Category):
        shown = [field.kind.labels[value] for value in shown]
    if field.location is Location.GRAPH:
        return shown[0]
    keys = _keys(field.location, graph, {node: node for node in range(graph.num_nodes)})
    return dict(zip((key[0] for key in keys), shown, strict=True))


def graph_with_inputs(graph: Graph, fields: Mapping[str, Field], inputs: Values) -> nx.Graph:
    """One graph with its inputs as attributes: of nodes, of edges, and of the graph."""
    made = nx.DiGraph() if graph.directed else nx.Graph()
    made.add_nodes_from(range(graph.num_nodes))
    made.add_edges_from(map(tuple, graph.edges.T.tolist()))
    for name, field in fields.items():
        values = plain_values(field, inputs[name], graph)
        if field.location is Location.NODE:
            nx.set_node_attributes(made, values, name)
        elif field.location is Location.EDGE:
            nx.set_edge_attributes(made, values, name)
        else:
            made.graph[name] = values
    return made


def _keys(location: Location, graph: Graph, names: Mapping[Any, int]) -> list[tuple[Any, ...]]:
    """What each element of a location may be called."""
    called = {place: name for name, place in names.items()}
    if location is Location.NODE:
        return [(called[node],) for node in range(graph.num_nodes)]
    ends = graph.edges if location is Location.EDGE else graph.links
    both = location is Location.EDGE and not graph.directed
    pairs = [(called[u], called[v]) for u, v in ends.T.tolist()]
    return [((u, v), (v, u)) if both else ((u, v),) for u, v in pairs]


def _of(name: str, given: Mapping[Any, Any], keys: tuple[Any, ...]) -> Any:
    for key in keys:
        if key in given:
            return given[key]
    raise DefinitionError(f"'{name}' has no value for {keys[0]!r}: give one for each element.")


def _whole(name: str, field: Field, value: Any, names: Mapping[Any, int]) -> int:
    try:
        if isinstance(field.kind, Category):
            return field.kind.labels.index(str(value))
        if isinstance(field.kind, Pointer):
            return names[value] if field.kind.to is Location.NODE else int(value)
        whole = int(value)
        if whole != value or not _fits(field, whole):
            raise ValueError(value)
        return whole
    except (KeyError, ValueError, TypeError, OverflowError) as problem:
        raise DefinitionError(
            f"'{name}' has the value {value!r}, which is no {type(field.kind).__name__.lower()} as "
            "it is declared: correct it, or declare another kind."
        ) from problem


def _fits(field: Field, whole: int) -> bool:
    return field.kind.holds(whole) if isinstance(field.kind, Number) else whole in (0, 1)


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


class RecordedRuns(RunTeacher):
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
                written = as_record(document, RunsRecord, where)
                schema, runs = _schema(written), written.runs
            else:
                listed = document if isinstance(document, list) else [document]
                runs = as_record(listed, list[RunRecord], where)
                schema = AlgorithmTeacher(algorithms()[runs[0].algorithm](**runs[0].options)).schema
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

    def sample(self, graph: Graph, rng: np.random.Generator) -> dict[str, Tensor]:
        raise AlgoLensError("these runs were recorded: no other can be asked for.")


def _field(name: str, column: ir.Field) -> Field:
    """The field that a column is, where it says nothing that only other kinds have."""
    is_strange = "side" in (column.at, column.to)
    is_strange |= (column.kind == "pointer") is (column.to is None)
    field = None if is_strange else to_field(column)
    if field is None or as_column(field) != replace(column, start_only=False):
        raise DefinitionError(
            f"'{name}' says of a {column.kind} at a {column.at} what cannot be said of one: see "
            "docs/discover.md."
        )
    return field


def _schema(document: RunsRecord) -> Schema:
    inputs, state = (
        {name: _field(name, value) for name, value in fields.items()}
        for fields in (document.inputs, document.state)
    )
    outputs = document.outputs or list(state)
    return Schema(
        name=document.name,
        location=state[outputs[0]].location,
        inputs=inputs,
        state=state,
        outputs={name: state[name] for name in outputs},
        graphs=document.graphs,
    )


def _episode(schema: Schema, run: RunRecord) -> Episodes:
    """The run that a record holds."""
    names = {node.id: place for place, node in enumerate(run.graph.nodes)}
    ends = []
    for edge in run.graph.edges:
        for end in (edge.source, edge.target):
            if end not in names:
                raise DefinitionError(f"an edge leads to {end!r}, which is none of its nodes.")
        ends.append((names[edge.source], names[edge.target]))
    pairs = np.array(ends, np.int64).reshape(-1, 2)
    graph = Graph.pack([len(names)], pairs, directed=run.graph.directed).to("cpu")

    def read(what: str, fields: Mapping[str, Field], values: Written) -> dict[str, Tensor]:
        missing = [name for name in fields if name not in values]
        if missing:
            raise DefinitionError(f"{what}: '{missing[0]}' is missing.")
        try:
            return {
                name: as_tensor(name, field, _plain(values[name]), graph, names)
                for name, field in fields.items()
            }
        except AlgoLensError as problem:
            raise DefinitionError(f"{what}: {problem}") from problem

    inputs = read("inputs", schema.inputs, run.inputs)
    states = [read("start", schema.state, run.start)]
    states += [
        read(f"step {number}", schema.decided, step.values)
        for number, step in enumerate(run.trace, 1)
    ]
    told = run.outcome or {}
    outcomes = {name: torch.tensor([bool(told[name])]) for name in schema.outcomes}
    made = episode(graph, inputs, states, finished=run.stopped == "rule")
    return Episodes(made.graph, inputs, made.frames, made.lengths, made.asked, outcomes)


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

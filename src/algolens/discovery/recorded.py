"""Runs in a file as a teacher: the states of each run, step by step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import msgspec
import numpy as np
import torch
from msgspec.structs import replace
from torch import Tensor

from algolens.algorithms import Values, algorithms
from algolens.discovery.algorithm_teacher import AlgorithmTeacher
from algolens.discovery.black_box import episode
from algolens.discovery.plain import as_tensor
from algolens.discovery.schema import Episodes, RunTeacher, Schema, as_column
from algolens.errors import AlgoLensError, DefinitionError, brief
from algolens.graphs import Graph
from algolens.language import ir
from algolens.language.declaration import to_field
from algolens.language.fields import Field
from algolens.reading import Name, Word, as_record, read_record

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
    graph = Graph.pack([len(names)], pairs, directed=run.graph.directed)

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

"""Runs in a file as a teacher: the states of each run, step by step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from algolens.algorithms import algorithms
from algolens.discovery.algorithm_teacher import AlgorithmTeacher
from algolens.discovery.black_box import episode
from algolens.discovery.plain import as_tensor
from algolens.discovery.schema import Episodes, RunTeacher, Schema
from algolens.discovery.state_table import runs_of_tables
from algolens.errors import AlgoLensError
from algolens.fields import Field
from algolens.graphs import Graph
from algolens.reading import read_record

Document = dict[str, Any] | list[Any]  # of JSON


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
        document: Any = read_record(path, Document)  # type: ignore[arg-type]
        if isinstance(document, Mapping) and "states" in document:
            for part in ("state", "edges"):
                if part not in document:
                    raise AlgoLensError(f"{path} names a table of states, but no '{part}': add it.")
            document = runs_of_tables(document, path.parent)
        return cls.of(document, str(path))

    @classmethod
    def of(cls, document: Any, where: str = "the document") -> RecordedRuns:
        """The runs of a document in JSON: its fields and runs, or what ``execute --json --trace``
        prints, one run or a list of them.
        """
        try:
            if isinstance(document, Mapping) and "runs" in document:
                schema, runs = _schema(document), document["runs"]
            else:
                runs = [document] if isinstance(document, Mapping) else list(document)
                schema = AlgorithmTeacher(
                    algorithms()[runs[0]["algorithm"]](**runs[0].get("options", {}))
                ).schema
            return cls(schema, [_episode(schema, run) for run in runs])
        except (KeyError, TypeError, IndexError) as problem:
            raise AlgoLensError(
                f"{where} is no file of runs ({type(problem).__name__}: {problem}): see "
                "docs/discover.md for what it holds."
            ) from problem

    def run(self, graph: Graph, inputs: Mapping[str, Tensor]) -> Episodes:
        raise AlgoLensError("these runs were recorded: no other can be asked for.")

    def sample(self, graph: Graph, rng: np.random.Generator) -> dict[str, Tensor]:
        raise AlgoLensError("these runs were recorded: no other can be asked for.")


def _schema(document: Mapping[str, Any]) -> Schema:
    fields = {
        part: {name: Field.from_json(value) for name, value in document.get(part, {}).items()}
        for part in ("inputs", "state")
    }
    outputs = document.get("outputs") or list(fields["state"])
    return Schema(
        name=document.get("name", "recorded"),
        location=fields["state"][outputs[0]].location,
        inputs=fields["inputs"],
        state=fields["state"],
        outputs={name: fields["state"][name] for name in outputs},
        graphs=document.get("graphs", "undirected"),
    )


def _episode(schema: Schema, run: Mapping[str, Any]) -> Episodes:
    """One run: a graph in node-link form, inputs, and the state at the start and after steps."""
    given = run["graph"]
    names = {node["id"]: place for place, node in enumerate(given["nodes"])}
    ends = [(names[edge["source"]], names[edge["target"]]) for edge in given["edges"]]
    pairs = np.array(ends, np.int64).reshape(-1, 2)
    graph = Graph.pack([len(names)], pairs, directed=bool(given.get("directed")))

    def read(fields: Mapping[str, Field], values: Mapping[str, Any]) -> dict[str, Tensor]:
        return {
            name: as_tensor(name, field, _plain(values[name]), graph, names)
            for name, field in fields.items()
        }

    inputs = read(schema.inputs, run.get("inputs", {}))
    states = [read(schema.state, run["start"])]
    for step in run["trace"]:
        flat = {**step.get("concepts", {}), **step.get("hints", {}), **step.get("outputs", {})}
        states.append(read(schema.decided, {**flat, **step.get("state", {})}))
    outcomes = {name: torch.tensor([bool(run["outcome"][name])]) for name in schema.outcomes}
    made = episode(graph, inputs, states, finished=run.get("stopped", "rule") == "rule")
    return Episodes(made.graph, inputs, made.frames, made.lengths, made.asked, outcomes)


def _plain(values: Any) -> Any:
    """Values by edge as a list of rows, by edge as ``(u, v)``."""
    if isinstance(values, list) and values and isinstance(values[0], Mapping):
        return {(row["source"], row["target"]): row["value"] for row in values}
    return values

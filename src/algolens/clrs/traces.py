"""Traces that CLRS made, read from plain arrays."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from algolens.errors import AlgoLensError, UnknownNameError
from algolens.graphs import Graph
from algolens.graphs.cells import TABLES
from algolens.reading import package_json, read_bytes

MOST_TRACES = 2**31  # bytes of a file of traces
STORED = Path(__file__).parent / "stored"
SIZES = (16, 64)  # of the graphs that are stored
BITS = 58  # of CLRS's numbers: they are below 2 and have no bits beyond the 57th after the point
MASKED = -1  # what CLRS writes where nothing is to be said


class Probe(NamedTuple):
    """What an array of CLRS's traces is, in CLRS's own words."""

    stage: str  # input, output or hint
    location: str  # node, edge or graph
    type: str  # mask, mask_one, categorical, pointer, scalar or should_be_permutation


@dataclass(frozen=True)
class Trace:
    """One run of CLRS's algorithm, by the names that CLRS gives its probes.

    Attributes
    ----------
    inputs, outputs : mapping of str to ndarray
        [N, ...] at nodes, [N, N, ...] at pairs of nodes; of the graph, a single value.
    hints : mapping of str to ndarray
        [T, ...] the same at every step.
    """

    inputs: Mapping[str, np.ndarray]
    outputs: Mapping[str, np.ndarray]
    hints: Mapping[str, np.ndarray]

    @property
    def num_nodes(self) -> int:
        """How many nodes its graph has."""
        return next(iter(self.inputs.values())).shape[0]

    def graph(self, *, directed: bool, table: str | None = None) -> Graph:
        """Its edges; a task without edges has nodes alone. Self-loops, which CLRS's samplers draw,
        are left out. table: the cells of which table of its nodes it is instead.
        """
        count, edges = self.num_nodes, np.zeros((0, 2), dtype=np.int64)
        if table is not None:
            cells = TABLES[table](count)
            count, edges = len(cells.row), cells.splits[0] if table == "intervals" else edges
        elif "A" in self.inputs:
            pairs = np.argwhere(self.inputs["A"])
            edges = pairs[pairs[:, 0] != pairs[:, 1]]
        return Graph.pack([count], edges, directed=directed)


@cache
def all_probes() -> dict[str, dict[str, Probe]]:
    """By task of CLRS-30 and name: what CLRS reads, gives and tells of its steps."""
    stored = package_json("algolens.clrs", "stored/probes.json")
    return {
        task: {name: Probe(*kind) for name, kind in probes.items()}
        for task, probes in stored.items()
    }


def probes_of(task: str, stage: str) -> dict[str, Probe]:
    """A task's inputs, outputs or hints by name."""
    if task not in all_probes():
        raise UnknownNameError("task of CLRS-30", task, list(all_probes()))
    return {name: probe for name, probe in all_probes()[task].items() if probe.stage == stage}


def trace_files(task: str, nodes: int, folder: Path = STORED) -> list[Path]:
    """The files that hold traces of a task on graphs of one size."""
    return sorted([*folder.glob(f"{task}_{nodes}.npz"), *folder.glob(f"{task}_{nodes}_*.npz")])


def sizes_in(folder: Path, task: str) -> list[int]:
    """The sizes of graphs of which a folder holds traces of a task."""
    probes_of(task, "output")  # refuses what is no task
    names = [path.stem.removeprefix(f"{task}_") for path in folder.glob(f"{task}_*.npz")]
    sizes = {name.partition("_")[0] for name in names}
    return sorted(int(size) for size in sizes if size.isdigit())


def traces(task: str, nodes: int = 16, folder: str | Path = STORED) -> list[Trace]:
    """Return runs of CLRS's own algorithm (dm-clrs 2.0.3) on graphs from its own samplers.

    Parameters
    ----------
    task : str
        CLRS's name for the task.
    nodes : int
        Size of the graphs; stored traces have 16 (eight graphs) or 64 nodes (two).
    folder : path
        Folder with further traces from `benchmarks/clrs_traces.py`.

    Returns
    -------
    list of Trace

    Raises
    ------
    AlgoLensError
        If there is no such task, or no trace of it.

    Examples
    --------
    >>> import algolens as al
    >>> trace = al.clrs.traces("bfs", nodes=16)[0]
    >>> trace.num_nodes, sorted(trace.outputs), sorted(trace.hints)
    (16, ['pi'], ['pi_h', 'reach_h'])
    """
    probes_of(task, "output")  # refuses what is no task
    files = trace_files(task, nodes, Path(folder))
    if not files:
        raise AlgoLensError(
            f"no traces of {task} on {nodes} nodes are in {folder}: make them with `python -m "
            f"benchmarks.clrs_traces --out FOLDER --tasks {task} --nodes {nodes}`."
        )
    return [trace for path in files for trace in read_traces(path)]


def read_traces(path: Path) -> Iterator[Trace]:
    """The traces of a file."""
    with np.load(io.BytesIO(read_bytes(path, MOST_TRACES)), allow_pickle=False) as file:
        arrays = dict(file)
    for place, length in enumerate(arrays["lengths"]):
        parts: dict[str, dict[str, np.ndarray]] = {"input": {}, "output": {}, "hint": {}}
        for name, data in arrays.items():
            stage, _, probe = name.partition(".")
            if probe:
                parts[stage][probe] = data[:length, place] if stage == "hint" else data[place]
        yield Trace(parts["input"], parts["output"], parts["hint"])

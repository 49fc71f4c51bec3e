"""Judge a run by CLRS's own traces, output by output and hint by hint."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from algolens.api import By
from algolens.clrs.tasks import ClrsTask, clrs_task
from algolens.clrs.traces import STORED, Trace, read_traces, trace_files
from algolens.engines import Run, run_algorithm
from algolens.errors import UnknownNameError
from algolens.evaluation import free_run, run_by_rules
from algolens.experiment.model import load_model
from algolens.graphs import Graph

ROUNDING = 1e-12  # of CLRS's sums


@dataclass(frozen=True)
class Judgement:
    """On how many of CLRS's graphs a run has every output, and every hint at every step, right."""

    task: str
    nodes: int
    by: str
    graphs: int
    right: int
    wrong: str | None = None  # the first that is not as CLRS has it

    def to_json(self) -> dict[str, object]:
        """For machines."""
        return asdict(self)


def judge(
    task: str, nodes: int = 16, by: str = "network", folder: str | Path = STORED
) -> Judgement:
    """Compare an algorithm, the network that ships for it, or its rules with CLRS's traces.

    Parameters
    ----------
    task : str
        CLRS's name for the task.
    nodes : int
        Size of the graphs; stored traces have 16 or 64 nodes.
    by : str
        ``algorithm``, ``network`` or ``rules``.
    folder : path
        Folder with further traces from `benchmarks/clrs_traces.py`.

    Returns
    -------
    Judgement

    Examples
    --------
    >>> import algolens as al
    >>> al.clrs.judge("bfs", nodes=16, by="rules").right
    8
    """
    chosen, right, graphs, wrong = clrs_task(task), 0, 0, None
    for path in trace_files(task, nodes, Path(folder)):
        portion = list(read_traces(path))
        run = run_by(chosen, run_beside(chosen, portion), By.read(by))
        for place, trace in enumerate(portion):
            differences = list(differing(chosen, run.take([place]), trace))
            graphs += 1
            right += not differences
            wrong = wrong or next((f"{name} of graph {graphs}" for name in differences), None)
    return Judgement(task, nodes, By.read(by).value, graphs, right, wrong)


def run_beside(task: ClrsTask, traces: Sequence[Trace]) -> Run:
    """The algorithm's run on the graphs of traces, side by side."""
    algorithm = task.done_by()
    graphs = [trace.graph(directed=task.directed, table=algorithm.table) for trace in traces]
    inputs = [task.read(trace, graph) for trace, graph in zip(traces, graphs, strict=True)]
    joined = {name: np.concatenate([values[name] for values in inputs]) for name in inputs[0]}
    return run_algorithm(algorithm, Graph.join(graphs), joined)


def run_by(task: ClrsTask, truth: Run, by: By) -> Run:
    """The same on the same graphs by the network that ships, or by its rules."""
    if by is By.ALGORITHM:
        return truth
    model = load_model(task.algorithm)
    network = model.network.only(0)
    if by is By.NETWORK:
        return free_run(network, truth)
    if by is By.RULES and model.rule_sets is not None:
        return run_by_rules(network, model.rule_sets[0], truth)
    raise UnknownNameError("way to be judged", by.value, ["algorithm", "network", "rules"])


def differing(task: ClrsTask, run: Run, trace: Trace) -> Iterator[str]:
    """What of a run on one graph is not as CLRS has it."""
    for name in task.outputs:
        if not _equal(task.output(name, run), trace.outputs[name]):
            yield f"output {name}"
    # where nothing is to be done, a run of ours takes one step all the same
    states = run.num_steps + 1 - task.skipped - task.closing
    hints = {name: task.their_hint(name, trace) for name in task.hints}
    moments = len(next(iter(hints.values())))
    if task.as_many_steps and states != moments and (moments, run.num_steps) != (1, 1):
        yield "the number of steps"
    for name, theirs in hints.items():
        values = task.hint(name, run)
        count = min(len(values), moments)
        if not _equal(values[:count], theirs[:count]):
            yield f"hint {name}"


def _equal(ours: np.ndarray, theirs: np.ndarray) -> bool:
    """Whether all that is not masked is the same, but for the rounding of CLRS's sums."""
    if ours.shape != theirs.shape:
        return False
    same = abs(ours.astype(float) - theirs) <= ROUNDING
    return bool(np.ma.filled(same, True).all())

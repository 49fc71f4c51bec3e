"""CLRS's own traces as the judge: our algorithms, exact networks and their rules, output by output and step by step."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
import torch

from algolens.algorithms import Algorithm, algorithm
from algolens.certification import prove
from algolens.evaluation import free_run, run_by_rules
from algolens.execution import Run, execute
from algolens.experiment.presets import preset
from algolens.extraction import extract
from algolens.graphs import Graph
from algolens.models import Network
from algolens.training import Fit
from tests.clrs.tasks import TASKS, Task
from tests.clrs.traces import SIZES, Trace, read

ROUNDING = 1e-12  # of CLRS's sums

by_task = pytest.mark.parametrize("task", TASKS, ids=lambda task: task.name)
by_size = pytest.mark.parametrize("nodes", SIZES)


@by_task
@by_size
def test_the_algorithm_does_as_clrs_does(task: Task, nodes: int) -> None:
    assert_agree(task, true_run(task, nodes), nodes)


@by_task
def test_a_proven_network_does_as_clrs_does(task: Task) -> None:
    network = trained(made(task))
    for nodes in SIZES:
        assert_agree(task, free_run(network, true_run(task, nodes)), nodes)


@by_task
def test_its_rules_do_as_clrs_does(task: Task) -> None:
    network = trained(made(task))
    program = extract(network, preset("exact", made(task)).data().train).program
    for nodes in SIZES:
        assert_agree(task, run_by_rules(network, program, true_run(task, nodes)), nodes)


@by_task
@by_size
def test_a_wrong_run_is_found(task: Task, nodes: int) -> None:
    """The judge can say no: with the input of one trace exchanged for that of another, outputs differ."""
    run = true_run(task, nodes)
    turned = [*range(1, run.graph.num_graphs), 0]
    with pytest.raises(AssertionError):
        assert_agree(task, run.take(turned), nodes)


def assert_agree(task: Task, run: Run, nodes: int) -> None:
    for place, trace in enumerate(read(task.name, nodes)):
        assert_same(task, run.take([place]), trace)


def assert_same(task: Task, run: Run, trace: Trace) -> None:
    for name, ours in task.outputs.items():
        assert equal(ours(run), trace.outputs[name]), f"output {name} of {task.name}"
    moments = task.moments(trace)
    if task.as_many_steps:
        # where nothing is to be done, a run of ours takes one step all the same
        assert run.num_steps + 1 - task.skipped == len(moments) or (len(moments), run.num_steps) == (1, 1)
    for name, ours in task.hints.items():
        values = ours(run)[task.skipped :]
        theirs = roots(trace.hints["pi"]) if name == "roots of pi" else trace.hints[name]
        count = min(len(values), len(moments))
        assert equal(values[:count], theirs[moments][:count]), f"hint {name} of {task.name}"


def equal(ours: np.ndarray, theirs: np.ndarray) -> bool:
    """Whether all that is not masked is the same, but for the rounding of CLRS's sums."""
    assert ours.shape == theirs.shape
    same = abs(ours.astype(float) - theirs) <= ROUNDING
    return bool(np.ma.filled(same, True).all())


def roots(pointers: np.ndarray) -> np.ndarray:
    """[T, N] where pointers lead in the end."""
    found = pointers.astype(np.int64)
    while not np.array_equal(found, further := np.take_along_axis(found, found, 1)):
        found = further
    return found


def made(task: Task) -> Algorithm:
    return algorithm(task.algorithm, **task.options)


@cache
def true_run(task: Task, nodes: int) -> Run:
    """Our algorithm on all graphs of a file, side by side."""
    traces = read(task.name, nodes)
    graphs = [trace.graph(directed=task.directed) for trace in traces]
    inputs = [task.inputs(trace, graph) for trace, graph in zip(traces, graphs, strict=True)]
    joined = {name: torch.cat([each[name] for each in inputs]) for name in inputs[0]}
    return execute(made(task), Graph.join(graphs), joined)


@cache
def trained(chosen: Algorithm) -> Network:
    """An exact network, with its proof."""
    experiment = preset("exact", chosen)
    fit = Fit(experiment.data(), experiment.architecture, experiment.schedule, (0,), torch.device("cpu"))
    for _ in fit:
        pass
    network = fit.result().only(0)
    assert not any(each.check.failures for each in prove(network))
    return network

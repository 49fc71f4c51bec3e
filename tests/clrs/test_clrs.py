"""CLRS's own traces as the judge: our algorithms, exact networks and their rules, output by output
and step by step.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
import torch

from algolens.algorithms import Algorithm, algorithm
from algolens.certification import prove
from algolens.clrs.task import ClrsTask as Task
from algolens.clrs.tasks import TASKS
from algolens.clrs.traces import SIZES, Trace, read_traces
from algolens.data import fixed
from algolens.evaluation import free_run, run_by_rules
from algolens.execution import Run, run_algorithm
from algolens.experiment import load_model, shipped_folder
from algolens.experiment.config import preset
from algolens.extraction import extract
from algolens.graphs import Graph
from algolens.logic.rule_set import RuleSet
from algolens.models import Network
from algolens.training import Fit
from tests.effort import in_proportion

ROUNDING = 1e-12  # of CLRS's sums
ROOTS = "roots of pi"
GRAPHS = 15  # of each family, for a network to be selected on, and for rules to be drawn from
# on larger graphs a network takes so many; the algorithm itself, which it is proven to do, takes
# all
MANY_STEPS = 100

# tasks for which a network is taught here to read more bits than the one that ships
TAUGHT = ("mst_kruskal", "minimum", "quicksort")

by_task = pytest.mark.parametrize("task", TASKS, ids=lambda task: task.name)
by_size = pytest.mark.parametrize("nodes", SIZES)


@by_task
@by_size
def test_the_algorithm_does_as_clrs_does(task: Task, nodes: int) -> None:
    assert_agree(task, true_run(task, nodes), nodes)


@by_task
def test_a_proven_network_and_its_rules_do_as_clrs_does(task: Task) -> None:
    network, program = learnt(task)
    for nodes in SIZES:
        if nodes == SIZES[0] or true_run(task, nodes).num_steps <= MANY_STEPS:
            assert_agree(task, free_run(network, true_run(task, nodes)), nodes)
    assert_agree(task, run_by_rules(network, program, true_run(task, SIZES[0])), SIZES[0])


@by_task
def test_a_wrong_output_and_a_wrong_hint_are_found(task: Task) -> None:
    """The judge can say no, to every single field."""
    trace, run = read_traces(task.name, SIZES[0])[0], true_run(task, SIZES[0]).take([0])
    assert_same(task, run, trace)
    for part in ("outputs", "hints"):
        for name in getattr(task, part):
            named = "pi" if name == ROOTS else name
            fields = getattr(trace, part)
            values = np.zeros_like(fields["pi"]) if name == ROOTS else fields[named] + 1
            wrong = replace(trace, **{part: {**fields, named: values}})
            with pytest.raises(AssertionError, match=f"{name} of {task.name}"):
                assert_same(task, run, wrong)


def assert_agree(task: Task, run: Run, nodes: int) -> None:
    for place, trace in enumerate(read_traces(task.name, nodes)):
        assert_same(task, run.take([place]), trace)


def assert_same(task: Task, run: Run, trace: Trace) -> None:
    for name, ours in task.outputs.items():
        assert equal(ours(run), trace.outputs[name]), f"output {name} of {task.name}"
    moments = task.moments(trace)
    if task.as_many_steps:
        # where nothing is to be done, a run of ours takes one step all the same
        assert run.num_steps + 1 - task.skipped - task.closing == len(moments) or (
            len(moments),
            run.num_steps,
        ) == (1, 1)
    for name, ours in task.hints.items():
        values = ours(run)[task.skipped :]
        theirs = roots(trace.hints["pi"]) if name == ROOTS else trace.hints[name]
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
    traces = read_traces(task.name, nodes)
    table = made(task).table
    graphs = [trace.graph(directed=task.directed, table=table) for trace in traces]
    inputs = [task.inputs(trace, graph) for trace, graph in zip(traces, graphs, strict=True)]
    joined = {name: torch.cat([each[name] for each in inputs]) for name in inputs[0]}
    return run_algorithm(made(task), Graph.join(graphs), joined)


def learnt(task: Task) -> tuple[Network, RuleSet]:
    """An exact network, proven, and the rules that it goes by: what ships, where it reads numbers
    of as many bits.
    """
    if shipped_folder(task.algorithm) is None:
        network, rule_set = taught(algorithm(task.algorithm) if task.sums else made(task))
    else:
        run = load_model(task.algorithm)
        assert run.rule_sets is not None
        network, rule_set = run.network.only(0), run.rule_sets[0]
    if bits(made(task)) > bits(network.algorithm):
        if task.sums:
            network = reading_more(network, task)
        elif task.name in TAUGHT or in_proportion(1) > 1:
            network, rule_set = taught(made(task))
        else:
            pytest.skip("a network that reads numbers of so many bits is taught by `make fuzz`")
    assert not any(each.check.failures for each in prove(network))
    return network, rule_set


def bits(chosen: Algorithm) -> int:
    return int(chosen.options.get("bits", 0))


def reading_more(network: Network, task: Task) -> Network:
    """The same weights for larger numbers, where numbers are only added, and so are not seen."""
    alike = Network(made(task), network.architecture, network.seeds)
    alike.load_state_dict(network.state_dict())
    return alike


def taught(wanted: Algorithm) -> tuple[Network, RuleSet]:
    """A network that learns an algorithm with its options."""
    experiment = preset("exact", wanted)
    chosen = experiment.find_algorithm()
    sets = fixed(chosen, 0, replace(chosen.recipe, train=GRAPHS, held_out=GRAPHS))
    fit = Fit(sets, experiment.architecture, experiment.schedule, (0,), torch.device("cpu"))
    list(fit)
    network = fit.result()
    return network, extract(network, sets.train).rule_set

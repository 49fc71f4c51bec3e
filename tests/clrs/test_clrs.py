"""CLRS's own traces as the judge: our algorithms, the networks that ship and their rules, output by
output and step by step.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest

from algolens.api import By
from algolens.clrs.judge import differing, run_beside, run_by
from algolens.clrs.tasks import TASKS, ClrsTask
from algolens.clrs.traces import SIZES, all_probes, probes_of, traces
from algolens.engines import Run

# on larger graphs a network takes so many; the algorithm itself, which it is proven to do, takes
# all
MANY_STEPS = 100

by_task = pytest.mark.parametrize("task", TASKS.values(), ids=list(TASKS))
by_size = pytest.mark.parametrize("nodes", SIZES)


@by_task
@by_size
def test_the_algorithm_does_as_clrs_does(task: ClrsTask, nodes: int) -> None:
    assert_agree(task, true_run(task, nodes), nodes)


@by_task
def test_the_network_that_ships_and_its_rules_do_as_clrs_does(task: ClrsTask) -> None:
    for nodes in SIZES:
        truth = true_run(task, nodes)
        if nodes == SIZES[0] or truth.num_steps <= MANY_STEPS:
            assert_agree(task, run_by(task, truth, By.NETWORK), nodes)
    assert_agree(task, run_by(task, true_run(task, SIZES[0]), By.RULES), SIZES[0])


@by_task
def test_a_wrong_output_and_a_wrong_hint_are_found(task: ClrsTask) -> None:
    """The judge can say no, to every single field."""
    trace, run = traces(task.name, SIZES[0])[0], true_run(task, SIZES[0]).take([0])
    for part in ("outputs", "hints"):
        for name in getattr(task, part):
            fields = getattr(trace, part)
            values = (
                (fields[name] + 1) % len(trace.inputs) if name in task.theirs else fields[name] + 1
            )
            wrong = replace(trace, **{part: {**fields, name: values}})
            assert list(differing(task, run, wrong)) == [f"{part[:-1]} {name}"]


@by_task
def test_each_output_and_hint_is_compared_or_left_out_with_the_reason(task: ClrsTask) -> None:
    assert set(task.outputs) == set(probes_of(task.name, "output"))
    assert not task.hints.keys() & task.left_out.keys()
    assert task.hints.keys() | task.left_out.keys() == set(probes_of(task.name, "hint"))
    assert all(task.left_out.values())
    assert sorted(TASKS) == sorted(all_probes())


def assert_agree(task: ClrsTask, run: Run, nodes: int) -> None:
    for place, trace in enumerate(traces(task.name, nodes)):
        assert not list(differing(task, run.take([place]), trace))


@cache
def true_run(task: ClrsTask, nodes: int) -> Run:
    """Our algorithm on all graphs of a file, side by side."""
    return run_beside(task, traces(task.name, nodes))

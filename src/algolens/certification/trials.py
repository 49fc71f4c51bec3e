"""What is tried beside a proof: every small graph that the algorithm takes, in free running, and
samples of larger ones.
"""

from __future__ import annotations

import torch
from torch import Tensor

from algolens.algorithms import Algorithm
from algolens.certification.certificate import Basis, Check
from algolens.data.small_graphs import (
    DRAWS,
    EveryInput,
    ShownGraph,
    Trial,
    directions,
    small_trials,
)
from algolens.evaluation import free_run, right_graphs
from algolens.execution import Run, run_algorithm
from algolens.graphs import Graph, sample, stream
from algolens.models import Network

SAMPLED_SIZES, SAMPLED_GRAPHS = (20, 50, 100), 10  # nodes, and graphs of each family
DIRECTED = {False: "undirected", True: "directed"}


def small_graph_trials(network: Network) -> list[Check]:
    """Free running on all small graphs: a check for those that were gone through in the same
    way.
    """
    alike: dict[tuple[bool, bool], list[Trial]] = {}
    for trial in small_trials(network.algorithm):
        alike.setdefault((trial.directed, trial.has_every_input), []).append(trial)
    return [
        _check(network, trials) for trials in alike.values() if any(trial.runs for trial in trials)
    ]


def larger_graph_trial(network: Network) -> Check:
    """Free running on random graphs of the algorithm's families."""
    algorithm = network.algorithm
    failures, cases = 0, 0
    for size in SAMPLED_SIZES:
        for directed in directions(algorithm):
            rng = stream(0, "certificate", algorithm.name, size, DIRECTED[directed])
            families = algorithm.recipe.families
            graph = Graph.join(
                [
                    sample(family, size, SAMPLED_GRAPHS, rng, directed=directed)
                    for family in families
                ]
            )
            failures += int(
                (
                    ~_right(network, run_algorithm(algorithm, graph, algorithm.sample(graph, rng)))
                ).sum()
            )
            cases += graph.num_graphs
    sizes = ", ".join(map(str, SAMPLED_SIZES))
    kinds = " and ".join(DIRECTED[directed] for directed in directions(algorithm))
    says = f"On random {kinds} graphs of {sizes} nodes, every step is right."
    return Check("larger graphs", Basis.SAMPLED, cases, failures, says)


def _check(network: Network, trials: list[Trial]) -> Check:
    """Runs of the network beside those of the algorithm."""
    cases, failures, first = 0, 0, None
    for run in (run for trial in trials for run in trial.runs):
        right = _right(network, run)
        cases, failures = cases + len(right), failures + int((~right).sum())
        if first is None and not right.all():
            alone = run.take([int((~right).nonzero()[0])])
            first = str(
                ShownGraph.of(alone.graph, alone.inputs, network.algorithm.declaration.inputs)
            )
    says = f"In free running, every step is right on {_gone_through(network.algorithm, trials)}."
    return Check(
        "small graphs",
        Basis.EXHAUSTIVE if trials[0].has_every_input else Basis.SAMPLED,
        cases,
        failures,
        says,
        first,
    )


def _gone_through(algorithm: Algorithm, trials: list[Trial]) -> str:
    """Which graphs were tried, and with which inputs, in words."""
    first, last = trials[0], trials[-1]
    sizes = (
        f"up to {last.nodes}"
        if first.nodes == 1
        else f"{first.nodes} to {last.nodes}"
        if first is not last
        else last.nodes
    )
    inputs = (
        EveryInput(algorithm, last.nodes).words()
        if first.has_every_input
        else f"inputs drawn {DRAWS} times"
    )
    refused = sum(trial.num_refused for trial in trials)
    left_out = f"; {refused:,} runs that {algorithm.name} refuses are left out" if refused else ""
    graphs = (
        f"{sum(trial.graphs for trial in trials):,} {DIRECTED[first.directed]} graphs of {sizes} "
        "nodes"
    )
    return f"all {graphs} in every numbering{inputs and f', with {inputs}'}{left_out}"


@torch.no_grad()
def _right(network: Network, truth: Run) -> Tensor:
    """[G] bools: is a graph's run right?"""
    return right_graphs(free_run(network, truth), truth)

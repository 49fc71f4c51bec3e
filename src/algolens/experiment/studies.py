"""What a report shows of a trained run beyond its scores: verdicts on its rules, a tree, an example
step, large graphs.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import torch

from algolens.algorithms import Algorithm
from algolens.certification import provable
from algolens.evaluation import free_run, right_graphs
from algolens.execution import Run, run_algorithm
from algolens.experiment.exactness import exactness
from algolens.experiment.folder import TrainedModel
from algolens.extraction import grade, grow_tree
from algolens.fields import Number
from algolens.graphs import Graph, Location, stream
from algolens.models import Network

# small enough to be read in a figure, with a triangle, a square and a node of one neighbour
EXAMPLE_NODES = "abcdef"
EXAMPLE_EDGES = ("ab", "bc", "cd", "de", "ef", "be", "ce")
TREE_GRAPHS = 100  # enough to meet every pattern that is common


def study(trained: TrainedModel, *, larger: bool = True) -> dict[str, Any]:
    """What study.json holds of a run with a bottleneck: all that its figures and tables need
    besides the other files.

    larger: exact networks are tried on graphs far beyond the size of training, too.
    """
    network, experiment = trained.network, trained.experiment
    first, truth = network.only(0), experiment.data(tests=False).train.to(network.device)
    found: dict[str, Any] = {
        "seed": network.seeds[0],
        "example": example(network.algorithm, first),
        "trees": trees(first, truth),
    }
    found["verdicts"] = [
        {
            "equal_on_seen": each.equal_on_seen,
            "equal_on_all": each.equal_on_all,
            "in_words": str(each),
        }
        for each in (grade(rule_set, network.algorithm) for rule_set in trained.rule_sets or [])
    ]
    if provable(network):
        found["exactness"] = exactness(trained, larger=larger)
    return found


def trees(network: Network, truth: Run) -> list[dict[str, Any]]:
    """A decision tree of each output that is decided by rules, of one seed's network on some of
    these graphs, as JSON.
    """
    some = truth.take(range(min(TREE_GRAPHS, truth.graph.num_graphs)))
    run = free_run(network, some)
    return [
        grow_tree(run, some, output=output).to_json()
        for output in network.algorithm.declaration.decided
    ]


def example(algorithm: Algorithm, network: Network | None = None) -> dict[str, Any]:
    """One step on a small graph, by a network or by the algorithm itself: of those in which most
    changes, the middle one.
    """
    graph = example_graph(directed=algorithm.graphs == "directed")
    truth = run_algorithm(
        algorithm,
        graph,
        _with_small_numbers(algorithm).sample(graph, stream(0, "example", algorithm.name)),
    )
    run = truth
    if network is not None:
        there = truth.to(network.device)
        run = free_run(network, there).to("cpu")
    location = algorithm.declaration.location
    output, kind = next(
        (o, k) for o, k in algorithm.declaration.outputs.items() if not isinstance(k, Number)
    )
    before = _before(run, output)
    changes = (run.outputs[output] != before).sum(1)
    changes[0] = -1 if run.num_steps > 1 else 0  # the first step shows little of what comes back
    most = (changes == changes.max()).nonzero().flatten()
    step = int(most[len(most) // 2])
    ends = graph.edges.T.tolist()
    names = (
        list(EXAMPLE_NODES)
        if location is Location.NODE
        else [EXAMPLE_NODES[u] + EXAMPLE_NODES[v] for u, v in ends]
    )
    return {
        "by": "algorithm" if network is None else "network",
        "seed": None if network is None else network.seeds[0],
        "nodes": list(EXAMPLE_NODES),
        "edges": ends,
        "directed": graph.directed,
        "location": location.value,
        "elements": names,
        "inputs": {
            name: {"location": field.location.value, "values": run.inputs[name].tolist()}
            for name, field in algorithm.declaration.inputs.items()
        },
        "step": step + 1,
        "steps": run.num_steps,
        "concepts": {name: run[name][step].tolist() for name in algorithm.declaration.concepts},
        "output": output,
        "labels": list(kind.labels) or list(EXAMPLE_NODES),  # of a pointer, what it points to
        "before": before[step].long().tolist(),
        "after": run.outputs[output][step].long().tolist(),
        "agrees": bool(right_graphs(run, truth).all()),
    }


def _with_small_numbers(algorithm: Algorithm) -> Algorithm:
    """The same algorithm with numbers of as many bits as declared, for people to read; more bits
    have room for these, too.
    """
    if "bits" not in algorithm.options:
        return algorithm
    return type(algorithm)(**{**algorithm.options, "bits": type(algorithm)().options["bits"]})


def _before(run: Run, output: str) -> torch.Tensor:
    """[T, N] an output before each step: its state, or nothing (class 0)."""
    first = run.start.get(output, torch.zeros_like(run.outputs[output][0]))
    return torch.cat([first[None], run.outputs[output][:-1]])


def example_graph(*, directed: bool = False) -> Graph:
    """The graph of examples; directed, each edge leads from the earlier letter to the later."""
    place = {name: i for i, name in enumerate(EXAMPLE_NODES)}
    packed = Graph.pack(
        [len(EXAMPLE_NODES)],
        [(place[edge[0]], place[edge[1]]) for edge in EXAMPLE_EDGES],
        directed=directed,
    )
    return replace(packed, names=tuple(EXAMPLE_NODES))

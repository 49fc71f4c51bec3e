"""What a report shows of a model beyond its scores: verdicts, trees, a step, large graphs."""

from __future__ import annotations

from dataclasses import replace

import torch

from algolens.algorithms import Algorithm
from algolens.certification import provable
from algolens.data import held_out
from algolens.errors import GraphError
from algolens.evaluation import free_run, right_graphs
from algolens.execution import Run, run_algorithm
from algolens.experiment.folder import TrainedModel
from algolens.experiment.review import EXAMPLE_NODES, example_graph, example_run
from algolens.experiment.scores import model_scores
from algolens.extraction import decision_trees, grade
from algolens.fields import Number
from algolens.graphs import Location, stream
from algolens.logic.rule_set import RuleSet
from algolens.models import Network
from algolens.reading import as_record
from algolens.records.scores import SizeScores
from algolens.records.study import (
    DecisionsRecord,
    ExactnessRecord,
    ExampleInput,
    ExampleRecord,
    ExampleState,
    StudyRecord,
    VerdictRecord,
)
from algolens.reports.run_values import (
    class_names,
    classes_of,
    known_texts,
    node_sets,
    shown_pointer,
    value_at,
)
from algolens.terminal.sentences import Sentences

# beyond the size of training: by algorithm, nodes and graphs
LARGER = {"bfs": {1_000: 70, 10_000: 21}, "coloring": {1_000: 80, 10_000: 20}, "kruskal": {500: 20}}


def study(trained: TrainedModel, *, larger: bool = True) -> StudyRecord:
    """What study.json holds of a model with a bottleneck.

    larger: exact networks are tried on graphs far beyond the size of training, too.
    """
    network, algorithm = trained.network, trained.network.algorithm
    first, rule_sets = network.only(0), trained.rule_sets or []
    truth = trained.experiment.data(tests=False).train.to(network.device)
    verdicts = [grade(rule_set, algorithm) for rule_set in rule_sets]
    return StudyRecord(
        network.seeds[0],
        example(algorithm, first, next(iter(rule_sets), None)),
        [DecisionsRecord.of(tree) for tree in decision_trees(first, truth)],
        [
            VerdictRecord(verdict.equal_on_seen, verdict.equal_on_all, str(verdict))
            for verdict in verdicts
        ],
        exactness(trained, larger=larger) if provable(network) else None,
    )


def exactness(trained: TrainedModel, *, larger: bool) -> ExactnessRecord:
    """Scores on graphs that are far larger than those of training."""
    algorithm, experiment = trained.network.algorithm, trained.experiment
    scores = {}
    for size, graphs in LARGER.get(algorithm.data_name, {}).items() if larger else ():
        recipe = replace(algorithm.recipe, tested=graphs)
        tests = held_out(algorithm, [size], experiment.data_seed, recipe)
        measured = model_scores(experiment, trained.network, tests, trained.rule_sets)
        scores[str(size)] = as_record(measured["sizes"][str(size)], SizeScores, f"scores at {size}")
    return ExactnessRecord(scores)


def example(
    algorithm: Algorithm, network: Network | None = None, rule_set: RuleSet | None = None
) -> ExampleRecord:
    """One step on a small graph, by a network or by the algorithm: one in which much changes.

    rule_set: the network's rules, by which its sentences go; unless given, the algorithm's own.
    """
    graph = example_graph(directed=algorithm.graphs == "directed")
    inputs = _with_small_numbers(algorithm).sample(graph, stream(0, "example", algorithm.data_name))
    try:
        truth = run_algorithm(algorithm, graph, inputs)
    except GraphError:  # it takes other graphs, which its recipe draws
        truth = example_run(algorithm)
        graph = truth.graph
    run = truth
    if network is not None:
        run = free_run(network, truth.to(network.device)).to("cpu")
    declaration = algorithm.declaration
    output, kind = next(
        (name, kind) for name, kind in declaration.outputs.items() if not isinstance(kind, Number)
    )
    before = _before(run, output)
    changes = (run.outputs[output].dense() != before).sum(1)
    changes[0] = -1 if run.num_steps > 1 else 0  # the first step shows little of what comes back
    most = (changes == changes.max()).nonzero().flatten()
    step = int(most[len(most) // 2])
    edges = graph.edges.T.tolist()
    elements = list(EXAMPLE_NODES)
    if declaration.location is Location.EDGE:
        elements = [EXAMPLE_NODES[u] + EXAMPLE_NODES[v] for u, v in edges]
    return ExampleRecord(
        by="algorithm" if network is None else "network",
        seed=None if network is None else network.seeds[0],
        nodes=list(EXAMPLE_NODES),
        edges=[(u, v) for u, v in edges],
        directed=graph.directed,
        location="edge" if declaration.location is Location.EDGE else "node",
        elements=elements,
        inputs={
            name: ExampleInput(field.location.value, run.inputs[name].tolist())
            for name, field in declaration.inputs.items()
        },
        step=step + 1,
        steps=run.num_steps,
        concepts={name: run[name][step].tolist() for name in declaration.concepts},
        output=output,
        labels=list(kind.labels) or list(EXAMPLE_NODES),  # of a pointer, what it points to
        before=before[step].long().tolist(),
        after=run.outputs[output][step].long().tolist(),
        agrees=bool(right_graphs(run, truth).all()),
        class_names=class_names(run),
        states=(_state(run, step), _state(run, step + 1)),
        sentences=[told.sentence for told in Sentences(run, rule_set).told(step)],
    )


def _state(run: Run, moment: int) -> ExampleState:
    """What a picture shows after so many steps: classes of elements, numbers, pointers of nodes."""
    outputs = run.algorithm.declaration.outputs
    values = {name: value_at(run, name, moment) for name in outputs}
    at_nodes = run.algorithm.declaration.location is Location.NODE
    numbers = [
        known_texts(run, name, values)
        for name, kind in outputs.items()
        if isinstance(kind, Number) and at_nodes
    ]
    pointer = shown_pointer(run)
    return ExampleState(
        classes_of(run, moment),
        node_sets(run, moment),
        [", ".join(filter(None, texts)) for texts in zip(*numbers, strict=True)],
        [] if pointer is None else values[pointer],
    )


def _with_small_numbers(algorithm: Algorithm) -> Algorithm:
    """The same algorithm with numbers of as many bits as declared, for people to read."""
    if "bits" not in algorithm.options:
        return algorithm
    return type(algorithm)(**{**algorithm.options, "bits": type(algorithm)().options["bits"]})


def _before(run: Run, output: str) -> torch.Tensor:
    """[T, N] an output before each step: its state, or nothing (class 0)."""
    first = run.start.get(output, torch.zeros_like(run.outputs[output][0]))
    return torch.cat([first[None], run.outputs[output].dense()[:-1]])

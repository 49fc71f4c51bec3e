"""What is measured of a model: scores, and what a report shows beyond them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import torch

from algolens.algorithms import Algorithm
from algolens.certification import provable
from algolens.data import held_out
from algolens.evaluation import (
    first_mistakes,
    formula_summary,
    free_run,
    right_graphs,
    score_network,
    seeds_summary,
)
from algolens.execution import Run, run_algorithm
from algolens.experiment.config import Experiment
from algolens.experiment.folder import TrainedModel
from algolens.experiment.model_files import extract_all
from algolens.extraction import grade, grow_tree
from algolens.fields import Number
from algolens.graphs import Graph, Location, stream
from algolens.logic.rule_set import RuleSet
from algolens.models import Network


def model_scores(
    experiment: Experiment,
    network: Network,
    tests: Mapping[int, Run | Iterable[Run]],
    rule_sets: Sequence[RuleSet] | None,
    *,
    rules_only: bool = False,
) -> dict[str, Any]:
    """What scores.json holds.

    Parameters
    ----------
    experiment, network
        What was trained, and the networks of all its seeds.
    tests : mapping
        True traces, by the number of nodes.
    rule_sets : sequence of RuleSet, optional
        Of each seed; None where there are none.
    rules_only : bool
        Leaves out the scores of the networks themselves.
    """
    sizes: dict[str, dict[str, Any]] = {str(size): {} for size in tests}
    by_seed: dict[str, Any] = {}
    if not rules_only:
        scores = score_network(network, tests)
        sizes = seeds_summary(scores)
        by_seed = {str(size): list(map(asdict, seeds)) for size, seeds in scores.items()}
    if rule_sets is not None:
        by_rules = formula_summary(score_network(network, tests, rule_sets))
        for size, values in sizes.items():
            spread = values.get("spread", {}) | by_rules[size]["spread"]
            sizes[size] = {**values, **by_rules[size], "spread": spread}
    return {
        "algorithm": experiment.algorithm,
        "preset": experiment.preset,
        "seeds": list(experiment.seeds),
        **({"given": list(experiment.architecture.given)} if experiment.architecture.given else {}),
        "sizes": sizes,
        **({"by_seed": by_seed} if by_seed else {}),
    }


@dataclass(frozen=True, eq=False)
class TestSets:
    """True traces of test graphs, by their number of nodes; and which graphs these are."""

    __test__ = False  # no test of pytest's

    traces: Mapping[int, Any]
    graphs: Mapping[str, Any]

    @classmethod
    def of(
        cls, experiment: Experiment, sizes: Sequence[int], graphs: int | None, data_seed: int | None
    ) -> TestSets:
        """Graphs of the experiment's data seed, or of another: then in none of its sets."""
        recipe = replace(experiment.recipe, tested=graphs)
        seed = experiment.data_seed if data_seed is None else data_seed
        own = None if seed == experiment.data_seed else (experiment.data_seed, experiment.recipe)
        traces = held_out(experiment.find_algorithm(), sizes, seed, recipe, apart_from=own)
        counts = recipe.counts("test")
        return cls(traces, {"data_seed": seed, "fresh": own is not None, "of_each_size": counts})

    def score(
        self,
        trained: TrainedModel,
        network: Network,
        *,
        rules_only: bool = False,
        done: Callable[[], None] = lambda: None,
    ) -> dict[str, Any]:
        """The scores of a model's network, on the device where it is; done: called at each size."""
        experiment, rule_sets = trained.experiment, trained.rule_sets
        if rule_sets is None and experiment.architecture.bottleneck:
            extractions = extract_all(network, experiment.data(tests=False).train)
            rule_sets = [extraction.rule_set for extraction in extractions]
        scores: dict[str, Any] = {"sizes": {}}
        for size, parts in self.traces.items():
            at_size = model_scores(
                experiment, network, {size: parts}, rule_sets, rules_only=rules_only
            )
            scores = {**at_size, "sizes": {**scores["sizes"], **at_size["sizes"]}}
            done()
        scores.pop("by_seed", None)
        return {**scores, "test_graphs": self.graphs}

    def mistakes(self, network: Network) -> dict[str, list[dict[str, Any]]]:
        """By size, for each seed how many graphs it gets wrong, and the first mistakes on some."""
        return {str(size): _mistakes(network, traces) for size, traces in self.traces.items()}


def _mistakes(network: Network, traces: Iterable[Run]) -> list[dict[str, Any]]:
    entries: list[dict[str, Any]] = [
        {"seed": seed, "graphs_wrong": 0, "mistakes": []} for seed in network.seeds
    ]
    for trace in traces:
        truth = trace.to(network.device)
        for place, entry in enumerate(entries):
            count, first = first_mistakes(free_run(network.only(place), truth), truth)
            shown = [*entry["mistakes"], *(mistake.to_json() for mistake in first)]
            entry["graphs_wrong"] += count
            entry["mistakes"] = shown[:MOST_MISTAKES]
    return entries


MOST_MISTAKES = 10  # shown, of a seed at a size
# graphs far beyond the size of training, by algorithm: nodes, and how many
LARGER = {"bfs": {1_000: 70, 10_000: 21}, "coloring": {1_000: 80, 10_000: 20}, "kruskal": {500: 20}}
# small enough to be read in a figure, with a triangle, a square and a node of one neighbour
EXAMPLE_NODES = "abcdef"
EXAMPLE_EDGES = ("ab", "bc", "cd", "de", "ef", "be", "ce")
TREE_GRAPHS = 100  # enough to meet every pattern that is common


def study(trained: TrainedModel, *, larger: bool = True) -> dict[str, Any]:
    """What study.json holds of a model with a bottleneck: what a report shows beyond its scores.

    larger: exact networks are tried on graphs far beyond the size of training, too.
    """
    network, experiment = trained.network, trained.experiment
    first, truth = network.only(0), experiment.data(tests=False).train.to(network.device)
    verdicts = [grade(rule_set, network.algorithm) for rule_set in trained.rule_sets or []]
    studied: dict[str, Any] = {
        "seed": network.seeds[0],
        "example": example(network.algorithm, first),
        "trees": trees(first, truth),
        "verdicts": [
            {
                "equal_on_seen": verdict.equal_on_seen,
                "equal_on_all": verdict.equal_on_all,
                "in_words": str(verdict),
            }
            for verdict in verdicts
        ],
    }
    if provable(network):
        studied["exactness"] = exactness(trained, larger=larger)
    return studied


def exactness(trained: TrainedModel, *, larger: bool) -> dict[str, Any]:
    """Scores on graphs that are far larger than those of training."""
    algorithm, experiment = trained.network.algorithm, trained.experiment
    scores = {}
    for size, graphs in LARGER.get(algorithm.name, {}).items() if larger else ():
        recipe = replace(algorithm.recipe, tested=graphs)
        tests = held_out(algorithm, [size], experiment.data_seed, recipe)
        at_size = model_scores(experiment, trained.network, tests, trained.rule_sets)
        scores[str(size)] = at_size["sizes"][str(size)]
    return {"larger": scores}


def trees(network: Network, truth: Run) -> list[dict[str, Any]]:
    """A decision tree of each output that rules decide, of one seed's network, as JSON."""
    some = truth.take(range(min(TREE_GRAPHS, truth.graph.num_graphs)))
    run = free_run(network, some)
    outputs = network.algorithm.declaration.decided
    return [grow_tree(run, some, output=output).to_json() for output in outputs]


def example(algorithm: Algorithm, network: Network | None = None) -> dict[str, Any]:
    """One step on a small graph: of those in which most changes, the middle one.

    network: that of one seed, which runs it; None: the algorithm itself does.
    """
    declaration = algorithm.declaration
    graph = example_graph(directed=algorithm.graphs == "directed")
    # numbers of as many bits as declared, for people to read; more bits have room for these, too
    bits = {"bits": type(algorithm)().options["bits"]} if "bits" in algorithm.options else {}
    small = type(algorithm)(**{**algorithm.options, **bits})
    inputs = small.sample(graph, stream(0, "example", algorithm.name))
    truth = run = run_algorithm(algorithm, graph, inputs)
    if network is not None:
        run = free_run(network, truth.to(network.device)).to("cpu")
    output, kind = next(
        (name, kind) for name, kind in declaration.outputs.items() if not isinstance(kind, Number)
    )
    after = run.outputs[output]
    first = run.start.get(output, torch.zeros_like(after[0]))  # without a state, class 0
    before = torch.cat([first[None], after[:-1]])
    changes = (after != before).sum(1)
    changes[0] = -1 if run.num_steps > 1 else 0  # the first step shows little of what comes back
    most = (changes == changes.max()).nonzero().flatten()
    step = int(most[len(most) // 2])
    ends = graph.edges.T.tolist()
    elements = list(EXAMPLE_NODES)
    if declaration.location is not Location.NODE:
        elements = [EXAMPLE_NODES[u] + EXAMPLE_NODES[v] for u, v in ends]
    return {
        "by": "algorithm" if network is None else "network",
        "seed": None if network is None else network.seeds[0],
        "nodes": list(EXAMPLE_NODES),
        "edges": ends,
        "directed": graph.directed,
        "location": declaration.location.value,
        "elements": elements,
        "inputs": {
            name: {"location": field.location.value, "values": run.inputs[name].tolist()}
            for name, field in declaration.inputs.items()
        },
        "step": step + 1,
        "steps": run.num_steps,
        "concepts": {name: run[name][step].tolist() for name in declaration.concepts},
        "output": output,
        "labels": list(kind.labels) or list(EXAMPLE_NODES),  # of a pointer, what it points to
        "before": before[step].long().tolist(),
        "after": after[step].long().tolist(),
        "agrees": bool(right_graphs(run, truth).all()),
    }


def example_graph(*, directed: bool = False) -> Graph:
    """The graph of examples; directed, each edge leads from the earlier letter to the later."""
    edges = [(EXAMPLE_NODES.index(ends[0]), EXAMPLE_NODES.index(ends[1])) for ends in EXAMPLE_EDGES]
    packed = Graph.pack([len(EXAMPLE_NODES)], edges, directed=directed)
    return replace(packed, names=tuple(EXAMPLE_NODES))

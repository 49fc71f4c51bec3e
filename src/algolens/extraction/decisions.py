"""What single decisions follow from: the part of a rule that fired, and decision trees."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from algolens.engines import Run
from algolens.errors import AlgoLensError, UnknownNameError
from algolens.extraction.observations import observe, run_to_explain
from algolens.logic import Formula, reason
from algolens.logic.rule_set import RuleSet
from algolens.models import Network
from algolens.rules.samples import Labelled

if TYPE_CHECKING:
    from sklearn.tree import DecisionTreeClassifier

TREE_GRAPHS = 100  # enough to meet every pattern that is common


@dataclass(frozen=True)
class Why:
    """The reason for one output of one node (or edge) at one step."""

    output: str
    label: str  # the class that the run decided on
    rule: Formula  # the class's rule
    # the conjunction that made it hold; where it does not, the one that stood against it
    reason: Formula
    holds: bool  # whether the rule says what the run decided
    concepts: Mapping[str, bool]  # all that was seen

    def __str__(self) -> str:
        because = "because" if self.holds else "although the rule fails:"
        return f"{self.output} = {self.label} {because} {self.reason}"


def why(
    run: Run, step: int, element: int, *, graph: int = 0, rule_set: RuleSet | None = None
) -> dict[str, Why]:
    """Why each output of a node (or edge) is what it is.

    Parameters
    ----------
    run
        A run with concepts.
    step, element, graph
        Counted from 0, the element inside its graph.
    program
        The rules to explain by; by default, the algorithm's own.

    Returns
    -------
    dict
        A reason for each output that has rules.

    Raises
    ------
    AlgoLensError
        Where the run has no concepts, or no such graph, step or element.

    Examples
    --------
    >>> import torch
    >>> from algolens.algorithms import algorithm
    >>> from algolens.engines import run_algorithm
    >>> from algolens.graphs import Graph
    >>> path = Graph.pack([3], [(0, 1), (1, 2)])
    >>> run = run_algorithm(algorithm("bfs"), path, {"source": torch.tensor([0])})
    >>> str(why(run, step=0, element=1)["visited"])
    'visited = true because has_visited_neighbours'
    """
    if not run.has_concepts:
        raise AlgoLensError(
            "a network without a bottleneck has no concepts to say why by: ask a run of one that "
            "has them."
        )
    location = run.algorithm.declaration.location
    rule_set = rule_set or run.algorithm.declaration.rule_set
    _check_index("graph", graph, run.graph.num_graphs)
    _check_index("step", step, int(run.lengths[graph]))
    _check_index(location.value, element, int(run.graph.counts(location)[graph]))
    place = int(run.graph.first(location)[graph]) + element
    return {output: why_output(run, step, place, output, rule_set) for output in rule_set.rules}


def _check_index(what: str, number: int, count: int) -> None:
    if not 0 <= number < count:
        raise AlgoLensError(f"{what} {number} is not there: this run has {count}, counted from 0.")


def why_output(run: Run, step: int, place: int, output: str, rule_set: RuleSet) -> Why:
    """Why an output that has rules is what it is; place: the element's number in the batch."""
    declaration = run.algorithm.declaration
    seen = {name: bool(over_time[step][place]) for name, over_time in run.concepts.items()}
    label = declaration.outputs[output].labels[int(run.outputs[output][step][place])]
    rule = rule_set.rules[output][label]
    return Why(output, label, rule, reason(rule, seen), bool(rule.evaluate(seen)), seen)


@dataclass(frozen=True, eq=False)
class Tree:
    """A decision tree of one output, and the decisions that it is fitted to."""

    output: str
    concepts: tuple[str, ...]
    labels: tuple[str, ...]
    patterns: np.ndarray  # [P, C] bools, distinct
    counts: np.ndarray  # [P, classes] how often each was decided

    @cached_property
    def classifier(self) -> DecisionTreeClassifier:
        """The tree, fitted by scikit-learn."""
        # a second of start-up, which only trees should cost
        from sklearn.tree import DecisionTreeClassifier

        return DecisionTreeClassifier(random_state=0).fit(*self._samples)

    @property
    def accuracy(self) -> float:
        """Share of the decisions that it reproduces."""
        return float(self.classifier.score(*self._samples))

    @property
    def _samples(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Patterns, classes, and how often each pair came."""
        rows, classes = np.nonzero(self.counts)
        return self.patterns[rows], classes, self.counts[rows, classes]

    def __str__(self) -> str:
        from sklearn.tree import export_text

        names = [self.labels[number] for number in self.classifier.classes_]
        return export_text(self.classifier, feature_names=self.concepts, class_names=names)


def grow_tree(run: Run, truth: Run | None = None, *, output: str | None = None) -> Tree:
    """A decision tree from concepts to an output, fitted to a run.

    Parameters
    ----------
    run
        A true trace, or a network's run: its concepts and its decisions.
    truth
        The true trace, where the run is a network's.
    output
        By default the first.

    Returns
    -------
    Tree

    Raises
    ------
    AlgoLensError
        Where the algorithm decides nothing by rules.

    Examples
    --------
    >>> from algolens.algorithms import algorithm
    >>> from algolens.data import fixed
    >>> tree = grow_tree(fixed(algorithm("bfs")).train)
    >>> print(tree)
    |--- has_visited_neighbours <= 0.50
    |   |--- class: false
    |--- has_visited_neighbours >  0.50
    |   |--- class: true
    <BLANKLINE>
    >>> tree.accuracy
    1.0
    """
    outputs = run.algorithm.declaration.decided
    if not outputs:
        raise AlgoLensError(
            f"{run.algorithm.name} decides nothing by rules: all that it gives moves as declared, "
            "so it has no tree."
        )
    output = output or next(iter(outputs))
    if output not in outputs:
        raise UnknownNameError(f"output of {run.algorithm.name}", output, outputs)
    seen, labels = observe(run, truth or run), outputs[output].labels
    decided = Labelled.of(seen.patterns, seen.decided[output], len(labels))
    return Tree(output, seen.names, labels, decided.patterns, decided.counts)


def decision_trees(network: Network, truth: Run) -> list[Tree]:
    """A decision tree of each output that rules decide, of one seed's network on some graphs."""
    some = truth.take(range(min(TREE_GRAPHS, truth.graph.num_graphs)))
    run = run_to_explain(network, some)
    return [grow_tree(run, some, output=output) for output in network.algorithm.declaration.decided]

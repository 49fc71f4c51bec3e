"""Decision trees of what a run decided."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy import ndarray

from algolens.engines import Run
from algolens.errors import AlgoLensError, UnknownNameError
from algolens.extraction.observations import observe, run_to_explain
from algolens.models import Network
from algolens.rules.samples import Labelled

if TYPE_CHECKING:
    from sklearn.tree import DecisionTreeClassifier

TREE_GRAPHS = 100  # enough to meet every pattern that is common


@dataclass(frozen=True, eq=False)
class Tree:
    """A decision tree of one output, and the decisions that it is fitted to."""

    output: str
    concepts: tuple[str, ...]
    labels: tuple[str, ...]
    patterns: ndarray  # [P, C] bools, distinct
    counts: ndarray  # [P, classes] how often each was decided

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
    def _samples(self) -> tuple[ndarray, ndarray, ndarray]:
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

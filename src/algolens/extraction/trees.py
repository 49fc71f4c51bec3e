"""Decision trees from concepts to outputs, beside the rules."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from algolens.errors import AlgoLensError, UnknownNameError
from algolens.execution import Run
from algolens.extraction.observations import observe

if TYPE_CHECKING:
    from sklearn.tree import DecisionTreeClassifier


@dataclass(frozen=True, eq=False)
class Tree:
    """A decision tree of one output."""

    output: str
    concepts: tuple[str, ...]
    labels: tuple[str, ...]  # of the classes that were seen, as the tree orders them
    tree: DecisionTreeClassifier
    accuracy: float  # on what it was grown from

    def to_json(self) -> dict[str, Any]:
        """Itself as JSON: questions with a tree under 'no' and one under 'yes', answers with the
        number of their class.
        """
        return {"output": self.output, "accuracy": self.accuracy, "root": self._below(0)}

    def _below(self, node: int) -> dict[str, Any]:
        inner: Any = self.tree.tree_
        if inner.children_left[node] < 0:
            answer = int(inner.value[node][0].argmax())
            return {"answer": self.labels[answer], "class": int(self.tree.classes_[answer])}
        return {
            "question": self.concepts[int(inner.feature[node])],
            "no": self._below(int(inner.children_left[node])),
            "yes": self._below(int(inner.children_right[node])),
        }


def grow_tree(
    run: Run, truth: Run | None = None, *, output: str | None = None, max_depth: int | None = None
) -> Tree:
    """A tree that decides an output from concepts: of a true trace, or of a network's run (its
    concepts and its decisions).

    truth: the true trace, where the run is a network's; output: by default the first.

    >>> from algolens.algorithms import algorithm
    >>> from algolens.data import fixed
    >>> tree = grow_tree(fixed(algorithm("bfs")).train)
    >>> tree.accuracy, tree.tree.get_depth()
    (1.0, 1)
    """
    # a second of start-up, which only trees should cost
    from sklearn.tree import DecisionTreeClassifier

    outputs = run.algorithm.declaration.decided
    if not outputs:
        raise AlgoLensError(
            f"{run.algorithm.name} decides nothing by rules: all that it gives moves as declared, "
            "so it has no tree."
        )
    output = output or next(iter(outputs))
    if output not in outputs:
        raise UnknownNameError(f"output of {run.algorithm.name}", output, outputs)
    seen = observe(run, truth or run)
    shown, classes = seen.bools[seen.which], seen.decided[output]
    tree = DecisionTreeClassifier(max_depth=max_depth, random_state=0).fit(shown, classes)
    labels = outputs[output].labels
    return Tree(
        output,
        seen.names,
        tuple(labels[int(number)] for number in tree.classes_),
        tree,
        float(tree.score(shown, classes)),
    )

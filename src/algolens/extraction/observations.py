"""What a network saw and decided in a run, and the audit of its concepts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import torch
from msgspec import Meta, Struct
from numpy import ndarray

from algolens.arrays import NUMPY
from algolens.engines import Run, Timeline, perceive_truly
from algolens.errors import AlgoLensError, UnknownNameError
from algolens.evaluation import free_run
from algolens.logic import Formula, minimal_rules, pack, unpack
from algolens.logic.patterns import MAX_PACKED_CONCEPTS
from algolens.logic.rule_set import RuleSet
from algolens.memory import check_growth
from algolens.models import Network
from algolens.reading import Count, Name, Word
from algolens.rules.trade_off import Conflict, Labelled

if TYPE_CHECKING:
    from sklearn.tree import DecisionTreeClassifier

TREE_GRAPHS = 100  # enough to meet every pattern that is common


Pattern = Annotated[str, Meta(pattern="^[0-9]{1,20}$")]  # of concepts, packed


class Tree(Struct, frozen=True, forbid_unknown_fields=True, dict=True):
    """A decision tree of one output, by the decisions that it is fitted to: how often which pattern
    of concepts, packed, was decided as which class. A study keeps them in this form.
    """

    output: Name
    concepts: Annotated[tuple[Name, ...], Meta(max_length=MAX_PACKED_CONCEPTS)]
    decided: dict[Word, dict[Pattern, Count]]

    def __post_init__(self) -> None:
        for pattern in (int(pattern) for counts in self.decided.values() for pattern in counts):
            if pattern >= (most := 2 ** len(self.concepts)):
                raise ValueError(f"a pattern is {pattern}, and there are {most}")

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
        of_classes = enumerate(self.decided.values())
        rows = [(int(p), label, n) for label, of in of_classes for p, n in of.items() if n]
        packed, classes, counts = np.array(sorted(rows), np.uint64).T
        return unpack(packed, len(self.concepts)), classes.astype(int), counts.astype(int)

    def __str__(self) -> str:
        from sklearn.tree import export_text

        names = [*self.decided]
        names = [names[number] for number in self.classifier.classes_]
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
    seen, labels = observe(run, truth or run), outputs[output].classes
    known = Labelled.of(seen.patterns, seen.decided[output], len(labels))
    packed = pack(known.patterns).tolist()
    decided = {
        label: {str(pattern): n for pattern, n in zip(packed, column, strict=True) if n}
        for label, column in zip(labels, known.counts.T.tolist(), strict=True)
    }
    return Tree(output, tuple(seen.names), decided)


def decision_trees(network: Network, truth: Run) -> list[Tree]:
    """A decision tree of each output that rules decide, of one seed's network on some graphs."""
    some = truth.take(range(min(TREE_GRAPHS, truth.graph.num_graphs)))
    run = run_to_explain(network, some)
    return [grow_tree(run, some, output=output) for output in network.algorithm.declaration.decided]


@dataclass(frozen=True, eq=False)
class Observations:
    """What was seen and decided at M elements and steps."""

    names: tuple[str, ...]
    patterns: ndarray  # [M, C] bools
    decided: Mapping[str, ndarray]  # each [M], the number of the class that the run decided on
    true: Mapping[str, ndarray]  # each [M], that of the true trace


def run_to_explain(network: Network, truth: Run) -> Run:
    """The own run of one seed's network on a trace's graphs, with concepts to explain it by.

    Of a network without a bottleneck, they are the algorithm's own, in the states that the network
    brought about.
    """
    run = free_run(network, truth)
    if run.has_concepts:
        return run
    look, states = perceive_truly(run.algorithm), {name: run.state(name) for name in run.start}
    concepts = [
        look(
            run.graph, run.inputs, {name: state[step] for name, state in states.items()}, None
        ).concepts
        for step in range(run.num_steps + 1)
    ]
    # after its own last step, a graph rests in its last state
    taken = run.concepts
    if run.num_steps:
        over_time = torch.stack(concepts[:-1]).unbind(2)
        taken = dict(zip(taken, map(Timeline.of_rows, over_time), strict=True))
    return replace(run, concepts=taken, resting=concepts[-1], has_concepts=True)


def observe(run: Run, truth: Run) -> Observations:
    """Every element of every step that both a run and the true trace of the same graphs took."""
    run, truth, declaration = run.to(NUMPY), truth.to(NUMPY), run.algorithm.declaration
    steps = min(run.num_steps, truth.num_steps)
    check_growth(run.num_bytes)
    both = run.is_alive[:steps] & truth.is_alive[:steps]
    alive = both[:, run.graph.owner(declaration.location)]

    def numbers(values: Mapping[str, Timeline]) -> dict[str, ndarray]:
        return {
            name: value.dense()[:steps][alive].astype(np.int64) for name, value in values.items()
        }

    patterns = run.patterns()[:steps][alive]
    return Observations(
        declaration.concepts, patterns, numbers(run.outputs), numbers(truth.outputs)
    )


def steps_ahead(run: Run) -> tuple[ndarray, ndarray, ndarray]:
    """What ``smallest_exists`` takes: concepts after a step [M, C], the step of each, goes_on."""
    run = run.to(NUMPY)
    took = run.is_alive  # [T, G]
    number = np.where(took, np.cumsum(took).reshape(took.shape) - 1, -1)
    of_element = number[:, run.graph.owner(run.algorithm.declaration.location)]
    alive = of_element >= 0
    return run.patterns_ahead()[alive], of_element[alive], run.goes_on[took]


@dataclass(frozen=True)
class Audit:
    """What the concepts are worth."""

    unused: tuple[str, ...]  # no rule speaks of them
    # those that follow from the others on every pattern seen, and how
    determined: Mapping[str, Formula]
    # of each output: one pattern, two classes, so that a concept is missing
    conflicts: Mapping[str, tuple[Conflict, ...]]

    def __str__(self) -> str:
        lines = [f"No rule uses {name}." for name in self.unused]
        lines += [
            f"On these graphs, {name} follows from the others: {formula}."
            for name, formula in self.determined.items()
        ]
        lines += [
            f"A concept is missing: {conflict.pattern} is {output} "
            f"{' and '.join(map(str, conflict.counts))}."
            for output, conflicts in self.conflicts.items()
            for conflict in conflicts
        ]
        whole = "Every concept is used, none follows from the others, and none is missing."
        return "\n".join(lines) or whole

    def to_json(self) -> dict[str, Any]:
        """Itself as JSON."""
        return {
            "unused": list(self.unused),
            "determined": {name: str(formula) for name, formula in self.determined.items()},
            "conflicts": {
                output: [
                    {"pattern": str(conflict.pattern), "counts": conflict.counts}
                    for conflict in conflicts
                ]
                for output, conflicts in self.conflicts.items()
            },
        }


def audit(truth: Run, rule_set: RuleSet | None = None) -> Audit:
    """Which concepts are never used, which follow from others, and where one is missing.

    Parameters
    ----------
    truth
        True traces.
    rule_set
        The rules that count as use; by default, the algorithm's own.

    Returns
    -------
    Audit

    Examples
    --------
    >>> from algolens.algorithms import algorithm
    >>> from algolens.data import fixed
    >>> print(audit(fixed(algorithm("coloring")).train))
    No rule uses color_5_seen.
    """
    declaration = truth.algorithm.declaration
    rule_set = rule_set or declaration.rule_set
    rules = [rule for classes in rule_set.rules.values() for rule in classes.values()]
    if rule_set.continues is not None:
        rules.append(rule_set.continues.formula)
    used = {name for rule in rules for name in rule.names}
    seen = observe(truth, truth)
    return Audit(
        unused=tuple(name for name in declaration.concepts if name not in used),
        determined=_determined(seen.names, np.unique(seen.patterns, axis=0)),
        conflicts={
            output: Labelled.of(seen.patterns, seen.true[output], len(kind.classes)).conflicts(
                seen.names, kind.classes
            )
            for output, kind in declaration.decided.items()
        },
    )


def _determined(names: tuple[str, ...], patterns: ndarray) -> dict[str, Formula]:
    """The concepts that the others determine, each as the smallest formula of these."""
    determined = {}
    for i, name in enumerate(names):
        others = tuple(other for other in names if other != name)
        rest = pack(np.delete(patterns, i, axis=1))
        true, false = np.unique(rest[patterns[:, i]]), np.unique(rest[~patterns[:, i]])
        if others and len(np.intersect1d(true, false)) == 0:
            determined[name] = minimal_rules(others, true, false).formula
    return determined

"""What single decisions follow from: the part of a rule that fired."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from algolens.engines.run import Run
from algolens.errors import AlgoLensError
from algolens.logic import Formula, reason
from algolens.logic.rule_set import RuleSet


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
    rule_set
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
    >>> import numpy as np
    >>> from algolens.algorithms import algorithm
    >>> from algolens.engines import run_algorithm
    >>> from algolens.graphs import Graph
    >>> path = Graph.pack([3], [(0, 1), (1, 2)])
    >>> run = run_algorithm(algorithm("bfs"), path, {"source": np.array([0])})
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

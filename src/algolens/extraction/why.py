"""Why a run decided as it did: the rule's part that fired, and the concepts that made it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from algolens.errors import AlgoLensError
from algolens.execution import Run
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
    """Why each output of a node (or edge) is what it is: by a rule set, or by the
    algorithm's own.

    step, element and graph are counted from 0, the element inside its graph.

    >>> import torch
    >>> from algolens.algorithms import algorithm
    >>> from algolens.execution import run_algorithm
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
    declaration = run.algorithm.declaration
    rule_set = rule_set or declaration.rule_set
    location = declaration.location
    for what, number, count in (
        ("graph", graph, run.graph.num_graphs),
        ("step", step, int(run.lengths[graph]) if 0 <= graph < run.graph.num_graphs else 0),
        (
            location.value,
            element,
            int(run.graph.counts(location)[graph]) if 0 <= graph < run.graph.num_graphs else 0,
        ),
    ):
        if not 0 <= number < count:
            raise AlgoLensError(
                f"{what} {number} is not there: this run has {count}, counted from 0."
            )
    place = int(run.graph.first(location)[graph]) + element
    return {output: why_output(run, step, place, output, rule_set) for output in rule_set.rules}


def why_output(run: Run, step: int, place: int, output: str, rule_set: RuleSet) -> Why:
    """Why one output is what it is, by a rule set that has rules for it: what moves as declared is
    decided by none.

    place: the number of the node (or edge) in the whole batch. Nothing is checked: ``why`` does
    that.
    """
    declaration = run.algorithm.declaration
    seen = dict(zip(declaration.concepts, run.concepts[step, place].tolist(), strict=True))
    label = declaration.outputs[output].labels[int(run.outputs[output][step, place])]
    rule = rule_set.rules[output][label]
    return Why(output, label, rule, reason(rule, seen), bool(rule.evaluate(seen)), seen)

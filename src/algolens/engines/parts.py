"""Parts that fit the loop's sockets: the true algorithm, rules, concepts that are set or noted."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from algolens import arrays
from algolens.algorithms import Algorithm, Values
from algolens.arrays import Array
from algolens.engines.tensors import Running
from algolens.engines.timeline import Frames, Timeline
from algolens.errors import AlgoLensError, DefinitionError, UnknownNameError
from algolens.graphs import At, Graph
from algolens.graphs.elements import as_places
from algolens.language.finite import stated
from algolens.language.ir import Expr, Get
from algolens.language.rules import as_formula
from algolens.language.values import array_in_words
from algolens.logic.formula import Formula, is_mask
from algolens.logic.patterns import all_patterns
from algolens.logic.rule_set import MAX_LOOKUP_CONCEPTS, RuleSet


@dataclass(frozen=True, eq=False)
class Percept:
    """What one look at the graph gave."""

    # [N, C] bools, or probabilities; what a network without a bottleneck decides by, where there
    # are none
    concepts: Array
    # and, where there are no concepts, those that the state needs all the same
    hints: Values
    memory: Array | None = None  # [N, width] at nodes, handed back at the next step
    has_concepts: bool = True
    # [G] bools: whether to take a step from this state, where the look itself tells
    goes_on: Array | None = None


Perceive = Callable[[Graph, Values, Values, Array | None], Percept]  # graph, inputs, state, memory
Decide = Callable[[Array], dict[str, Array]]  # concepts -> outputs
Continues = Callable[[Graph, Percept], Array]  # the next step's percept -> [G] go on?


@dataclass(frozen=True, eq=False)
class PlannedPart:
    """A part for a socket, and the same as a program: this the incremental engine carries out.

    Parameters
    ----------
    call : callable
        The part itself.
    plan : callable
        What ``perceive`` makes of observations that are not as declared, as HIR by name; the
        outputs' rules by class; a rule for going on, or HIR of the graph. None where it cannot be
        given so.
    device : str or torch.device, optional
        Where what it is given must be, as of a network; None: anywhere.
    """

    call: Callable[..., Any]
    plan: Callable[[], Any]
    device: Any = None

    def __call__(self, *arguments: Any) -> Any:
        return self.call(*arguments)


def perceive_truly(algorithm: Algorithm) -> Perceive:
    """The algorithm's own look: true concepts and hints."""
    declaration = algorithm.declaration
    running: Running | None = None

    def perceive(graph: Graph, inputs: Values, state: Values, _memory: Array | None) -> Percept:
        nonlocal running
        if not declaration.in_python:
            # a loop looks at one batch again and again
            if running is None or running.graph is not graph:
                running = Running(declaration.program, graph)
            seen = running.perceive(inputs, state, declaration.perceived)
        else:
            seen = dict(algorithm.perceive(graph, inputs, state))
            for name in (*declaration.concepts, *declaration.hints):
                if name not in seen:
                    raise DefinitionError(
                        f"algorithm '{algorithm.name}': perceive() gave no '{name}'; it gave "
                        f"{', '.join(seen)}. Add it."
                    )
                seen[name] = check_given(algorithm, "perceive", name, seen[name], graph)
        # a concept after the other in memory: they are read, stored and held so
        concepts = arrays.stack([seen[name] for name in declaration.concepts]).T
        return Percept(
            concepts, {name: seen[name] for name in seen if name not in declaration.concepts}
        )

    def plan() -> dict[str, Expr] | None:
        return None if declaration.in_python else {}

    return PlannedPart(perceive, plan)


def check_given(
    algorithm: Algorithm, function: str, name: str, value: Array, graph: Graph
) -> Array:
    """What ``start`` or ``perceive`` gave, beside the graph; refused where it is no such array."""
    field = algorithm.declaration.predicted[name]
    count, dtype = graph.count(field.at), field.dtype
    if arrays.is_array(value) and value.shape == (count,) and arrays.is_of(value, dtype):
        return arrays.to(value, graph.device)
    raise DefinitionError(
        f"algorithm '{algorithm.name}': {function}() gave '{name}' as {array_in_words(value)}; on "
        f"these graphs it is an array [{count}] of {dtype.__name__}, a value for every "
        f"{field.at}."
    )


def perceive_with_oracle(
    perceive: Perceive, algorithm: Algorithm, given: Sequence[str]
) -> Perceive:
    """A look in which some concepts are always the algorithm's own: the paper's oracle study."""
    concepts = algorithm.declaration.concepts
    for concept in given:
        if concept not in concepts:
            raise UnknownNameError(f"concept of {algorithm.name}", concept, concepts)
    if not given:
        return perceive

    def look(graph: Graph, inputs: Values, state: Values, memory: Array | None) -> Percept:
        percept = perceive(graph, inputs, state, memory)
        true = algorithm.perceive(graph, inputs, state)
        seen = arrays.clone(percept.concepts)
        for concept in given:
            seen[:, concepts.index(concept)] = true[concept]
        return replace(percept, concepts=seen)

    return look


def decides_by(rule_set: RuleSet) -> Decide:
    """Outputs by a rule set's rules."""
    return PlannedPart(rule_set.decide, lambda: rule_set.rules)


def rules_of(decide: Decide, rule_set: RuleSet) -> dict[str, dict[str, Formula]] | None:
    """What decides as rules, by all patterns of concepts; None where there are too many.

    rule_set: its concepts, outputs and classes.
    """
    count = len(rule_set.concepts)
    if count > MAX_LOOKUP_CONCEPTS:
        return None
    decided = decide(all_patterns(count))

    def concept(place: int, _: object) -> Expr:
        return Get(rule_set.concepts[place], "node")

    return {
        name: {
            label: as_formula(stated(values == place, concept))
            for place, label in enumerate(("false", "true") if is_mask(classes) else classes)
        }
        for name, classes in rule_set.rules.items()
        for values in [arrays.to(decided[name], arrays.NUMPY).astype(int).reshape([2] * count)]
    }


def goes_on_by(rule_set: RuleSet, location: At) -> Continues:
    """Go on by a rule set's rule: while some node (or edge) is as it says, or every, or none."""

    def continues(graph: Graph, percept: Percept) -> Array:
        return rule_set.goes_on(percept.concepts, partial(graph.any_per_graph, location=location))

    return PlannedPart(continues, lambda: rule_set.continues)


@dataclass(frozen=True)
class Intervention:
    """A concept set to a value at some nodes (or edges) and steps, whatever was perceived there.

    Parameters
    ----------
    concept : str
        A concept of the algorithm.
    value : bool
        What it is set to.
    elements : sequence of int or array, optional
        Places of nodes or edges in the batch; by default all.
    steps : container of int, optional
        Steps, counted from 0; by default all.

    Examples
    --------
    >>> import numpy as np
    >>> from algolens.algorithms import algorithm
    >>> from algolens.engines import run_algorithm
    >>> path = Graph.pack([3], [(0, 1), (1, 2)])
    >>> never = Intervention("has_visited_neighbours", False, elements=[1])
    >>> source = {"source": np.array([0])}
    >>> run = run_algorithm(algorithm("bfs"), path, source, interventions=[never])
    >>> run.final("visited").tolist()
    [True, False, False]
    """

    concept: str
    value: bool
    elements: Sequence[int] | Array | None = None
    steps: Container[int] | None = None

    def mask(self, algorithm: Algorithm, graph: Graph) -> Array:
        """[N] bools: its elements; an error where it names what is not there."""
        declaration = algorithm.declaration
        if self.concept not in declaration.concepts:
            raise UnknownNameError(
                f"concept of {algorithm.name}", self.concept, declaration.concepts
            )
        if not isinstance(self.value, bool | np.bool_):
            raise AlgoLensError(
                f"an intervention sets '{self.concept}' to {self.value!r}; a concept is True or "
                "False."
            )
        count = graph.count(declaration.location)
        mask = arrays.zeros(count, bool, graph.device)
        if self.elements is None:
            return ~mask
        elements = f"the {declaration.location}s of an intervention on '{self.concept}'"
        places = as_places(self.elements, elements, graph.device).reshape(-1)
        outside = places[(places < 0) | (places >= count)]
        if len(outside):
            raise AlgoLensError(
                f"an intervention on '{self.concept}' names {declaration.location} "
                f"{int(outside[0])}; there are {count}, counted from 0."
            )
        mask[places] = True
        return mask


class InterventionsOnBatch:
    """Sets concepts by hand, as the interventions on a batch say."""

    def __init__(
        self, algorithm: Algorithm, graph: Graph, interventions: Sequence[Intervention]
    ) -> None:
        self.declaration = algorithm.declaration
        self.interventions = [
            (intervention, intervention.mask(algorithm, graph)) for intervention in interventions
        ]

    def __call__(self, percept: Percept, step: int, where: Mapping[At, Array] | None) -> Percept:
        """The percept of a step with these concepts set. where: of elements in the batch."""
        now = [
            (intervention, mask)
            for intervention, mask in self.interventions
            if intervention.steps is None or step in intervention.steps
        ]
        if not now:
            return percept
        if not percept.has_concepts:
            raise AlgoLensError(
                f"'{now[0][0].concept}' cannot be set: a network without a bottleneck has no "
                "concepts. Take one that has them."
            )
        concepts = arrays.clone(percept.concepts)
        for intervention, mask in now:
            column = self.declaration.concepts.index(intervention.concept)
            here = mask if where is None else mask[where[self.declaration.location]]
            concepts[here, column] = bool(intervention.value)
        return replace(percept, concepts=concepts)


class Sureness:
    """Notes down how likely the concepts are that each step decides by, before rounding.

    >>> import numpy as np
    >>> from algolens.algorithms import algorithm
    >>> from algolens.engines import run_algorithm
    >>> from algolens.graphs import Graph
    >>> bfs = algorithm("bfs")
    >>> sureness = Sureness(bfs.declaration.concepts)
    >>> sockets = sureness.noting({"decide": bfs.declaration.rule_set.decide})
    >>> source = {"source": np.array([0])}
    >>> run = run_algorithm(bfs, Graph.pack([2], [(0, 1)]), source, **sockets)
    >>> sureness.noted  # the algorithm's own concepts are true or false
    {}
    """

    def __init__(self, concepts: Sequence[str]) -> None:
        self.concepts, self._frames = concepts, Frames()

    def noting(self, sockets: Mapping[str, Any]) -> dict[str, Any]:
        """The same parts for the loop, with ``decide`` noted; without one, all is sure."""
        if "decide" not in sockets:
            return dict(sockets)
        decide: Decide = sockets["decide"]

        def noted(concepts: Array) -> dict[str, Array]:
            if not arrays.is_of(concepts, bool):
                percent = arrays.cast((100 * concepts).round(), int).T
                # without a bottleneck these are no concepts, and nobody reads them
                self._frames.add(dict(zip(self.concepts, percent, strict=False)))
            return decide(concepts)

        if isinstance(decide, PlannedPart):  # concepts that are bools alone are given as rules
            return {**sockets, "decide": PlannedPart(noted, decide.plan)}
        return {**sockets, "decide": noted}

    @property
    def noted(self) -> dict[str, Timeline]:
        """Each concept's probability over time, in percent; none where all was true or false."""
        return self._frames.timelines()

"""The part of a rule that decided, as a formula; and which nodes an outcome of the graph rests on.

``terminal/sentences.py`` says the same in words.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from algolens.engines import Run
from algolens.engines.why import why_output
from algolens.graphs import Graph
from algolens.language.ir import ME, Not, Quantified, negation, put
from algolens.language.text import table_of
from algolens.lazy import nx
from algolens.logic.rule_set import RuleSet
from algolens.terminal.seen import Scene


def reasons_at(run: Run, step: int, output: str, rule_set: RuleSet) -> list[str]:
    """Why an output is as it is at every element after a step; found once for each pattern."""
    decided, patterns = run.outputs[output][step].tolist(), run.patterns_at(step).tolist()
    known: dict[tuple[Any, ...], str] = {}
    reasons = []
    for place, (label, pattern) in enumerate(zip(decided, patterns, strict=True)):
        if (key := (label, *pattern)) not in known:
            known[key] = because(run, step, place, output, rule_set)
        reasons.append(known[key])
    return reasons


def because(run: Run, step: int, i: int, output: str, rule_set: RuleSet) -> str:
    """The part of a rule that gave an output at a step; where it fails, what stood against it."""
    why = why_output(run, step, i, output, rule_set)
    return ("" if why.holds else "although ") + str(why.reason)


def outcome_witnesses(run: Run, outcome: str) -> list[int]:
    """The elements that show an outcome true, where some are said to be so, or else false.

    Of ``no node (shares_side)``, those that do; of ``every node (is_placed)``, those that are not.
    """
    declaration = run.algorithm.declaration
    speech = declaration.speech
    value = None if speech is None else speech.told[outcome].value
    match value.term if isinstance(value, Not) else value:
        case Quantified("some" | "every" as quantity, view, body) if speech is not None:
            if table_of(view) != declaration.location.value:
                return []
        case _:
            return []

    scene = Scene(run, speech.program).at(run.num_steps)
    shown = put(negation(body) if quantity == "every" else body, it=ME)
    found: list[int] = scene.all(shown, table_of(view)).nonzero()[0].tolist()
    return found


def odd_cycle(graph: Graph, side: np.ndarray, places: Sequence[int]) -> list[int]:
    """A cycle of odd length through an edge between two of these nodes on one side; or none.

    Two ends on one side are an even number of edges apart that change sides. side: [N] 0 or 1.
    """
    edges, sides = graph.edges.T.tolist(), side.tolist()
    alternating = nx.Graph((u, v) for u, v in edges if sides[u] != sides[v])
    alternating.add_nodes_from(places)
    for u, v in edges:
        is_odd = {u, v} <= set(places) and sides[u] == sides[v]
        if is_odd and nx.has_path(alternating, u, v):
            return nx.shortest_path(alternating, v, u)
    return []

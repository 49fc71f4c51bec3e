"""A whole program as a Python module that needs NumPy alone."""

from __future__ import annotations

from algolens.logic import exports
from algolens.looks.exports import python as looks
from algolens.programs.program import Program

SOURCE = '''"""{name}: an algorithm on graphs, all of it. NumPy is all it needs.

    steps, outcomes = run(graph_of(4, [(0, 1), (1, 2), (2, 3)]), {{{inputs}}})

Values come as dicts of arrays: one for each node, edge or link, or a single one for the graph. A
mask is bools, a category the number of its class in CLASSES, a pointer the number of what it points
to, from 0 on.

{remarks}
"""

import warnings

import numpy as np

CLASSES = {classes!r}
OUTPUTS = {outputs!r}
OUTCOMES = {outcomes!r}


def run(graph, inputs):
    """Every step: a dict of all that was seen and decided in it; and the outcomes of the graph.

    Outcomes are seen after the last step.
    """
    state, steps = start(graph, inputs), []
    seen = look(graph, inputs, state)
    while len(steps) < {times} * _count(graph, {per!r}):
        given = {{**seen, **decide(np.stack([seen[name] for name in CONCEPTS], -1))}}
        steps.append(given)
        state = {{name: given[name] for name in state}}
        seen = look(graph, inputs, state)
        {stop}
    return steps, {{name: bool(seen[name][0]) for name in OUTCOMES}}


{looking}

{deciding}'''
STOP = """if not goes_on(np.stack([seen[name] for name in CONCEPTS], -1)):
            break
    else:
        if steps:
            warnings.warn(
                f"cut short after {len(steps)} steps, the most it may take, "
                "though it asks for more",
                stacklevel=2,
            )"""


def to_python(program: Program) -> str:
    """A module with ``graph_of`` and ``run``, and all that these call."""
    look, rules = program.look, program.rules
    return SOURCE.format(
        name=program.name,
        inputs=", ".join(f"{name!r}: ..." for name in look.starting),
        remarks=exports.in_docstring(rules),
        classes={**looks.category_classes(look), **exports.classes_in_order(rules)},
        outputs=tuple(program.declaration.outputs),
        outcomes=program.declaration.outcomes,
        times=program.limit.times,
        per=program.limit.per.value,
        stop="" if rules.continues is None else STOP,
        looking=looks.look_functions(look),
        deciding=exports.rule_functions(rules),
    )

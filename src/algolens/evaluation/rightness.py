"""When a graph's run is right: the one definition, for scores, for commands, for training and for
trials beside a proof.
"""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor

from algolens.execution import Run
from algolens.graphs import Location

GOING_ON = "going on"


def compared(run: Run) -> tuple[str, ...]:
    """The fields in which a run is compared with the truth: concepts, outputs, hints, and at last
    whether it goes on.

    That is all that a run gives. A network without a bottleneck has no concepts to compare, but
    those that are state.
    """
    declaration = run.algorithm.declaration
    concepts = [
        name for name in declaration.concepts if run.has_concepts or name in declaration.state
    ]
    return (*concepts, *declaration.outputs, *declaration.hints, GOING_ON)


def right_graphs(run: Run, truth: Run) -> Tensor:
    """[G] bools: is a graph right in every field that is compared, at every element of every step,
    and in when it stops?
    """
    wrong = torch.zeros_like(run.lengths, dtype=torch.bool)
    for _, location, differs in differences(run, truth):
        # after a graph's end its values are held: where both took as many steps, the last step is
        # compared again
        wrong |= run.graph.any_per_graph(differs.any(0), location)
    # without a step there is nothing to compare, whatever others of the batch left in its rows
    wrong &= run.lengths > 0
    return ~wrong & (run.lengths == truth.lengths)


def differences(run: Run, truth: Run) -> Iterator[tuple[str, Location, Tensor]]:
    """Every field that is compared, where it lies, and [T, ...] bools: where the two differ, in the
    steps that both have.
    """
    steps = min(run.num_steps, truth.num_steps)
    fields = run.algorithm.declaration.predicted
    for name in compared(run):
        if name == GOING_ON:
            yield name, Location.GRAPH, run.goes_on[:steps] != truth.goes_on[:steps]
        else:
            yield name, fields[name].location, run[name][:steps] != truth[name][:steps]


def first_difference(run: Run, truth: Run) -> tuple[int, str, Location, Tensor] | None:
    """Of a graph alone: the first wrong step, its first wrong field, where that lies, and the
    elements; None if right.
    """
    found = list(differences(run, truth))
    wrong = torch.stack([differs.any(1) for *_, differs in found])  # [fields, T]
    if not bool(wrong.any()):
        return None
    step = int(wrong.any(0).nonzero()[0])
    name, location, differs = found[int(wrong[:, step].nonzero()[0])]
    return step, name, location, differs[step].nonzero().flatten()

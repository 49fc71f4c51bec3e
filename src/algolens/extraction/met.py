"""Which cases of an observation are met in runs."""

from __future__ import annotations

import numpy as np
import torch

from algolens.execution import Run
from algolens.extraction.cases import Possible
from algolens.looks import Batch, LookOnGraph, Reading
from algolens.models.exact import Exact

MOST_GRAPHS = 200  # whose runs are gone through


@torch.no_grad()
def met_in_runs(perceiver: Exact, truth: Run) -> dict[str, Possible]:
    """For each observation the own classes that came, and the kinds that each had in view, in all states of true runs."""
    truth = truth.take(range(min(MOST_GRAPHS, truth.graph.num_graphs)))
    found = {
        name: Possible(np.zeros(reading.num_own, bool), np.zeros((reading.num_own, reading.num_kinds), bool))
        for name, reading in perceiver.readings.items()
    }
    look = perceiver.seen.on(truth.graph)
    states = [truth.start, *({name: truth[name][step] for name in truth.start} for step in range(truth.num_steps))]
    for state in states:
        batch = look.batch(truth.inputs, state)
        look.observer.see(batch)
        for name, reading in perceiver.readings.items():
            _mark(found[name], reading, look, batch)
    return found


def _mark(found: Possible, reading: Reading, look: LookOnGraph, batch: Batch) -> None:
    plan = look.observer.on_graph(reading)
    own = plan.own_class(batch).long()
    found.own[own.numpy()] = True
    if reading.relation is not None:
        looks, others = look.observer.view(reading.relation, batch).pairs(plan.count)
        found.kinds[own[looks].numpy(), plan.kinds_of_pairs(batch, looks, others).numpy()] = True

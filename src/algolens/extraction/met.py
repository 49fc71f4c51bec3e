"""Which cases of an observation are met in runs."""

from __future__ import annotations

import numpy as np
import torch

from algolens.execution import Run
from algolens.extraction.cases import Possible
from algolens.looks import GraphState
from algolens.looks.compiled import CompiledStatement
from algolens.models.exact import Exact

MOST_GRAPHS = 200  # whose runs are gone through


@torch.no_grad()
def met_in_runs(perceiver: Exact, truth: Run) -> dict[str, Possible]:
    """For each observation the own classes that came, and the kinds that each had in view, in all
    states of true runs.
    """
    truth = truth.take(range(min(MOST_GRAPHS, truth.graph.num_graphs)))
    found = {
        name: Possible(
            np.zeros(statement.num_own, bool),
            np.zeros((statement.num_own, statement.num_kinds), bool),
        )
        for name, statement in perceiver.statements.items()
    }
    look = perceiver.seen.on(truth.graph)
    states = [
        truth.start,
        *({name: truth[name][step] for name in truth.start} for step in range(truth.num_steps)),
    ]
    plans = {
        name: look.observer.compile(statement) for name, statement in perceiver.statements.items()
    }
    for state in states:
        batch = look.batch(truth.inputs, state)
        look.observer.see(batch)
        for name, plan in plans.items():
            _mark(found[name], plan, batch)
    return found


def _mark(found: Possible, plan: CompiledStatement, batch: GraphState) -> None:
    own = plan.own_class(batch).long()
    found.own[own.numpy()] = True
    if plan.statement.relation is not None:
        looks, kinds = plan.pairs(batch)
        found.kinds[own[looks].numpy(), kinds.numpy()] = True

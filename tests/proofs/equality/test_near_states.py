"""Candidates that a real step breaks are no invariant, and few of those that are left tell all."""

import time

import numpy as np
import pytest

from algolens.algorithms import algorithm
from algolens.proofs.equality.candidates import NearStates, price
from algolens.proofs.equality.proof import Proof


@pytest.mark.parametrize("name", ["independent_set", "components"])
def test_what_is_left_is_kept_by_every_step_that_was_tried(name):
    ours = algorithm(name)
    proof = Proof(ours.declaration.program, ours, time.process_time() + 60, lambda _: None)
    proposals = proof.proposals()
    near = NearStates(proposals.states, np.random.default_rng(5))
    offered = sorted({c for some in proposals.rounds() for c in some}, key=price)
    kept = near.kept(offered)
    telling = near.telling(kept)
    assert 0 < len(telling) < len(kept) <= len(offered)
    assert near.kept(kept) == kept
    for before, after, is_taken in near.pairs:

        def hold(clauses, state):
            """Of which graphs all clauses are true."""
            made = np.ones(state.graph.num_graphs, bool)
            for clause in clauses:
                holds = [state.value(clause.at, one) for one in clause.literals]
                wrong = ~np.any(holds, 0)
                made &= ~state.graph.any_per_graph(wrong, clause.at)
            return made

        # where the few hold, all do; and a step from there keeps them
        assert (hold(telling, before) == hold(kept, before)).all()
        assert hold(kept, after)[hold(telling, before) & is_taken].all()

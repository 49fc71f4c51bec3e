"""The free run of all seeds on many graphs at once, with the scores that losses are computed
from.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, cast

import torch
from torch import Tensor

from algolens.models.perceiver import Taught
from algolens.models.recurrent.unrolled import predicted_state

if TYPE_CHECKING:
    from algolens.models.network import Network
    from algolens.models.recurrent.recurrent import Recurrent
    from algolens.models.recurrent.samples import Samples


@torch.no_grad()
def run_free(network: Network, samples: Samples) -> Taught:
    """What a network gives where it sees only what it gave itself, beside what is true at the same
    steps.

    A graph counts until the network stops it, for at most as many steps as the largest graph has
    nodes, as in the authors' code. Where the algorithm has ended before, the graph's final state is
    true.
    """
    perceiver, table = cast("Recurrent", network.perceiver), samples.table
    members = table.members_of(table.node_counts)
    owner = torch.repeat_interleave(
        torch.arange(len(table.node_counts), device=table.owner.device), table.node_counts
    )
    constant = perceiver.encoder.constant(samples.inputs)
    state = {name: each[:, 0] for name, each in samples.states.items()}
    memory = perceiver.no_memory(table.num_nodes, table.owner.device)
    look = perceiver.recur(perceiver.encoder.given(constant, state), memory, [table])
    alive = torch.ones(
        len(network.seeds), len(table.node_counts), dtype=torch.bool, device=table.owner.device
    )
    steps: list[dict[str, Tensor]] = []
    for step in range(int(table.node_counts.max())):
        concepts, truth, goes_on = _true_at(samples, step)
        head, beside = perceiver.parted(perceiver.head(look))
        head = network.with_given_concepts(head, concepts)
        scores = {**beside, **network.decide(head)}
        predicted = predicted_state(network, head, scores)
        state = {name: perceiver.state[name].encode(each) for name, each in predicted.items()}
        look = perceiver.recur(perceiver.encoder.given(constant, state), look.latent, [table])
        assert network.termination is not None
        logits = network.termination(look.latent, members)
        steps.append(
            {
                "head": head,
                "concepts": concepts,
                "goes on": logits,
                "truly": goes_on,
                "alive": alive.float(),
                "nodes": alive[:, owner].float(),
                **{f"score {name}": each for name, each in scores.items()},
                **{f"true {name}": each for name, each in truth.items()},
            }
        )
        alive = alive & (logits > 0)
        if not alive.any():
            break
    return _taught(network, steps)


def _true_at(samples: Samples, step: int) -> tuple[Tensor, dict[str, Tensor], Tensor]:
    """The true concepts [N, C], outputs and hints [N] and going on [G] at a step; after a graph's
    end, as it rests.
    """
    last = samples.concepts.shape[1] - 1
    fields = {
        name: each[:, min(step, last)]
        for name, each in {**samples.outputs, **samples.hints}.items()
    }
    if step > last:
        return samples.resting, fields, torch.zeros_like(samples.goes_on[:, 0])
    return samples.concepts[:, step], fields, samples.goes_on[:, step]


def _taught(network: Network, steps: Sequence[Mapping[str, Tensor]]) -> Taught:
    """All steps, one after the other. What differs between seeds is [S, R, ...], what is true [R,
    ...].
    """

    def scores(name: str) -> Tensor:
        return torch.cat([step[name] for step in steps], 1)

    def truth(name: str) -> Tensor:
        return torch.cat([step[name] for step in steps])

    beside = [name.removeprefix("score ") for name in steps[0] if name.startswith("score ")]
    return Taught(
        head=scores("head"),
        concepts=truth("concepts"),
        scores={name: scores(f"score {name}") for name in network.outputs},
        outputs={name: truth(f"true {name}") for name in network.outputs},
        weight=scores("nodes"),
        hints={
            name: (scores(f"score {name}"), truth(f"true {name}"))
            for name in beside
            if name not in network.outputs
        },
        hint_weight=scores("nodes"),
        goes_on=(scores("goes on"), truth("truly")),
        goes_on_weight=scores("alive"),
    )

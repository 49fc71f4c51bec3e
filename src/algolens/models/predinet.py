"""The paper's PrediNet for graphs, and the termination network on top of it."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from algolens.models.layers import Linear, leaky, most


class Termination(nn.Module):
    """Eqs. 7 and 8: whether to go on, from the look-ahead's latent states: [S, N, width] to logits
    [S, G].

    PrediNet (Shanahan et al. 2020) with one head, its queries from a maximum over the graph's
    nodes: two nodes are looked for, and compared.
    """

    FACT = "PrediNet of one head on the look-ahead"  # of the protocol

    def __init__(self, seeds: int, width: int) -> None:
        super().__init__()
        self.queries = Linear(seeds, width, 2 * width, bias=False, fan_in=width)
        self.key = Linear(seeds, width, width, bias=False)
        self.relate = Linear(seeds, width, width, bias=False)
        self.output = Linear(seeds, width, width)
        self.decide = Linear(seeds, width, 1)

    def forward(self, latent: Tensor, members: Tensor | tuple[int, int]) -> Tensor:
        """members: [G, n] the nodes of each graph, -1 where it has fewer; or (G, n), where all have
        n, in order.
        """
        if isinstance(members, tuple):
            nodes, absent = latent.view(latent.shape[0], *members, -1), None
            pooled = most(nodes, 2)
        else:
            seeds, absent = latent.shape[0], members < 0
            nodes = latent.index_select(1, members.clamp(min=0).view(-1)).view(
                seeds, *members.shape, -1
            )
            pooled = most(nodes.masked_fill(absent[None, :, :, None], -torch.inf), 2)
        # (K W) q = K (W q): the keys' map is applied to the few queries instead of to every node
        seeds, graphs, width = pooled.shape
        asked = (self.queries(pooled).view(seeds, 2 * graphs, width) @ self.key.weight.mT).view(
            seeds, graphs, 2, width
        )
        scores = asked @ nodes.mT  # [S, G, 2, n]
        if absent is not None:
            scores = scores.masked_fill(absent[None, :, None], -torch.inf)
        found = scores.softmax(-1) @ nodes  # [S, G, 2, width]
        difference = self.relate(found[:, :, 0] - found[:, :, 1])
        return self.decide(leaky(self.output(difference))).squeeze(-1)


def members(node_counts: Tensor) -> Tensor | tuple[int, int]:
    """The nodes of graphs of these sizes, one after the other, as the termination network takes
    them.
    """
    sizes = node_counts.unique().tolist()
    return (len(node_counts), sizes[0]) if len(sizes) == 1 else padded(node_counts)


def padded(counts: Tensor) -> Tensor:
    """[G, n] the numbers of each graph's members, one graph after the other; -1 where it has fewer
    than n.
    """
    places = torch.arange(int(counts.max()) if len(counts) else 0, device=counts.device)
    first = counts.cumsum(0) - counts
    return torch.where(places < counts[:, None], first[:, None] + places, -1)

"""The perceiver on one graph and one seed, as the paper has it: every edge looks at every edge."""

from __future__ import annotations

import math
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from algolens.algorithms import algorithm
from algolens.models import Architecture, Network
from algolens.models.disjoint_sets import ROUNDS, DisjointSets, MinFinder
from algolens.models.layers import leaky
from tests.models.networks import gru_cell, of_seed

KRUSKAL = algorithm("kruskal_union_find")
WIDTH = 6


def random_network(seeds: tuple[int, ...] = (0,), *, scale: float = 1.0, **parts: Any) -> Network:
    """A small network as first drawn, but that it takes edges one by one: those that are visited
    look all alike.

    scale: larger weights make it surer of itself, and its runs livelier.
    """
    network = Network(KRUSKAL, Architecture(width=WIDTH, processor="nee+pgn", **parts), seeds)
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.mul_(scale)
        finder, visited = perceiver(network).finder, perceiver(network).visited
        assert isinstance(finder, MinFinder)
        weight = finder.point.weight
        assert isinstance(weight, Tensor)
        finder.embed.weight[:, :-1, 0] = 1.0  # -10 where every bit is -1
        weight[:, 0] = 10.0
        # an edge is visited where it is the next or was visited before
        for part in (visited.first, visited.last):
            part.weight.fill_(1.0)
            part.bias.zero_()  # type: ignore[union-attr]
        visited.last.bias.fill_(-0.5)  # type: ignore[union-attr]
    return network


def perceiver(network: Network) -> DisjointSets:
    """Its perceiver."""
    assert isinstance(network.perceiver, DisjointSets)
    return network.perceiver


def min_finder(finder: torch.nn.Module, features: Tensor) -> tuple[Tensor, Tensor]:
    """Latent states [E, width] and scores [E], with a logit for every pair of edges. features: [E,
    F].
    """
    w = of_seed(finder)
    x = features @ w["embed.weight"] + w["embed.bias"]
    for i in range(len(finder.layers)):  # type: ignore[arg-type]
        v = {
            name.removeprefix(f"layers.{i}."): each
            for name, each in w.items()
            if name.startswith(f"layers.{i}.")
        }
        # the parameters of a norm are vectors too
        v = {
            name: each.squeeze(0) if each.dim() == 2 and each.shape[0] == 1 else each
            for name, each in v.items()
        }
        y = normalised(x, v, "before_attention")
        each = (y @ v["attention.weight"]).squeeze(-1)
        weights = torch.softmax(
            (each[:, None] + each[None, :]) * math.log(max(len(x), 1)), -1
        )  # of [query; key] and [key; query]
        values = y @ v["value.weight"] + v["value.bias"]
        x = x + weights @ values @ v["output.weight"] + v["output.bias"]
        y = normalised(x, v, "before_forward")
        x = (
            x
            + torch.relu(y @ v["widen.weight"] + v["widen.bias"]) @ v["narrow.weight"]
            + v["narrow.bias"]
        )
    return x, (x @ w["point.weight"]).squeeze(-1)


def normalised(x: Tensor, w: dict[str, Tensor], name: str) -> Tensor:
    return F.layer_norm(x, x.shape[-1:], w[f"{name}.scale"], w[f"{name}.shift"])


def pointer_network(
    pointers: torch.nn.Module, features: Tensor, memory: Tensor, parent: list[int]
) -> tuple[Tensor, Tensor]:
    """Encoded and latent states [n, width], link by link."""
    w, cell = of_seed(pointers), gru_cell(pointers.gate, memory.shape[-1])  # type: ignore[arg-type]
    linked = [{parent[i], *(j for j, p in enumerate(parent) if p == i)} for i in range(len(parent))]
    z = features @ w["join.weight"] + memory @ w["join_memory.weight"] + w["join_memory.bias"]
    x = z
    for _ in range(ROUNDS):
        receiver, sender, own = (x @ w["first.weight"]).chunk(3, -1)
        rows = []
        for i, around in enumerate(linked):
            first = [leaky(receiver[i] + w["first_bias.bias"] + sender[j]) for j in around]
            messages = torch.stack(
                [leaky(each @ w["message.weight"] + w["message_bias.bias"]) for each in first]
            )
            rows.append(leaky(own[i] + messages.amax(0) @ w["update.weight"] + w["update.bias"]))
        x = torch.stack(rows)
    return z, cell(x, memory)


def set_heads(sets: torch.nn.Module, z: Tensor, h: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Logits [1] and [n], scores [n, n]."""
    w, both = of_seed(sets), torch.cat([z, h], -1)
    same_set = both.amax(0) @ w["same_set.weight"] + w["same_set.bias"]
    keeps = (both @ w["keeps.weight"] + w["keeps.bias"]).squeeze(-1)
    return (
        same_set,
        keeps,
        (both @ w["query.weight"] + w["query.bias"]) @ (both @ w["key.weight"]).T,
    )


def edge_head(head: torch.nn.Module, edges: Tensor, nodes: Tensor, ends: Tensor) -> Tensor:
    """Scores [E, ...] from [edge, end, end], the mean of both orders in the hidden layer."""
    w = of_seed(head)
    one, other = w["ends.weight"].chunk(2, -1)
    weight = torch.cat([w["edge.weight"], one, other])
    hidden = [
        leaky(torch.cat([edges, nodes[u], nodes[v]], -1) @ weight + w["edge.bias"])
        for u, v in (ends, ends.flip(0))
    ]
    return (hidden[0] + hidden[1]) / 2 @ w["last.weight"] + w["last.bias"]


def visited_head(head: torch.nn.Module, is_next: Tensor, was_visited: Tensor) -> Tensor:
    """Logits [E] from two bits."""
    w, bits = of_seed(head), torch.stack([is_next, was_visited], -1).float()
    return (
        leaky(bits @ w["first.weight"] + w["first.bias"]) @ w["last.weight"] + w["last.bias"]
    ).squeeze(-1)

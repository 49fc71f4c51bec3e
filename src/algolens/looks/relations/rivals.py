"""Links that see the links they compete with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import torch
from torch import Tensor

from algolens.graphs import Graph, Location
from algolens.looks.relations._relation import Adjacency, ByPointer, Join, Pointers, Relation


@final
@dataclass(frozen=True)
class Rival(Relation):
    """The other links that lead to the same node."""

    own, others, words = Location.LINK, Location.LINK, ("rival", "rivals")
    joins = (Join("receiver", "receiver"),)
    others_only = True

    def view(self, graph: Graph, pointers: Pointers) -> Adjacency:
        return _sharing(graph, graph.links[1])


@final
@dataclass(frozen=True)
class Sibling(Relation):
    """The other links that lead from the same node."""

    own, others, words = Location.LINK, Location.LINK, ("sibling", "siblings")
    joins = (Join("sender", "sender"),)
    others_only = True

    def view(self, graph: Graph, pointers: Pointers) -> Adjacency:
        return _sharing(graph, graph.links[0])


@final
@dataclass(frozen=True)
class RivalIntoSet(ByPointer):
    """The other links whose receivers point to the same node: ``rival by root`` of links into one
    set.
    """

    own, others, words = Location.LINK, Location.LINK, ("rival by", "rivals by")
    others_only = True

    @property
    def joins(self) -> tuple[Join, ...]:
        return (Join(f"receiver's {self.pointer}", f"receiver's {self.pointer}"),)

    def view(self, graph: Graph, pointers: Pointers) -> Adjacency:
        return _sharing(graph, pointers(self.pointer)[graph.links[1]])


@final
@dataclass(frozen=True)
class LinkIntoSet(ByPointer):
    """The links that lead to a node of one's own set: ``link into my set by root``."""

    own, others, words = (
        Location.NODE,
        Location.LINK,
        ("link into my set by", "links into my set by"),
    )

    @property
    def joins(self) -> tuple[Join, ...]:
        return (Join(self.pointer, f"receiver's {self.pointer}"),)

    def view(self, graph: Graph, pointers: Pointers) -> Adjacency:
        root = pointers(self.pointer)
        links = torch.arange(graph.num_links, device=graph.device)
        return Adjacency(links, root[graph.links[1]], graph.num_nodes, root[None], each_once=True)


def _sharing(graph: Graph, group: Tensor) -> Adjacency:
    """Links see the other links of their group, which is a node's number."""
    links = torch.arange(graph.num_links, device=graph.device)
    return Adjacency(links, group, graph.num_nodes, group[None], others_only=True, each_once=True)

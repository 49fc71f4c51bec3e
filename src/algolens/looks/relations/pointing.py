"""Nodes that see those that point to them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import torch

from algolens.graphs import Graph, Location
from algolens.looks.relations._by_pointer import ByPointer
from algolens.looks.relations._relation import Join, Pointers, View


@final
@dataclass(frozen=True)
class PointingNode(ByPointer):
    """The nodes whose pointer leads to a node, itself too where it points to itself: ``node whose
    root is me``.
    """

    own, others, words = Location.NODE, Location.NODE, ("node whose", "nodes whose")
    ending = ("is", "me")

    @property
    def joins(self) -> tuple[Join, ...]:
        return (Join("", self.pointer),)

    def view(self, graph: Graph, pointers: Pointers) -> View:
        return View(
            torch.arange(graph.num_nodes, device=graph.device),
            pointers(self.pointer),
            graph.num_nodes,
            None,
            each_once=True,
        )

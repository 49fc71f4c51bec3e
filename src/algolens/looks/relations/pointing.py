"""Nodes that see those that point to them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import final

import torch

from algolens.graphs import Graph, Location
from algolens.looks.relations._relation import Join, Pointers, Relation, View


@final
@dataclass(frozen=True)
class PointingNode(Relation):
    """The nodes whose pointer leads to a node, itself too where it points to itself: ``node whose root is me``."""

    own, others, words = Location.NODE, Location.NODE, ("node whose", "nodes whose")
    pointer: str = "root"

    @property
    def pointers(self) -> tuple[str, ...]:
        return (self.pointer,)

    @property
    def joins(self) -> tuple[Join, ...]:
        return (Join("", self.pointer),)

    def view(self, graph: Graph, pointers: Pointers) -> View:
        return View(
            torch.arange(graph.num_nodes, device=graph.device), pointers(self.pointer), graph.num_nodes, None, each_once=True
        )

    def phrase(self, count: int) -> str:
        return f"{self.words[count > 1]} {self.pointer} is me"

    @classmethod
    def example(cls) -> str:
        return "node whose POINTER is me"

    @classmethod
    def read(cls, tokens: Sequence[str]) -> Iterator[tuple[Relation, int]]:
        if len(tokens) > 4 and " ".join(tokens[:2]) in cls.words and list(tokens[3:5]) == ["is", "me"]:
            yield cls(tokens[2]), 5

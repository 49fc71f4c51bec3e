"""What every relation is."""

from __future__ import annotations

import importlib
import pkgutil
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import torch
from torch import Tensor

from algolens.graphs import Graph, Location
from algolens.graphs.elements import owners, ranges

# the name of a pointer field of nodes to where each points, numbered through the batch
Pointers = Callable[[str], Tensor]


@dataclass(frozen=True, eq=False)
class Adjacency:
    """Who has whom in view, on a batch: an element sees the entries of its groups, except itself
    where only others count.

    An entry is an element and the group that it stands in; an element may have several.
    """

    others: Tensor  # [I] the element of each entry
    group: Tensor  # [I] the group of each entry
    num_groups: int
    # [R, N] the groups that each element looks at; None: group n is that of element n alone
    own_groups: Tensor | None
    # an element that stands in a group it looks at does not see itself there
    others_only: bool = False
    each_once: bool = False  # entry n is element n: every element that can be seen has one entry

    def pairs(self, count: int) -> tuple[Tensor, Tensor]:
        """[A] who looks, [A] at whom: every pair. count: of the elements that look."""
        if self.own_groups is None:
            return self.group, self.others
        order = self.group.argsort(stable=True)
        sizes = torch.bincount(self.group, minlength=self.num_groups)
        start = sizes.cumsum(0) - sizes
        wanted = self.own_groups.flatten()
        many = sizes[wanted]
        looks = owners(many) % max(count, 1)
        others = self.others[order[ranges(start[wanted], many)]]
        if self.others_only:
            apart = looks != others
            looks, others = looks[apart], others[apart]
        if len(self.own_groups) > 1:  # two directed edges between the same ends meet in both groups
            looks, others = torch.stack([looks, others]).unique(dim=1)
        return looks, others


@dataclass(frozen=True)
class Join:
    """When another one is in view, in the words of looks: a path of mine and a path of its lead to
    one element.

    Through links, a link is between the two: its first path leads to me and its second to the other
    one.
    """

    mine: str  # as "receiver's root"; empty: the element itself
    its: str
    through_links: bool = False

    @property
    def paths(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Both, step by step."""
        mine, its = (tuple(path.split("'s ")) if path else () for path in (self.mine, self.its))
        return mine, its


class Relation(ABC):
    """Whom an element has in view, by the words that a look says it with."""

    own: ClassVar[Location]  # where the element sits that looks
    others: ClassVar[Location]  # where those sit whom it sees
    words: ClassVar[tuple[str, str]]  # one of them, and several
    exactly: ClassVar[int | None] = None  # how many there always are; None: any number
    others_only: ClassVar[bool] = False  # an element does not see itself
    # an edge joins an element to each of them, so messages along edges tell of them
    along_edges: ClassVar[bool] = False

    @property
    @abstractmethod
    def joins(self) -> tuple[Join, ...]:
        """Whom it has in view, for other tools to look them up: those that one of these joins to
        the element, each once.
        """

    @abstractmethod
    def view(self, graph: Graph, pointers: Pointers) -> Adjacency:
        """Who has whom in view, on a batch of graphs."""

    @property
    def pointers(self) -> tuple[str, ...]:
        """The pointer fields of nodes that it goes by."""
        return ()

    def phrase(self, count: int) -> str:
        """Its words, for one or for several."""
        return self.words[count > 1]

    @classmethod
    def example(cls) -> str:
        """Its words as they are listed to a user."""
        return cls.words[0]

    @classmethod
    def read(cls, tokens: Sequence[str]) -> Iterator[tuple[Relation, int]]:
        """The relation that tokens begin with, and how many of them it takes, where they do."""
        for words in cls.words:
            wanted = words.split()
            if list(tokens[: len(wanted)]) == wanted:
                yield cls(), len(wanted)


def relations() -> tuple[type[Relation], ...]:
    """Every relation of this folder."""
    for module in pkgutil.iter_modules([str(Path(__file__).parent)]):
        if not module.name.startswith("_"):
            importlib.import_module(f"algolens.looks.relations.{module.name}")

    found: list[type[Relation]] = []
    below: list[type[Relation]] = Relation.__subclasses__()
    while below:
        each = below.pop(0)
        found += [each] if hasattr(each, "words") else []
        below += each.__subclasses__()
    return tuple(found)


@dataclass(frozen=True)
class ByPointer(Relation):
    """Its words, then the name of the pointer, then perhaps further words: ``node whose root is
    me``.
    """

    ending: ClassVar[tuple[str, ...]] = ()  # the words that follow the name
    pointer: str = "root"

    @property
    def pointers(self) -> tuple[str, ...]:
        return (self.pointer,)

    def phrase(self, count: int) -> str:
        return " ".join([self.words[count > 1], self.pointer, *self.ending])

    @classmethod
    def example(cls) -> str:
        return cls("POINTER").phrase(1)

    @classmethod
    def read(cls, tokens: Sequence[str]) -> Iterator[tuple[Relation, int]]:
        for words in cls.words:
            name = len(words.split())  # the place of the pointer's name
            end = name + 1 + len(cls.ending)
            begins = (
                list(tokens[:name]) == words.split() and tuple(tokens[name + 1 : end]) == cls.ending
            )
            if begins and len(tokens) >= end and tokens[name].isidentifier():
                yield cls(tokens[name]), end

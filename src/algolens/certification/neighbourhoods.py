"""Every neighbourhood that a node can have, as far as a network without memory can tell them apart."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from itertools import product

import torch
from torch import Tensor

from algolens.algorithms import Algorithm, Values
from algolens.data import Setting
from algolens.errors import ContractError
from algolens.execution import perceive_truly
from algolens.graphs import Graph
from algolens.models.memoryless.classes import Classes

MOST_KINDS = 18  # of neighbours: 2 to the power of it are the sets of them
STARS_AT_ONCE = 2**15
RELATIONS = {1: "lower", 0: "equal", -1: "higher"}  # of the neighbour's number, by the sign of (own - neighbour's)


@dataclass(frozen=True)
class Kind:
    """A kind of neighbour: its class, and how each of its numbers compares with the node's own."""

    label: int
    relations: tuple[int, ...]  # for each number the sign of (own - neighbour's)


@dataclass(frozen=True, eq=False)
class Neighbourhoods:
    """The kinds of neighbours of an algorithm's nodes, every set of them, and the node's true concepts under each.

    A set is realised as a star: the node in the middle, a neighbour of each kind around it.
    """

    algorithm: Algorithm
    classes: Classes
    kinds: tuple[Kind, ...]

    @property
    def num_sets(self) -> int:
        return 2 ** len(self.kinds)

    @cached_property
    def labels(self) -> Tensor:
        """[K] the class of each kind."""
        return torch.tensor([kind.label for kind in self.kinds])

    def members(self, sets: Tensor) -> Tensor:
        """[M, K] bools: which kinds are in each set; a set is a number, its bits the kinds, the lowest first."""
        return (sets[:, None] >> torch.arange(len(self.kinds)) & 1).bool()

    def numbers(self, name: str) -> tuple[int, Tensor]:
        """A node's own number, and one for each kind of neighbour [K] that compares with it as it should."""
        kind, place = self.classes.numbers[name], list(self.classes.numbers).index(name)
        own = (kind.low + 2**kind.bits) // 2
        return own, own - torch.tensor([each.relations[place] for each in self.kinds])

    def stars(self, own: int, sets: Tensor) -> Setting:
        """Stars whose middle nodes are of class ``own`` and have the neighbours of each set; the middle is each one's first."""
        members = self.members(sets)
        star, kind = members.nonzero(as_tuple=True)
        sizes = members.sum(1) + 1
        first = sizes.cumsum(0) - sizes
        is_leaf = torch.ones(int(sizes.sum()), dtype=torch.bool)
        is_leaf[first] = False
        leaves = is_leaf.nonzero().flatten()
        graph = Graph.pack(sizes, torch.stack([first[star], leaves], 1))
        label = torch.full((graph.num_nodes,), own)
        label[leaves] = self.labels[kind]
        values = self.classes.values(label)
        for name in self.classes.numbers:
            middle, around = self.numbers(name)
            values[name] = torch.full((graph.num_nodes,), middle)
            values[name][leaves] = around[kind]
        return Setting.of_values(self.algorithm, graph, values)

    @cached_property
    def truth(self) -> Tensor:
        """[classes, sets, C] bools: the true concepts of a node of each class with each set of kinds around it."""
        look = perceive_truly(self.algorithm)
        found = []
        for own in range(self.classes.count):
            for sets in torch.arange(self.num_sets).split(STARS_AT_ONCE):
                stars = self.stars(own, sets)
                concepts = look(stars.graph, stars.inputs, stars.state, None).concepts
                found.append(concepts[stars.graph.first_node])
        return torch.cat(found).view(self.classes.count, self.num_sets, -1)

    @cached_property
    def patterns(self) -> tuple[Tensor, Tensor]:
        """[P, C] every pattern of concepts that can occur, and [P] where it does: class times the number of sets, plus set."""
        rows = self.truth.flatten(0, 1)
        keys = torch.zeros(len(rows), dtype=torch.int64)
        for column in rows.unbind(1):
            keys = keys * 2 + column
        different, here = keys.unique(return_inverse=True)
        shown_by = torch.zeros_like(different).scatter_(0, here, torch.arange(len(rows)))
        return rows[shown_by], shown_by

    def sets(self, graph: Graph, values: Values) -> Tensor:
        """[N] the set of kinds around each node of a graph; -1 where a neighbour is of none (equal numbers that may not be)."""
        senders, receivers = graph.links
        label = self.classes.of(values)[senders]
        kind = torch.full_like(label, -1)
        signs = [torch.sign(values[name][receivers] - values[name][senders]) for name in self.classes.numbers]
        for number, each in enumerate(self.kinds):
            fits = label == each.label
            for sign, relation in zip(signs, each.relations, strict=True):
                fits &= sign == relation
            kind[fits] = number
        present = torch.zeros(graph.num_nodes, len(self.kinds) + 1, dtype=torch.bool)
        present[receivers, kind] = True  # -1 is the last column
        sets = (present[:, :-1].long() << torch.arange(len(self.kinds))).sum(1)
        return torch.where(present[:, -1], -1, sets)

    def described(self, own: int, chosen: int) -> str:
        """A node and its neighbours in words."""
        around = self.members(torch.tensor([chosen]))[0].nonzero().flatten().tolist()
        neighbours = "; ".join(self._kind(self.kinds[number]) for number in around)
        return f"a node with {self._label(own)} and {f'neighbours with {neighbours}' if neighbours else 'no neighbours'}"

    def _label(self, label: int) -> str:
        values = self.classes.values(torch.tensor(label))
        return ", ".join(f"{name} {kind.labels[int(values[name])]}" for name, kind in self.classes.labelled.items())

    def _kind(self, kind: Kind) -> str:
        compared = zip(self.classes.numbers, kind.relations, strict=True)
        return ", ".join([self._label(kind.label), *(f"a {RELATIONS[sign]} {name}" for name, sign in compared)])


@cache
def neighbourhoods(algorithm: Algorithm) -> Neighbourhoods:
    """The neighbourhoods of an algorithm's nodes."""
    classes = Classes(algorithm.declaration)
    signs = [(1, -1) if number.distinct else (1, 0, -1) for number in classes.numbers.values()]
    kinds = tuple(Kind(label, relations) for label in range(classes.count) for relations in product(*signs))
    if len(kinds) > MOST_KINDS:
        raise ContractError(
            f"{algorithm.name} cannot be certified: {len(kinds)} kinds of neighbours have 2**{len(kinds)} sets, too many to "
            f"enumerate; up to {MOST_KINDS} kinds are few enough. Take fewer classes or numbers."
        )
    for name, number in classes.numbers.items():
        if 2**number.bits - number.low < len(RELATIONS):
            raise ContractError(
                f"{algorithm.name} cannot be certified: {name} has no room for a lower and a higher one. Declare more bits."
            )
    return Neighbourhoods(algorithm, classes, kinds)


def two_nodes(algorithm: Algorithm, classes: Classes, name: str, pair: tuple[int, int]) -> Setting:
    """Two joined nodes with these numbers, in every pair of states."""
    count = classes.count
    label = torch.stack(torch.meshgrid(torch.arange(count), torch.arange(count), indexing="ij"), -1).flatten()
    values = classes.values(label)
    for other, kind in classes.numbers.items():
        low = (kind.low + 2**kind.bits) // 2
        values[other] = torch.tensor(pair if other == name else (low, low - 1)).repeat(count**2)
    graph = Graph.pack(torch.full((count**2,), 2), torch.arange(2 * count**2).view(-1, 2))
    return Setting.of_values(algorithm, graph, values)

"""A table of the cases that one part of a look can come upon, and what elements of a setting hear."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from algolens.data import Setting
from algolens.models.flat_sets.names import PARENT


@dataclass(frozen=True, eq=False)
class Table:
    """The cases of one part, the truth in each, and settings that show them."""

    own: Tensor  # [M] own classes
    members: Tensor  # [M, K] bools: the kinds of others that are heard; of concepts, where nobody is heard
    truth: Tensor  # [M, outputs] bools
    outputs: tuple[str, ...]
    setting: Setting
    shown_by: Tensor  # [M] the graph of the setting that shows each case
    own_names: tuple[str, ...]
    kind_names: tuple[str, ...]

    def described(self, case: int) -> str:
        """A case in words."""
        kinds = [name for name, there in zip(self.kind_names, self.members[case].tolist(), strict=True) if there]
        return f"{self.own_names[int(self.own[case])]}, with {'; '.join(kinds) or 'nothing'}"

    def keys(self, own: Tensor, members: Tensor) -> Tensor:
        """[N] a number for each case."""
        keys = own
        for column in members.unbind(1):
            keys = keys * 2 + column
        return keys

    def look_up(self, own: Tensor, members: Tensor) -> tuple[Tensor, Tensor]:
        """[N, outputs] the truth in cases, and [N] whether they are in the table at all."""
        known, order = self.keys(self.own, self.members).sort()
        wanted = self.keys(own, members)
        place = torch.searchsorted(known, wanted).clamp(max=len(known) - 1)
        return self.truth[order[place]], known[place] == wanted


def different(
    own: Tensor,
    members: Tensor,
    truth: Tensor,
    outputs: tuple[str, ...],
    setting: Setting,
    graphs: Tensor,
    owns: tuple[str, ...],
    kinds: tuple[str, ...],
) -> Table:
    """Every case that occurs among elements, once. graphs: [N] where each element stands."""
    rows = torch.cat([own[:, None], members.long()], 1)
    _, here = rows.unique(dim=0, return_inverse=True)
    one = torch.zeros(int(here.max()) + 1, dtype=torch.int64).scatter_(0, here, torch.arange(len(here)))
    return Table(own[one], members[one], truth[one], outputs, setting, graphs[one], owns, kinds)


def pointed_at(setting: Setting) -> Tensor:
    """[2, E] where the ends of edges point, numbered through all graphs."""
    graph = setting.graph
    return (setting.state[PARENT] + graph.first_node[graph.node_owner])[graph.edges]


def goals(setting: Setting) -> Tensor:
    """[E, 4] bools: the kinds of nodes that an edge hears, by whether its ends point there."""
    first, second = pointed_at(setting)
    both, nodes = first == second, setting.graph.node_counts[setting.graph.edge_owner]
    return torch.stack([nodes > torch.where(both, 1, 2), ~both, ~both, both], 1)


def callers(setting: Setting, joins: Tensor) -> Tensor:
    """[N, 2] bools: does an edge that does not join, and does one that does, have an end that points to a node?"""
    heard = torch.zeros(setting.graph.num_nodes, 2, dtype=torch.bool)
    for ends in pointed_at(setting):
        heard[ends, joins.long()] = True
    return heard


def kinds_among(classes: Tensor, num_classes: int, numbers: Tensor, who: Tensor) -> Tensor:
    """[N, classes x 2] bools: does one hear another of a class, with a lower or a higher number? who: [2, A]."""
    hears, heard = who
    present = torch.zeros(len(classes), 2 * num_classes, dtype=torch.bool)
    present[hears, 2 * classes[heard] + (numbers[heard] > numbers[hears]).long()] = True
    return present

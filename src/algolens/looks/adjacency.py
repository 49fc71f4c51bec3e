"""Who has whom in view on a batch of graphs, by a relation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from algolens.graphs import Graph, Location
from algolens.graphs.elements import owners, ranges
from algolens.language.relations import Relation

# from a location and a path to where the path ends, and at which element there, of every element
Leads = Callable[[Location, tuple[str, ...]], tuple[Location, Tensor]]


@dataclass(frozen=True, eq=False)
class Adjacency:
    """Who has whom in view on a batch: an element sees the entries of its groups.

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


def adjacency(relation: Relation, graph: Graph, leads: Leads) -> Adjacency:
    """Who has whom in view on a batch of graphs."""
    count = graph.count(relation.own)
    if relation.joins[0].through_links:
        ends = [
            torch.stack([leads(Location.LINK, path)[1] for path in join.paths])
            for join in relation.joins
        ]
        group, others = ends[0]
        if len(ends) > 1 and graph.directed:  # else every edge has a link each way
            group, others = torch.cat(ends, 1).unique(dim=1)
        return Adjacency(others, group, count, None)
    mine = dict.fromkeys(join.paths[0] for join in relation.joins)
    its = dict.fromkeys(join.paths[1] for join in relation.joins)
    if list(its) == [()]:  # the others are what my paths lead to
        others = torch.cat([leads(relation.own, path)[1] for path in mine])
        group = torch.arange(count, device=graph.device).repeat(len(mine))
        if relation.others_only:
            others, group = others[others != group], group[others != group]
        return Adjacency(others, group, count, None)
    groups = [leads(relation.others, path) for path in its]
    numbers = torch.arange(graph.count(relation.others), device=graph.device)
    return Adjacency(
        others=numbers if len(its) == 1 else numbers.repeat(len(its)),
        group=groups[0][1] if len(its) == 1 else torch.cat([group for _, group in groups]),
        num_groups=graph.count(groups[0][0]),
        own_groups=None
        if list(mine) == [()]
        else torch.stack([leads(relation.own, path)[1] for path in mine]),
        others_only=relation.others_only,
        each_once=len(its) == 1,
    )

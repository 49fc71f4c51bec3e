"""Every case that the parts of a look at edges and sets can come upon, with the truth in each.

The truth is the algorithm's own, in settings that show the case. There is a finite table for each part: what is heard is
settled by an own class and a set of kinds of others, whatever the graph.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import product

import torch

from algolens.algorithms import Algorithm
from algolens.certification.table import Table, callers, different, goals, kinds_among
from algolens.data import Setting, Situations
from algolens.errors import ContractError
from algolens.graphs import Graph
from algolens.models.flat_sets.among import pairs_apart
from algolens.models.flat_sets.names import IN_TREE, JOINS, PARENT, POINTED, PRIORITY, SAME_SET, UNITED, VISITED, WEIGHT
from algolens.models.memoryless.classes import Classes

LOWER, HIGHER = 0, 1  # how another's number compares with the own
COMPARED = ("lower", "higher")
MOST_ALIKE = 3  # nodes that are not united and stand next to one another by priority: the first, the last, and one between


@dataclass(frozen=True, eq=False)
class SetTables:
    """The tables of all parts."""

    edges: Table  # edges that hear edges
    ends: Table  # edges that hear nodes
    joins: Table  # edges that know their concepts
    roots: Table  # nodes that hear edges
    rivals: Table  # nodes that hear nodes: outputs are 'is left' and 'is gone to'


@cache
def set_tables(algorithm: Algorithm) -> SetTables:
    """The tables of an algorithm that takes edges by weight and keeps flat sets."""
    classes = Classes(algorithm.declaration, (VISITED, IN_TREE))
    names = tuple(_edge(classes, each) for each in range(classes.count))
    small = Situations.of(algorithm, _every_small_state(algorithm))
    tables = SetTables(
        _edges(algorithm, classes, names), _ends(small), _joins(small, classes, names), _roots(small), _rivals(algorithm)
    )
    _check_complete(algorithm, tables)
    return tables


def _check_complete(algorithm: Algorithm, tables: SetTables) -> None:
    """Whether small graphs show every class with all concepts that edges of this class can have."""
    place = algorithm.declaration.concepts.index(SAME_SET)
    told = tables.edges.truth
    for same_set in (False, True):
        there = torch.full((len(told), 1), same_set)
        patterns = torch.cat([told[:, :place], there, told[:, place:]], 1)
        if not tables.joins.look_up(tables.edges.own, patterns)[1].all():
            raise ContractError(
                f"{algorithm.name}: an edge can have concepts that no small graph shows; it cannot be certified as kruskal is."
            )


def _edge(classes: Classes, each: int) -> str:
    values = classes.values(torch.tensor(each))
    return ", ".join(f"{name} {kind.labels[int(values[name])]}" for name, kind in classes.labelled.items())


def _edges(algorithm: Algorithm, classes: Classes, names: tuple[str, ...]) -> Table:
    """An edge of every class among others of every set of kinds: class, and a lower or higher weight.

    Shown by edges that touch nowhere, the edge itself being the first, of two ends that point to themselves.
    """
    kinds = list(product(range(classes.count), (LOWER, HIGHER)))
    sets = torch.arange(2 ** len(kinds)).repeat(classes.count)
    own = torch.arange(classes.count).repeat_interleave(2 ** len(kinds))
    members = (sets[:, None] >> torch.arange(len(kinds)) & 1).bool()
    counts = 1 + members.sum(1)
    first = counts.cumsum(0) - counts
    is_other = torch.ones(int(counts.sum()), dtype=torch.bool)
    is_other[first] = False
    label = own.repeat_interleave(counts)
    label[is_other] = torch.tensor([each for each, _ in kinds])[members.nonzero()[:, 1]]
    number = algorithm.declaration.inputs[WEIGHT].kind
    middle = (number.low + 2**number.bits) // 2  # type: ignore[attr-defined]
    weight = torch.full_like(label, middle)
    apart = torch.tensor([(1 + i) * (1 if side == HIGHER else -1) for i, (_, side) in enumerate(kinds)])  # all different
    weight[is_other] += apart[members.nonzero()[:, 1]]
    graph = Graph.pack(2 * counts, torch.arange(2 * int(counts.sum())).view(-1, 2))
    values = {**classes.values(label), WEIGHT: weight, PRIORITY: graph.node_place, PARENT: graph.node_place}
    setting = Setting.of_values(algorithm, graph, values)
    concepts = algorithm.declaration.concepts
    heard = tuple(name for name in concepts if name != SAME_SET)
    truth = Situations.of(algorithm, setting).concepts[first][:, [concepts.index(name) for name in heard]]
    described = tuple(f"an edge with {names[each]} and a {COMPARED[side]} weight" for each, side in kinds)
    owns = tuple(f"an edge with {name}" for name in names)
    return Table(own, members, truth, heard, setting, torch.arange(len(own)), owns, described)


def _every_small_state(algorithm: Algorithm) -> Setting:
    """All states of a path of three nodes, and of two joined nodes, with both orders of weights."""
    parts = []
    for nodes in (2, 3):
        edges = nodes - 1
        bits = list(product((False, True), repeat=edges))
        every = list(product(bits, bits, product(range(nodes), repeat=nodes), {(1,), (1, 2), (2, 1)}))
        every = [each for each in every if len(each[3]) == edges]
        pairs = [(i * nodes + u, i * nodes + u + 1) for i in range(len(every)) for u in range(edges)]
        in_tree, visited, parent, weight = (torch.tensor(column).flatten() for column in zip(*every, strict=True))
        graph = Graph.pack([nodes] * len(every), pairs)
        values = {IN_TREE: in_tree, VISITED: visited, PARENT: parent, WEIGHT: weight, PRIORITY: graph.node_place}
        parts.append(Setting.of_values(algorithm, graph, values))
    return Setting.join(parts)


def _ends(small: Situations) -> Table:
    place = small.algorithm.declaration.concepts.index(SAME_SET)
    own, kinds = torch.zeros(len(small.concepts), dtype=torch.int64), tuple(f"a node such that {each}" for each in POINTED)
    truth, graphs = small.concepts[:, [place]], small.setting.graph.edge_owner
    return different(own, goals(small.setting), truth, (SAME_SET,), small.setting, graphs, ("an edge",), kinds)


def _joins(small: Situations, classes: Classes, names: tuple[str, ...]) -> Table:
    own, truth, graphs = classes.of(small.setting.state), small.hints[JOINS][:, None], small.setting.graph.edge_owner
    owns = tuple(f"an edge with {name} before the step" for name in names)
    concepts = small.algorithm.declaration.concepts
    return different(own, small.concepts, truth, (JOINS,), small.setting, graphs, owns, concepts)


def _roots(small: Situations) -> Table:
    heard, truth = callers(small.setting, small.hints[JOINS]), small.hints[UNITED][:, None]
    own, graphs = torch.zeros(len(heard), dtype=torch.int64), small.setting.graph.node_owner
    kinds = tuple(f"an edge that {what}, an end of which points to it" for what in ("does not join", "joins"))
    return different(own, heard, truth, (UNITED,), small.setting, graphs, ("a node",), kinds)


def _rivals(algorithm: Algorithm) -> Table:
    """Every node of every arrangement by priority: two nodes that are united, and others below, between and above them.

    Up to three others in each place are enough: a fourth hears, and is heard as, what one of the three does. Shown by nodes
    that point to themselves, of which an unvisited edge joins the two. Besides, nodes of which none is united.
    """
    counts: list[int] = []
    pairs: list[tuple[int, int]] = []
    for below, between, above in product(range(MOST_ALIKE + 1), repeat=3):
        first = sum(counts)
        counts.append(below + between + above + 2)
        pairs.append((first + below, first + below + 1 + between))
    counts += range(1, MOST_ALIKE + 1)
    graph = Graph.pack(counts, pairs)
    no_edge, place = torch.zeros(graph.num_edges, dtype=torch.bool), graph.node_place
    values = {IN_TREE: no_edge, VISITED: no_edge, PARENT: place, PRIORITY: place, WEIGHT: torch.ones_like(no_edge).long()}
    setting = Setting.of_values(algorithm, graph, values)
    hints = Situations.of(algorithm, setting).hints
    own, after = hints[UNITED].long(), hints[PARENT]
    is_left = after != place
    is_gone_to = torch.zeros_like(is_left)
    is_gone_to[(after + graph.first_node[graph.node_owner])[is_left]] = True
    kinds = tuple(
        f"a node that is {'' if united else 'not '}united and has a {side} priority"
        for united in (False, True)
        for side in COMPARED
    )
    return Table(
        own=own,
        members=kinds_among(own, 2, place, pairs_apart(graph.node_counts)),
        truth=torch.stack([is_left, is_gone_to], 1),
        outputs=("is left", "is gone to"),
        setting=setting,
        shown_by=graph.node_owner,
        own_names=("a node that is not united", "a node that is united"),
        kind_names=kinds,
    )

"""Inputs for trials on small graphs: every one there is, or drawn with ties and extremes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from itertools import product
from math import prod

import numpy as np
import torch
from torch import Tensor

from algolens.algorithms import Algorithm, Values
from algolens.fields import Field, Location, Number, numbers_in
from algolens.graphs import Graph

MOST_ENUMERATED = 50_000  # combinations of values of one field
MOST_VALUES = 16  # of a number that is not only compared
LEVELS = 3  # different numbers where ties are made
AS_SAMPLED, FEW, EXTREMES, EQUAL = range(4)  # how the numbers of a graph are drawn
WAYS = 4


@dataclass(frozen=True)
class EveryInput:
    """All inputs of an algorithm on graphs of one size; of numbers only compared, all orders."""

    algorithm: Algorithm
    nodes: int

    def count(self, graph: Graph) -> int | None:
        """At most how many inputs the graphs of a batch have; None where a field has too many."""
        total = 0
        for num_edges in graph.edge_counts.tolist():
            rows = self._rows(num_edges)
            if rows is None:
                return None
            total += prod(map(len, rows))
        return total

    def of(self, graph: Graph) -> tuple[Tensor, dict[str, Tensor]]:
        """[R] which graph of a batch each run is of, and the inputs of all runs in this order."""
        fields = self.algorithm.declaration.inputs
        which: list[int] = []
        inputs: dict[str, list[np.ndarray]] = {name: [np.zeros(0, np.int64)] for name in fields}
        for place, num_edges in enumerate(graph.edge_counts.tolist()):
            first = int(graph.first_edge[place])
            ends = graph.edges[:, first : first + num_edges].numpy() - int(graph.first_node[place])
            allowed = (
                _apart(field, rows, ends)
                for field, rows in zip(fields.values(), self._rows(num_edges) or (), strict=True)
            )
            for chosen in product(*allowed):
                which.append(place)
                for name, values in zip(fields, chosen, strict=True):
                    inputs[name].append(values)
        return torch.tensor(which), {
            name: torch.from_numpy(np.concatenate(values)).to(fields[name].kind.dtype)
            for name, values in inputs.items()
        }

    @cache  # noqa: B019
    def _rows(self, num_edges: int) -> tuple[np.ndarray, ...] | None:
        """For each input [W, places] all its values on a graph; None where one has too many."""
        rows = []
        for name, field in self.algorithm.declaration.inputs.items():
            rows_of_field = self._rows_of(name, field, num_edges)
            if rows_of_field is None:
                return None
            rows.append(rows_of_field)
        return tuple(rows)

    def _rows_of(self, name: str, field: Field, num_edges: int) -> np.ndarray | None:
        counts = {Location.NODE: self.nodes, Location.EDGE: num_edges, Location.GRAPH: 1}
        if field.location not in counts:
            return None  # links of a batch do not stand together by graph
        places, kind = counts[field.location], field.kind
        span = kind.num_values(counts)
        in_order = only_order_counts(self.algorithm, name) and span >= places
        rows = _all_rows(places if in_order else span, places)
        if rows is None or not isinstance(kind, Number):
            return rows
        if places and not in_order and span > MOST_VALUES:
            return None
        if in_order:  # each order once: by the lowest numbers that have it
            num_different = (np.diff(np.sort(rows, 1), axis=1) > 0).sum(1) + (places > 0)
            rows = rows[rows.max(1, initial=-1) < num_different]
        return rows + kind.least

    def words(self) -> str:
        """What is gone through: 'every source and every order of key (ties too)'."""
        inputs = []
        for name, field in self.algorithm.declaration.inputs.items():
            has_ties = field.kind.is_number and field.kind.distinct != "graph"
            order = f"every order of {name}{' (ties too)' if has_ties else ''}"
            inputs.append(order if only_order_counts(self.algorithm, name) else f"every {name}")
        return " and ".join(inputs)


def only_order_counts(algorithm: Algorithm, name: str) -> bool:
    """Whether an input is a number that is compared with others of its field, and nothing else."""
    field, unit = algorithm.declaration.inputs[name], algorithm.declaration.units.get(name)
    is_one_of_many = field.kind.is_number and field.location is not Location.GRAPH
    return is_one_of_many and unit is not None and unit.only_order_counts


def with_ties_and_extremes(
    fields: Mapping[str, Field],
    graph: Graph,
    sampled: Values,
    way: Tensor,
    rng: np.random.Generator,
) -> dict[str, Tensor]:
    """Sampled inputs whose numbers are moved, in each graph its own way.

    way: [G] AS_SAMPLED; FEW: neighbouring numbers, often equal; EXTREMES: the least, the middle and
    the greatest; or EQUAL: all of a graph are equal. The order of any two numbers of one kind
    stays, or they become equal. Numbers that must differ become the least ones, or the greatest
    ones. What a graph has one of is moved by FEW alone, for it is often bounded by the graph.
    """
    # of all numbers, where they are equal
    level = torch.from_numpy(rng.integers(0, LEVELS, graph.num_graphs))
    moved = dict(sampled)
    for name, kind in numbers_in(fields).items():
        location = fields[name].location
        owner = graph.owner(location)
        own_way = torch.where(way == FEW, way, AS_SAMPLED) if location is Location.GRAPH else way
        ways = _moved(kind, graph, location, sampled[name], level[owner])
        moved[name] = torch.stack([sampled[name], *ways]).gather(0, own_way[owner][None])[0]
        if kind.distinct == "neighbours":
            moved[name] = kind.settle(graph, moved[name], rng)
    return moved


def _moved(
    kind: Number, graph: Graph, location: Location, values: Tensor, level: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """Numbers as FEW, EXTREMES and EQUAL have them. level: of each, where all are equal."""
    if kind.distinct == "graph":
        owner, by_value = graph.owner(location), values.argsort(stable=True)
        rank = torch.empty_like(values)
        rank[by_value[owner[by_value].argsort(stable=True)]] = graph.place(location)
        greatest = kind.most + 1 - graph.counts(location)[owner] + rank
        return kind.least + rank, greatest, greatest
    third = (values - kind.least) // ((kind.most - kind.least + 1) // LEVELS + 1)
    few = (third - 1 if kind.signed else third + kind.least).clamp(kind.least, kind.most)
    extremes = torch.tensor([kind.least, (kind.least + kind.most + 1) // 2, kind.most])
    return few, extremes[third], extremes[level]


def _apart(field: Field, rows: np.ndarray, ends: np.ndarray) -> np.ndarray:
    """The rows of values that are different where they must be. ends: [2, E] of the edges."""
    if field.kind.distinct == "neighbours":
        return rows[(rows[:, ends[0]] != rows[:, ends[1]]).all(1)]
    if field.kind.distinct == "graph":
        return rows[(np.diff(np.sort(rows, 1), axis=1) > 0).all(1)]
    return rows


def _all_rows(num_values: int, places: int) -> np.ndarray | None:
    """[W, places] every row of values from 0 up; None where there are too many."""
    if num_values**places > MOST_ENUMERATED:
        return None
    if not places:
        return np.zeros((1, 0), np.int64)
    return np.indices((num_values,) * places).reshape(places, -1).T

"""Inputs for trials on small graphs: every one there is, or drawn, with ties and extremes made on
purpose.
"""

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
from algolens.fields import Field, Location, Number, Pointer
from algolens.graphs import Graph

MOST_ENUMERATED = 50_000  # combinations of values of one field
MOST_VALUES = 16  # of a number that is not only compared
LEVELS = 3  # different numbers where ties are made
AS_SAMPLED, FEW, EXTREMES, EQUAL = range(4)  # how the numbers of a graph are drawn
WAYS = 4


@dataclass(frozen=True)
class EveryInput:
    """Goes through all inputs of an algorithm on graphs of one size; of numbers that are only
    compared, through all orders.
    """

    algorithm: Algorithm
    nodes: int

    def count(self, graph: Graph) -> int | None:
        """How many inputs all graphs of a batch have at the most; None where a field has too many
        to go through.
        """
        total = 0
        for edges in graph.edge_counts.tolist():
            each = self._values(edges)
            if each is None:
                return None
            total += prod(len(values) for values in each)
        return total

    def of(self, graph: Graph) -> tuple[Tensor, dict[str, Tensor]]:
        """[R] which graph of a batch each run is of, and the inputs of all runs, one after the
        other.
        """
        fields = self.algorithm.declaration.inputs
        which: list[int] = []
        found: dict[str, list[np.ndarray]] = {name: [np.zeros(0, np.int64)] for name in fields}
        for place, edges in enumerate(graph.edge_counts.tolist()):
            first = int(graph.first_edge[place])
            ends = graph.edges[:, first : first + edges].numpy() - int(graph.first_node[place])
            each = self._values(edges) or ()
            allowed = (
                _apart(field, values, ends)
                for field, values in zip(fields.values(), each, strict=True)
            )
            for chosen in product(*allowed):
                which.append(place)
                for name, values in zip(fields, chosen, strict=True):
                    found[name].append(values)
        return torch.tensor(which), {
            name: torch.from_numpy(np.concatenate(rows)).to(fields[name].kind.dtype)
            for name, rows in found.items()
        }

    @cache  # noqa: B019
    def _values(self, edges: int) -> tuple[np.ndarray, ...] | None:
        """For each input [W, places] all its values on a graph of so many edges; None where one has
        too many.
        """
        found = tuple(
            self._values_of(name, field, edges)
            for name, field in self.algorithm.declaration.inputs.items()
        )
        return None if any(each is None for each in found) else found  # type: ignore[return-value]

    def _values_of(self, name: str, field: Field, edges: int) -> np.ndarray | None:
        counts = {Location.NODE: self.nodes, Location.EDGE: edges, Location.GRAPH: 1}
        if field.location not in counts:
            return None  # links of a batch do not stand together by graph
        places, kind = counts[field.location], field.kind
        if not isinstance(kind, Number):
            return _all_rows(
                counts[kind.to] if isinstance(kind, Pointer) else len(kind.labels), places
            )
        span = kind.most - kind.least + 1
        in_order = only_order_counts(self.algorithm, name) and span >= places
        rows = _all_rows(places if in_order else span, places)
        if rows is None or (places and not in_order and span > MOST_VALUES):
            return None
        different = (np.diff(np.sort(rows, 1), axis=1) > 0).sum(1) + (places > 0)  # values in a row
        if in_order:  # each order once: by the lowest numbers that have it
            rows = rows[rows.max(1, initial=-1) < different]
        return rows + kind.least

    def words(self) -> str:
        """What is gone through: 'every source and every order of key (ties too)'."""
        named = []
        for name, field in self.algorithm.declaration.inputs.items():
            ties = (
                " (ties too)"
                if isinstance(field.kind, Number) and field.kind.distinct != "graph"
                else ""
            )
            named.append(
                f"every order of {name}{ties}"
                if only_order_counts(self.algorithm, name)
                else f"every {name}"
            )
        return " and ".join(named)


def only_order_counts(algorithm: Algorithm, name: str) -> bool:
    """Whether an input is a number of each node or edge that is compared with others of its field,
    and nothing else.
    """
    field, unit = algorithm.declaration.inputs[name], algorithm.declaration.units.get(name)
    is_number = isinstance(field.kind, Number) and field.location is not Location.GRAPH
    return is_number and unit is not None and unit.only_order_counts


def with_ties_and_extremes(
    fields: Mapping[str, Field],
    graph: Graph,
    sampled: Values,
    way: Tensor,
    rng: np.random.Generator,
) -> dict[str, Tensor]:
    """Sampled inputs whose numbers are moved, in each graph its own way. way: [G] one of the ways
    above.

    FEW: neighbouring numbers, often equal; EXTREMES: the least, the middle and the greatest; EQUAL:
    all of a graph are equal. The order of any two numbers of one kind stays, or they become equal.
    Numbers that must differ become the least ones, or the greatest ones. What a graph has one of is
    moved by FEW alone, for it is often bounded by the graph.
    """
    # of all numbers, where they are equal
    level = torch.from_numpy(rng.integers(0, LEVELS, graph.num_graphs))
    moved = dict(sampled)
    for name, field in fields.items():
        if isinstance(field.kind, Number):
            owner = graph.owner(field.location)
            here = (
                torch.where(way == FEW, way, AS_SAMPLED)
                if field.location is Location.GRAPH
                else way
            )
            few = _few(field, graph, sampled[name], level[owner])
            moved[name] = torch.stack([sampled[name], *few]).gather(0, here[owner][None])[0]
            if field.kind.distinct == "neighbours":
                moved[name] = field.kind.settle(graph, moved[name], rng)
    return moved


def _few(
    field: Field, graph: Graph, values: Tensor, level: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """The numbers of a field as FEW, EXTREMES and EQUAL have them. level: of each, where all are
    equal.
    """
    kind, owner = field.kind, graph.owner(field.location)
    assert isinstance(kind, Number)
    if kind.distinct == "graph":
        by_value = values.argsort(stable=True)
        rank = torch.empty_like(values)
        rank[by_value[owner[by_value].argsort(stable=True)]] = graph.place(field.location)
        greatest = kind.most + 1 - graph.counts(field.location)[owner] + rank
        return kind.least + rank, greatest, greatest
    own = (values - kind.least) // ((kind.most - kind.least + 1) // LEVELS + 1)
    few = (own - 1 if kind.signed else own + kind.least).clamp(kind.least, kind.most)
    extremes = torch.tensor([kind.least, (kind.least + kind.most + 1) // 2, kind.most])
    return few, extremes[own], extremes[level]


def _apart(field: Field, rows: np.ndarray, ends: np.ndarray) -> np.ndarray:
    """The rows of values that are different where they must be. ends: [2, E] of the edges."""
    distinct = field.kind.distinct if isinstance(field.kind, Number) else None
    if distinct == "neighbours":
        return rows[(rows[:, ends[0]] != rows[:, ends[1]]).all(1)]
    return rows[(np.diff(np.sort(rows, 1), axis=1) > 0).all(1)] if distinct == "graph" else rows


def _all_rows(values: int, places: int) -> np.ndarray | None:
    """[W, places] every row of so many places with values from 0 up; None where there are too
    many.
    """
    if values**places > MOST_ENUMERATED:
        return None
    return (
        np.indices((values,) * places).reshape(places, -1).T
        if places
        else np.zeros((1, 0), np.int64)
    )

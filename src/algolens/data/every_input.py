"""Every input that an algorithm can have on graphs of one size."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from math import prod

import numpy as np
import torch
from torch import Tensor

from algolens.algorithms import Algorithm
from algolens.graphs import Graph
from algolens.language.fields import Field, Location, Number
from algolens.language.given import CHECKS

MOST_ENUMERATED = 50_000  # combinations of values of one field
MOST_VALUES = 16  # of a number that is not only compared


@dataclass(frozen=True)
class EveryInput:
    """All inputs of an algorithm on graphs of one size; of numbers only compared, all orders."""

    algorithm: Algorithm
    nodes: int

    def count(self, graph: Graph) -> int | None:
        """At most how many inputs the graphs of a batch have; None where a field has too many."""
        total = 0
        for num_edges in graph.edge_counts.tolist():
            rows = self._rows(num_edges, graph.directed)
            if rows is None:
                return None
            total += prod(map(len, rows))
        return total

    def of(self, graph: Graph) -> tuple[Tensor, dict[str, Tensor]]:
        """[R] which graph of a batch each run is of, and the inputs of all runs in this order."""
        fields, directed = self.algorithm.declaration.inputs, graph.directed
        which: list[int] = []
        inputs: dict[str, list[np.ndarray]] = {name: [np.zeros(0, np.int64)] for name in fields}
        for place, num_edges in enumerate(graph.edge_counts.tolist()):
            first = int(graph.first_edge[place])
            ends = graph.edges[:, first : first + num_edges].numpy() - int(graph.first_node[place])
            pairs = zip(fields.values(), self._rows(num_edges, directed) or (), strict=True)
            for chosen in product(*(_apart(field, rows, ends) for field, rows in pairs)):
                which.append(place)
                for name, values in zip(fields, chosen, strict=True):
                    inputs[name].append(values)
        return torch.tensor(which), {
            name: _batched(values, fields[name], directed=directed)
            for name, values in inputs.items()
        }

    @cache  # noqa: B019
    def _rows(self, num_edges: int, directed: bool) -> tuple[np.ndarray, ...] | None:
        """For each input [W, places] all its values on a graph; None where one has too many."""
        rows = []
        num_links = num_edges if directed else 2 * num_edges
        counts = dict(zip(Location, (self.nodes, num_edges, num_links, 1), strict=True))
        for name in self.algorithm.declaration.inputs:
            rows_of_field = self._rows_of(name, counts)
            if rows_of_field is None:
                return None
            rows.append(rows_of_field)
        return tuple(rows)

    def _rows_of(self, name: str, counts: Mapping[Location, int]) -> np.ndarray | None:
        field = self.algorithm.declaration.inputs[name]
        places, kind = counts[field.location], field.kind
        span = kind.num_values(counts)
        in_order = only_order_counts(self.algorithm, name) and span >= places
        rows = _all_rows(places if in_order else span, places)
        if rows is None or not isinstance(kind, Number):
            return rows if rows is None else self._passing(name, rows)
        if places and not in_order and span > MOST_VALUES:
            return None
        if in_order:  # each order once: by the lowest numbers that have it
            num_different = (np.diff(np.sort(rows, 1), axis=1) > 0).sum(1) + (places > 0)
            rows = rows[rows.max(1, initial=-1) < num_different]
        return self._passing(name, rows + kind.least)

    def _passing(self, name: str, rows: np.ndarray) -> np.ndarray:
        """Those rows of an input that the checks of it alone let pass."""
        graph = {"owner": np.zeros(self.nodes, int), "count": np.array([self.nodes]), "called": str}
        for check, *of in self.algorithm.known_checks:
            if of == [name]:
                refuses = CHECKS[check][0]
                rows = rows[[refuses(graph, {name: row}, name) is None for row in rows]]
        return rows

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


def _apart(field: Field, rows: np.ndarray, ends: np.ndarray) -> np.ndarray:
    """The rows of values that are different where they must be. ends: [2, E] of the edges."""
    if field.kind.distinct == "neighbours":
        return rows[(rows[:, ends[0]] != rows[:, ends[1]]).all(1)]
    if field.kind.distinct == "graph":
        return rows[(np.diff(np.sort(rows, 1), axis=1) > 0).all(1)]
    return rows


def _batched(values: Sequence[np.ndarray], field: Field, *, directed: bool) -> Tensor:
    """Values of graphs as a batch has them: of links, all one way and then all back."""
    num_ways = 1 if directed or field.location is not Location.LINK else 2
    ways = zip(*(np.split(of_graph, num_ways) for of_graph in values), strict=True)
    joined = np.concatenate([np.concatenate(way) for way in ways])
    return torch.from_numpy(joined.astype(field.kind.dtype))


def _all_rows(num_values: int, places: int) -> np.ndarray | None:
    """[W, places] every row of values from 0 up; None where there are too many."""
    if num_values**places > MOST_ENUMERATED:
        return None
    if not places:
        return np.zeros((1, 0), np.int64)
    return np.indices((num_values,) * places).reshape(places, -1).T

"""One graph from a table of edges: nodes as codes, edges sorted, all rows at once.

Rows that may be wrong, or that say an edge again, are found by arrays. These few are then read once
more, row by row, by ``GraphBuilder``, which alone says what is wrong with a row.
"""

from __future__ import annotations

from collections.abc import Hashable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import torch
from torch import Tensor

from algolens.graphs.attributes import (
    Attribute,
    column,
    exact_number,
    hold_something,
    may_differ,
    picked,
    turned,
)
from algolens.graphs.convert import GraphBuilder, names_of_nodes
from algolens.graphs.decimals import DecimalColumn
from algolens.graphs.graph import Graph
from algolens.graphs.node_tables import join_nodes
from algolens.graphs.tables import Cells, UserTable, cells_there, encoded, first_rows, table_of


@dataclass(frozen=True, eq=False)
class EdgeTable:
    """Edges as the rows of a table: source, target and attributes; a source alone is a node."""

    table: UserTable
    directed: bool

    def build(self, what: str, nodes: UserTable | None = None) -> tuple[Graph, list[Hashable]]:
        """The graph, with self-loops left out, and the user's own nodes.

        what: what messages call it. nodes: a table that says more of the nodes.
        """
        own, ends = _node_codes(self.table.columns["source"], self.table.columns["target"])
        rows = self._edge_rows(ends)
        if len(rows) < ends.shape[1]:
            ends = ends[:, rows]
        attributes = self._attributes(rows, what)
        notes = list(self.table.notes)
        at_nodes: dict[str, Attribute] = {}
        if nodes is not None:
            own, at_nodes = join_nodes(own, {}, nodes, notes)
        names = names_of_nodes(own, what, self.table.error)
        is_turned = np.zeros(len(rows), dtype=bool) if self.directed else ends[0] > ends[1]
        keys = (ends[0] if self.directed else ends.min(0)) * len(own)
        keys += ends[1] if self.directed else ends.max(0)
        first, is_repeated = _distinct(keys)
        attributes = turned(attributes, is_turned)
        self._check_repeated(keys, first, is_repeated, attributes, rows)
        low, high = np.divmod(keys[first], len(own))
        is_edge = low != high
        kept = first if is_edge.all() else first[is_edge]
        graph = Graph(
            torch.tensor([len(own)]),
            torch.tensor([len(kept)]),
            torch.from_numpy(np.stack([low[is_edge], high[is_edge]])),
            names,
            node_attributes=at_nodes,
            edge_attributes=_picked(attributes, torch.from_numpy(kept)),
            notes=tuple(notes),
            directed=self.directed,
            loops=tuple(low[~is_edge].tolist()),
            parallel=tuple(np.flatnonzero(is_repeated[is_edge]).tolist()),
            named_at=torch.from_numpy(np.where(is_turned[kept], ~kept, kept)),
        )
        return graph, own

    def _edge_rows(self, ends: np.ndarray) -> np.ndarray:
        """The rows that are edges; rows without an end that should have one are refused."""
        has_source, has_target = ends >= 0
        is_wrong = ~has_source
        if not has_target.all():
            for name in self._attribute_names:
                is_wrong |= ~has_target & cells_there(self.table.columns[name])
        self._read_again(np.flatnonzero(is_wrong))
        return np.flatnonzero(has_target)

    @property
    def _attribute_names(self) -> list[str]:
        return [name for name in self.table.columns if name not in ("source", "target")]

    def _attributes(self, rows: np.ndarray, what: str) -> dict[str, Attribute]:
        """What rows say of edges; a file's weights are numbers, all of them or none."""
        is_all = len(rows) == len(self.table.columns["source"])
        attributes = {
            name: self.table.attribute(name, None if is_all else rows)
            for name in self._attribute_names
            if cells_there(self.table.columns[name]).any()
        }
        if self.table.is_file and "weight" in attributes:
            weights = attributes["weight"]
            has_none, is_missing = _without_numbers(weights)
            self._read_again(rows[has_none & ~is_missing])
            if is_missing.any() and not is_missing.all():
                row = self.table.row(rows[np.flatnonzero(is_missing)[0]])
                raise self.table.error(
                    f"{what}: edge ({row['source']}, {row['target']}) has no weight though others "
                    "have. Give every edge a weight, or none."
                )
        return attributes

    def _check_repeated(
        self,
        keys: np.ndarray,
        first: np.ndarray,
        is_repeated: np.ndarray,
        attributes: dict[str, Attribute],
        rows: np.ndarray,
    ) -> None:
        """Refuses edges that stand several times and say different things."""
        if not is_repeated.any() or not attributes:
            return
        repeated = first[is_repeated]  # in the order of their keys
        members = np.flatnonzero(np.isin(keys, keys[repeated]))
        firsts = repeated[np.searchsorted(keys[repeated], keys[members])]
        is_doubtful = np.zeros(len(members), dtype=bool)
        for values in attributes.values():
            is_doubtful |= may_differ(values, members, firsts)
        again = np.isin(keys[members], keys[members[is_doubtful]])
        self._read_again(rows[members[again]])

    def _read_again(self, rows: np.ndarray) -> None:
        """Reads some rows one by one, by which a wrong one is refused."""
        builder = GraphBuilder(directed=self.directed, is_file=self.table.is_file)
        for row in rows.tolist():
            builder.add_row(self.table.row(row), self.table.where(row))


def _without_numbers(values: Attribute) -> tuple[np.ndarray, np.ndarray]:
    """[R] bools: which are no finite numbers, and which are not there at all?"""
    nowhere = np.zeros(len(values), dtype=bool)
    if isinstance(values, Tensor):
        is_number = values.dtype != torch.bool
        return (~values.isfinite()).numpy() if is_number else ~nowhere, nowhere
    if isinstance(values, DecimalColumn):
        return nowhere, nowhere
    is_missing = ~hold_something(values)
    known = {value: exact_number(value) is None for value in dict.fromkeys(values.tolist())}
    return np.array([known[value] for value in values.tolist()], dtype=bool), is_missing


def _distinct(keys: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Where each different key first stands, in the order of keys, and whether it stands again."""
    order = np.argsort(keys)
    in_order = keys[order]
    is_first = np.ones(len(keys), dtype=bool)
    is_first[1:] = in_order[1:] != in_order[:-1]
    if is_first.all():
        return order, np.zeros(len(keys), dtype=bool)
    order = np.argsort(keys, kind="stable")  # so that of equals the first row stands first
    starts = np.flatnonzero(is_first)
    return order[starts], np.diff(starts, append=len(keys)) > 1


def _picked(attributes: dict[str, Attribute], places: Tensor) -> dict[str, Attribute]:
    """The values at some places, of names that some place has a value for."""
    chosen: dict[str, Attribute] = {}
    for name, values in attributes.items():
        some = picked(values, places)
        if isinstance(some, np.ndarray) and len(some) < len(values):
            some = column(some.tolist())  # as the values left may be of one type
        if isinstance(some, DecimalColumn) and not some.places.any():
            some = torch.from_numpy(some.digits)
        if hold_something(some).any():
            chosen[name] = some
    return chosen


# ---- nodes as codes


def _node_codes(source: Cells, target: Cells) -> tuple[list[Hashable], np.ndarray]:
    """The nodes in the order they come in, and [2, R] which of them rows name; below 0 for none."""
    is_plain = (
        isinstance(source, pa.ChunkedArray)
        and isinstance(target, pa.ChunkedArray)
        and source.type == target.type
        and (pa.types.is_string(source.type) or pa.types.is_integer(source.type))
    )
    if not is_plain:
        return _codes_one_by_one(source, target)
    with ThreadPoolExecutor(2) as threads:
        (sources, source_codes), (targets, target_codes) = threads.map(encoded, (source, target))
    at = pc.index_in(targets, sources)
    new = pc.is_null(at)
    codes_of_targets = pc.fill_null(at, -1).to_numpy().astype(np.int64)
    is_new = codes_of_targets < 0
    codes_of_targets[is_new] = len(sources) + np.arange(np.count_nonzero(is_new))
    both = pa.concat_arrays([sources, targets.filter(new)])
    # a row's source comes before its target
    place = np.full(len(both), 2 * len(source) + 2)
    place[: len(sources)] = 2 * first_rows(source_codes)
    firsts_of_targets = 2 * first_rows(target_codes) + 1
    place[codes_of_targets] = np.minimum(place[codes_of_targets], firsts_of_targets)
    order = np.argsort(place)
    rank = np.empty(len(both) + 1, dtype=np.int64)
    rank[order] = np.arange(len(both))
    rank[-1] = -1  # of a cell without a node
    of_target = np.append(rank[codes_of_targets], -1)
    ends = np.stack([rank[source_codes], of_target[target_codes]])
    return both.take(pa.array(order)).to_pylist(), ends


def _codes_one_by_one(source: Cells, target: Cells) -> tuple[list[Hashable], np.ndarray]:
    """The same by Python's own equality, for which 1 and 1.0 are one node."""
    number: dict[Hashable, int] = {}
    ends = [
        [-1 if node is None else number.setdefault(node, len(number)) for node in pair]
        for pair in zip(_as_list(source), _as_list(target), strict=True)
    ]
    return list(number), np.array(ends, dtype=np.int64).reshape(-1, 2).T


def _as_list(cells: Cells) -> list[Hashable]:
    return cells.tolist() if isinstance(cells, np.ndarray) else cells.to_pylist()


# ---- tables of other libraries


def from_pandas(edges: Any, nodes: Any = None, *, directed: bool = False) -> Graph:
    """One graph from a table of edges, with columns ``source`` and ``target``.

    Parameters
    ----------
    edges
        A table of pandas, Arrow or Polars. All other columns are attributes of edges. A cell
        without a value says nothing; a row without a target is a lone node.
    nodes
        A table with a column ``node``, whose others are attributes of nodes; a node that no edge
        has is added.
    directed
        Whether edges lead from source to target.
    """
    return edge_table(edges, directed=directed).build("the table", node_table(nodes))[0]


def edge_table(edges: Any, *, directed: bool) -> EdgeTable:
    """The edges of a table in memory."""
    return EdgeTable(table_of(edges, ("source", "target"), "the table of edges"), directed)


def node_table(nodes: Any) -> UserTable | None:
    """What a table in memory says of nodes."""
    return None if nodes is None else table_of(nodes, ("node",), "the table of nodes")

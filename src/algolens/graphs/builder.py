"""One graph from columns of what a user gave: a row for each edge, and the nodes that rows name.

All readers give columns. What is wrong is found by arrays; only then are single rows looked at, to
say which, and why.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, compress
from typing import Any

import numpy as np

from algolens.errors import GraphError, GraphFileError
from algolens.graphs.attributes import (
    BACK,
    Attribute,
    are_unlike,
    as_written,
    column,
    columns,
    differ,
    hold_something,
    picked,
    turned,
    without_numbers,
)
from algolens.graphs.directions import with_directions
from algolens.graphs.graph import Graph
from algolens.graphs.named import NamedGraph
from algolens.graphs.node_tables import join_nodes
from algolens.graphs.tables import Cells, UserTable, cells_there, encoded
from algolens.graphs.text_tables import to_arrow
from algolens.lazy import nx, pa


@dataclass
class GraphBuilder:
    """Nodes and edges as a user names them, by column. A file's weights are numbers, or none."""

    what: str  # what messages call it
    directed: bool
    nodes: list[Hashable]
    ends: np.ndarray  # [2, R] the places of each edge's two nodes
    at_edges: Mapping[str, Attribute]  # each [R]
    at_nodes: Mapping[str, Attribute] = field(default_factory=dict)
    of_graph: Mapping[str, Attribute] = field(default_factory=dict)
    where: Callable[[int], str] | None = None  # how messages call a row; else as the whole
    is_file: bool = False
    notes: list[str] = field(default_factory=list)  # what a user should know of how it was read

    @classmethod
    def of_networkx(cls, source: nx.Graph, what: str, *, is_file: bool = False) -> GraphBuilder:
        """The nodes and edges of a NetworkX graph, in one pass over its adjacency."""
        nodes, ends = list(source), adjacency_of(source)
        data = data_of_edges(source, ends)
        directed = source.is_directed()
        if not directed:  # each edge is listed at both ends, and named from its first
            ends = ends[:, ends[1] >= ends[0]]
        rows = list(data)
        if source.is_multigraph():
            ends = ends.repeat([len(parallel) for parallel in rows], axis=1)
            rows = [one for parallel in rows for one in parallel.values()]
        at_nodes = columns([given for _, given in source.nodes(data=True)])
        of_graph = columns([source.graph])
        return cls(
            what,
            directed,
            nodes,
            ends,
            columns(rows),
            at_nodes,
            of_graph,
            None,
            is_file,
        )

    @classmethod
    def of_rows(
        cls,
        what: str,
        directed: bool,
        nodes: Mapping[Hashable, Mapping[str, Any]],
        edges: Sequence[tuple[Hashable, Hashable, Mapping[str, Any]]],
        of_graph: Mapping[str, Any],
    ) -> GraphBuilder:
        """What a file says of nodes, by their ids, and of edges, whose ends are among them."""
        place = {node: number for number, node in enumerate(nodes)}
        pairs = [(place[u], place[v]) for u, v, _ in edges]
        return cls(
            what,
            directed,
            list(nodes),
            np.array(pairs, dtype=np.int64).reshape(-1, 2).T,
            columns([given for *_, given in edges]),
            columns(list(nodes.values())),
            columns([of_graph]),
            is_file=True,
        )

    @classmethod
    def of_table(cls, table: UserTable, what: str, *, directed: bool) -> GraphBuilder:
        """Edges with source, target and attributes; a source alone is a node."""
        cells = {name: of for name, of in table.columns.items() if name not in ("source", "target")}
        nodes, ends = _node_codes(table.columns["source"], table.columns["target"])
        has_source, has_target = ends >= 0
        has_attribute = ~has_target & np.any([cells_there(of) for of in cells.values()] or False, 0)
        for row in np.flatnonzero(~has_source | has_attribute)[:1].tolist():
            raise table.error(
                f"{table.where(row)}: the {'target' if has_source[row] else 'source'} is missing. "
                "Give both ends of the edge."
            )
        rows = np.flatnonzero(has_target)
        chosen = None if has_target.all() else rows
        return cls(
            what,
            directed,
            nodes,
            ends[:, has_target],
            {
                name: table.attribute(name, chosen)
                for name, of in cells.items()
                if cells_there(of).any()
            },
            where=lambda row: table.where(int(rows[row])),
            is_file=table.is_file,
            notes=list(table.notes),
        )

    def build(self, nodes: UserTable | None = None, directed: bool | None = None) -> NamedGraph:
        """The graph, with self-loops left out, and the user's own nodes.

        nodes: a table that says more of them. directed: as the user asks for it; None: as it is.
        """
        if self.is_file:
            self._check_weights()
        own, at_nodes = self.nodes, dict(self.at_nodes)
        if nodes is not None:
            own, at_nodes = join_nodes(own, at_nodes, nodes, self.notes)
        names = self._names(own)
        first, second = self.ends
        is_turned = (first > second) & (not self.directed)
        low, high = np.where(is_turned, self.ends[::-1], self.ends)
        keys = low * len(own) + high
        order = np.argsort(keys, kind="stable")  # of equals, the row that came first is first
        is_first = np.ones(len(keys), dtype=bool)
        is_first[1:] = np.diff(keys[order]) != 0
        kept, is_repeated = order[is_first], np.zeros(0, dtype=bool)
        at_edges = turned(self.at_edges, is_turned)
        if len(kept) < len(order):
            again = order[~is_first]
            edge = np.cumsum(is_first)[~is_first] - 1
            self._check_repeated(again, kept[edge], at_edges, is_turned)
            is_repeated = np.bincount(edge, minlength=len(kept)) > 0
        else:
            is_repeated = np.zeros(len(kept), dtype=bool)
        is_edge = low[kept] != high[kept]
        loops, kept = low[kept[~is_edge]], kept[is_edge]
        graph = Graph(
            np.array([len(own)]),
            np.array([len(kept)]),
            np.stack([low[kept], high[kept]]),
            names,
            node_attributes=at_nodes,
            edge_attributes=_picked(at_edges, kept),
            graph_attributes=self.of_graph,
            notes=tuple(self.notes),
            directed=self.directed,
            loops=tuple(loops.tolist()),
            parallel=tuple(np.flatnonzero(is_repeated[is_edge]).tolist()),
            named_at=np.where(is_turned[kept], ~kept, kept),
        )
        return NamedGraph(with_directions(graph, directed, self.what), tuple(own), self.what)

    # ---- what is refused

    def _error(self, row: int, problem: str) -> GraphError:
        where = self.what if self.where is None else self.where(row)
        return (GraphFileError if self.is_file else GraphError)(f"{where}: {problem}")

    def _row(self, row: int) -> dict[str, Any]:
        """What a row says, by column."""
        only = np.array([row])
        cells = {name: as_written(picked(of, only))[0] for name, of in self.at_edges.items()}
        return {name: cell for name, cell in cells.items() if cell is not None}

    def _edge(self, row: int) -> str:
        u, v = self.ends[:, row].tolist()
        return f"edge ({self.nodes[u]}, {self.nodes[v]})"

    def _names(self, own: Sequence[Hashable]) -> tuple[str, ...]:
        """Names of nodes; a graph without any, or with two that read alike, is refused."""
        if not own:
            error = GraphFileError if self.is_file else GraphError
            raise error(f"{self.what} is empty: it has no nodes; give a graph with at least one.")
        names = tuple(map(str, own))
        if len(set(names)) < len(names):
            name, _ = Counter(names).most_common(1)[0]
            raise GraphError(
                f"{self.what} has different nodes that read alike as text ({name!r}); rename one "
                "of them."
            )
        return names

    def _check_weights(self) -> None:
        """Refuses weights of a file that are no numbers, or that some edges have and others not."""
        weights = self.at_edges.get("weight")
        if weights is None:
            return
        is_there, has_none = hold_something(weights), without_numbers(weights)
        for row in np.flatnonzero(has_none & is_there)[:1].tolist():
            raise self._error(
                row,
                f"'weight' of {self._edge(row)} is '{self._row(row)['weight']}', which is no "
                "number. Correct the file.",
            )
        for row in np.flatnonzero(~is_there)[:1].tolist():
            raise GraphFileError(
                f"{self.what}: {self._edge(row)} has no weight though others have. Give every edge "
                "a weight, or none."
            )

    def _check_repeated(
        self,
        again: np.ndarray,
        firsts: np.ndarray,
        at_edges: Mapping[str, Attribute],
        is_turned: np.ndarray,
    ) -> None:
        """Refuses rows that say an edge again, and something else of it."""
        is_doubtful = np.zeros(len(again), dtype=bool)
        for values in at_edges.values():
            is_doubtful |= differ(values, again, firsts)
        for row, first in sorted(
            zip(again[is_doubtful].tolist(), firsts[is_doubtful].tolist(), strict=True)
        ):
            there, here = self._row(first), self._row(row)
            is_back = is_turned[row] != is_turned[first]
            alike = _turned(here, {*here, *there}) if is_back else here
            if there.keys() != alike.keys() or any(are_unlike(there[n], alike[n]) for n in there):
                name = next(iter(here), "weight")
                both = f", or say both ways in one, as {name} and {name}{BACK}" if is_back else ""
                raise self._error(
                    row,
                    f"{self._edge(row)} stands twice, once with {_in_words(there)} and once with "
                    f"{_in_words(here)}. Keep one of them{both}.",
                )


def _turned(cells: Mapping[str, Any], names: set[str]) -> dict[str, Any]:
    """What an edge says, from its other end: of a name and the one with ``_back``, the other."""
    other = {name: name + BACK for name in names if name + BACK in names}
    other |= {back: name for name, back in other.items()}
    return {other.get(name, name): value for name, value in cells.items()}


def _in_words(cells: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {value}" for name, value in cells.items()) or "nothing"


def _picked(attributes: Mapping[str, Attribute], rows: np.ndarray) -> dict[str, Attribute]:
    """The values in some rows, of names that some of them have a value for."""
    chosen: dict[str, Attribute] = {}
    for name, values in attributes.items():
        some = picked(values, rows)
        if some.dtype == object and len(some) < len(values):
            some = column(some.tolist())  # as the values left may be of one type
        if hold_something(some).any():
            chosen[name] = some
    return chosen


# ---- NetworkX


def adjacency_of(source: nx.Graph) -> np.ndarray:
    """[2, L] each node's place and the place of one that it lists, in the order of the lists."""
    nodes, lists = list(source), [others for _, others in source.adjacency()]
    counts = np.fromiter(map(len, lists), np.int64, len(nodes))
    listed: Any = chain.from_iterable(lists)
    if nodes == list(range(len(nodes))):
        heads = np.fromiter(listed, np.int64, counts.sum())
    else:
        place = dict(zip(nodes, range(len(nodes)), strict=True))
        heads = np.array(list(map(place.__getitem__, list(listed))), dtype=np.int64)
    return np.stack([np.repeat(np.arange(len(nodes)), counts), heads])


def data_of_edges(source: nx.Graph, adjacency: np.ndarray) -> Iterator[Any]:
    """What each edge carries, in the order of ``source.edges``."""
    data = chain.from_iterable(others.values() for _, others in source.adjacency())
    is_listed_first = adjacency[1] >= adjacency[0]
    return data if source.is_directed() else compress(data, is_listed_first.tolist())


# ---- nodes as codes


def _node_codes(source: Cells, target: Cells) -> tuple[list[Hashable], np.ndarray]:
    """The nodes in the order they come in, and [2, R] which of them rows name; below 0 for none."""
    if isinstance(source, np.ndarray) or isinstance(target, np.ndarray):
        return _codes_one_by_one(source, target)
    kind = source.type
    if kind != target.type or not (pa.types.is_string(kind) or pa.types.is_integer(kind)):
        return _codes_one_by_one(source, target)
    # a row's source comes before its target
    rows = np.stack([np.arange(len(source)), np.arange(len(source)) + len(source)]).T.reshape(-1)
    both = pa.chunked_array([*source.chunks, *target.chunks], kind).take(to_arrow(rows))
    distinct, codes = encoded(both)
    return distinct.to_pylist(), codes.astype(np.int64).reshape(-1, 2).T


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

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
from algolens.graphs.tables import ENDS, UserTable, join_nodes
from algolens.lazy import nx


@dataclass
class GraphBuilder:
    """Nodes and edges as a user names them, by column. A file's weights are numbers, or none."""

    what: str  # what messages call it
    directed: bool
    nodes: Sequence[Hashable]  # a range: they have numbers alone
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
        return cls(
            what,
            directed,
            nodes,
            ends,
            columns(rows),
            at_nodes,
            columns([source.graph]),
            is_file=is_file,
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
        is_there = {name: hold_something(values) for name, values in table.columns.items()}
        has_source, has_target = is_there.pop("source"), is_there.pop("target")
        says_more = np.any([*is_there.values(), ~has_source], axis=0)
        for row in np.flatnonzero(~has_source | (says_more & ~has_target))[:1].tolist():
            raise table.refusal(
                row,
                f"the {'target' if has_source[row] else 'source'} is missing. Give both ends of "
                "the edge.",
            )
        rows = np.flatnonzero(has_target)
        nodes, ends = _ends_in(table)
        return cls(
            what,
            directed,
            nodes,
            ends[:, rows],
            {
                name: _some(table.columns[name], rows)
                for name, there in is_there.items()
                if there.any()
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
            own, at_nodes = join_nodes(list(own), at_nodes, nodes, self.notes)
        names = self._names(own)
        is_turned = (self.ends[0] > self.ends[1]) & (not self.directed)
        low, high = np.where(is_turned, self.ends[::-1], self.ends)
        keys = low * len(own) + high
        order = np.argsort(keys, kind="stable")  # of equals, the row that came first is first
        is_first = np.diff(keys[order], prepend=-1) != 0
        kept, edge = order[is_first], np.cumsum(is_first) - 1
        at_edges = turned(self.at_edges, is_turned)
        self._check_repeated(order[~is_first], kept[edge[~is_first]], at_edges, is_turned)
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
            parallel=tuple(np.flatnonzero((np.bincount(edge) > 1)[is_edge]).tolist()),
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

    def _names(self, own: Sequence[Hashable]) -> tuple[str, ...] | None:
        """Names of nodes, unless they are numbered; none, or two that read alike, are refused."""
        if not own:
            error = GraphFileError if self.is_file else GraphError
            raise error(f"{self.what} is empty: it has no nodes; give a graph with at least one.")
        if isinstance(own, range):
            return None
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
        some = _some(values, rows)
        if not len(values) or hold_something(some).any():
            chosen[name] = some
    return chosen


def _some(values: Attribute, rows: np.ndarray) -> Attribute:
    """The values in some rows; those left may be of one type."""
    some = values[rows]
    return column(some.tolist()) if some.dtype == object and len(some) < len(values) else some


def _ends_in(table: UserTable) -> tuple[list[Hashable], np.ndarray]:
    """The nodes of a table of edges, and [2, R] the places of those that rows name; -1 for none.

    Nodes are in the order in which they come, a row's source before its target.
    """
    columns = [table.columns[name].tolist() for name in ENDS]
    ends = table.ends
    if ends is None:  # by Python's own equality, for which 1 and 1.0 are one node
        code = {node: place for place, node in enumerate(dict.fromkeys(chain(*columns)))} | {
            None: -1
        }
        ends = np.array([[code[node] for node in of] for of in columns], dtype=np.int64)
    codes = ends.T.reshape(-1)
    first = np.full(codes.max(initial=-1) + 2, len(codes))
    first[codes[::-1]] = np.arange(len(codes))[::-1]
    first[-1] = len(codes)  # where there is none
    place = np.argsort(np.argsort(first))
    place[-1] = -1
    firsts = np.sort(first[first < len(codes)]).tolist()
    return [columns[at % 2][at // 2] for at in firsts], place[ends]


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

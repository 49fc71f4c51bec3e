"""CLRS's traces as inputs of our algorithms, and runs of ours as CLRS tells of them.

``tasks.toml`` names the functions of this module. Those of inputs take a trace and its graph, those
of moments a trace, all others a run of ours; then come words of the table. Values are arrays over
states, in CLRS's shapes; what CLRS does not say is masked.
"""

from __future__ import annotations

import math
from functools import cached_property

import numpy as np
from numpy.ma import masked_array

from algolens.clrs.traces import BITS, MASKED, Trace
from algolens.engines import Run
from algolens.errors import GraphError
from algolens.graphs import Graph
from algolens.graphs.cells import TABLES, Cells

DECIMALS = 6  # after which CLRS's sampler cuts coordinates off (benchmarks/clrs_traces.py)
TICK = 0.01  # by which CLRS's clock goes on

# ---- inputs


def whole(trace: Trace, graph: Graph, name: str, bits: str = str(BITS - 1)) -> np.ndarray:
    """Numbers of CLRS as whole numbers, exactly: floats are multiples of a power of two.

    bits: how many they have after the point; CLRS's are below 2 and have no bits beyond the 57th.
    """
    scaled = trace.inputs[name].astype(np.float64).reshape(-1) * 2.0 ** int(bits)
    exact = scaled.astype(np.int64)
    if not np.array_equal(exact, scaled) or (abs(exact) >= 2**BITS).any():
        raise GraphError(
            f"a number of the trace has no room in {BITS} bits as a multiple of 1 / "
            f"{2 ** int(bits):g}: give traces of CLRS's own samplers, whose numbers have it."
        )
    return exact


def at_edges(trace: Trace, graph: Graph, name: str) -> np.ndarray:
    """The whole numbers of pairs of nodes that are edges."""
    one_end, other_end = graph.edges
    return whole(trace, graph, name)[one_end * trace.num_nodes + other_end]


def decimal(trace: Trace, graph: Graph, name: str) -> np.ndarray:
    """Coordinates as whole numbers."""
    placed = np.rint(trace.inputs[name] * 10**DECIMALS).astype(np.int64)
    if not np.array_equal(placed / 10**DECIMALS, trace.inputs[name]):
        raise GraphError(
            f"a coordinate of the trace has more than {DECIMALS} decimals: make traces with "
            "benchmarks/clrs_traces.py, which cuts them off."
        )
    return placed


def as_given(trace: Trace, graph: Graph, name: str) -> np.ndarray:
    """Whole numbers as they are."""
    return trace.inputs[name].astype(np.int64)


def is_set(trace: Trace, graph: Graph, name: str) -> np.ndarray:
    """A mask."""
    return trace.inputs[name] == 1


def which(trace: Trace, graph: Graph, name: str) -> np.ndarray:
    """Which of several is marked: a class, or a node."""
    return np.atleast_1d(trace.inputs[name].argmax(-1))


def number(trace: Trace, graph: Graph, value: str) -> np.ndarray:
    """A number of the graph."""
    return np.array([int(value)])


def half(trace: Trace, graph: Graph) -> np.ndarray:
    """The rank that CLRS looks for."""
    return np.array([trace.num_nodes // 2])


def numbered(trace: Trace, graph: Graph) -> np.ndarray:
    """The numbers of nodes: of two, the one of the higher number goes first."""
    return np.arange(graph.num_nodes)


def are_adjacent(trace: Trace, graph: Graph, name: str) -> np.ndarray:
    """Which pairs of nodes have an edge; each has one to itself."""
    return ((trace.inputs[name] != 0) | np.eye(trace.num_nodes, dtype=bool)).ravel()


def beside(trace: Trace, graph: Graph, table: str, name: str) -> np.ndarray:
    """The cells beside those of a table."""
    return TABLES[table](trace.num_nodes).beside[name]


def rest(trace: Trace, graph: Graph) -> np.ndarray:
    """What is left of intervals that are split."""
    return Cells.intervals(trace.num_nodes).splits[1]


def of_cells(
    trace: Trace, graph: Graph, table: str, whose: str, function: str, *words: str
) -> np.ndarray:
    """What the row, or the column, of each cell has."""
    values: np.ndarray = globals()[function](trace, graph, *words)
    return values[getattr(TABLES[table](trace.num_nodes), whose)]


# ---- moments of CLRS's traces that have a state of ours beside them


def every(trace: Trace) -> np.ndarray:
    """All of them."""
    return np.arange(len(next(iter(trace.hints.values()))))


def after_the_first(trace: Trace) -> np.ndarray:
    """All but the beginning."""
    return every(trace)[1:]


def ticks(trace: Trace) -> np.ndarray:
    """The beginning, and when the clock has gone on: a node was entered, or left for good."""
    time = trace.hints["time"]
    return np.flatnonzero(np.append(True, time[1:] != time[:-1]))


def ticks_of_the_first_search(trace: Trace) -> np.ndarray:
    """Those before the second search begins."""
    there = ticks(trace)
    return there[trace.hints["phase"][there] == 0]


def changes_of_color(trace: Trace) -> np.ndarray:
    """The beginning, and when a node has another color."""
    color = trace.hints["color"]
    return np.flatnonzero(np.append(True, (color[1:] != color[:-1]).any((1, 2))))


def changes_of_color_and_relaxations(trace: Trace) -> np.ndarray:
    """When the source has been entered, when a color has changed since, and the relaxing; the
    source is left where that begins.
    """
    changes = changes_of_color(trace)
    return np.append(changes[1:-1], np.arange(changes[-1] + 1, len(trace.hints["color"])))


def after_unions(trace: Trace) -> np.ndarray:
    """The beginning, and when an edge has been dealt with; between, CLRS follows pointers one at a
    time.
    """
    return np.flatnonzero(trace.hints["phase"][:, 0])


def sorted_at_once(trace: Trace) -> np.ndarray:
    """CLRS sorts in one hint; of ours, every point takes a step in which CLRS shows nothing."""
    before = np.append(0, np.ones(trace.num_nodes, dtype=int))
    return np.append(before, np.arange(2, len(trace.hints["phase"])))


# ---- a run


class Ours:
    """A run on one graph.

    Parameters
    ----------
    run : Run
        On one graph.
    at_end : bool
        Whether fields are wanted as they are in the end; else in every state.
    """

    def __init__(self, run: Run, at_end: bool = False) -> None:
        self.run, self.at_end = run, at_end
        self.table, self.n = run.algorithm.table, run.graph.num_nodes
        self.num_states = run.num_steps + 1
        self.edges, self.links = np.asarray(run.graph.edges), np.asarray(run.graph.links)

    def __getitem__(self, name: str) -> np.ndarray:
        """[states, ...] a field; in the end, [...]."""
        values = self.run.final(name) if self.at_end else self.run.state(name).dense()
        return np.asarray(values)

    def seen(self, name: str) -> np.ndarray:
        """[T, ...] an observation."""
        return np.asarray(self.run[name].dense())

    def given(self, name: str) -> np.ndarray:
        """An input."""
        return np.asarray(self.run.inputs[name])

    @cached_property
    def num_nodes(self) -> int:
        """How many nodes CLRS's graph has: ours has one for each cell, if the task has a table."""
        if self.table == "intervals":
            return (math.isqrt(8 * self.n + 1) - 1) // 2
        return math.isqrt(self.n) if self.table == "pairs" else self.n

    @cached_property
    def cells(self) -> Cells:
        """The cells of its table."""
        assert self.table is not None
        return TABLES[self.table](self.num_nodes)


# ---- helpers


def mark_at(nodes: np.ndarray, count: int) -> np.ndarray:
    """[..., count] a mark at one of so many."""
    return np.eye(count, dtype=int)[nodes]


def earlier(values: np.ndarray) -> np.ndarray:
    """What it was a state earlier; in the beginning, what it is."""
    return np.concatenate([values[:1], values[:-1]])


def where_any(marks: np.ndarray) -> np.ndarray:
    """[states, N] marks; nothing while there is none."""
    return masked_array(marks, np.broadcast_to(~marks.any(1, keepdims=True), marks.shape))


def from_state(marks: np.ndarray, first: int) -> np.ndarray:
    """[states, N] marks; nothing before a state."""
    return masked_array(marks, np.broadcast_to(np.arange(len(marks))[:, None] < first, marks.shape))


def last_change(changed: np.ndarray) -> np.ndarray:
    """[states] in which state a row was changed last; 0 before."""
    return np.maximum.accumulate(np.where(changed.any(1), np.arange(len(changed)), 0))


def new(marks: np.ndarray) -> np.ndarray:
    """[states, N] which marks a state has and the one before has not."""
    return np.diff(marks, axis=0, prepend=False)


def ends_of_pointers(pointers: np.ndarray) -> np.ndarray:
    """[T, N] where pointers lead in the end."""
    ends = pointers.astype(np.int64)
    while not np.array_equal(ends, further := np.take_along_axis(ends, ends, 1)):
        ends = further
    return ends


def pairs_of_ends(run: Ours, values: np.ndarray, nothing: int = 0) -> np.ndarray:
    """[..., N, N] what edges have, at both of their ends."""
    pairs = np.full((*values.shape[:-1], run.n, run.n), nothing, dtype=np.int64)
    one_end, other_end = run.edges
    pairs[..., one_end, other_end] = pairs[..., other_end, one_end] = values
    return pairs


# ---- functions of the table


def of_graph(run: Ours, name: str, bits: str = "0") -> np.ndarray:
    """[states] a number, or a mask, of the whole graph, in units of so many bits."""
    return run[name][..., 0] / 2 ** int(bits)


def outcome(run: Ours, name: str) -> np.ndarray:
    """A result of the graph."""
    return np.array(int(run.run.outcomes[name][0]))


def real(run: Ours, name: str) -> np.ndarray:
    """[states, N] whole numbers as CLRS has them, to the nearest float."""
    return run[name] / 2.0 ** (BITS - 1)


def but_not(run: Ours, name: str, other: str) -> np.ndarray:
    """[states, N] where one mask is and another is not."""
    return run[name] & ~run[other]


def at(run: Ours, name: str, less: str = "0") -> np.ndarray:
    """A mark at the node whose number is a number of the graph, or so much less."""
    return mark_at(run[name][..., 0] - int(less), run.n)


def middle(run: Ours) -> np.ndarray:
    """[states, N] the node in the middle of a range."""
    return mark_at((run["low"][:, 0] + run["high"][:, 0]) // 2, run.n)


def marked(run: Ours, name: str) -> np.ndarray:
    """[states, N] the node that a mask marks; nothing while it marks none."""
    return where_any(run[name])


def newly(run: Ours, name: str) -> np.ndarray:
    """[states, N] the node that has just got a mark; nothing where none has."""
    return where_any(new(run[name]))


def latest(run: Ours, name: str) -> np.ndarray:
    """[states, N] the node that got a mark last; nothing before one has."""
    marks = new(run[name])
    return where_any(marks[last_change(marks)])


def in_a_row(run: Ours, begins: str = "") -> np.ndarray:
    """[states, N] the node before, in the order in which nodes are given; the first has itself.

    begins: a mask that is true from the first node of a second row on.
    """
    before = np.maximum(np.arange(run.num_nodes) - 1, 0)
    if begins:
        head = int(run.given(begins)[: run.num_nodes].argmax())
        before[head] = head
    return np.broadcast_to(before, (run.num_states, len(before)))


def at_ends(run: Ours, name: str) -> np.ndarray:
    """[..., N, N] a mask of edges, at both of their ends."""
    return pairs_of_ends(run, run[name])


# ---- depth-first searches


def left(run: Ours) -> np.ndarray:
    """[states, N] whether a node has been left for good."""
    gone = run.seen("is_dead_end").cumsum(0) > 0
    return np.concatenate([np.zeros_like(gone[:1]), gone])


def color(run: Ours) -> np.ndarray:
    """[states, N, 3] one of: not visited, visited, left for good."""
    return mark_at(run["visited"].astype(int) + left(run), 3)


def entered_at(run: Ours) -> np.ndarray:
    """[states, N] when a node was entered; 0 before."""
    return _time_of(run["visited"])


def left_at(run: Ours) -> np.ndarray:
    """[states, N] when a node was left; 0 before."""
    return _time_of(left(run))


def _time_of(happened: np.ndarray) -> np.ndarray:
    return np.where(happened, TICK * happened.argmax(0), 0)


def clock(run: Ours) -> np.ndarray:
    """[states] CLRS's time."""
    return TICK * np.arange(run.num_states)


def once_left(run: Ours, name: str) -> np.ndarray:
    """[states, N] a field, only of nodes that have been left; a number is in ticks."""
    values = run[name]
    return masked_array(values if values.dtype == bool else TICK * values, ~left(run))


def num_children(run: Ours) -> np.ndarray:
    """[states, N] how many nodes were entered from a node, in ticks."""
    parents, nodes = run["parent"], np.arange(run.n)
    return TICK * ((parents[:, :, None] == nodes) & (nodes[:, None] != nodes)).sum(1)


def bridges(run: Ours) -> np.ndarray:
    """[..., N, N] bridges; -1 where there is no edge, and in a state only of edges both of whose
    ends have been left.
    """
    if run.at_end:
        nothing = np.eye(run.n, dtype=bool)
    else:
        one_end, other_end = run.edges
        gone = left(run)
        nothing = pairs_of_ends(run, gone[:, one_end] & gone[:, other_end]) == 0
    return masked_array(pairs_of_ends(run, run["is_bridge"], nothing=-1), nothing)


def of_source(run: Ours, name: str) -> np.ndarray:
    """[states] a field of the node that CLRS begins from."""
    return run[name][:, int(run.given("source")[0])]


# ---- CLRS's stack, and the nodes that its loops have come to


def _last_node(run: Ours) -> tuple[np.ndarray, np.ndarray]:
    """[states] the node that was entered or left last, and whether it was entered; before the
    first, node 0, which CLRS begins with.
    """
    entered = new(run["visited"])
    changed = entered | new(left(run))
    last = last_change(changed)
    return changed.argmax(1)[last], np.any(entered, 1)[last] | (last == 0)


def _of_last(values: np.ndarray, nodes: np.ndarray) -> np.ndarray:
    return values[np.arange(len(nodes)), nodes]


def below(run: Ours, parent: str) -> np.ndarray:
    """[states, N] who stands below a node on the stack; all others have themselves."""
    gone = left(run)
    before = np.concatenate([gone[:1], gone[:-1]])  # who is left leaves the stack thereafter
    return np.where(run["visited"] & ~before, run[parent], np.arange(run.n))


def root(run: Ours, parent: str) -> np.ndarray:
    """[states, N] the node from which all those on the stack were found."""
    return mark_at(_of_last(ends_of_pointers(run[parent]), _last_node(run)[0]), run.n)


def found_from(run: Ours, parent: str) -> np.ndarray:
    """[states, N] the node from which another was found, or which was left."""
    node, entered = _last_node(run)
    return mark_at(np.where(entered, _of_last(run[parent], node), node), run.n)


def looked_at(run: Ours) -> np.ndarray:
    """[states, N] the node that was entered; where one is left, CLRS has looked through all."""
    node, entered = _last_node(run)
    return mark_at(np.where(entered, node, run.n - 1), run.n)


def top(run: Ours) -> np.ndarray:
    """[states, N] the node that was entered or left last."""
    return mark_at(_last_node(run)[0], run.n)


# ---- spanning trees


def end_of_edge(run: Ours, end: str, of_set: str = "") -> np.ndarray:
    """[states, N] an end of the edge that was dealt with last, or the root of the set that it was
    in; nothing in the beginning.
    """
    nodes = new(run["considered"]).astype(int) @ run.edges[int(end)]
    if of_set:
        nodes = _of_last(earlier(run["parent"]), nodes)
    return from_state(mark_at(nodes, run.n), 1)


def parent_in_tree(run: Ours) -> np.ndarray:
    """[states, N] parents, of nodes of the tree alone."""
    return masked_array(run["parent"], ~run["in_tree"])


def beside_the_tree(run: Ours) -> np.ndarray:
    """[states, N] nodes that the tree can grow to; none after the last step."""
    return np.isfinite(_least(run))


def least_weight(run: Ours) -> np.ndarray:
    """[states, N] of nodes beside the tree, the weight of the lightest edge to it."""
    least = _least(run)
    return masked_array(least, ~np.isfinite(least))


def _least(run: Ours) -> np.ndarray:
    """[states, N] the weight of the lightest link that leads to a node out of the tree."""
    sender, receiver = run.links
    weight = np.tile(run.given("weight"), len(sender) // max(run.edges.shape[1], 1))
    out = np.where(run.seen("leads_out"), weight / 2.0 ** (BITS - 1), np.inf)
    least = np.full((run.num_states, run.n), np.inf)
    for link, node in enumerate(receiver):
        least[:-1, node] = np.minimum(least[:-1, node], out[:, link])
    return least


# ---- orders


def _order(run: Ours) -> np.ndarray:
    """[states, N] which node stands at a place."""
    return run["place"].argsort(-1)


def predecessors(run: Ours) -> np.ndarray:
    """[..., N] which node stands before a node; the first has itself."""
    order = _order(run)
    before = np.zeros_like(order)
    ahead = np.concatenate([order[..., :1], order[..., :-1]], -1)
    np.put_along_axis(before, order, ahead, -1)
    return before


def _standing_at(run: Ours, places: np.ndarray) -> np.ndarray:
    """[states, N] a mark at the node that stands at a place after the step."""
    return mark_at(np.take_along_axis(_order(run), places[:, None], 1)[:, 0], run.n)


def standing_where(run: Ours, name: str, first: str = "0") -> np.ndarray:
    """[states, N] a mark at the node that stands after the step where a number of the graph pointed
    before it. first: the state before which CLRS says nothing of it.
    """
    return from_state(_standing_at(run, _before(run, name)), int(first))


def _before(run: Ours, name: str) -> np.ndarray:
    """[states] a number of the graph before the step."""
    return earlier(run[name][:, 0])


def _step(run: Ours, name: str) -> np.ndarray:
    """[states] whether it was seen at the graph in the step that led to a state."""
    return np.append(False, run.seen(name)[:, 0])


def insertion_place(run: Ours) -> np.ndarray:
    """[states, N] the node that stood where the next number was inserted."""
    inserted = new(run["inserted"]).argmax(1)
    at = np.take_along_axis(run["place"], inserted[:, None], 1)
    return mark_at(np.take_along_axis(earlier(_order(run)), at, 1)[:, 0], run.n)


# ---- partition


def _front(run: Ours) -> np.ndarray:
    """[states] where the part of small numbers ends after the step."""
    return _before(run, "front") + _step(run, "swaps")


def front(run: Ours) -> np.ndarray:
    """[states, N] the node where the part of small numbers ends."""
    return _standing_at(run, _front(run))


def scanned(run: Ours) -> np.ndarray:
    """[states, N] the node that was looked at; at the end of a part, its last."""
    last, current = _before(run, "high"), _before(run, "current")
    return _standing_at(run, np.where(_step(run, "closes"), last, current))


def pivot(run: Ours) -> np.ndarray:
    """[states, N] the node by which a part is split."""
    return _standing_at(run, np.where(_step(run, "closes"), _front(run), _before(run, "high")))


def rank_of_front(run: Ours) -> np.ndarray:
    """[states] counted from the first place; at the end of a part, from its first."""
    low = np.where(_step(run, "closes"), _before(run, "low"), 0)
    return (_front(run) - low) / run.n


def rank_in_part(run: Ours) -> np.ndarray:
    """[states] the rank that is looked for, counted from the first place of the part."""
    return (int(run.given("rank")[0]) - _before(run, "low")) / run.n


# ---- heaps


def heap(run: Ours) -> np.ndarray:
    """[states, N] which node is above a node of the heap; all others have themselves."""
    order = _order(run)
    above = np.tile(np.arange(run.n), (len(order), 1))
    for step, size in enumerate(run["size"][:, 0]):
        inside = np.arange(1, size)
        above[step, order[step, inside]] = order[step, (inside - 1) // 2]
    return above


def _phase(run: Ours) -> np.ndarray:
    """[states] 0: a heap is built; 1: its first number is taken; 2: a number sinks."""
    building = np.where(_before(run, "builds"), 0, 2)
    return np.where(_before(run, "is_extracting"), 1, building)


def phase_of_heap(run: Ours) -> np.ndarray:
    """[states, 3] what a step does."""
    return mark_at(_phase(run), 3)


def outer(run: Ours) -> np.ndarray:
    """[states, N] the node that the outer loop has come to."""
    places = _of_begun(run, _before(run, "outer"))
    return _standing_at(run, np.where(_phase(run) == 1, 0, places))


def sinking(run: Ours) -> np.ndarray:
    """[states, N] the node where a number sinks, or whose number is taken."""
    places = np.where(_phase(run) == 1, _before(run, "outer"), _before(run, "here"))
    return _standing_at(run, _of_begun(run, places))


def largest(run: Ours) -> np.ndarray:
    """[states, N] where the number sank to; where one was taken, CLRS has node 0."""
    rises, here = run.seen("rises"), run["here"][:-1, 0]
    risen = np.where(rises.any(1), (rises * run["place"][:-1]).sum(1), here)
    marks = _standing_at(run, _of_begun(run, np.append(0, risen)))
    marks[_phase(run) == 1] = mark_at(np.array(0), run.n)
    return marks


def last_of_heap(run: Ours) -> np.ndarray:
    """[states, N] the last node of the heap."""
    return _standing_at(run, run["size"][:, 0] - 1)


def _of_begun(run: Ours, places: np.ndarray) -> np.ndarray:
    """Places, which are the last one in the first state that CLRS has."""
    return np.where(np.arange(len(places)) < 2, run.n - 1, places)


# ---- pairs and intervals of nodes, which are cells of a table here


def _squared(run: Ours, values: np.ndarray) -> np.ndarray:
    """[..., N, N] what cells have; where there is no cell, nothing."""
    size, cells = run.num_nodes, run.cells
    square = np.zeros((*values.shape[:-1], size, size), dtype=values.dtype)
    square[..., cells.row, cells.column] = values
    return square


def square(run: Ours, name: str, bits: str = "0", where: str = "") -> np.ndarray:
    """[..., N, N] a field of cells, in units of so many bits. where: a mask, else it is 0."""
    values = run[name] * run[where] if where else run[name]
    return _squared(run, values) / 2.0 ** int(bits)


def row_of(run: Ours, name: str) -> np.ndarray:
    """[..., N, N] the last node but one on a path: the row of the cell of its last edge."""
    return _squared(run, run[name]) // run.num_nodes


def through(run: Ours) -> np.ndarray:
    """[states, N] the node that paths go through in the next step."""
    return mark_at(run["first"][:, 0], run.num_nodes)


def taken_from(run: Ours) -> np.ndarray:
    """[..., N, N, 4] a class of three, and the mark of pairs that are none of two letters."""
    inside = ~run.given("row_in_second") & run.given("column_in_second")
    marks = np.eye(3, 4, dtype=int)[_squared(run, run["taken_from"])]
    return np.where(_squared(run, inside)[..., None], marks, [0, 0, 0, MASKED])


def split(run: Ours, name: str) -> np.ndarray:
    """[..., N, N] where an interval is split: the last of its first part; 0 where it is not."""
    first_part = run[name]
    is_split = first_part != np.arange(run.n)
    return _squared(run, np.where(is_split, run.cells.column[first_part], 0))


# ---- points in the plane


def pointed(run: Ours, name: str) -> np.ndarray:
    """[states, N] where a pointer of the graph led in the step before; node 0 in the beginning."""
    return mark_at(np.append(0, run[name][:-1, 0]), run.n)


def of_ends(run: Ours, name: str, decimals: str = "0") -> np.ndarray:
    """[states, 4] what the graph keeps of each of four ends."""
    kept = [run[f"{name}_{place}"][:, 0] for place in range(1, 5)]
    return np.stack(kept, 1) / 10 ** int(decimals)


def _lowest(run: Ours) -> np.ndarray:
    """[states, N] the first corner."""
    in_hull = run["in_hull"]
    return np.broadcast_to(in_hull[1], in_hull.shape)


def lowest(run: Ours) -> np.ndarray:
    """[states, N] the first corner; in the beginning, node 0."""
    return _begun(run, _lowest(run))


def from_the_first_step(run: Ours, name: str) -> np.ndarray:
    """[states, N] a mark, which CLRS gives node 0 in the beginning."""
    return _begun(run, run[name])


def _begun(run: Ours, marks: np.ndarray) -> np.ndarray:
    return np.concatenate([mark_at(np.array([0]), run.n), marks[1:]])


def counted(run: Ours) -> np.ndarray:
    """[states, N] the point that is looked at."""
    return mark_at(np.maximum(run["count"][:, 0] - 1, 0), run.n)


def has_begun(run: Ours) -> np.ndarray:
    """[states, 2] whether the march has begun."""
    return mark_at(run["has_begun"][:, 0].astype(int), 2)


def scanned_point(run: Ours) -> np.ndarray:
    """[states, N] the point that a step looked at; before the scan, the lowest one."""
    looked = np.concatenate([_lowest(run)[:1], run.seen("is_current")])
    return _begun(run, np.where(looked.any(1, keepdims=True), looked, _lowest(run)))


def phase_of_scan(run: Ours) -> np.ndarray:
    """[states, 5] begun, lowest found, sorted, taken off the stack, put on it."""
    phase = np.ones(run.num_states, dtype=int)
    phase[0], phase[run.n + 1] = 0, 2
    for name, number in (("pops", 3), ("pushes", 4)):
        phase[1:][run.seen(name)[:, 0]] = number
    return mark_at(phase, 5)

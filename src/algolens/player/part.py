"""The part of a graph that a page shows: all of it, or the nodes near one of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from algolens.engines import Run, Timeline
from algolens.errors import GraphError
from algolens.evaluation import Side
from algolens.graphs import LOCATIONS, At, Graph
from algolens.language.fields import Field
from algolens.language.layouts import BoxLayout

# that a browser draws; beyond 1,000 nodes, without their names
MOST_NODES, MOST_EDGES = 5_000, 20_000
MOST_CHANGES = 500_000  # of all fields and steps: a page of some 10 MB
MOST_NEAR = 200  # nodes of a part: with names, and with no more edges than can be drawn


@dataclass(frozen=True, eq=False)
class Part:
    """The elements of a graph that a page shows, numbered anew; others only have names."""

    whole: Graph
    shown: dict[At, np.ndarray]  # by location, places in the whole graph, ascending
    around: int | None = None  # the node around which they lie; None: they are all
    # by location: others that a pointer leads to, and their numbers, after those that are shown
    outside: dict[At, dict[int, int]] = field(default_factory=lambda: {at: {} for at in LOCATIONS})

    @classmethod
    def of_all(cls, graph: Graph) -> Part:
        """The whole graph."""
        return cls(graph, {at: np.arange(graph.count(at)) for at in LOCATIONS})

    @classmethod
    def near(cls, graph: Graph, node: int, room: int, *, in_row: bool = False) -> Part:
        """So many nodes, the nearest to one of them, and the edges between these.

        in_row: nodes are near by their numbers, not by edges, as where they are drawn as bars.
        """
        first = max(0, min(node - room // 2, graph.num_nodes - room))
        in_order = np.arange(first, min(first + room, graph.num_nodes))
        nodes = in_order if in_row else _nearest(graph, node, room)
        is_shown = np.zeros(graph.num_nodes, dtype=bool)
        is_shown[nodes] = True
        edges = np.flatnonzero(is_shown[graph.edges].all(0))
        # an undirected edge is two links: one of the first half, one of the second
        links = edges if graph.directed else np.concatenate([edges, edges + graph.num_edges])
        whole = np.zeros(1, dtype=np.int64)
        return cls(graph, {"node": nodes, "edge": edges, "link": links, "graph": whole}, node)

    @property
    def edges(self) -> np.ndarray:
        """[2, E] the ends of the edges that are shown, by their new numbers."""
        return self._numbers("node", self.whole.edges[:, self.shown["edge"]])

    def edges_as_named(self) -> dict[str, list[int]]:
        """Which edges the user turned round (1), and all edges in the user's order."""
        order, shown = self.whole.named_order("edge"), self.shown["edge"]
        index = np.argsort(order)[shown]
        return {
            "turned": self.whole.is_turned[shown].astype(int).tolist(),
            "order": np.argsort(index).tolist(),
        }

    @property
    def graph(self) -> Graph:
        """The part as a graph, for its layout."""
        if self.around is None:
            return self.whole
        num_nodes = len(self.shown["node"])
        return Graph.pack([num_nodes], self.edges.T, directed=self.whole.directed)

    def num_changes(self, side: Side) -> int:
        """How many changes a page would hold of a run."""
        changes = 0
        for at, over_time in _over_time(side):
            is_shown = np.zeros(self.whole.count(at), dtype=bool)
            is_shown[self.shown[at]] = True
            changes += int(is_shown[over_time.elements].sum())
        return changes

    def number(self, at: At, place: int) -> int:
        """The number of one element, be it shown or outside."""
        return int(self._numbers(at, np.array([place]))[0])

    def values(self, values: np.ndarray, known: Field) -> np.ndarray:
        """A field's values at the elements that are shown."""
        return self._pointed(values[self.shown[known.at]], known)

    def over_time(self, timeline: Timeline, known: Field) -> Timeline:
        """A field over time at the elements that are shown."""
        taken = timeline
        if self.around is not None:
            taken = timeline.take(self.shown[known.at], timeline.num_steps)
        return Timeline.of_changes(
            self._pointed(taken.first, known),
            taken.num_steps,
            taken.steps,
            taken.elements,
            self._pointed(taken.values, known),
        )

    def names_outside(self) -> dict[str, list[str]]:
        """By location, the names of those outside, in the order of their numbers."""
        return {
            at: [self.whole.name_at(at, place) for place in places]
            for at, places in self.outside.items()
            if at != "graph"
        }

    def _pointed(self, values: np.ndarray, known: Field) -> np.ndarray:
        to = known.to
        return values if to is None else self._numbers(to, values)

    def _numbers(self, at: At, places: np.ndarray) -> np.ndarray:
        """The new numbers of elements; those outside that were not met yet get the next ones."""
        if self.around is None:
            return places
        shown, outside = self.shown[at], self.outside[at]
        numbers = np.full(self.whole.count(at), -1)
        numbers[shown] = np.arange(len(shown))
        for place in np.unique(places[numbers[places] < 0]).tolist():
            outside.setdefault(place, len(shown) + len(outside))
        if outside:
            numbers[list(outside)] = list(outside.values())
        return numbers[places]

    @property
    def told(self) -> str:
        """What a user is told of it, in a line."""
        assert self.around is not None
        return (
            f"this is a part of the graph: {len(self.shown['node']):,} of "
            f"{self.whole.num_nodes:,} nodes, around {self.whole.name_of(self.around)}; values are "
            "those of the whole run, and there is no what if. --around NODE (in Python, around=) "
            "shows another part."
        )


def choose_part(sides: Sequence[Side], around: int | None) -> Part:
    """The whole graph where a browser has room for it; else what is near a node, or was asked for.

    Without a node, that is the first mistake, else a source, else what changes first.
    """
    run = sides[0].run
    whole = Part.of_all(run.graph)
    has_room = run.graph.num_nodes <= MOST_NODES and run.graph.num_edges <= MOST_EDGES
    if around is None and has_room and sum(map(whole.num_changes, sides)) <= MOST_CHANGES:
        return whole
    node, room = _middle(sides) if around is None else around, MOST_NEAR
    in_row = isinstance(run.algorithm.layout, BoxLayout)
    while True:
        part = Part.near(run.graph, node, room, in_row=in_row)
        if sum(map(part.num_changes, sides)) <= MOST_CHANGES:
            return part
        if room == 1:
            raise GraphError(
                f"this run changes one node or the graph more than {MOST_CHANGES:,} times in "
                f"{run.num_steps:,} steps, which is more than a page holds: read it by "
                "execute --why NODE --step K."
            )
        room //= 2


def root_of(run: Run) -> int | None:
    """The node that an input of the graph points to: a source."""
    for name, known in run.algorithm.declaration.inputs.items():
        if known.at == "graph" and known.to == "node":
            return int(run.inputs[name][0])
    return None


def _over_time(side: Side) -> Iterator[tuple[At, Timeline]]:
    """All that a page holds of a run over time, and where it lies."""
    run, declaration = side.run, side.run.algorithm.declaration
    for name, timeline in {**run.concepts, **run.outputs, **run.hints}.items():
        yield declaration.predicted[name].at, timeline
    for timeline in side.sureness.values():
        yield declaration.location, timeline


def _middle(sides: Sequence[Side]) -> int:
    run = sides[0].run
    mistakes = [side.mistake for side in sides if side.mistake is not None]
    for mistake in mistakes:
        if mistake.element is not None:
            return _node_of(run.graph, mistake.at, mistake.element)
    root = root_of(run)
    if root is not None:
        return root
    location = run.algorithm.declaration.location
    changing = [timeline for timeline in run.outputs.values() if len(timeline.elements)]
    first = min(changing, key=lambda timeline: int(timeline.steps[0]), default=None)
    return 0 if first is None else _node_of(run.graph, location, int(first.elements[0]))


def _node_of(graph: Graph, at: At, place: int) -> int:
    if at == "node":
        return place
    ends = graph.edges if at == "edge" else graph.links
    return int(ends[0, place])


def _nearest(graph: Graph, node: int, room: int) -> np.ndarray:
    """[room] the nodes nearest to one, in ascending order; of equally near ones, the first."""
    is_near = np.zeros(graph.num_nodes, dtype=bool)
    is_near[node] = True
    num_near = 1
    while num_near < room:
        one, other = is_near[graph.edges]
        reached = np.union1d(graph.edges[1][one & ~other], graph.edges[0][other & ~one])
        if not len(reached):
            break
        is_near[reached[: room - num_near]] = True
        num_near = int(is_near.sum())
    return np.flatnonzero(is_near)

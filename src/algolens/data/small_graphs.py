"""All small graphs that an algorithm takes, with its inputs: every one, or drawn with ties;
and runs on random graphs of mixed sizes and densities.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from itertools import combinations, permutations, product
from math import prod
from typing import Any, Generic, TypeVar

import numpy as np
import torch
from torch import Tensor

from algolens.algorithms import Algorithm, Values, check_inputs
from algolens.arrays import all_to
from algolens.data.graph_sets import GraphSet, bisected
from algolens.engines import Run, run_algorithm
from algolens.errors import AlgoLensError, DefinitionError
from algolens.graphs import LOCATIONS, At, Graph, stream
from algolens.graphs.elements import ranges
from algolens.language.fields import Field
from algolens.language.given import CHECKS
from algolens.language.words import numbers_of

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
        counts = dict(zip(LOCATIONS, (self.nodes, num_edges, num_links, 1), strict=True))
        for name in self.algorithm.declaration.inputs:
            rows_of_field = self._rows_of(name, counts)
            if rows_of_field is None:
                return None
            rows.append(rows_of_field)
        return tuple(rows)

    def _rows_of(self, name: str, counts: Mapping[At, int]) -> np.ndarray | None:
        field = self.algorithm.declaration.inputs[name]
        places, span = counts[field.at], field.num_values(counts)
        in_order = only_order_counts(self.algorithm, name) and span >= places
        rows = _all_rows(places if in_order else span, places)
        if rows is None or field.kind != "number":
            return rows if rows is None else self._passing(name, rows)
        if places and not in_order and span > MOST_VALUES:
            return None
        if in_order:  # each order once: by the lowest numbers that have it
            num_different = (np.diff(np.sort(rows, 1), axis=1) > 0).sum(1) + (places > 0)
            rows = rows[rows.max(1, initial=-1) < num_different]
        return self._passing(name, rows + field.bounds[0])

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
            has_ties = field.kind == "number" and field.distinct != "graph"
            order = f"every order of {name}{' (ties too)' if has_ties else ''}"
            inputs.append(order if only_order_counts(self.algorithm, name) else f"every {name}")
        return " and ".join(inputs)


def only_order_counts(algorithm: Algorithm, name: str) -> bool:
    """Whether an input is a number that is compared with others of its field, and nothing else."""
    field, unit = algorithm.declaration.inputs[name], algorithm.declaration.units.get(name)
    is_one_of_many = field.kind == "number" and field.at != "graph"
    return is_one_of_many and unit is not None and unit.only_order_counts


def _apart(field: Field, rows: np.ndarray, ends: np.ndarray) -> np.ndarray:
    """The rows of values that are different where they must be. ends: [2, E] of the edges."""
    if field.distinct == "neighbours":
        return rows[(rows[:, ends[0]] != rows[:, ends[1]]).all(1)]
    if field.distinct == "graph":
        return rows[(np.diff(np.sort(rows, 1), axis=1) > 0).all(1)]
    return rows


def _batched(values: Sequence[np.ndarray], field: Field, *, directed: bool) -> Tensor:
    """Values of graphs as a batch has them: of links, all one way and then all back."""
    num_ways = 1 if directed or field.at != "link" else 2
    ways = zip(*(np.split(of_graph, num_ways) for of_graph in values), strict=True)
    joined = np.concatenate([np.concatenate(way) for way in ways])
    return torch.from_numpy(joined.astype(field.dtype))


def _all_rows(num_values: int, places: int) -> np.ndarray | None:
    """[W, places] every row of values from 0 up; None where there are too many."""
    if num_values**places > MOST_ENUMERATED:
        return None
    if not places:
        return np.zeros((1, 0), np.int64)
    return np.indices((num_values,) * places).reshape(places, -1).T


LEVELS = 3  # different numbers where ties are made
AS_SAMPLED, FEW, EXTREMES, EQUAL = range(4)  # how the numbers of a graph are drawn
WAYS = 4
# whether graphs are directed, by what an algorithm takes
DIRECTIONS = {"undirected": (False,), "directed": (True,), "any": (False, True)}
# of undirected and of directed graphs; each is tried in every numbering
MOST_NODES = {False: 5, True: 4}
PROBED = 8  # graphs of a way to draw: where all are refused, the others are not tried
DRAWS = WAYS  # of inputs, for each graph: one in each way
# on graphs of one size with every input; where there would be more, inputs are drawn
MOST_RUNS = 20_000
TRIED = (
    f"all undirected graphs of up to {MOST_NODES[False]} nodes and directed ones of up to "
    f"{MOST_NODES[True]} that it takes, in every numbering, with every input or with inputs drawn "
    f"{DRAWS} times"
)


@dataclass(frozen=True)
class ShownGraph:
    """One graph, and values of fields on it, as a person reads them."""

    nodes: int
    edges: tuple[tuple[int, int], ...]
    directed: bool
    values: Mapping[str, Sequence[Any]]

    @classmethod
    def of(cls, graph: Graph, values: Values, fields: Mapping[str, Field]) -> ShownGraph:
        """A graph alone, and values of fields at all its places."""
        shown = {name: fields[name].shown(value, graph) for name, value in values.items()}
        return cls(
            graph.num_nodes, tuple((u, v) for u, v in graph.edges.T.tolist()), graph.directed, shown
        )

    def to_json(self) -> dict[str, Any]:
        """Itself as JSON."""
        return asdict(self)

    def __str__(self) -> str:
        mark = " -> " if self.directed else "-"
        joined = ", ".join(f"{one}{mark}{other}" for one, other in self.edges) or "no edge"
        values = [f"{name} {_row(values)}" for name, values in self.values.items()]
        nodes = "1 node" if self.nodes == 1 else f"{self.nodes} nodes"
        return f"{nodes} ({joined})" + (f" with {', '.join(values)}" if values else "")


@dataclass(frozen=True, eq=False)
class Trial:
    """Runs of an algorithm on all graphs of one size."""

    runs: Sequence[Run]  # batches; few edges first, and all runs of a graph together
    nodes: int
    graphs: int  # how many there are of this size, each numbering counted
    directed: bool
    has_every_input: bool  # whether inputs are all there are; else they are drawn
    num_refused: int  # runs that are left out, for the algorithm takes no such graph or input


def small_trials(algorithm: Algorithm) -> Iterator[Trial]:
    """The algorithm on all graphs of 1, 2, ... nodes that it takes; inputs are checked."""
    rng = stream(0, "small graphs with inputs", algorithm.name)
    most = {
        directed: _most_with_every_input(algorithm, directed=directed)
        for directed in DIRECTIONS[algorithm.graphs]
    }
    for nodes in range(1, max(MOST_NODES.values()) + 1):
        for directed in most:
            if nodes <= most[directed]:
                yield _with_every_input(algorithm, nodes, directed=directed)
            elif nodes <= MOST_NODES[directed]:
                yield _with_drawn_inputs(algorithm, nodes, rng, directed=directed)


def small_graphs(algorithm: Algorithm) -> Iterator[tuple[Graph, Values]]:
    """The graphs and inputs of ``small_trials``, a batch at a time."""
    for trial in small_trials(algorithm):
        for run in trial.runs:
            yield run.graph, run.inputs


@cache
def numbered_graphs(nodes: int, *, directed: bool) -> Graph:
    """Every graph of so many nodes in every numbering, few edges first.

    >>> numbered_graphs(3, directed=False)
    Graph(8 graphs, 24 nodes, 12 edges)
    """
    pairs = list((permutations if directed else combinations)(range(nodes), 2))
    graphs = [edges for count in range(len(pairs) + 1) for edges in combinations(pairs, count)]
    numbered = [
        (u + place * nodes, v + place * nodes)
        for place, edges in enumerate(graphs)
        for u, v in edges
    ]
    return Graph.pack([nodes] * len(graphs), numbered, directed=directed).to("cpu")


def _most_with_every_input(algorithm: Algorithm, *, directed: bool) -> int:
    """Up to how many nodes every input is tried; 0 where that would be graphs of one node."""
    for nodes in range(1, MOST_NODES[directed] + 1):
        count = EveryInput(algorithm, nodes).count(numbered_graphs(nodes, directed=directed))
        if count is None or count > MOST_RUNS:
            return nodes - 1 if nodes > 2 else 0
    return MOST_NODES[directed]


def _with_every_input(algorithm: Algorithm, nodes: int, *, directed: bool) -> Trial:
    graph = numbered_graphs(nodes, directed=directed)
    which, inputs = EveryInput(algorithm, nodes).of(graph)
    runs = list(runs_taken(algorithm, graph.take(which).graph, inputs))
    return Trial(runs, nodes, graph.num_graphs, directed, True, len(which) - _count(runs))


def _with_drawn_inputs(
    algorithm: Algorithm, nodes: int, rng: np.random.Generator, *, directed: bool
) -> Trial:
    graph = numbered_graphs(nodes, directed=directed)
    batch = graph.take(torch.arange(graph.num_graphs).repeat_interleave(DRAWS)).graph
    fields = algorithm.declaration.inputs
    try:
        sampled = all_to(algorithm.sample(batch, rng), batch.device)
    except AlgoLensError:
        # some graph has no inputs that it takes: of the others, those count that it takes as they
        # are drawn
        sampled = drawn(fields, batch, rng)
    way = torch.arange(batch.num_graphs) % WAYS
    has_sums = bool(numbers_of(algorithm.declaration.program))
    moved = with_ties_and_extremes(fields, batch, sampled, way, rng, leaves_room=has_sums)
    try:
        runs = [run_algorithm(algorithm, batch, moved)]
    except AlgoLensError:
        for places in (torch.nonzero(way == one).flatten() for one in range(WAYS)):
            # points that are moved lie on one line, which hulls refuse on almost every graph
            if not any(runs_taken(algorithm, *_part(algorithm, batch, moved, _probes(places)))):
                for name, field in fields.items():
                    here = torch.isin(batch.owner(field.at), places)
                    moved[name] = torch.where(here, sampled[name], moved[name])
        runs = list(runs_taken(algorithm, batch, moved, sampled))
    return Trial(runs, nodes, graph.num_graphs, directed, False, batch.num_graphs - _count(runs))


def _probes(places: Tensor) -> Tensor:
    """Few of many, from the first to the last."""
    return places[torch.linspace(0, len(places) - 1, PROBED).long()].unique()


def runs_taken(
    algorithm: Algorithm, batch: Graph, inputs: Values, *instead: Values
) -> Iterator[Run]:
    """Runs on the graphs that an algorithm takes. instead: inputs where others are refused."""
    # inputs alone refuse most, and checking them takes far less time than running
    checked, refused = bisected(
        torch.arange(batch.num_graphs),
        lambda places: check_inputs(algorithm, *_part(algorithm, batch, inputs, places)),
    )
    if checked:
        runs, too_long = bisected(
            torch.cat([places for places, _ in checked]),
            lambda places: run_algorithm(
                algorithm, *_part(algorithm, batch, inputs, places), check=False
            ),
        )
        refused += too_long
        yield from (run for _, run in runs)
    if instead and refused:
        places = torch.cat(refused).sort().values
        others = (_part(algorithm, batch, choice, places)[1] for choice in instead)
        yield from runs_taken(algorithm, batch.take(places).graph, *others)


def _part(
    algorithm: Algorithm, batch: Graph, inputs: Values, places: Tensor
) -> tuple[Graph, Values]:
    """Some graphs of a batch, with their inputs."""
    part = GraphSet(batch, inputs).take(algorithm, places)
    return part.graph, part.inputs


def _count(runs: Sequence[Run]) -> int:
    return sum(run.graph.num_graphs for run in runs)


def drawn(fields: Mapping[str, Field], graph: Graph, rng: np.random.Generator) -> dict[str, Tensor]:
    """Arbitrary values of fields."""
    made = {name: field.draw(graph, rng) for name, field in fields.items()}
    return all_to(made, graph.device)


def _row(values: Sequence[Any]) -> str:
    return "[" + ", ".join("-" if value is None else str(value) for value in values) + "]"


def with_ties_and_extremes(
    fields: Mapping[str, Field],
    graph: Graph,
    sampled: Values,
    way: Tensor,
    rng: np.random.Generator,
    *,
    leaves_room: bool = False,
) -> dict[str, Tensor]:
    """Sampled inputs whose numbers are moved, in each graph its own way.

    way: [G] AS_SAMPLED; FEW: neighbouring numbers, often equal; EXTREMES: the least, the middle and
    the greatest; or EQUAL: all of a graph are equal. The order of any two numbers of one kind
    stays, or they become equal. Numbers that must differ become the least ones, or the greatest
    ones. What a graph has one of is moved by FEW alone, for it is often bounded by the graph.
    leaves_room: the greatest are the greatest that are drawn, so that sums of them have room.
    """
    # of all numbers, where they are equal
    level = torch.from_numpy(rng.integers(0, LEVELS, graph.num_graphs))
    moved = dict(sampled)
    for name, field in fields.items():
        if field.kind != "number":
            continue
        owner = graph.owner(field.at)
        own_way = torch.where(way == FEW, way, AS_SAMPLED) if field.at == "graph" else way
        greatest = (field.as_drawn if leaves_room else field).bounds[1]
        ways = _moved(field, greatest, graph, sampled[name], level[owner])
        moved[name] = torch.stack([sampled[name], *ways]).gather(0, own_way[owner][None])[0]
        if field.distinct == "neighbours":
            moved[name] = field.settle(graph, moved[name], rng)
    return moved


def _moved(
    field: Field, most: int, graph: Graph, values: Tensor, level: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """Numbers as FEW, EXTREMES and EQUAL have them. level: of each, where all are equal."""
    lowest, highest = field.bounds
    if field.distinct == "graph":
        owner, by_value = graph.owner(field.at), values.argsort(stable=True)
        rank, counts = torch.empty_like(values), graph.counts(field.at)
        in_order = ranges(torch.zeros_like(counts), counts)
        rank[by_value[owner[by_value].argsort(stable=True)]] = in_order
        greatest = most + 1 - counts[owner] + rank
        return lowest + rank, greatest, greatest
    (first, last), least = field.as_drawn.bounds, -most - 1 if field.signed else lowest
    third = (values - first) // ((last - first + 1) // LEVELS + 1)
    third = third.clamp(0, LEVELS - 1)  # what is not drawn may lie beyond
    few = (third - 1 if field.signed else third + lowest).clamp(lowest, highest)
    extremes = torch.tensor([least, (least + most + 1) // 2, most])
    return few, extremes[third], extremes[level]


ATTEMPTS = 20  # at a graph that is taken
DEGREES = (1.0, 3.5)  # about so many edges at a node

Made = TypeVar("Made")


@dataclass(frozen=True)
class RandomRuns(Generic[Made]):
    """Runs of an algorithm, or of a black box, on random graphs.

    Parameters
    ----------
    inputs : mapping of str to Field
        What it reads from a graph.
    directed : tuple of bool
        Whether its graphs are directed.
    sample : callable
        Draws its inputs for a batch of graphs.
    run : callable
        Its run on a batch of graphs.
    rng : Generator
        For graphs and inputs.
    """

    inputs: Mapping[str, Field]
    directed: tuple[bool, ...]
    sample: Callable[[Graph, np.random.Generator], dict[str, Tensor]]
    run: Callable[[Graph, Mapping[str, Tensor]], Made]
    rng: np.random.Generator

    def many(
        self, count: int, sizes: tuple[int, int], joined: tuple[float, float] | None = None
    ) -> Iterator[Made]:
        """Runs on so many graphs, all together where it takes them all.

        joined: the share of pairs of nodes with an edge; by default, a node has few edges.
        """
        for way in self.directed:
            wanted = -(-count // len(self.directed))
            graphs = [random_graph(sizes, way, self.rng, joined=joined) for _ in range(wanted)]
            together = self.on(Graph.join(graphs))
            if together is not None:
                yield together
                continue
            for _ in range(ATTEMPTS * wanted):  # it takes only some graphs
                alone = self.on(random_graph(sizes, way, self.rng, joined=joined))
                if alone is not None:
                    wanted -= 1
                    yield alone
                if not wanted:
                    break

    def on(self, graph: Graph) -> Made | None:
        """A run with random inputs; None where it does not take them."""
        way = torch.from_numpy(self.rng.integers(0, 2, graph.num_graphs))
        try:
            inputs = all_to(self.sample(graph, self.rng), graph.device)
            inputs = with_ties_and_extremes(self.inputs, graph, inputs, way, self.rng)
            return self.run(graph, inputs)
        except DefinitionError:  # what is wrong with the algorithm itself
            raise
        except AlgoLensError:
            return None


def random_graph(
    sizes: tuple[int, int],
    directed: bool,
    rng: np.random.Generator,
    degrees: tuple[float, float] = DEGREES,
    joined: tuple[float, float] | None = None,
) -> Graph:
    """A graph of a random number of nodes between two, and of a random density."""
    nodes = int(rng.integers(sizes[0], sizes[1] + 1))
    pairs = np.argwhere(np.tri(nodes, k=-1, dtype=bool))
    drawn = rng.random(len(pairs))
    share = rng.uniform(*degrees) / nodes if joined is None else rng.uniform(*joined)
    kept = pairs[drawn < share]
    names = rng.permutation(nodes)
    turned = rng.random(len(kept)) < (0.5 if directed and rng.random() < 0.5 else 0.0)
    kept = np.where(turned[:, None], kept[:, ::-1], kept)
    return Graph.pack([nodes], names[kept].reshape(-1, 2), directed=directed).to("cpu")

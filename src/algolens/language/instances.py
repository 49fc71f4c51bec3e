"""What an algorithm runs on where a user gives no graph: numbers, points, words, edges in a line.

Which numbers it reads is declared. Without anything, it runs on its own example; of a graph of a
random family, what it does not carry is drawn in numbers that people read with ease.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import takewhile
from pathlib import Path
from typing import Any

import numpy as np

from algolens.arrays import Array
from algolens.errors import GraphError, brief
from algolens.graphs import FAMILIES, Graph, NamedGraph, read_graph, stream
from algolens.graphs.attributes import NUMBER, Letter, column, exact_number, number_or_text
from algolens.graphs.builder import GraphBuilder
from algolens.language.algorithm import Algorithm
from algolens.language.scales import attributes_at
from algolens.lazy import is_instance

NAME = r"[^\s,:<>-]+"
EDGE = re.compile(rf"({NAME})(->?)({NAME})(?::({NUMBER.pattern}))?", re.ASCII | re.IGNORECASE)
BETWEEN = re.compile(r"[\s,]+")
ENDINGS = (".csv", ".tsv", ".parquet", ".graphml", ".json")
MOST_DRAWN, MOST_WEIGHT = 99, 20  # of a row of numbers, and of others


def read_instance(
    algorithm: Algorithm, given: Sequence[Any], inputs: Mapping[str, Any], **settings: Any
) -> tuple[NamedGraph, dict[str, Any]]:
    """What a user gives to run an algorithm on, and the inputs of the whole graph by name.

    given: a graph as ``read_graph`` takes it, or numbers, points, words, edges; then inputs of the
    whole graph that are not named. Nothing: the algorithm's example. settings: of ``read_graph``.
    """
    given = given or algorithm.example.split()
    if not given:
        raise GraphError(f"{algorithm.name} has no example: give a graph, as roads.csv or grid:50.")
    instance = Instance(algorithm, settings, dict(inputs))
    named, more = instance.read(given)
    left = [name for name in instance.of_graph if name not in instance.inputs]
    if len(more) > len(left):
        raise GraphError(
            f"'{brief(str(more[len(left)]))}' is one argument too many: {algorithm.name} takes "
            f"{instance.wanted}{''.join(f', then the {name}' for name in instance.of_graph)}."
        )
    known = instance.inputs | dict(zip(left, more, strict=False))
    fields = algorithm.declaration.inputs
    ends = [name for name in instance.of_graph if fields[name].to == "node"]
    for name, node in zip(ends, range(named.graph.num_nodes), strict=False):
        if len(ends) > 1 or (named.described and not named.is_drawn):  # each is another
            known.setdefault(name, named.graph.name_of(node))
    return named, known


@dataclass(frozen=True)
class Instance:
    """Reads what an algorithm runs on. settings: of ``read_graph``; inputs: of the whole graph."""

    algorithm: Algorithm
    settings: Mapping[str, Any]
    inputs: dict[str, Any]

    @cached_property
    def of_graph(self) -> list[str]:
        """Its inputs of the whole graph."""
        fields = self.algorithm.declaration.inputs.items()
        return [name for name, field in fields if field.at == "graph"]

    @cached_property
    def items(self) -> str:
        """What it runs on, in a word; nothing where that is a graph."""
        return next(iter(self.algorithm.items), "")

    @property
    def numbers(self) -> tuple[str, ...]:
        """The names of what it reads of each of them."""
        return self.algorithm.items[1:]

    @property
    def weights(self) -> list[str]:
        """The numbers that it reads of a user's edges, be it as cells of a table."""
        return [
            name
            for name, field in self.algorithm.declaration.inputs.items()
            if field.kind == "number" and not field.drawn
            if field.at == "edge" or (self.algorithm.table and not self.items)
        ]

    @property
    def wanted(self) -> str:
        """What it takes, in words."""
        examples = {"words": "ABABABAC ABABAC", "": ""}
        example = examples.get(self.items, "5,2,9,1" if len(self.numbers) == 1 else "0,2 3,1 5,4")
        return f"{self.items}, as in {example}, or a graph" if example else "a graph"

    def read(self, given: Sequence[Any]) -> tuple[NamedGraph, Sequence[Any]]:
        """What is given, and what is left."""
        first, more, items = given[0], given[1:], self.items
        if self.settings.get("nodes") is not None or _is_graph(first):
            return self._graph(first), more
        if items == "words":
            if not more or not all(isinstance(word, str) and word for word in given[:2]):
                raise self._refusal(first)
            return self._words(*given[:2]), more[1:]
        if not isinstance(first, str):
            if not items and not (
                len(first) and all(isinstance(row, list | tuple) for row in first)
            ):
                return self._graph(first), more  # which is refused
            rows = [_listed(row) for row in first]
            return self._row(rows) if items else self._edges(rows), more
        if not items:
            texts = list(takewhile(_edges_in, given))
            edges = [edge for text in texts for edge in _edges_in(text)]
            if len(edges) < 2 and not any(edge[4] for edge in edges):
                return self._graph(first), more
            leads = any(edge[2] == "->" for edge in edges)
            rows = [[*filter(None, edge.group(1, 3, 4))] for edge in edges]
            return self._edges(rows, leads=leads, is_text=True), given[len(texts) :]
        if len(self.numbers) > 1:
            words = [word for text in given for word in str(text).split()]
            rows = [word.split(",") for word in takewhile(lambda word: "," in word, words)]
            return self._row(rows or [[first]], is_text=True), words[len(rows) :]
        parts = _parts(first)
        if len(parts) == 1 and not self.of_graph:  # each number may be a word
            parts, more = list(given), ()
        return self._row([[part] for part in parts], is_text=True), more

    def _refusal(self, given: object) -> GraphError:
        came = f"'{brief(str(given))}'" if given not in ("", []) else "nothing"
        return GraphError(f"{came} came: {self.algorithm.name} takes {self.wanted}.")

    # ---- without a graph

    def _row(
        self, rows: Sequence[Sequence[Any]], *, is_text: bool = False, how: str = ""
    ) -> NamedGraph:
        """Numbers, or some for each of a row of nodes. how: what they are besides, as random."""
        for row in rows:
            if len(row) != len(self.numbers) or None in map(exact_number, row):
                raise self._refusal(",".join(map(str, row)))
        if not rows:
            raise self._refusal("")
        values = [[number_or_text(cell) if is_text else cell for cell in row] for row in rows]
        of = dict(zip(self.numbers, map(column, zip(*values, strict=True)), strict=True))
        nodes: list[Any] = list(map(_letters, range(len(rows))))
        if self.algorithm.table is not None:
            nodes = list(range(len(rows)))
        elif len(self.numbers) == 1:
            nodes = [number for (number,) in values]
            nodes = nodes if len({*nodes}) == len(nodes) else list(_told_apart(nodes))
        described = f"{len(rows)} {how}{self.items}"
        return self._named(nodes, described, of, is_text=is_text)

    def _words(self, one: str, other: str) -> NamedGraph:
        """The letters of two words, one word after the other."""
        (letter, is_second), is_table = self.numbers, self.algorithm.table is not None
        nodes = [
            f"{character}{place}{mark}" if is_table else f"{what} {place}"
            for word, what, mark in ((one, "text", ""), (other, "pattern", "'"))
            for place, character in enumerate(word, 1)
        ]
        of = {
            letter: column([Letter(ord(character)) for character in one + other]),
            is_second: np.arange(len(nodes)) >= len(one),
        }
        one, other = brief(one), brief(other)
        described = f"{one} and {other}" if is_table else f"{other} in {one}"
        return self._named(nodes, described, of)

    def _edges(
        self, rows: Sequence[Sequence[Any]], *, leads: bool = False, is_text: bool = False
    ) -> NamedGraph:
        """Edges by their ends, and what they weigh. leads: whether they have directions."""
        weight = next(iter(self.weights), "weight")
        for row in rows:
            if not 2 <= len(row) <= 3:
                raise self._refusal(row)
        nodes: dict[Any, dict[str, Any]] = {node: {} for row in rows for node in row[:2]}
        edges = [
            (u, v, {weight: number_or_text(more[0]) if is_text else more[0]} if more else {})
            for u, v, *more in rows
        ]
        wanted = self.settings.get("directed")
        directed = leads or bool(wanted) or self.algorithm.graphs == "directed"
        builder = GraphBuilder.of_rows("the graph", directed, nodes, edges, {})
        named = builder.build(directed=wanted)
        return replace(named, described=_sized("a graph", named.graph), is_text=is_text)

    def _named(
        self, nodes: Sequence[Any], described: str, of: Mapping[str, Any], *, is_text: bool = False
    ) -> NamedGraph:
        directed = self.algorithm.graphs == "directed"
        graph = Graph.pack([len(nodes)], [], directed=directed)
        graph = replace(graph, names=tuple(map(str, nodes)), node_attributes=of)
        return NamedGraph(graph, tuple(nodes), described, is_text=is_text, described=described)

    # ---- a graph

    def _graph(self, given: Any) -> NamedGraph:
        directed = self.algorithm.recipe.directed
        named = read_graph(given, by_default=directed, **self.settings)
        if named.is_drawn:
            return self._drawn(named)
        at_nodes = dict(named.graph.node_attributes)
        for letter in self.numbers[:1] if self.items == "words" else ():
            written = at_nodes.get(letter, column([None])).tolist()
            if all(isinstance(one, str) and len(one) == 1 for one in written):
                at_nodes[letter] = column([Letter(ord(one)) for one in written])
        return replace(named, graph=replace(named.graph, node_attributes=at_nodes))

    def _drawn(self, named: NamedGraph) -> NamedGraph:
        """A graph of a random family with what people give: small numbers, few letters."""
        rng, count = stream(self.settings["seed"], "instance"), named.graph.num_nodes
        if self.items:
            known, draw = {*self.inputs}, self._random
            draw = self._random_words if self.items == "words" else draw
            made = draw(max(count, 2), rng)
            drawn = [
                f"the {self.items} are",
                *(f"the {name} is" for name in self.inputs.keys() - known),
            ]
            notes = tuple(f"{what} drawn at random: --seed draws others." for what in drawn)
            return replace(made, name=named.name, graph=replace(made.graph, notes=notes))
        graph, of, said = named.graph, dict[str, Any](), list[str]()
        if graph.directed and self.algorithm.group == "parts":  # where nothing but cycles counts
            is_turned = rng.random(graph.num_edges)[:, None] < 0.5
            edges = np.where(is_turned, graph.edges.T[:, ::-1], graph.edges.T)
            graph = Graph.pack([count], edges, directed=True)
        draws_alone = type(self.algorithm).sample is not Algorithm.sample
        for name in () if draws_alone and not self.algorithm.table else self.weights:
            most = min(MOST_WEIGHT, self.algorithm.declaration.inputs[name].bounds[1])
            of[name] = rng.integers(1, most + 1, graph.num_edges)
            said.append(f"the {name} of each edge is drawn at random: the graph has none.")
        graph = replace(graph, edge_attributes=of, notes=(*graph.notes, *said))
        return replace(named, graph=graph, described=_sized("a random graph", graph))

    def _random_words(self, count: int, rng: np.random.Generator) -> NamedGraph:
        """Two words of few letters; a pattern stands in its text."""
        is_table = self.algorithm.table is not None
        letters = "".join(rng.choice(list("ABCD" if is_table else "AB"), count))
        short = count // 2 if is_table else count // 3 or 1
        one, other = letters[short:], letters[:short]
        place = int(rng.integers(0, len(one) - short + 1))
        return self._words(one, other if is_table else one[place : place + short])

    def _random(self, count: int, rng: np.random.Generator) -> NamedGraph:
        """Small numbers, of a row none twice; of several for each, as the algorithm draws them."""
        algorithm, (one, *others) = self.algorithm, self.numbers
        fields, checks = algorithm.declaration.inputs, algorithm.known_checks
        if others and algorithm.table is None:
            small = algorithm.but(bits=(count - 1).bit_length())
            drawn = small.sample(Graph.pack([count], []), rng)
            values = np.stack([drawn[name] for name in self.numbers], 1)
        else:
            most = max(MOST_DRAWN, 2 * count) if algorithm.table is None else MOST_WEIGHT
            size, is_table = (count, len(self.numbers)), algorithm.table is not None
            values = rng.choice(most, size, replace=is_table) + 1
            if not is_table and fields[one].signed:
                values -= most // 2
            if ["ascending", one] in checks:
                values.sort(0)
        for name in self.of_graph:
            if fields[name].kind == "number":
                some = range(count) if ["below_count", name] in checks else values[:, 0]
                self.inputs.setdefault(name, int(rng.choice(some)))
        return self._row(values.tolist(), how="random ")


def drawn_ranks(
    algorithm: Algorithm, graph: Graph, inputs: Mapping[str, Array]
) -> dict[str, np.ndarray]:
    """Priorities that were drawn, from 1 on: only their order counts."""
    units = algorithm.declaration.units
    return {
        name: ranks
        for name, field in algorithm.declaration.inputs.items()
        if field.drawn and name not in attributes_at(graph, field.at)
        if name in units and units[name].only_order_counts
        if (ranks := np.unique(inputs[name], return_inverse=True)[1] + 1).max(initial=0)
        <= field.bounds[1]
    }


def _is_graph(given: Any) -> bool:
    """Whether what is given is a graph, or names one."""
    if not isinstance(given, str):
        return not (isinstance(given, Sequence) or is_instance(given, "numpy", "ndarray"))
    kind, colon, _ = given.partition(":")
    is_named = bool(colon) and kind in (*FAMILIES, "nx")
    return (
        is_named or Path(given).suffix.lower() in ENDINGS or (given != "" and os.path.exists(given))
    )


def _parts(text: str) -> list[str]:
    return [part for part in BETWEEN.split(text) if part]


def _edges_in(text: Any) -> list[re.Match[str]]:
    """The edges that a text lists; none where it says something else."""
    found = [EDGE.fullmatch(part) for part in _parts(text)] if isinstance(text, str) else []
    return [edge for edge in found if edge] if all(found) else []


def _listed(row: Any) -> list[Any]:
    return (
        list(row) if isinstance(row, Sequence | np.ndarray) and not isinstance(row, str) else [row]
    )


def _sized(what: str, graph: Graph) -> str:
    return f"{what} of {graph.num_nodes} nodes and {graph.num_edges} edges"


def _letters(place: int) -> str:
    """A, B, ..., Z, AA, AB, ...: the name of the place in a row, from 0 on."""
    before, last = divmod(place, 26)
    return (_letters(before - 1) if before else "") + chr(ord("A") + last)


def _told_apart(numbers: Sequence[Any]) -> Iterator[str]:
    """Numbers as names: 5, 5' and 5''."""
    met = Counter[Any]()
    for number in numbers:
        yield f"{number}{chr(39) * met[number] if met[number] < 3 else f'({met[number] + 1})'}"
        met[number] += 1

"""What every engine is tried on: shipped algorithms and random declarations, on odd graphs."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import msgspec
import numpy as np

from algolens import reference
from algolens.algorithms import Algorithm, Values
from algolens.algorithms import algorithm as shipped
from algolens.errors import AlgoLensError
from algolens.graphs import Graph
from algolens.language import ir
from algolens.language.lower import lower
from tests.drawn import Drawing, draw_graphs, draw_inputs

Trace = dict[str, Any]  # start, steps, after, ended; or refused


@dataclass(frozen=True)
class Case:
    """An algorithm, and a graph with inputs on which it is to be carried out."""

    algorithm: Algorithm
    graph: Graph
    inputs: Values

    @cached_property
    def program(self) -> ir.Program:
        """The algorithm as it is written."""
        return self.algorithm.declaration.program

    @cached_property
    def lowered(self) -> ir.Program:
        """The algorithm as engines compute it."""
        return lower(self.program)

    @cached_property
    def expected(self) -> Trace:
        """The run by the reference, from the program's JSON."""
        graph = reference.Graph(
            self.graph.num_nodes, self.graph.edges.T.tolist(), self.graph.directed
        )
        inputs = {name: value.tolist() for name, value in self.inputs.items()}
        try:
            return reference.run(msgspec.to_builtins(self.program), graph, inputs)
        except reference.Refused:
            return {"refused": True}

    @property
    def words(self) -> str:
        """Which one it is, for a message."""
        edges = self.graph.edges.T.tolist()
        inputs = {name: value.tolist() for name, value in self.inputs.items()}
        arrow = "->" if self.graph.directed else "-"
        return f"{self.algorithm.name} on {self.graph.num_nodes} nodes, {arrow} {edges}, {inputs}"


def odd_graphs(directed: bool) -> list[Graph]:
    """No edges, one node, a loop, two parts, a path, a star, a cycle, all edges."""
    pairs: list[tuple[int, list[tuple[int, int]]]] = [
        (1, []),
        (3, []),
        (2, [(0, 1)]),
        (2, [(0, 0), (0, 1)]),
        (5, [(0, 1), (3, 4)]),
        (5, [(0, 1), (1, 2), (2, 3), (3, 4)]),
        (5, [(0, 1), (0, 2), (0, 3), (0, 4)]),
        (4, [(0, 1), (1, 2), (2, 3), (0, 3)]),
        (4, [(u, v) for u in range(4) for v in range(4) if u < v]),
    ]
    if directed:
        pairs += [(3, [(0, 1), (1, 0), (1, 2)]), (4, [(3, 2), (2, 1), (1, 0), (0, 3)])]
    return [Graph.pack([nodes], edges, directed=directed) for nodes, edges in pairs]


def shipped_cases(name: str, seed: int, count: int) -> Iterator[Case]:
    """An algorithm on odd graphs and random ones, as far as it takes them."""
    chosen, rng = shipped(name), np.random.default_rng([seed, *name.encode()])
    directions = {"undirected": [False], "directed": [True]}.get(chosen.graphs, [False, True])
    most = 6 if chosen.declaration.most_steps.per == "pair" else 9
    for directed in directions:
        drawn = [random_graph(rng, most, directed) for _ in range(count)]
        for graph in [*odd_graphs(directed), *drawn]:
            try:
                inputs = chosen.sample(graph, rng)
            except AlgoLensError:  # it has no inputs there: too few colors, no path
                continue
            yield Case(chosen, graph, inputs)


def random_graph(rng: np.random.Generator, most: int, directed: bool) -> Graph:
    """Up to ``most`` nodes and any share of edges."""
    count = int(rng.integers(1, most + 1))
    pairs = np.argwhere(rng.random((count, count)) < rng.random() * 3 / count)
    pairs = pairs[(pairs[:, 0] != pairs[:, 1]) if directed else (pairs[:, 0] < pairs[:, 1])]
    return Graph.pack([count], pairs, directed=directed)


def random_case(seed: int) -> Case:
    """A random declaration on a random graph with any inputs."""
    rng = random.Random(seed)
    chosen, graph = Drawing(rng).algorithm, draw_graphs(rng)[0]
    return Case(chosen, graph, draw_inputs(chosen, graph, rng))


def constructs(program: ir.Program) -> Counter[str]:
    """How often each construct of the language stands in a program."""
    found: Counter[str] = Counter()

    def visit(node: ir.Expr) -> None:
        match node:
            case ir.Quantified(quantity, view, _):
                found.update([quantity, view_words(view)])
            case ir.The(view):
                found.update(["the", f"the {view_words(view)}"])
            case ir.Compare(left, op, _):
                found[op] += 1
                found["several keys"] += len(left) > 1
            case ir.Get(column, at) if (at, column) in ir.STEPS or column == ir.NUMBER:
                found[f"{at}'s {column}"] += 1
            case ir.Arith(_, op):
                found[op] += 1
            case _:
                found[type(node).__name__] += 1
        for child in ir.children(node):
            visit(child)

    for let in (*program.start, *program.lets, *program.becomes):
        visit(let.value)
    return found


def view_words(view: ir.View) -> str:
    """A relation's words; of one by a pointer, whatever it is called."""
    return " ".join("POINTER" if word == "root" else word for word in view.words.split())

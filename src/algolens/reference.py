"""The meaning of a program, in plain Python: the judge of every engine.

This file reads a program as JSON (its quantifiers, not what they are lowered to) and carries it
out on one graph, element by element and pair by pair, with lists and loops. It imports nothing but
the standard library, decides by a relation's words alone who is in view, and is slow on purpose:
it is short enough to be read and believed.

    python -m algolens.reference PROGRAM.json GRAPH.json

A graph is ``{"nodes": 2, "edges": [[0, 1]], "directed": false, "inputs": {"source": [0]}}``.
An input is a list with a value for each element: true or false, a number, a class of a category or
an element that is pointed to by its index. The answer is the run: ``start``, ``steps``, ``after``
(what is seen after the last step) and ``ended`` ("by rule", "by count" or "at its limit").
"""

from __future__ import annotations

import json
import operator
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Json = Mapping[str, Any]
MOST = 2**61 - 1  # of every result of arithmetic, and of its opposite
COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    "=": operator.eq,
    "!=": operator.ne,
    ">=": operator.ge,
    ">": operator.gt,
}
ARITH = {"+": operator.add, "-": operator.sub, "*": operator.mul}
GOES_ON = "goes on"


class Refused(Exception):
    """A number leaves its bounds."""


class Nobody(Exception):
    """Nobody in view is so."""


@dataclass(frozen=True)
class Graph:
    """Nodes and edges by their indices; an edge leads from its one end to its other end."""

    nodes: int
    edges: Sequence[Sequence[int]]
    directed: bool = False

    @property
    def links(self) -> list[tuple[int, int, int]]:
        """Sender, receiver and edge: all edges one way, then the other way if undirected."""
        there = [(u, v, place) for place, (u, v) in enumerate(self.edges)]
        return there if self.directed else there + [(v, u, place) for u, v, place in there]

    def count(self, at: str) -> int:
        """How many elements a table has."""
        return {
            "node": self.nodes,
            "edge": len(self.edges),
            "link": len(self.links),
            "graph": 1,
        }[at]


class World:
    """A graph and the columns that are known of it, as lists, by table and name."""

    def __init__(self, graph: Graph) -> None:
        self.graph, self.links = graph, graph.links
        self.columns: dict[tuple[str, str], list[Any]] = {}

    # ---- who is in view

    def in_view(self, words: str, me: int) -> tuple[str, list[int]]:
        """The table of those in view, and who they are, each once and in order."""
        edges, links = self.graph.edges, self.links
        name, pointer = _without_pointer(words)
        leads = [] if pointer is None else self.columns["node", pointer]
        at, sees = {
            "neighbour": (
                "node",
                lambda it: any({u, v} == {me, it} for u, v in edges),
            ),
            "predecessor": ("node", lambda it: any(link[:2] == (it, me) for link in links)),
            "successor": ("node", lambda it: any(link[:2] == (me, it) for link in links)),
            "node whose is me": ("node", lambda it: leads[it] == me),
            "incoming link": ("link", lambda it: links[it][1] == me),
            "outgoing link": ("link", lambda it: links[it][0] == me),
            "incident edge": ("edge", lambda it: me in edges[it]),
            "link into my set by": ("link", lambda it: leads[links[it][1]] == leads[me]),
            "end": ("node", lambda it: it in edges[me]),
            "adjacent edge": ("edge", lambda it: it != me and set(edges[it]) & set(edges[me])),
            "direction": ("link", lambda it: links[it][2] == me),
            "rival": ("link", lambda it: it != me and links[it][1] == links[me][1]),
            "sibling": ("link", lambda it: it != me and links[it][0] == links[me][0]),
            "rival by": (
                "link",
                lambda it: it != me and leads[links[it][1]] == leads[links[me][1]],
            ),
            "other node": ("node", lambda it: it != me),
            "other edge": ("edge", lambda it: it != me),
            "other link": ("link", lambda it: it != me),
            "node": ("node", lambda _: True),
            "edge": ("edge", lambda _: True),
            "link": ("link", lambda _: True),
        }[name]
        return at, [it for it in range(self.graph.count(at)) if sees(it)]

    # ---- values

    def column(self, at: str, name: str, row: int) -> Any:
        """A field of an element, its number, or the element that a step leads to."""
        edges, links = self.graph.edges, self.links
        match at, name:
            case "link", "sender":
                return links[row][0]
            case "link", "receiver":
                return links[row][1]
            case "link", "edge" | "number":
                return links[row][2]
            case "link", "reverse":
                sender, receiver, edge = links[row]
                return row if self.graph.directed else _index(links, (receiver, sender, edge), row)
            case "edge", "one_end":
                return edges[row][0]
            case "edge", "other_end":
                return edges[row][1]
            case _, "graph":
                return 0
            case "node" | "edge", "number":
                return row
        return self.columns[at, name][row]

    def value(self, node: Json, me: int, it: int | None = None) -> Any:
        """What an expression says of me, and of it."""
        match node:
            case {"type": "Const", "value": value}:
                return value
            case {"type": "Me"}:
                return me
            case {"type": "It"}:
                return it
            case {"type": "Get", "column": name, "at": at}:
                of = node.get("of")
                return self.column(at, name, me if of is None else self.value(of, me, it))
            case {"type": "Not", "term": term}:
                return not self.value(term, me, it)
            case {"type": "And", "terms": terms}:
                return all(self.value(term, me, it) for term in terms)
            case {"type": "Or", "terms": terms}:
                return any(self.value(term, me, it) for term in terms)
            case {"type": "Compare", "left": left, "op": op, "right": right}:
                sides = ([self.value(each, me, it) for each in side] for side in (left, right))
                return COMPARE[op](*sides)
            case {"type": "Arith", "a": a, "op": op, "b": b}:
                result = ARITH[op](self.value(a, me, it), self.value(b, me, it))
                return _within(result, -MOST, MOST)
            case {"type": "Within", "of": of, "least": least, "most": most}:
                return _within(self.value(of, me, it), least, most)
            case {"type": "Case", "cases": cases, "otherwise": otherwise}:
                for condition, value in cases:
                    if self.value(condition, me, it):
                        try:
                            return self.value(value, me, it)
                        except Nobody:
                            continue
                return self.value(otherwise, me, it)
            case {"type": "Quantified", "quantity": quantity, "view": view, "body": body}:
                fits = [self.value(body, me, it) for it in self.in_view(view["words"], me)[1]]
                least = len(fits) if quantity == "every" else int(node.get("count", 1))
                return sum(map(bool, fits)) >= least
            case {"type": "The", "view": view, "where": where, "value": value}:
                _, others = self.in_view(view["words"], me)
                found = [each for each in others if self.value(where, me, each)]
                if not found:
                    raise Nobody
                by = node.get("by", ())
                first = min(found, key=lambda it: [self.value(key, me, it) for key in by])
                return self.value(value, me, first)
        raise TypeError(f"{node.get('type')} is no part of a program as it is written")

    def compute(self, let: Json) -> list[Any]:
        """A column, row by row. What it computes on the way is computed of every row, too."""
        rows = range(self.graph.count(let["at"]))
        for number in _arithmetic(let["value"]):
            for me in rows:
                self.value(number, me)
        return [self.value(let["value"], me) for me in rows]


def run(program: Json, graph: Graph, inputs: Mapping[str, Sequence[Any]]) -> dict[str, Any]:
    """Carry a program out, from its start to its end; ``Refused`` where a number does not fit."""
    world = World(graph)
    for name, field in program["inputs"].items():
        world.columns[field["at"], name] = list(inputs[name])

    def look() -> dict[str, list[Any]]:
        for let in program["lets"]:
            world.columns[let["at"], let["name"]] = world.compute(let)
        return {let["name"]: world.columns[let["at"], let["name"]] for let in program["lets"]}

    def carry(state: Mapping[str, list[Any]]) -> None:
        for name, field in program["state"].items():
            if field["kind"] == "number":
                least = -(2 ** (field["bits"] - 1)) if field.get("signed", False) else 0
                for value in state[name]:
                    _within(value, least, least + 2 ** field["bits"] - 1)
            world.columns[field["at"], name] = state[name]

    start = {let["name"]: world.compute(let) for let in program["start"]}
    carry(start)
    per = program.get("per", "node")
    limit = program.get("times", 1) * (graph.nodes**2 if per == "pair" else graph.count(per))
    steps: list[dict[str, list[Any]]] = []
    seen, ended = look(), "by count"
    while len(steps) < limit:
        steps.append(seen | {let["name"]: world.compute(let) for let in program["becomes"]})
        carry(steps[-1])
        seen = look()
        if GOES_ON in seen:
            ended = "at its limit" if seen[GOES_ON][0] else "by rule"
            if not seen[GOES_ON][0]:
                break
    return {"start": start, "steps": steps, "after": seen, "ended": ended}


def _within(value: int, least: int, most: int) -> int:
    if not least <= value <= most:
        raise Refused(f"{value} is not between {least} and {most}")
    return value


def _arithmetic(node: Any) -> Iterator[Json]:
    """All arithmetic in an expression, outside of what is said of others."""
    match node:
        case {"type": "Arith"}:
            yield node
        case {"type": "Quantified" | "The"}:
            return
        case dict():
            for part in node.values():
                yield from _arithmetic(part)
        case list():
            for part in node:
                yield from _arithmetic(part)


def _index(links: list[tuple[int, int, int]], link: tuple[int, int, int], row: int) -> int:
    """The other link of an edge; of a loop, both have the same ends."""
    return next(place for place, each in enumerate(links) if each == link and place != row)


def _without_pointer(words: str) -> tuple[str, str | None]:
    """A relation's words without the name of the pointer that it goes by, and the name."""
    parts = words.split()
    if "whose" in parts:
        return "node whose is me", parts[2]
    if "by" in parts:
        return " ".join(parts[:-1]), parts[-1]
    return words, None


def main() -> None:
    """Print the run of a program on a graph, both from files."""
    if len(sys.argv) != 3:
        sys.exit("usage: python -m algolens.reference PROGRAM.json GRAPH.json")
    try:
        program, given = (json.loads(Path(path).read_text()) for path in sys.argv[1:])
        graph = Graph(given["nodes"], given["edges"], given.get("directed", False))
        print(json.dumps(run(program, graph, given["inputs"])))
    except Refused as problem:
        sys.exit(f"refused: {problem}")
    except (OSError, ValueError, KeyError, TypeError) as problem:
        sys.exit(f"error: no program and no graph as described above: {problem!r}")


if __name__ == "__main__":
    main()

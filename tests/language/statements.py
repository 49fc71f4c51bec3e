"""Random statements as text, over fields of every kind at every table, and worlds to judge them."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import msgspec

from algolens import reference
from algolens.language.finite import Statement
from algolens.language.ir import STEPS, At, Field, Let
from algolens.language.parse import Parser, parse
from algolens.language.relations import RELATIONS

AT: tuple[At, ...] = ("node", "edge", "link", "graph")
FIELDS = {
    "awake": Field("node", "mask"),
    "color": Field("node", "category", ("red", "green", "blue")),
    "height": Field("node", "number", bits=2, distinct="graph"),
    "age": Field("node", "number", bits=2),
    "depth": Field("node", "number", bits=3, signed=True),
    "boss": Field("node", "pointer", to="node"),
    "road": Field("edge", "mask"),
    "weight": Field("edge", "number", bits=2),
    "keeper": Field("edge", "pointer", to="node"),
    "used": Field("link", "mask"),
    "phase": Field("link", "category", ("idle", "busy")),
    "cost": Field("link", "number", bits=3, signed=True),
    "calm": Field("graph", "mask"),
    "limit": Field("graph", "number", bits=2),
    "source": Field("graph", "pointer", to="node"),
}
COLUMNS = {(one.at, name): one for name, one in FIELDS.items()}
ORDERS = ("<", "<=", "=", "!=", ">=", ">")


def paths(at: At, steps: int = 2) -> Iterator[tuple[str, Field]]:
    """Ways from an element to fields, and to elements, with what is at their end."""
    if at != "graph":
        yield "number", Field(at, "number", bits=31)
    for name, one in FIELDS.items():
        if one.at == at:
            yield name, one
            if one.to is not None and steps:
                yield from ((f"{name}'s {rest}", end) for rest, end in paths(one.to, steps - 1))
    for (begin, step), to in STEPS.items():
        if begin == at and steps:
            yield step, Field(at, "pointer", to=to)
            yield from ((f"{step}'s {rest}", end) for rest, end in paths(to, steps - 1))


PATHS = {at: tuple(paths(at)) for at in AT}


class Drawing:
    """Draws statements about the elements of one table, and those that one relation shows."""

    def __init__(self, rng: random.Random, at: At, relation: str | None = None) -> None:
        """relation: its words; by default any that there is at the table."""
        self.rng, self.at = rng, at
        fits = [each.by("boss") for each in RELATIONS if each.own == at]
        chosen = [each for each in fits if each.phrase(1) == relation] or [rng.choice(fits)]
        self.relation = chosen[0]

    def statement(self, deep: int = 2) -> str:
        """About me, and those in view."""
        if self.rng.random() < 0.4:
            return self.atom({"my": self.at})
        if not deep or self.rng.random() < 0.5:
            both: dict[str, At] = {"my": self.at, "its": self.relation.others}
            words = self.rng.choice(["some", "every", "no", "at least 2", "exactly 1", "at most 2"])
            many = not words.endswith("1")
            return f"{words} {self.relation.phrase(1 + many)} ({self.joined(both, 2)})"
        return self.joined({}, deep)

    def joined(self, whose: dict[str, At], deep: int) -> str:
        """Joined by "and", "or" and "not"; of me and of those in view where ``whose`` is empty."""

        def part() -> str:
            if not whose:
                return self.statement(deep - 1)
            return self.joined(whose, deep - 1) if deep > 1 else self.atom(whose)

        match self.rng.randrange(4):
            case 0:
                return f"~({part()})"
            case 1:
                return f"({part()}) | ({part()})"
            case 2:
                return f"({part()}) & ({part()})"
        return part()

    def atom(self, whose: dict[str, At]) -> str:
        """A mask, a class, a comparison or a meeting."""
        words = self.rng.choice([*whose])
        path, end = self.rng.choice(PATHS[whose[words]])
        match end.kind:
            case "mask":
                return f"{words} {path}"
            case "category":
                return f"{words} {path} is {self.rng.choice(end.labels)}"
        other = self.rng.choice([*whose])
        if whose[other] == whose[words] and self.rng.random() < 0.4:
            return f"{words} {path} {self.order(end)} {other} {path}"
        wanted = [(p, f) for p, f in PATHS[whose[other]] if (f.kind, f.to) == (end.kind, end.to)]
        if end.kind == "number" and (not wanted or self.rng.random() < 0.3):
            sum_of = self.rng.choice([f"{words} {path} + 1", f"2 * {words} {path}", "2"])
            return f"{words} {path} {self.order(end)} {sum_of}"
        if not wanted:
            return "True"
        return f"{words} {path} {self.order(end)} {other} {self.rng.choice(wanted)[0]}"

    def order(self, end: Field) -> str:
        """How two numbers, or two elements, are compared."""
        return self.rng.choice(ORDERS if end.kind == "number" else ("=", "!="))


def read(text: str, at: At, name: str = "found") -> Statement:
    """A statement of text."""
    return Statement(Let(name, at, parse(Parser.statement, text, at, FIELDS)), COLUMNS)


def draw_world(rng: random.Random) -> reference.World:
    """A small graph with any values."""
    nodes = rng.randint(1, 4)
    pairs = [(u, v) for u in range(nodes) for v in range(nodes) if u < v]
    edges = [rng.sample(pair, 2) for pair in pairs if rng.random() < 0.6]
    world = reference.World(reference.Graph(nodes, edges, rng.random() < 0.5))
    for name, one in FIELDS.items():
        count = world.graph.count(one.at)
        match one.kind:
            case "mask":
                values: list[Any] = [rng.random() < 0.5 for _ in range(count)]
            case "category":
                values = [rng.randrange(len(one.labels)) for _ in range(count)]
            case "pointer":
                values = [rng.randrange(nodes) for _ in range(count)]
            case _:
                least, most = one.bounds
                values = [rng.randint(least, most) for _ in range(count)]
                if one.distinct:
                    values = rng.sample(range(least, most + 1), count)
        world.columns[one.at, name] = values
    return world


def truth(world: reference.World, statement: Statement) -> list[bool]:
    """Of every element, by the reference."""
    let = msgspec.json.decode(msgspec.json.encode(statement.let))
    return [bool(value) for value in world.compute(let)]

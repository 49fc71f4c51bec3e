"""The language of looks in plain Python, written from docs/looks.md: the judge of everything
faster.

Statements and programs come as their JSON (nested lists and dictionaries), graphs as pairs of
numbers. Lists and loops, element by element and pair by pair; nothing of the library is imported.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

Json = Any
Place = tuple[str, int]  # an element: where it sits, and its number there
COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "=": operator.eq,
    ">": operator.gt,
    "<=": operator.le,
    "!=": operator.ne,
    ">=": operator.ge,
}
MOST = 2**61  # sums stay below it


class Refused(Exception):
    """A number leaves its bits."""


@dataclass(frozen=True)
class PlainGraph:
    """One graph: nodes are numbered, and so are edges, which lead from the one end to the other
    where there are directions.
    """

    num_nodes: int
    edges: Sequence[tuple[int, int]]
    directed: bool

    @cached_property
    def links(self) -> list[tuple[int, int, int]]:
        """Sender, receiver and edge: all edges one way, then, without directions, the other way."""
        there = [(u, v, place) for place, (u, v) in enumerate(self.edges)]
        return there if self.directed else there + [(v, u, place) for u, v, place in there]

    def elements(self, at: str) -> range:
        """The numbers of all that sits somewhere."""
        return range(
            {"node": self.num_nodes, "edge": len(self.edges), "link": len(self.links), "graph": 1}[
                at
            ]
        )


@dataclass(frozen=True, eq=False)
class World:
    """A graph, its fields (as JSON) and their values, as lists: bools, numbers, and numbers of
    classes and elements.
    """

    graph: PlainGraph
    fields: Mapping[str, Json]
    values: dict[str, list[Any]]

    # ---- relations

    def seen_by(self, relation: str, me: int) -> tuple[str, list[int]]:
        """Whom an element has in view, each once, and where they sit."""
        edges, links = self.graph.edges, self.graph.links
        words = relation.split()
        pointer = (
            self.values[words[2 if words[1] == "whose" else -1]]
            if {"whose", "by"} & set(words)
            else []
        )
        if pointer:  # the name is taken out
            words = [*words[:2], *words[3:]] if words[1] == "whose" else words[:-1]
        others, sees = {
            "neighbour": ("node", lambda it: (me, it) in edges or (it, me) in edges),
            "predecessor": ("node", lambda it: any(link[:2] == (it, me) for link in links)),
            "successor": ("node", lambda it: any(link[:2] == (me, it) for link in links)),
            "incoming link": ("link", lambda it: links[it][1] == me),
            "outgoing link": ("link", lambda it: links[it][0] == me),
            "incident edge": ("edge", lambda it: me in edges[it]),
            "other node": ("node", lambda it: it != me),
            "node whose is me": ("node", lambda it: pointer[it] == me),
            "link into my set by": ("link", lambda it: pointer[links[it][1]] == pointer[me]),
            "end": ("node", lambda it: it in edges[me]),
            "adjacent edge": (
                "edge",
                lambda it: it != me and bool(set(edges[it]) & set(edges[me])),
            ),
            "other edge": ("edge", lambda it: it != me),
            "direction": ("link", lambda it: links[it][2] == me),
            "rival": ("link", lambda it: it != me and links[it][1] == links[me][1]),
            "sibling": ("link", lambda it: it != me and links[it][0] == links[me][0]),
            "rival by": (
                "link",
                lambda it: it != me and pointer[links[it][1]] == pointer[links[me][1]],
            ),
            "other link": ("link", lambda it: it != me),
            "node": ("node", lambda _: True),
            "edge": ("edge", lambda _: True),
            "link": ("link", lambda _: True),
        }[" ".join(words)]
        return others, [it for it in self.graph.elements(others) if sees(it)]

    # ---- terms

    def value(self, term: Sequence[str], at: Mapping[str, Place]) -> Any:
        """A field's value, or the element that a path ends at. at: the elements that 'my' and 'its'
        stand for.
        """
        (place, element), path = at[term[0]], term[1:]
        for word in path:
            if word == "number":
                return self.graph.links[element][2] if place == "link" else element
            found = self._step(place, element, word)
            if found is None:
                return self.values[word][element]
            place, element = found
        return place, element

    def _step(self, place: str, element: int, word: str) -> Place | None:
        edges, links = self.graph.edges, self.graph.links
        match place, word:
            case "link", "sender":
                return "node", links[element][0]
            case "link", "receiver":
                return "node", links[element][1]
            case "link", "edge":
                return "edge", links[element][2]
            case "link", "reverse":
                sender, receiver, edge = links[element]
                return "link", element if self.graph.directed else links.index(
                    (receiver, sender, edge)
                )
            case "edge", "one_end":
                return "node", edges[element][0]
            case "edge", "other_end":
                return "node", edges[element][1]
            case _, "graph":
                return "graph", 0
        kind = self.fields[word]
        return (kind["to"], self.values[word][element]) if kind["kind"] == "pointer" else None

    # ---- statements

    def holds(self, statement: Json, at: Mapping[str, Place]) -> bool:
        """Whether a statement is true of the element that looks, and inside a quantifier of the one
        that is seen.
        """
        match statement:
            case bool():
                return statement
            case ["not", inner]:
                return not self.holds(inner, at)
            case ["and", *terms]:
                return all(self.holds(each, at) for each in terms)
            case ["or", *terms]:
                return any(self.holds(each, at) for each in terms)
            case ["is", term, label]:
                value = self.value(term, at)
                return (
                    bool(value)
                    if label is None
                    else self.fields[term[-1]]["labels"][value] == label
                )
            case ["some" | "every" | "at least" as how, *count, relation, body]:
                others, seen = self.seen_by(relation, at["my"][1])
                fits = [self.holds(body, {**at, "its": (others, it)}) for it in seen]
                return (
                    sum(fits)
                    >= {"some": 1, "every": len(seen), "at least": count[0] if count else 0}[how]
                )
            case [order, left, right]:
                return COMPARE[order](
                    [self.value(each, at) for each in left],
                    [self.value(each, at) for each in right],
                )
        raise TypeError(statement)

    def observed(self, statement: Json, at: str) -> list[bool]:
        """A statement of every element."""
        return [self.holds(statement, {"my": (at, me)}) for me in self.graph.elements(at)]


# ---- whole programs


@dataclass
class Course:
    """What a program did: what every step saw and gave, by name, and why it ended."""

    start: dict[str, list[Any]]
    steps: list[dict[str, list[Any]]] = field(default_factory=list)
    after: dict[str, list[Any]] = field(default_factory=dict)  # what is seen after the last step
    ended: str = ""  # by count, by rule, or at its limit


def carried_out(program: Json, graph: PlainGraph, inputs: Mapping[str, list[Any]]) -> Course:
    """A program, as Program's JSON says it, from its start to its end."""
    look, location = program["look"], program["location"]
    state = _start(look, graph, inputs)
    course = Course(state)
    _check(look, state)
    times, per = program["most_steps"]["times"], program["most_steps"]["per"]
    limit = times * (graph.num_nodes**2 if per == "pair" else len(graph.elements(per)))
    found = _look(look, graph, inputs, state)
    course.ended = "by count" if program["continues"] is None else "by rule"
    while len(course.steps) < limit:
        patterns = [
            {name: found[name][me] for name in program["concepts"]}
            for me in graph.elements(location)
        ]
        outputs = {
            name: [_decided(rules, each) for each in patterns]
            for name, rules in program["rules"].items()
        }
        course.steps.append({**found, **outputs})
        state = {name: course.steps[-1][name] for name in look["state"]}
        _check(look, state)
        found = _look(look, graph, inputs, state)
        if program["continues"] is not None:
            how, rule = program["continues"]
            asks = [
                _says(rule, {name: found[name][me] for name in program["concepts"]})
                for me in graph.elements(location)
            ]
            course.ended = "at its limit"
            if not {"exists": any(asks), "every": all(asks), "no": not any(asks)}[how]:
                course.ended = "by rule"
                break
    course.after = found
    return course


def _start(look: Json, graph: PlainGraph, inputs: Mapping[str, list[Any]]) -> dict[str, list[Any]]:
    world = World(graph, look["starting"], dict(inputs))
    found: dict[str, list[Any]] = {}
    for name, kind in look["state"].items():
        at, elements = kind["at"], graph.elements(kind["at"])
        match look["start"][name]:
            case {"where": statement}:
                found[name] = world.observed(statement, at)
            case {"class": label}:
                found[name] = [kind["labels"].index(label) for _ in elements]
            case {"classes": classes}:  # the first that holds, and the first class where none does
                holding = [
                    [label for label in classes if world.holds(classes[label], {"my": (at, me)})]
                    for me in elements
                ]
                found[name] = [
                    kind["labels"].index(labels[0]) if labels else 0 for labels in holding
                ]
            case {"path": term}:
                found[name] = [_bare(world.value(term, {"my": (at, me)})) for me in elements]
            case {"value": value}:
                found[name] = [value for _ in elements]
    return found


def _look(
    look: Json, graph: PlainGraph, inputs: Mapping[str, list[Any]], state: Mapping[str, list[Any]]
) -> dict[str, Any]:
    """All observations in a state, and what pointers and numbers become."""
    fields = dict(look["fields"])
    values = {name: value for name, value in inputs.items() if name in fields}
    values |= {name if name in fields else f"last {name}": value for name, value in state.items()}
    world = World(graph, fields, values)
    for name, each in look["sums"].items():
        values[name] = []
        for me in graph.elements(each["at"]):
            values[name].append(_total(world, each, {"my": (each["at"], me)}))
        fields[name] = {"at": each["at"], "kind": "number"}
    for each in look["observed"]:
        values[each["name"]] = world.observed(each["formula"], each["at"])
        fields[each["name"]] = {"at": each["at"], "kind": "mask"}
    found = {each["name"]: values[each["name"]] for each in look["observed"]}
    for name in dict.fromkeys(each["name"] for each in look["moves"]):
        moves = [each for each in look["moves"] if each["name"] == name]
        found[name] = [
            _moved(world, moves, fields[name]["at"], me)
            for me in graph.elements(fields[name]["at"])
        ]
    return found


def _total(world: World, each: Json, mine: Mapping[str, Place]) -> int:
    """Products added up; refused where a number on the way leaves its bits."""

    def bounded(number: int) -> int:
        if abs(number) >= MOST:
            raise Refused(each)
        return number

    total = each["constant"]
    for part in each["terms"]:
        factor, terms = (1, [part]) if isinstance(part, list) else (part["factor"], part["terms"])
        product = factor
        for term in terms:
            product = bounded(product * world.value(term, mine))
        total = bounded(total + product)
    return total


def _moved(world: World, moves: Sequence[Json], at: str, me: int) -> Any:
    """What a field becomes: the first of its moves that applies."""
    mine = {"my": (at, me)}
    for move in moves:
        if move["guard"] is not None and not world.holds(move["guard"], mine):
            continue
        if move["relation"] is None:
            return _bare(world.value(move["value"], mine))
        others, seen = world.seen_by(move["relation"], me)
        for it in seen:
            if world.holds(move["mark"], {**mine, "its": (others, it)}):
                return _bare(world.value(move["value"], {**mine, "its": (others, it)}))
    return world.values[moves[0]["name"]][me]


def _bare(value: Any) -> Any:
    """Of an element, its number."""
    return value[1] if isinstance(value, tuple) else value


def _decided(rules: Mapping[str, Json], pattern: Mapping[str, bool]) -> Any:
    """The class whose rule holds: of a mask whether it is true, else the class's number."""
    if set(rules) == {"true", "false"}:
        return _says(rules["true"], pattern)
    return [_says(rule, pattern) for rule in rules.values()].index(True)


def _says(rule: Json, pattern: Mapping[str, bool]) -> bool:
    match rule:
        case bool():
            return rule
        case str():
            return pattern[rule]
        case ["not", inner]:
            return not _says(inner, pattern)
        case ["and", *terms]:
            return all(_says(each, pattern) for each in terms)
        case ["or", *terms]:
            return any(_says(each, pattern) for each in terms)
    raise TypeError(rule)


def _check(look: Json, state: Mapping[str, list[Any]]) -> None:
    for name, kind in look["state"].items():
        if kind["kind"] == "number":
            least = -(2 ** (kind["bits"] - 1)) if kind["signed"] else 0
            if any(not least <= value < least + 2 ** kind["bits"] for value in state[name]):
                raise Refused(name)

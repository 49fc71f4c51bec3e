"""What looks say, element by element and pair by pair, in plain Python: the truth that everything faster is held against."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from algolens.fields import Field, Pointer
from algolens.graphs import Graph, Location
from algolens.logic.formula import And, Constant, Formula, Not, Or
from algolens.looks import Comparison, Order, Quantified, Quantity, Relation, Term, Test, Whose

Element = int  # the number of a node, edge, link or graph inside its graph
COMPARE: dict[Order, Callable[[Any, Any], bool]] = {
    Order.LOWER: lambda a, b: a < b,
    Order.EQUAL: lambda a, b: a == b,
    Order.HIGHER: lambda a, b: a > b,
    Order.NOT_HIGHER: lambda a, b: a <= b,
    Order.DIFFERENT: lambda a, b: a != b,
    Order.NOT_LOWER: lambda a, b: a >= b,
}


@dataclass(frozen=True, eq=False)
class World:
    """One graph, its fields and their values, as lists."""

    graph: Graph
    fields: Mapping[str, Field]
    values: dict[str, list[Any]]

    @cached_property
    def edges(self) -> list[tuple[int, int]]:
        return [(int(u), int(v)) for u, v in self.graph.edges.T.tolist()]

    @cached_property
    def links(self) -> list[tuple[int, int, int]]:
        """Sender, receiver and edge: all edges one way, then the other way."""
        there = [(u, v, place) for place, (u, v) in enumerate(self.edges)]
        return there if self.graph.directed else there + [(v, u, place) for u, v, place in there]

    def elements(self, location: Location) -> range:
        counts = {Location.NODE: self.graph.num_nodes, Location.EDGE: len(self.edges), Location.LINK: len(self.links)}
        return range(counts.get(location, 1))

    # ---- relations

    def seen_by(self, relation: Relation, me: Element) -> list[Element]:
        """Whom an element has in view, each once."""
        others = self.elements(relation.others)
        phrase = relation.phrase(1)
        pointer = getattr(relation, "pointer", "")
        sees: dict[str, Callable[[Element], bool]] = {
            "neighbour": lambda it: (me, it) in self.edges or (it, me) in self.edges,
            "predecessor": lambda it: any(link[:2] == (it, me) for link in self.links),
            "successor": lambda it: any(link[:2] == (me, it) for link in self.links),
            "incoming link": lambda it: self.links[it][1] == me,
            "outgoing link": lambda it: self.links[it][0] == me,
            "incident edge": lambda it: me in self.edges[it],
            "end": lambda it: it in self.edges[me],
            "adjacent edge": lambda it: it != me and bool(set(self.edges[it]) & set(self.edges[me])),
            "direction": lambda it: self.links[it][2] == me,
            "rival": lambda it: it != me and self.links[it][1] == self.links[me][1],
            "sibling": lambda it: it != me and self.links[it][0] == self.links[me][0],
            "other node": lambda it: it != me,
            "other edge": lambda it: it != me,
            "other link": lambda it: it != me,
            "node": lambda it: True,
            "edge": lambda it: True,
            "link": lambda it: True,
            f"node whose {pointer} is me": lambda it: self.values[pointer][it] == me,
            f"rival by {pointer}": lambda it: it != me and self._set(pointer, it) == self._set(pointer, me),
            f"link into my set by {pointer}": lambda it: self._set(pointer, it) == self.values[pointer][me],
        }
        return [it for it in others if sees[phrase](it)]

    def _set(self, pointer: str, link: Element) -> Element:
        return int(self.values[pointer][self.links[link][1]])

    # ---- terms

    def value(self, term: Term, at: Mapping[Whose, tuple[Location, Element]]) -> Any:
        """A field's value, or the element (as location and number) that a path ends at."""
        location, element = at[term.whose]
        for word in term.path:
            found = self._step(location, element, word)
            if found is not None:
                location, element = found
            elif word == "number":
                return self.links[element][2] if location is Location.LINK else element
            else:
                return self.values[word][element]
        return location, element

    def _step(self, location: Location, element: Element, word: str) -> tuple[Location, Element] | None:
        match location, word:
            case Location.LINK, "sender":
                return Location.NODE, self.links[element][0]
            case Location.LINK, "receiver":
                return Location.NODE, self.links[element][1]
            case Location.LINK, "edge":
                return Location.EDGE, self.links[element][2]
            case Location.LINK, "reverse":
                back = (self.links[element][1], self.links[element][0], self.links[element][2])
                return Location.LINK, element if self.graph.directed else self.links.index(back)
            case Location.EDGE, "one_end":
                return Location.NODE, self.edges[element][0]
            case Location.EDGE, "other_end":
                return Location.NODE, self.edges[element][1]
            case _, "graph":
                return Location.GRAPH, 0
        kind = self.fields[word].kind if word in self.fields else None
        return (kind.to, int(self.values[word][element])) if isinstance(kind, Pointer) else None

    # ---- statements

    def holds(self, formula: Formula, at: Mapping[Whose, tuple[Location, Element]]) -> bool:
        """Whether a statement is true of the element that looks, and inside a quantifier of the one that is seen."""
        match formula:
            case Constant(value):
                return value
            case Not(inner):
                return not self.holds(inner, at)
            case And(terms):
                return all(self.holds(each, at) for each in terms)
            case Or(terms):
                return any(self.holds(each, at) for each in terms)
            case Test(term, label):
                value = self.value(term, at)
                return bool(value) if label is None else self._kind_labels(term)[value] == label
            case Comparison(left, order, right):
                return COMPARE[order]([self.value(each, at) for each in left], [self.value(each, at) for each in right])
            case Quantified(quantity, relation, body, count):
                me = at[Whose.MY][1]
                seen = self.seen_by(relation, me)
                fits = [self.holds(body, {**at, Whose.ITS: (relation.others, it)}) for it in seen]
                needed = {Quantity.SOME: 1, Quantity.EVERY: len(seen), Quantity.AT_LEAST: count}
                return sum(fits) >= needed[quantity]
        raise TypeError(formula)

    def _kind_labels(self, term: Term) -> tuple[str, ...]:
        return self.fields[term.path[-1]].kind.labels

    def observed(self, formula: Formula, location: Location) -> list[bool]:
        """A statement of every element."""
        return [self.holds(formula, {Whose.MY: (location, me)}) for me in self.elements(location)]

"""Finite graphs as a first-order theory, for Z3.

A node, an edge and a link are of three sorts that nothing more is known of than what is asserted
here, so that whatever follows holds on every graph. Each axiom is true of every graph that
``Graph`` holds: simple, without self-loops, edges in lexicographic order, an undirected edge being
two links, all links one way before all links back. Leaving an axiom out would be sound; a false one
would not. Sorts of Z3 are never empty, and a graph may have no edges: whatever is said of edges and
links is said under ``has_edges``, so that a graph without any is a model too.

Every axiom names the terms that it is instantiated for (patterns). Z3 then looks for no others, and
ends soon where there is no proof.
"""

from __future__ import annotations

import importlib
import importlib.util
import math
from collections.abc import Callable, Sequence
from typing import Any

from algolens.errors import AlgoLensError
from algolens.graphs import Location

z3: Any = importlib.import_module("z3") if importlib.util.find_spec("z3") else None

Expression = Any  # of Z3, which has no types of its own
NODE, EDGE, LINK, GRAPH = Location
# a wide "_": declared names have none, so that none of them is a word of a proof
WIDE = "\N{FULLWIDTH LOW LINE}"


def check_solver() -> None:
    """Says what to install where Z3 is missing."""
    if z3 is None:
        raise AlgoLensError(
            "a proof of equality needs Z3: install it with pip install 'algolens[solvers]'."
        )


def for_all(
    variables: Sequence[Expression],
    body: Expression,
    patterns: Sequence[Sequence[Expression]],
    weight: int = 0,
) -> Expression:
    """A statement about all values of some variables, for the terms that a pattern meets.

    weight: by how much deeper than these terms an instance is; 1 where it names new elements.
    """
    if not variables:
        return body
    made = [z3.MultiPattern(*pattern) if len(pattern) > 1 else pattern[0] for pattern in patterns]

    return z3.ForAll(list(variables), body, patterns=made, weight=weight)


class GraphTheory:
    """Nodes, edges and links of one finite graph, and what is true of every one.

    Parameters
    ----------
    graphs : str
        ``undirected``, ``directed`` or ``any``.
    until : float
        CPU deadline, as ``time.process_time()`` counts.
    """

    def __init__(self, graphs: str, until: float = math.inf) -> None:
        self.graphs, self.until = graphs, until
        self.sorts = {at: z3.DeclareSort(at.value.capitalize()) for at in (NODE, EDGE, LINK)}
        self.label = z3.DeclareSort("Label")
        node, edge, link = (self.sorts[at] for at in (NODE, EDGE, LINK))
        self.number = {
            NODE: z3.Function("number", node, z3.IntSort()),
            EDGE: z3.Function("number", edge, z3.IntSort()),
        }
        self.steps = {
            (LINK, "sender"): z3.Function("sender", link, node),
            (LINK, "receiver"): z3.Function("receiver", link, node),
            (LINK, "edge"): z3.Function("edge", link, edge),
            (LINK, "reverse"): z3.Function("reverse", link, link),
            (EDGE, "one_end"): z3.Function("one_end", edge, node),
            (EDGE, "other_end"): z3.Function("other_end", edge, node),
        }
        self.count = {at: z3.Int(f"count {at.value}") for at in (NODE, EDGE)}
        # by location: functions of one element, by which axioms find their instances
        self.known = {
            NODE: [self.number[NODE]],
            EDGE: [self.number[EDGE], self.steps[EDGE, "one_end"], self.steps[EDGE, "other_end"]],
            LINK: [self.steps[LINK, step] for step in ("sender", "receiver", "edge")],
        }
        self.has_edges = z3.Bool("has edges")
        self._fresh = 0
        self._labels: dict[str, Expression] = {}

    def fresh(self, words: str) -> str:
        """A name that nothing has."""
        self._fresh += 1
        return f"{words} {self._fresh}"

    def variable(self, at: Location, name: str = "x") -> Expression:
        """A constant that stands for any element."""
        return z3.Const(self.fresh(name), self.sorts[at])

    def label_of(self, name: str) -> Expression:
        """A class of a category."""
        return self._labels.setdefault(name, z3.Const(f"label {name}", self.label))

    def distinct_labels(self) -> list[Expression]:
        """That classes differ."""
        return [z3.Distinct(*self._labels.values())] if len(self._labels) > 1 else []

    def met(self, at: Location, element: Expression) -> list[list[Expression]]:
        """Patterns that meet every element that something is said of."""
        return [[function(element)] for function in self.known[at]]

    def is_met(self, at: Location, element: Expression) -> Expression:
        """A truth that names an element, so that patterns meet it."""
        return z3.Implies(self.there(at), self.number_of(at, element) >= 0)

    def number_of(self, at: Location, element: Expression) -> Expression:
        """The index of an element in its graph; of a link, that of its edge."""
        if at is LINK:
            return self.number[EDGE](self.steps[LINK, "edge"](element))
        return self.number[at](element)

    def place(self, at: Location, element: Expression) -> Expression:
        """By what the first of several is taken: all links one way, then all links back."""
        number = self.number_of(at, element)
        if at is not LINK or self.graphs == "directed":
            return number
        back = number + self.count[EDGE]
        return z3.If(self._leads_back(element), back, number)

    def _leads_back(self, link: Expression) -> Expression:
        sender, receiver = (self.steps[LINK, step](link) for step in ("sender", "receiver"))
        turned = self.number[NODE](sender) > self.number[NODE](receiver)
        return turned if self.graphs == "undirected" else z3.And(turned, z3.Not(self.directed))

    @property
    def directed(self) -> Expression:
        """Whether the graph is directed, where both kinds are taken."""
        known = {"directed": True, "undirected": False}
        return z3.BoolVal(known[self.graphs]) if self.graphs in known else z3.Bool("directed")

    def axioms(self) -> list[Expression]:
        """What is true of every graph."""
        node, edge, link = (self.variable(at, at.value) for at in (NODE, EDGE, LINK))
        number, count = self.number, self.count
        sender, receiver, of_link, reverse = (
            self.steps[LINK, step] for step in ("sender", "receiver", "edge", "reverse")
        )
        one, other = (self.steps[EDGE, step] for step in ("one_end", "other_end"))
        node_at = z3.Function("node at", z3.IntSort(), self.sorts[NODE])
        edge_at = z3.Function("edge at", z3.IntSort(), self.sorts[EDGE])
        joining = z3.Function("link between", self.sorts[NODE], self.sorts[NODE], self.sorts[LINK])
        along = z3.Function("link along", self.sorts[EDGE], self.sorts[LINK])
        is_directed = self.directed
        back = z3.If(is_directed, link, reverse(link))
        forward = z3.And(one(of_link(link)) == sender(link), other(of_link(link)) == receiver(link))
        turned = z3.And(one(of_link(link)) == receiver(link), other(of_link(link)) == sender(link))

        def each(element: Expression, at: Location, body: Expression) -> Expression:
            names_new = at is not NODE  # the links of an edge, the reverse of a link
            return for_all([element], self.where_there(at, body), self.met(at, element), names_new)

        return [
            count[NODE] > 0,
            count[EDGE] >= 0,
            self.has_edges == (count[EDGE] > 0),
            # numbers are indices, so that no two nodes or edges have the same
            each(
                node,
                NODE,
                z3.And(
                    number[NODE](node) >= 0,
                    number[NODE](node) < count[NODE],
                    node_at(number[NODE](node)) == node,
                ),
            ),
            each(
                edge,
                EDGE,
                z3.And(
                    number[EDGE](edge) >= 0,
                    number[EDGE](edge) < count[EDGE],
                    edge_at(number[EDGE](edge)) == edge,
                    one(edge) != other(edge),
                    z3.Or(is_directed, number[NODE](one(edge)) < number[NODE](other(edge))),
                    of_link(along(edge)) == edge,
                    sender(along(edge)) == one(edge),
                    receiver(along(edge)) == other(edge),
                ),
            ),
            each(
                link,
                LINK,
                z3.And(
                    sender(link) != receiver(link),
                    joining(sender(link), receiver(link)) == link,
                    z3.Implies(is_directed, forward),
                    z3.Implies(z3.Not(is_directed), z3.Or(forward, turned)),
                    z3.Implies(is_directed, reverse(link) == link),
                    z3.Implies(
                        z3.Not(is_directed),
                        z3.And(
                            sender(back) == receiver(link),
                            receiver(back) == sender(link),
                            of_link(back) == of_link(link),
                            reverse(reverse(link)) == link,
                        ),
                    ),
                ),
            ),
        ]

    def in_order(self) -> list[Expression]:
        """That edges stand in lexicographic order of their ends; so links into one node stand in
        the order of their senders: those from lower nodes lead forward, and come first.
        """
        first, second = self.variable(EDGE, "edge"), self.variable(EDGE, "edge")
        number, index = self.number[NODE], self.number[EDGE]
        ends = [
            [number(self.steps[EDGE, step](edge)) for step in ("one_end", "other_end")]
            for edge in (first, second)
        ]
        body = (index(first) < index(second)) == lexicographic(ends[0], ends[1])
        body = self.where_there(EDGE, body)
        one, other = self.variable(LINK, "link"), self.variable(LINK, "link")
        senders, receivers = (
            [self.steps[LINK, step](link) for link in (one, other)]
            for step in ("sender", "receiver")
        )
        by_sender = number(senders[0]) < number(senders[1])
        into_one = z3.Implies(
            receivers[0] == receivers[1],
            (self.place(LINK, one) < self.place(LINK, other)) == by_sender,
        )
        return [
            for_all([first, second], body, [[index(first), index(second)]]),
            for_all([one, other], self.where_there(LINK, into_one), [receivers]),
        ]

    def there(self, at: Location) -> Expression:
        """Whether the graph has an element there."""
        return self.has_edges if at in (EDGE, LINK) else z3.BoolVal(True)

    def where_there(self, at: Location, body: Expression) -> Expression:
        """A statement about elements at a location; of a graph that has none there, nothing."""
        return z3.Implies(self.has_edges, body) if at in (EDGE, LINK) else body


def lexicographic(left: Sequence[Expression], right: Sequence[Expression]) -> Expression:
    """Whether numbers come before others, as words in a dictionary do."""
    before = left[-1] < right[-1]
    for mine, its in zip(left[-2::-1], right[-2::-1], strict=True):
        before = z3.Or(mine < its, z3.And(mine == its, before))
    return before


def names_in(statement: Expression) -> set[str]:
    """The functions that a statement names."""
    named, seen, todo = set[str](), set[int](), [statement]
    while todo:
        one = todo.pop()
        if one.get_id() in seen:
            continue
        seen.add(one.get_id())
        if z3.is_quantifier(one):
            todo.append(one.body())
        elif z3.is_app(one):
            named.add(one.decl().name())
            todo += one.children()
    return named


def all_of(parts: Sequence[Expression]) -> Expression:
    """A conjunction."""
    return parts[0] if len(parts) == 1 else z3.And(*parts)


Value = Callable[[Expression], Expression]  # of an element; the graph's element is None

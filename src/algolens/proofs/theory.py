"""Finite graphs as a first-order theory, for Z3.

A node, an edge and a link are of three sorts that nothing more is known of than what is asserted
here, so that whatever follows holds on every graph. Each axiom is true of every graph that
``Graph`` holds: simple, without self-loops, edges in lexicographic order, an undirected edge being
two links, all links one way before all links back. Leaving an axiom out would be sound; a false one
would not. Sorts of Z3 are never empty, and a graph may have no edges: whatever is said of edges and
links is said under ``has_edges``, so that a graph without any is a model too.

Every axiom names the terms that it is instantiated for (patterns). Z3 then looks for no others, and
ends soon where there is no proof.

What follows is asked of Z3 within bounds that no clock decides, as long as there is time.
"""

from __future__ import annotations

import importlib
import importlib.util
import math
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeVar

from algolens.errors import AlgoLensError
from algolens.language.ir import STEPS, At

z3: Any = importlib.import_module("z3") if importlib.util.find_spec("z3") else None

Expression = Any  # of Z3, which has no types of its own
Value = Callable[[Expression], Expression]  # of an element; the graph's element is None
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
    variables = [variable for variable in variables if variable is not None]
    if not variables:
        return body
    made = [z3.MultiPattern(*pattern) if len(pattern) > 1 else pattern[0] for pattern in patterns]
    return z3.ForAll(variables, body, patterns=made, weight=weight)


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
        self.sorts: dict[At, Expression] = {
            at: z3.DeclareSort(at.capitalize()) for at in ("node", "edge", "link")
        }
        self.label = z3.DeclareSort("Label")
        self.number = {at: self.function(at, "number", z3.IntSort()) for at in ("node", "edge")}
        self.steps = {
            (at, step): self.function(at, step, self.sorts[to])
            for (at, step), to in STEPS.items()
            if at in self.sorts and to in self.sorts
        }
        self.count = {at: z3.Int(f"count {at}") for at in ("node", "edge")}
        # by table: functions of one row, by which axioms find their instances
        self.known = {
            "node": [self.number["node"]],
            "edge": [self.number["edge"], *(self.steps["edge", end] for end in ENDS["edge"])],
            "link": [self.steps["link", step] for step in (*ENDS["link"], "edge")],
        }
        self.has_edges = z3.Bool("has edges")
        self._fresh, self._labels = 0, list[Expression]()

    def fresh(self, words: str) -> str:
        """A name that nothing has."""
        self._fresh += 1
        return f"{words} {self._fresh}"

    def variable(self, at: At, name: str = "x") -> Expression:
        """A constant that stands for any row of a table; for the graph, None."""
        return None if at == "graph" else z3.Const(self.fresh(name), self.sorts[at])

    def ends(self, row: Expression) -> list[Expression]:
        """The two nodes of an edge, or of a link: its sender and its receiver."""
        at = self.table(row)
        return [self.steps[at, end](row) for end in ENDS[at]]

    def function(self, at: At, name: str, sort: Expression) -> Value:
        """A new function of rows of a table; at the graph, a constant."""
        if at == "graph":
            constant = z3.Const(name, sort)
            return lambda _: constant
        return z3.Function(name, self.sorts[at], sort)

    def table(self, row: Expression) -> At:
        """The table that a row stands in."""
        if row is None:
            return "graph"
        return next(at for at, sort in self.sorts.items() if row.sort() == sort)

    def label_of(self, place: int) -> Expression:
        """A class of a category."""
        for new in range(len(self._labels), place + 1):
            self._labels.append(z3.Const(f"label {new}", self.label))
        return self._labels[place]

    def met(self, at: At, row: Expression) -> list[list[Expression]]:
        """Patterns that meet every row that something is said of."""
        return [[function(row)] for function in self.known[at]]

    def is_met(self, at: At, row: Expression) -> Expression:
        """A truth that names a row, so that patterns meet it."""
        if at == "graph":
            return z3.BoolVal(True)
        return self.where_there(at, self.number_of(at, row) >= 0)

    def number_of(self, at: At, row: Expression) -> Expression:
        """The index of a row in its graph; of a link, that of its edge."""
        if at == "link":
            at, row = "edge", self.steps["link", "edge"](row)
        return self.number[at](row)

    def place(self, at: At, row: Expression) -> Expression:
        """By what the first of several is taken: all links one way, then all links back."""
        number = self.number_of(at, row)
        if at != "link" or self.graphs == "directed":
            return number
        sender, receiver = map(self.number["node"], self.ends(row))
        turned = sender > receiver
        if self.graphs != "undirected":
            turned &= ~self.directed
        return z3.If(turned, number + self.count["edge"], number)

    @property
    def directed(self) -> Expression:
        """Whether the graph is directed, where both kinds are taken."""
        known = {"directed": True, "undirected": False}
        return z3.BoolVal(known[self.graphs]) if self.graphs in known else z3.Bool("directed")

    def axioms(self) -> list[Expression]:
        """What is true of every graph."""
        node, edge, link = (self.variable(at, at) for at in self.sorts)
        number, count, directed = self.number, self.count, self.directed
        reverse, its_edge = self.steps["link", "reverse"], self.steps["link", "edge"](link)
        nodes, edges, links = self.sorts.values()
        node_at = z3.Function("node at", z3.IntSort(), nodes)
        edge_at = z3.Function("edge at", z3.IntSort(), edges)
        joining = z3.Function("link between", nodes, nodes, links)
        along = z3.Function("link along", edges, links)(edge)
        ends, (sender, receiver), (one, other) = map(self.ends, (edge, link, its_edge))
        back = z3.If(directed, link, reverse(link))
        forward = (one == sender) & (other == receiver)
        turned = (one == receiver) & (other == sender)

        def each(at: At, row: Expression, *said: Expression) -> Expression:
            names_new = at != "node"  # the links of an edge, the reverse of a link
            body = self.where_there(at, z3.And(*said))
            return for_all([row], body, self.met(at, row), names_new)

        def index(at: At, row: Expression, row_at: Value) -> list[Expression]:
            """Numbers are indices, so that no two rows have the same."""
            its = number[at](row)
            return [its >= 0, its < count[at], row_at(its) == row]

        return [
            count["node"] > 0,
            count["edge"] >= 0,
            self.has_edges == (count["edge"] > 0),
            each("node", node, *index("node", node, node_at)),
            each(
                "edge",
                edge,
                *index("edge", edge, edge_at),
                ends[0] != ends[1],
                directed | (number["node"](ends[0]) < number["node"](ends[1])),
                self.steps["link", "edge"](along) == edge,
                *(mine == its for mine, its in zip(self.ends(along), ends, strict=True)),
            ),
            each(
                "link",
                link,
                sender != receiver,
                joining(sender, receiver) == link,
                z3.If(directed, forward & (reverse(link) == link), forward | turned),
                directed
                | z3.And(
                    *(a == b for a, b in zip(self.ends(back), (receiver, sender), strict=True)),
                    self.steps["link", "edge"](back) == its_edge,
                    reverse(reverse(link)) == link,
                ),
            ),
            *([z3.Distinct(*self._labels)] if len(self._labels) > 1 else []),
        ]

    def in_order(self) -> list[Expression]:
        """That edges stand in lexicographic order of their ends; so links into one node stand in
        the order of their senders: those from lower nodes lead forward, and come first.
        """
        number = self.number["node"]
        edges, links = ([self.variable(at, at) for _ in range(2)] for at in ("edge", "link"))
        index = [self.number["edge"](edge) for edge in edges]
        ends = [list(map(number, self.ends(edge))) for edge in edges]
        body = self.where_there("edge", (index[0] < index[1]) == lexicographic(*ends))
        senders, receivers = zip(*map(self.ends, links), strict=True)
        places = [self.place("link", link) for link in links]
        by_sender = (places[0] < places[1]) == (number(senders[0]) < number(senders[1]))
        into_one = z3.Implies(receivers[0] == receivers[1], by_sender)
        return [
            for_all(edges, body, [index]),
            for_all(links, self.where_there("link", into_one), [receivers]),
        ]

    def there(self, at: At) -> Expression:
        """Whether the graph has a row in a table."""
        return self.has_edges if at in ("edge", "link", "side") else z3.BoolVal(True)

    def where_there(self, at: At, body: Expression) -> Expression:
        """A statement about rows of a table; of a graph that has none there, nothing."""
        return z3.Implies(self.has_edges, body) if at in ("edge", "link") else body


ENDS = {"edge": ("one_end", "other_end"), "link": ("sender", "receiver")}


def lexicographic(left: Sequence[Expression], right: Sequence[Expression]) -> Expression:
    """Whether numbers come before others, as words in a dictionary do."""
    before = left[-1] < right[-1]
    for mine, its in zip(left[-2::-1], right[-2::-1], strict=True):
        before = (mine < its) | (mine == its) & before
    return before


def applied(statement: Expression, *, to_any_row: bool = False) -> Iterator[Expression]:
    """The applications of functions in a statement, constants too, each once.

    to_any_row: also those in what is said of all rows.
    """
    seen, todo = set[int](), [statement]
    while todo:
        one = todo.pop()
        if z3.is_quantifier(one) and to_any_row:
            todo.append(one.body())
        elif z3.is_app(one) and one.get_id() not in seen:
            seen.add(one.get_id())
            todo += one.children()
            yield one


def names_in(statement: Expression) -> Iterator[str]:
    """The functions that a statement names, in order: proofs depend on the order of axioms."""
    return (one.decl().name() for one in applied(statement, to_any_row=True))


def all_of(parts: Sequence[Expression]) -> Expression:
    """A conjunction."""
    return parts[0] if len(parts) == 1 else z3.And(*parts)


Item = TypeVar("Item")

# how many instances may rest on one another: few first, since most proofs are short
DEPTHS: tuple[float, ...] = (1.5, 2.5, 3.5, 5.5, 8.5)
MOST_CONDITIONS = 3  # that one question is split by
MOST_WORK = 3_000_000  # of one question, as Z3 counts it
LONGEST = 2**31  # of one question, in milliseconds: Z3 knows no longer time


class OutOfTimeError(Exception):
    """The time of a proof is over. It ends there, and nothing is proven."""


def in_time(items: Iterable[Item], until: float) -> Iterator[Item]:
    """Items, one by one, as long as there is time: every loop of a proof goes by it, and the proof
    ends with it. until: CPU deadline, as ``time.process_time()`` counts.
    """
    for item in items:
        if time.process_time() > until:
            raise OutOfTimeError
        yield item


class Prover:
    """Asks whether statements contradict axioms.

    Parameters
    ----------
    axioms : sequence
        Always true.
    further : sequence
        True as well, but seldom needed and dear: asked again with them where there is no proof
        without.
    until : float
        CPU deadline, as ``time.process_time()`` counts.
    work : int
        Bound of one question.
    """

    def __init__(
        self,
        axioms: Sequence[Expression],
        until: float,
        further: Sequence[Expression] = (),
        work: int = MOST_WORK,
    ) -> None:
        self.axioms, self.further, self.until = list(axioms), list(further), until
        self.work = work
        self._solvers: dict[tuple[float, bool], Expression] = {}

    def refutes(
        self,
        statement: Expression,
        assumed: Sequence[Expression] = (),
        depths: Sequence[float] = DEPTHS,
    ) -> list[Expression] | None:
        """Of what is assumed, what a statement contradicts; None where that is not shown."""
        core: dict[int, Expression] = {}
        for case in cases(statement):
            parts = self._refutes(case, assumed, depths)
            if parts is None:
                return None
            core |= {part.get_id(): part for part in parts}
        return list(core.values())

    def _refutes(
        self, statement: Expression, assumed: Sequence[Expression], depths: Sequence[float]
    ) -> list[Expression] | None:
        is_spent = False
        ways = [(depth, False) for depth in depths]
        ways += [(depth, True) for depth in (DEPTHS[1], depths[-1]) if self.further]
        for depth, with_further in in_time(ways, self.until):
            if is_spent and not with_further:  # deeper, there is more to look at
                continue
            solver = self._solver(depth, with_further)
            left = self.until - time.process_time()
            solver.set("timeout", int(min(1000 * max(left, 0) + 1, LONGEST)))
            solver.push()
            solver.add(statement)
            answer = solver.check(*assumed)
            core = solver.unsat_core() if answer == z3.unsat else None
            is_spent = core is None and solver.reason_unknown() == "canceled"
            solver.pop()
            if core is not None:
                return list(core)
        return None

    def _solver(self, depth: float, with_further: bool) -> Expression:
        """A solver for instances of a depth, which Z3 reads when it is made."""
        key = depth, with_further
        if key not in self._solvers:
            z3.set_param("smt.qi.eager_threshold", depth)
            z3.set_param("smt.qi.lazy_threshold", depth)
            solver = z3.SimpleSolver()
            solver.set("auto_config", False)
            solver.set("mbqi", False)
            solver.set("rlimit", self.work)
            solver.add(*self.axioms, *(self.further if with_further else ()))
            self._solvers[key] = solver
        return self._solvers[key]


def cases(statement: Expression) -> list[Expression]:
    """A statement, by the values of what its alternatives depend on: each is refuted alone."""
    conditions: dict[int, Expression] = {}
    for one in applied(statement):
        is_equality = z3.is_eq(one) or z3.is_distinct(one)
        if z3.is_app_of(one, z3.Z3_OP_ITE) or (is_equality and z3.is_bool(one.arg(0))):
            conditions[one.arg(0).get_id()] = one.arg(0)
    made = [statement]
    for condition in list(conditions.values())[:MOST_CONDITIONS]:
        made = [case & way for case in made for way in (condition, ~condition)]
    return made

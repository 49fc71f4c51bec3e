"""The nodes of a program: one representation, which everything else is a visitor of.

There are two levels. A program is *written* in terms of the element itself (``Me``) and, inside a
view, of another one (``It``): "some neighbour (color is 0 & its priority > my priority)". That is
HIR. Proofs want it, because a quantifier says whom a statement speaks of. Engines want aggregates,
because nobody can go through all pairs: ``lower`` turns every quantifier into a ``Group`` of rows
with equal keys, of which it asks ``Any``, ``Count`` or ``First``. That is LIR. It has no ``It``:
inside a group, ``Me`` is the group's row.

Nodes are frozen, compared by value, and JSON both ways.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any as Anything
from typing import Literal, TypeAlias, TypeVar

import msgspec

from algolens.graphs import At as At
from algolens.language.fields import Field as Field
from algolens.language.fields import Node as Node

Op: TypeAlias = Literal["<", "<=", "=", "!=", ">=", ">"]
Per: TypeAlias = Literal["node", "edge", "link", "graph", "pair"]

# columns that the graph itself gives, and the table that each leads to
STEPS: dict[tuple[At, str], At] = {
    ("link", "sender"): "node",
    ("link", "receiver"): "node",
    ("link", "edge"): "edge",
    ("link", "reverse"): "link",
    ("side", "sender"): "node",
    ("side", "receiver"): "node",
    ("edge", "one_end"): "node",
    ("edge", "other_end"): "node",
    ("node", "graph"): "graph",
    ("edge", "graph"): "graph",
    ("link", "graph"): "graph",
    ("side", "graph"): "graph",
}
NUMBER = "number"  # the index of a node or an edge in its graph; a link has its edge's
INDEX_BITS = 31  # of the index of an element in its graph
LAST = "last "  # begins the name of a field that is carried as it was last observed
GOES_ON = "goes on"  # the let, at the graph, that says whether a run takes another step


# ---- values of one row


class Const(Node, frozen=True):
    """A truth value, a number, or a class of a category by its index."""

    value: bool | int

    def __eq__(self, other: object) -> bool:
        """Truth values and numbers are told apart: ``Const(True)`` is not ``Const(1)``."""
        return isinstance(other, Const) and (type(self.value), self.value) == (
            type(other.value),
            other.value,
        )

    def __hash__(self) -> int:
        return hash((type(self.value), self.value))


class Me(Node, frozen=True):
    """The row itself, as what a pointer to it holds."""


class It(Node, frozen=True):
    """The row in view: in HIR, and in ``Pairs``."""


class Get(Node, frozen=True):
    """A column of the row ``of``: a field, a pointer, a step that the graph gives, or ``number``.

    A path is a column of a column: ``sender's distance`` is
    ``Get("distance", "node", Get("sender", "link"))``.
    """

    column: str
    at: At
    of: Expr = Me()


class Not(Node, frozen=True):
    """Negation."""

    term: Expr


class And(Node, frozen=True):
    """Conjunction."""

    terms: Exprs


class Or(Node, frozen=True):
    """Disjunction."""

    terms: Exprs


class Compare(Node, frozen=True):
    """Numbers, classes or rows; several compare lexicographically."""

    left: Exprs
    op: Op
    right: Exprs


class Arith(Node, frozen=True):
    """Whole numbers; ``lower`` bounds each result."""

    a: Expr
    op: Literal["+", "-", "*"]
    b: Expr


class Case(Node, frozen=True):
    """The value of the first condition that holds.

    In HIR a case is passed over where its value is that of a row in view (``The``) and none is.
    """

    cases: Cases
    otherwise: Expr


class Within(Node, frozen=True):
    """A number; a run is refused where one row's leaves these bounds."""

    of: Expr
    least: int
    most: int


# ---- HIR: over those in view


class View(Node, frozen=True):
    """The rows that a relation shows to me.

    Attributes
    ----------
    words : str
        What the relation is called, in the singular.
    rows : At
        The table that is looked through.
    joins : tuple of (Expr, Expr)
        A row is in view where one of these pairs is equal: the first of ``Me``, the second of
        ``It``.
    it : Expr
        Who is meant by such a row: itself, or the node at the other end of a link.
    apart : bool
        Whether I am never in view of myself.
    """

    words: str
    rows: At
    joins: Cases
    it: Expr = It()
    apart: bool = False


class Quantified(Node, frozen=True):
    """Whether some, every one, or at least ``count`` of those in view are so."""

    quantity: Literal["some", "every", "at least"]
    view: View
    body: Expr
    count: int = 1


class The(Node, frozen=True):
    """A value of the first in view who is so: by keys, then in the order of the table."""

    view: View
    where: Expr
    value: Expr
    by: Exprs = ()


# ---- LIR: over groups of rows with equal keys


class Group(Node, frozen=True):
    """The rows whose key equals mine."""

    rows: At
    key: Exprs  # of such a row
    mine: Exprs  # of the row that looks


class Any(Node, frozen=True):
    """Whether some row of my group is so."""

    group: Group
    where: Expr


class Count(Node, frozen=True):
    """How many rows of my group are so."""

    group: Group
    where: Expr


class First(Node, frozen=True):
    """The row of my group that is so and comes first by keys, then by index; or none.

    ``last`` reverses the keys, not the index. ``rank`` 1 is the second: what is left for a row
    that comes first itself and must not meet itself.
    """

    group: Group
    where: Expr
    keys: Exprs = ()
    last: bool = False
    rank: Literal[0, 1] = 0


class Known(Node, frozen=True):
    """Whether ``of`` is a row, and not none."""

    of: Expr


class Pairs(Node, frozen=True):
    """How many rows are so, pair by pair: of ``Me`` and ``It``, the joins included. Last resort."""

    rows: At
    where: Expr


Expr: TypeAlias = (
    Const
    | Me
    | It
    | Get
    | Not
    | And
    | Or
    | Compare
    | Arith
    | Case
    | Within
    | Quantified
    | The
    | Any
    | Count
    | First
    | Known
    | Pairs
)
Exprs: TypeAlias = tuple[Expr, ...]
Cases: TypeAlias = tuple[tuple[Expr, Expr], ...]
EXPRESSIONS = Expr.__args__
AGGREGATES = (Any, Count, First, Pairs)

# ---- programs


def given_column(at: At, column: str) -> Field | None:
    """What the graph itself gives: where a step leads, and the index of an element."""
    if (at, column) in STEPS:
        return Field(at, "pointer", to=STEPS[at, column])
    return Field(at, "number", bits=INDEX_BITS) if column == NUMBER and at != "graph" else None


class Let(Node, frozen=True):
    """A column and its value."""

    name: str
    at: At
    value: Expr

    @property
    def cases(self) -> Cases:
        """What is tried one by one before it becomes something else; none of a plain value."""
        return self.value.cases if isinstance(self.value, Case) else ()


class Program(Node, frozen=True):
    """What is given, what is carried from step to step, and how a step goes.

    Attributes
    ----------
    inputs, state, outputs : dict of str to Field
        Columns that are given and stay; that are carried over; that are the result. An output may
        be state.
    start : tuple of Let
        The state before the first step, from the inputs.
    lets : tuple of Let
        What follows from inputs and state, in order: sums and observations. The let ``GOES_ON``
        says, after a step, whether there is another one.
    becomes : tuple of Let
        What a step makes of state and outputs, all at once, from what was there before it.
    times, per : int, str
        A run takes at most ``times`` steps for each element of a table, or for each pair of nodes.
    concepts : tuple of str
        The lets that outputs, and whether a run goes on, are decided by.
    outcomes : tuple of str
        Lets of the graph that are results, as they are in the end.
    only_where : dict of str to str
        Outputs that say something only where another, a mask, holds.
    endless : dict of str to str
        Numbers without a bound at one node, and the input that points to it.
    perceived : dict of str to Field
        What a method in Python gives in place of lets; there are no lets then.
    """

    name: str
    inputs: dict[str, Field]
    state: dict[str, Field]
    start: tuple[Let, ...]
    lets: tuple[Let, ...]
    becomes: tuple[Let, ...]
    times: int = 1
    per: Per = "node"
    outputs: dict[str, Field] = {}
    concepts: tuple[str, ...] = ()
    outcomes: tuple[str, ...] = ()
    only_where: dict[str, str] = {}
    endless: dict[str, str] = {}
    perceived: dict[str, Field] = {}

    @property
    def goes_on(self) -> Expr | None:
        """Whether a run takes another step; None: as many as it may."""
        return next((let.value for let in self.lets if let.name == GOES_ON), None)


TRUE, FALSE, ME, IT = Const(True), Const(False), Me(), It()

Part = TypeVar("Part")


def conjunction(*terms: Expr) -> Expr:
    """All of them, flat and without repetition.

    >>> conjunction(TRUE, Get("a", "node"), TRUE)
    Get(column='a', at='node', of=Me())
    """
    parts = (part for term in terms for part in (term.terms if isinstance(term, And) else (term,)))
    flat = dict.fromkeys(part for part in parts if part != TRUE)
    if FALSE in flat:
        return FALSE
    return And(tuple(flat)) if len(flat) > 1 else next(iter(flat), TRUE)


def disjunction(*terms: Expr) -> Expr:
    """One of them at least."""
    return negation(conjunction(*map(negation, terms)))


def negation(term: Expr) -> Expr:
    """The opposite, with "not" in front of atoms alone."""
    match term:
        case Const(value):
            return Const(not value)
        case Not(inner):
            return inner
        case And(terms):
            return Or(tuple(map(negation, terms)))
        case Or(terms):
            return And(tuple(map(negation, terms)))
    return Not(term)


def children(node: Node) -> Exprs:
    """The expressions right below a node, those of its view or group included."""
    found: list[Expr] = []

    def gather(value: object) -> None:
        if isinstance(value, tuple):
            for part in value:
                gather(part)
        elif isinstance(value, EXPRESSIONS):
            found.append(value)
        elif isinstance(value, Node):
            gather(msgspec.structs.astuple(value))

    gather(msgspec.structs.astuple(node))
    return tuple(found)


def parts_of(node: Expr, kind: type[Part]) -> list[Part]:
    """The outermost nodes of a kind in an expression, itself included."""
    if isinstance(node, kind):
        return [node]
    return [part for child in children(node) for part in parts_of(child, kind)]


def atoms(node: Expr) -> Iterator[Expr]:
    """What "and", "or" and "not" join, as often as it stands there; a quantifier is one."""
    if isinstance(node, Not | And | Or):
        for term in children(node):
            yield from atoms(term)
    elif not isinstance(node, Const):
        yield node


def columns_of(node: Node) -> frozenset[tuple[At, str]]:
    """All columns that are read in an expression, or in a group."""
    if node not in _COLUMNS:
        found = frozenset[tuple[At, str]]().union(*map(columns_of, children(node)))
        _COLUMNS[node] = found | {(node.at, node.column)} if isinstance(node, Get) else found
    return _COLUMNS[node]


_COLUMNS: dict[Node, frozenset[tuple[At, str]]] = {}


def reads(node: Expr, *, is_own: bool = True) -> Iterator[tuple[At, str, bool]]:
    """The columns that an expression reads, and whether it does of its own row."""
    match node:
        case Get(column, at, of):
            yield at, column, is_own and isinstance(of, Me)
            yield from reads(of, is_own=is_own)
        case Any(group) | Count(group) | First(group):
            mine = {id(part) for part in group.mine}
            for child in children(node):
                yield from reads(child, is_own=is_own and id(child) in mine)
        case Pairs():
            for child in children(node):
                yield from reads(child, is_own=False)
        case _:
            for child in children(node):
                yield from reads(child, is_own=is_own)


def rebuilt(value: Anything, change: Callable[[Expr], Expr]) -> Anything:
    """The same node, with every expression right below it changed."""
    if isinstance(value, tuple):
        return tuple(
            change(part) if isinstance(part, EXPRESSIONS) else rebuilt(part, change)
            for part in value
        )
    if isinstance(value, Node):
        return type(value)(*rebuilt(msgspec.structs.astuple(value), change))
    return value


def put(node: Expr, me: Expr = ME, it: Expr = IT) -> Expr:
    """The same expression of other rows."""
    if isinstance(node, Me):
        return me
    if isinstance(node, It):
        return it
    return rebuilt(node, lambda part: put(part, me, it))


def speaks_of(*nodes: Expr) -> frozenset[Expr]:
    """Whether expressions speak of me, of it, of both, or of none."""
    found = ({node} if isinstance(node, Me | It) else speaks_of(*children(node)) for node in nodes)
    return frozenset[Expr]().union(*found)

"""Literals: all that can be said of an element, or of one in view, by the schema alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations

from msgspec.structs import replace

from algolens.language.ir import (
    IT,
    ME,
    NUMBER,
    STEPS,
    At,
    Compare,
    Const,
    Expr,
    Field,
    Get,
    Not,
    Op,
    put,
)
from algolens.language.lower import OPPOSITE
from algolens.language.relations import RELATIONS, Relation

Fields = Mapping[str, Field]
# what is priced: a comparison with a tie-break is two, a step along a pointer is one more
TIE, HOP = 2, 1
INDEX = 3  # what it costs to take the index of an element as a value
EVERYONE = {"other node", "other edge", "other link", "node", "edge", "link"}
ORDERS: tuple[Op, ...] = ("<", ">", "=")


@dataclass(frozen=True)
class Literal:
    """A statement about one element, or about one in view; of one feature at most one is taken."""

    said: Expr
    cost: int
    feature: object
    crosses: bool = False  # it speaks of both


@dataclass(frozen=True)
class Path:
    """Steps from an element to another, or to a number of it, and what they cost."""

    steps: tuple[str, ...]
    at: At
    cost: int
    end: Expr = ME
    # of a number, what is counted alike: the index of elements of one table, or fields
    unit: str = ""

    def to(self, step: str, at: At, cost: int = 0, unit: str = "") -> Path:
        """One step further."""
        steps, end = (*self.steps, step), Get(step, self.at, self.end)
        return Path(steps, at, self.cost + cost, end, unit)


def paths(fields: Fields, at: At) -> Iterator[Path]:
    """The paths from an element: nowhere, to ends and the graph, and along a pointer."""
    itself = Path((), at, 0)
    steps = {step: end for (own, step), end in STEPS.items() if own == at and step != "reverse"}
    given = [itself.to(step, end) for step, end in steps.items()]
    yield itself
    yield from given
    for begin in (itself, *given):
        for name, field in fields.items():
            if field.to is not None and field.at == begin.at:
                there = begin.to(name, field.to, HOP)
                yield there
                if field.to == field.at and not begin.steps:
                    yield there.to(name, field.to, HOP)


def numbers(fields: Fields, at: At) -> Iterator[Path]:
    """The paths to numbers."""
    for path in paths(fields, at):
        if _is_one_end(path):
            continue
        for name, field in fields.items():
            if field.at == path.at and field.kind == "number":
                yield path.to(name, path.at, unit="field")
        # the number of an edge is that of its links
        if path.at == "node" or (path.at != "graph" and not path.steps):
            # which link comes first says less than which node does
            extra = HOP if path.at == "link" else 0
            yield path.to(NUMBER, path.at, extra, f"index of {path.at}")


def elements(fields: Fields, at: At) -> Iterator[Path]:
    """The elements that paths lead to."""
    for path in paths(fields, at):
        if path.at in ("node", "edge"):
            yield path


def values_of(fields: Fields, declared: Field, at: At) -> Iterator[tuple[Expr, int]]:
    """Values of an element of a table that are of the kind of a field, and their prices."""
    if declared.to is not None:
        for path in elements(fields, at):
            if path.at == declared.to:
                yield path.end, path.cost
    else:
        for number in numbers(fields, at):
            yield number.end, number.cost + (0 if number.unit == "field" else INDEX)


def tested_paths(fields: Fields, at: At) -> list[Path]:
    """The paths to what is tested; from a link, to its reverse too."""
    reverse = [Path((), at, 0).to("reverse", "link", HOP)] if at == "link" else []
    return [path for path in (*paths(fields, at), *reverse) if not _is_one_end(path)]


def field_tests(fields: Fields, known: Iterable[Path], names: Iterable[str]) -> Iterator[Literal]:
    """What masks and categories say of an element, along paths. names: of these fields."""
    for path in known:
        for name in names:
            field = fields[name]
            if field.at != path.at:
                continue
            there, price = path.to(name, path.at), 1 + path.cost
            if field.kind == "mask":
                yield Literal(there.end, price, there.steps)
                yield Literal(Not(there.end), price, there.steps)
            for place in range(len(field.labels)):
                test = Compare((there.end,), "=", (Const(place),))
                yield Literal(test, price, there.steps)
                if len(field.labels) > 2:
                    yield Literal(Not(test), price, there.steps)


def own_literals(fields: Fields, at: At) -> Iterator[Literal]:
    """What can be said of an element alone."""
    yield from field_tests(fields, tested_paths(fields, at), fields)
    for one, other in combinations(numbers(fields, at), 2):
        if one.unit != other.unit:
            continue
        # numbers of one field are compared more often than those of two
        is_alike = one.steps[-1] == other.steps[-1] and len(one.steps) == len(other.steps)
        cost = 1 + max(one.cost, other.cost) if is_alike else 2 + one.cost + other.cost
        feature = (one.steps, other.steps)
        yield from _orders(one.end, other.end, cost, feature)
        if is_alike and one.unit == "field" and len(one.steps) > 1 and one.at != "graph":
            left, right = ((path.end, replace(path.end, column=NUMBER)) for path in (one, other))
            for op in ORDERS[:2]:
                yield Literal(Compare(left, op, right), cost + TIE - 1, feature)
    for near, far in combinations(elements(fields, at), 2):
        if near.at == far.at and (near.cost or far.cost) and _are_both_ends(near, far):
            cost = 1 + max(near.cost, far.cost) // 2
            yield from _meetings(near.end, far.end, cost, (near.steps, far.steps))


def crossing_literals(fields: Fields, relation: Relation) -> Iterator[Literal]:
    """How one in view compares with the element that looks."""
    own: At = relation.own
    others: At = relation.others
    mine, its = list(numbers(fields, own)), list(numbers(fields, others))
    alike = own == others
    indices = [
        index.end
        for index in its
        if index.unit != "field"
        and (not index.cost or (others == "link" and len(index.steps) == 1))
    ]
    for one in its:
        for other in mine:
            is_other = one.steps != other.steps if alike else one.steps[-1] != other.steps[-1]
            if one.unit != other.unit or is_other:
                continue
            left, cost = put(one.end, me=IT), 1 + max(one.cost, other.cost)
            yield from _orders(left, other.end, cost, one.steps, crosses=True)
            if not alike or one.unit != "field":
                continue
            for index in indices:
                tied = (left, put(index, me=IT)), (other.end, index)
                for op in ORDERS[:2]:
                    yield Literal(Compare(tied[0], op, tied[1]), TIE + one.cost, one.steps, True)
    pointers, seen = (
        [path for path in elements(fields, at) if len(path.steps) < 2 and not _is_one_end(path)]
        for at in (own, others)
    )
    for there in seen:
        for here in pointers:
            cost = here.cost + there.cost
            if there.at == here.at and (cost or _sees_itself(relation)):
                feature = (there.steps, ME, here.steps)
                yield from _meetings(put(there.end, me=IT), here.end, 1 + cost // 2, feature, True)


def relations(fields: Fields, at: At, *, directed: bool) -> Iterator[tuple[Relation, int]]:
    """The relations of a table, and what it costs to look at one."""
    at_links = any(field.at in ("edge", "link") for field in fields.values())
    at_edges = any(field.at == "edge" for field in fields.values())
    for relation in relations_of(fields, at):
        words, others = relation.phrase(1), relation.others
        if not directed and words in ("predecessor", "successor"):
            continue  # every neighbour is both
        if not directed and words == "outgoing link":
            continue  # an incoming link says as much of its sender
        if at == "node" and others == "link" and not at_links:
            continue  # a neighbour says as much
        if words in ("incident edge", "direction") and not at_edges:
            continue
        cost = 2 if words in EVERYONE and at != "graph" else 1
        cost += words == "other link"  # most pairs of all: nodes and edges say nearly as much
        hops = 0 if relation.pointer is None else HOP if others == "node" else 2 * HOP
        yield relation, cost + hops


def relations_of(fields: Fields, at: At) -> Iterator[Relation]:
    """The relations of a table, those by a pointer for each of them."""
    pointers = [name for name, field in fields.items() if (field.at, field.to) == ("node", "node")]
    for relation in RELATIONS:
        if relation.own == at:
            yield from [relation] if relation.pointer is None else map(relation.by, pointers)


def _orders(
    left: Expr, right: Expr, cost: int, feature: object, *, crosses: bool = False
) -> Iterator[Literal]:
    for op in ORDERS:
        yield Literal(Compare((left,), op, (right,)), cost, feature, crosses)
        yield Literal(Compare((left,), OPPOSITE[op], (right,)), cost + 1, feature, crosses)


def _meetings(
    left: Expr, right: Expr, cost: int, feature: object, crosses: bool = False
) -> Iterator[Literal]:
    yield Literal(Compare((left,), "=", (right,)), cost, feature, crosses)
    yield Literal(Compare((left,), "!=", (right,)), cost, feature, crosses)


def _is_one_end(path: Path) -> bool:
    """Whether it leads to one end of an edge: which is which says nothing; relations see both."""
    return path.steps[:1] in (("one_end",), ("other_end",))


def _are_both_ends(one: Path, other: Path) -> bool:
    """Whether paths of an edge say the same of either end; of other elements they always do."""
    return one.steps[1:] == other.steps[1:] if _is_one_end(one) or _is_one_end(other) else True


def _sees_itself(relation: Relation) -> bool:
    return not relation.others_only and relation.own == relation.others and not relation.through

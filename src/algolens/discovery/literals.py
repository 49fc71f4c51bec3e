"""Literals: all that can be said of an element, or of one in view, by the schema alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations

from algolens.fields import Category, Location, Mask, Number, Pointer
from algolens.logic.formula import Formula, Not
from algolens.looks import RELATIONS, Comparison, Order, Relation, Scope, Term, Test, Whose
from algolens.looks.language import with_terms
from algolens.looks.scope import NUMBER, STEPS

NODE, EDGE, LINK, GRAPH = Location
# what is priced: a comparison with a tie-break is two, a step along a pointer is one more
TIE, HOP = 2, 1
EVERYONE = {"other node", "other edge", "other link", "node", "edge", "link"}


@dataclass(frozen=True)
class Literal:
    """A statement about one element, or about one in view; of one feature at most one is taken."""

    formula: Formula
    cost: int
    feature: str
    crosses: bool = False  # it speaks of both


@dataclass(frozen=True)
class Path:
    """Steps from an element to another, and what they cost."""

    steps: tuple[str, ...]
    at: Location
    cost: int


def paths(scope: Scope, location: Location) -> Iterator[Path]:
    """The paths from a location: nowhere, to ends and the graph, and along a pointer."""
    yield Path((), location, 0)
    given = [
        (step, end) for (at, step), end in STEPS.items() if at is location and step != "reverse"
    ]
    for step, end in given:
        yield Path((step,), end, 0)
    begins = [Path((), location, 0), *(Path((step,), end, 0) for step, end in given)]
    for begin in begins:
        for name, field in scope.fields.items():
            if isinstance(field.kind, Pointer) and field.location is begin.at:
                yield Path((*begin.steps, name), field.kind.to, begin.cost + HOP)
                if field.kind.to is field.location and not begin.steps:
                    yield Path((name, name), field.kind.to, begin.cost + 2 * HOP)


def numbers(scope: Scope, location: Location) -> Iterator[tuple[tuple[str, ...], int, str]]:
    """Words of numbers that paths lead to, what they cost, and what is counted alike: the index of
    elements of one location, or any numbers of fields.
    """
    for path in paths(scope, location):
        if _is_one_end(path):
            continue
        for name, field in scope.fields.items():
            if field.location is path.at and isinstance(field.kind, Number):
                yield (*path.steps, name), path.cost, "field"
        # the number of an edge is that of its links
        if path.at is NODE or (path.at is not GRAPH and not path.steps):
            # which link comes first says less than which node does
            extra = HOP if path.at is LINK else 0
            yield (*path.steps, NUMBER), path.cost + extra, f"index of {path.at.value}"


def elements(scope: Scope, location: Location) -> Iterator[Path]:
    """The elements that paths lead to."""
    for path in paths(scope, location):
        if path.at in (NODE, EDGE):
            yield path


def tested_paths(scope: Scope, location: Location) -> list[Path]:
    """The paths to what is tested; from a link, to its reverse too."""
    reverse = [Path(("reverse",), LINK, HOP)] if location is LINK else []
    return [path for path in (*paths(scope, location), *reverse) if not _is_one_end(path)]


def field_tests(
    scope: Scope, known: Iterable[Path], names: Iterable[str], whose: Whose = Whose.MY
) -> Iterator[Literal]:
    """What masks and categories say of an element, along paths. names: of these fields."""
    for path in known:
        for name in names:
            kind = scope.fields[name].kind
            if scope.fields[name].location is not path.at:
                continue
            term = Term(whose, (*path.steps, name))
            if isinstance(kind, Mask):
                yield from _both(Test(term), 1 + path.cost, term.bare)
            elif isinstance(kind, Category):
                for label in kind.labels:
                    test = Test(term, label)
                    yield Literal(test, 1 + path.cost, term.bare)
                    if len(kind.labels) > 2:
                        yield Literal(Not(test), 1 + path.cost, term.bare)


def own_literals(scope: Scope, location: Location, whose: Whose = Whose.MY) -> Iterator[Literal]:
    """What can be said of an element alone."""
    yield from field_tests(scope, tested_paths(scope, location), scope.fields, whose)
    for (one, first, unit), (other, second, others) in combinations(numbers(scope, location), 2):
        if unit != others:
            continue
        left, right = Term(whose, one), Term(whose, other)
        # numbers of one field are compared more often than those of two
        is_alike = one[-1] == other[-1] and len(one) == len(other)
        cost = 1 + max(first, second) if is_alike else 2 + first + second
        yield from _orders((left,), (right,), cost, f"{one} {other}")
        if is_alike and unit == "field" and one[:-1] and other[:-1] and one[:-1] != ("graph",):
            indices = (Term(whose, (*one[:-1], NUMBER)), Term(whose, (*other[:-1], NUMBER)))
            for order in (Order.LOWER, Order.HIGHER):
                tied = Comparison((left, indices[0]), order, (right, indices[1]))
                yield Literal(tied, cost + TIE - 1, f"{one} {other}")
    for here, there in combinations(elements(scope, location), 2):
        if here.at is there.at and (here.cost or there.cost) and _are_both_ends(here, there):
            left, right = Term(whose, here.steps), Term(whose, there.steps)
            for order in (Order.EQUAL, Order.DIFFERENT):
                meets = Comparison((left,), order, (right,))
                cost = 1 + max(here.cost, there.cost) // 2
                yield Literal(meets, cost, f"{left} {right}")


def crossing_literals(scope: Scope, relation: Relation) -> Iterator[Literal]:
    """How one in view compares with the element that looks."""
    mine = list(numbers(scope, relation.own))
    its = list(numbers(scope, relation.others))
    alike = relation.own is relation.others
    indices = [
        words
        for words, cost, unit in its
        if unit != "field" and (not cost or (relation.others is LINK and len(words) == 1))
    ]
    for words, cost, unit in its:
        for other, price, others in mine:
            if unit != others or (alike and words != other) or words[-1] != other[-1]:
                continue
            left, right = Term(Whose.ITS, words), Term(Whose.MY, other)
            yield from _orders((left,), (right,), 1 + max(cost, price), f"{words}", crosses=True)
            if not alike or unit != "field":
                continue
            for index in indices:
                tied = (left, Term(Whose.ITS, index)), (right, Term(Whose.MY, index))
                for order in (Order.LOWER, Order.HIGHER):
                    yield Literal(Comparison(tied[0], order, tied[1]), TIE + cost, f"{words}", True)
    pointers, seen = (
        [path for path in elements(scope, at) if len(path.steps) < 2 and not _is_one_end(path)]
        for at in (relation.own, relation.others)
    )
    for there in seen:
        for here in pointers:
            cost = here.cost + there.cost
            if there.at is not here.at or not (cost or _sees_itself(relation)):
                continue
            left, right = Term(Whose.ITS, there.steps), Term(Whose.MY, here.steps)
            for order in (Order.EQUAL, Order.DIFFERENT):
                meets = Comparison((left,), order, (right,))
                yield Literal(meets, 1 + cost // 2, f"{left} {right}", True)


def relations(
    scope: Scope, location: Location, *, directed: bool
) -> Iterator[tuple[Relation, int]]:
    """The relations of a location, and what it costs to look at one."""
    pointers = [
        name
        for name, field in scope.fields.items()
        if field.location is NODE and isinstance(field.kind, Pointer) and field.kind.to is NODE
    ]
    at_links = any(field.location in (EDGE, LINK) for field in scope.fields.values())
    at_edges = any(field.location is EDGE for field in scope.fields.values())
    for relation in RELATIONS:
        words = relation.phrase(1)
        if relation.own is not location:
            continue
        if not directed and words in ("predecessor", "successor"):
            continue  # every neighbour is both
        if not directed and words == "outgoing link":
            continue  # an incoming link says as much of its sender
        if relation.own is NODE and relation.others is LINK and not at_links:
            continue  # a neighbour says as much
        if words in ("incident edge", "direction") and not at_edges:
            continue
        cost = 2 if words in EVERYONE and location is not GRAPH else 1
        cost += words == "other link"  # most pairs of all: nodes and edges say nearly as much
        if relation.pointer is None:
            yield relation, cost
        else:
            hops = HOP if relation.others is NODE else 2 * HOP
            yield from ((relation.by(name), cost + hops) for name in pointers)


def turned_to(formula: Formula, whose: Whose) -> Formula:
    """What is said of an element alone, said of oneself or of one in view."""
    return with_terms(formula, lambda term: Term(whose, term.path))


def _both(test: Test, cost: int, feature: str) -> Iterator[Literal]:
    yield Literal(test, cost, feature)
    yield Literal(Not(test), cost, feature)


def _orders(
    left: tuple[Term, ...],
    right: tuple[Term, ...],
    cost: int,
    feature: str,
    *,
    crosses: bool = False,
) -> Iterator[Literal]:
    for order in (Order.LOWER, Order.HIGHER, Order.EQUAL):
        yield Literal(Comparison(left, order, right), cost, feature, crosses)
        yield Literal(Comparison(left, order.opposite, right), cost + 1, feature, crosses)


def _is_one_end(path: Path) -> bool:
    """Whether it leads to one end of an edge: which is which says nothing; relations see both."""
    return path.steps[:1] in (("one_end",), ("other_end",))


def _are_both_ends(one: Path, other: Path) -> bool:
    """Whether paths of an edge say the same of either end; of other elements they always do."""
    return one.steps[1:] == other.steps[1:] if _is_one_end(one) or _is_one_end(other) else True


def _sees_itself(relation: Relation) -> bool:
    return not relation.others_only and relation.own is relation.others and not relation.along_edges

"""A look as Python source: functions on NumPy arrays, which need NumPy alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from algolens.fields import Category, Mask, Number, Pointer
from algolens.graphs import Location
from algolens.logic.formula import Formula
from algolens.logic.printing import Notation, formula_text
from algolens.looks.language import Comparison, Order, Quantified, Quantity, Term, Test, Whose
from algolens.looks.language import statement_text as write_text
from algolens.looks.moves import MOST, Mover, Sum
from algolens.looks.parsing import Parser, parse_look
from algolens.looks.reading import Label, Observation, Statement
from algolens.looks.relations import Join, Relation
from algolens.looks.scope import NUMBER, STEPS, ResolvedTerm, Scope

if TYPE_CHECKING:
    from algolens.looks.look import Look


SOURCE = '''"""What is seen in a graph, and how pointers and numbers move. NumPy is all it needs.

Values come as dicts of arrays: one for each node, edge or link, or a single one for the graph. A
mask is bools, a category the number of its class in CLASSES, a pointer the number of what it points
to, from 0 on.
"""

import numpy as np

CLASSES = {classes!r}
{functions}'''
FUNCTIONS = '''OBSERVED = {observed!r}
BOUNDS = {bounds!r}


def graph_of(num_nodes, edges, directed=False):
    """A graph: edges are pairs [E, 2] of nodes, an undirected one once.

    Links are the edges, then all the other way.
    """
    one_end, other_end = pairs = np.asarray(edges, np.int64).reshape(-1, 2).T
    distinct = set(zip(*(pairs if directed else np.sort(pairs, 0)).tolist()))
    if np.any(one_end == other_end) or len(distinct) < len(one_end):
        raise ValueError("an edge leads from a node to itself, or stands twice: leave it out.")
    number, count = np.arange(len(one_end)), len(one_end)
    return {{
        "one_end": one_end,
        "other_end": other_end,
        "sender": one_end if directed else np.concatenate([one_end, other_end]),
        "receiver": other_end if directed else np.concatenate([other_end, one_end]),
        "edge": number if directed else np.concatenate([number, number]),
        "reverse": number if directed else np.concatenate([number + count, number]),
        "node": num_nodes,
        "edge count": count,
        "link": count if directed else 2 * count,
        "graph": 1,
    }}


def start(graph, inputs):
    """The state before the first step."""
    of = _checked({{name: np.atleast_1d(value) for name, value in inputs.items()}})
    {start}


def look(graph, inputs, state):
    """All that is seen in a state, by its name, and what pointers and numbers become."""
    of = {{name: np.atleast_1d(value) for name, value in inputs.items()}}
    of |= {{
        "last " + name if name in OBSERVED else name: np.atleast_1d(value)
        for name, value in state.items()
    }}
    _checked(of)
    {look}
    found = {{name: of[name] for name in OBSERVED}}
    {moves}
    return found


def _checked(of):
    """The same values; refused where a number leaves its bits."""
    for name, (least, most) in BOUNDS.items():
        if name in of and np.any((of[name] < least) | (of[name] > most)):
            raise OverflowError(f"'{{name}}' leaves its bits, which hold {{least}} to {{most}}.")
    return of


def _number(graph, where):
    """The number of every node or edge; of a link, that of its edge."""
    return graph["edge"] if where == "link" else np.arange(_count(graph, where))


def _count(graph, where):
    return graph["edge count" if where == "edge" else where]


def _to_graph(graph, where):
    """For every element, its graph: there is one."""
    return np.zeros(_count(graph, where), np.int64)


def _all(count, value):
    return np.full(count, value)


def _pairs(*found, others_only=False):
    """Who looks, and at whom: every pair once."""
    me, it = found[0] if len(found) == 1 else np.unique(np.concatenate(found, 1), axis=1)
    return (me[me != it], it[me != it]) if others_only else (me, it)


def _joined(mine, its):
    """All pairs (i, j) with mine[i] == its[j]."""
    order = np.argsort(its, kind="stable")
    first, last = (np.searchsorted(its[order], mine, side) for side in ("left", "right"))
    many = last - first
    me = np.repeat(np.arange(len(mine)), many)
    it = np.repeat(first - np.cumsum(many) + many, many) + np.arange(len(me))
    return np.stack([me, order[it]])


def _holding(count, me, body):
    """Of how many in view a statement holds, for each that looks."""
    return np.bincount(me[body], minlength=count)


def _order(left, right):
    """-1, 0 or 1: several numbers compare as words in a dictionary do."""
    found = np.zeros(np.broadcast_shapes(np.shape(left[0]), np.shape(right[0])), np.int64)
    for a, b in zip(left, right):
        order = np.sign(np.greater(a, b).astype(np.int64) - np.less(a, b))
        found = np.where(found == 0, order, found)
    return found


def _total(name, *parts):
    total = 0
    for part in parts:
        total = total + part
        if np.any(np.abs(total) >= {most}):
            raise OverflowError(f"'{{name}}' grows beyond 62 bits on this graph.")
    return total


def _first(count, me, it, marked):
    """Of those in view, the first that is marked; -1 where none is."""
    me, it = me[marked[it]], it[marked[it]]
    order = np.argsort(-it, kind="stable")
    found = np.full(count, -1)
    found[me[order]] = it[order]  # of several, the last assignment stays: the lowest
    return found


def _taken(values, chosen, before):
    """The value of the one that was chosen; where none was, what it was before."""
    return np.where(chosen >= 0, values[np.maximum(chosen, 0)], before) if len(values) else before
'''


def look_to_python(look: Look) -> str:
    """A module with ``graph_of``, ``start`` and ``look``; pairs that see each other are listed, so
    it is for small graphs.
    """
    return SOURCE.format(classes=category_classes(look), functions=look_functions(look))


def category_classes(look: Look) -> dict[str, tuple[str, ...]]:
    """The classes of each category, in the order of their numbers."""
    fields = {**look.fields, **look.starting, **look.state}
    return {
        name: each.kind.labels for name, each in fields.items() if isinstance(each.kind, Category)
    }


def look_functions(look: Look) -> str:
    """The functions alone, for a module that has NumPy and CLASSES."""
    fields = {**look.starting, **look.fields}
    lines = [f"return {{{', '.join(f'{name!r}: {_start(look, name)}' for name in look.state)}}}"]
    return FUNCTIONS.format(
        observed=tuple(look.observed),
        bounds={
            name: (each.kind.least, each.kind.most)
            for name, each in fields.items()
            if isinstance(each.kind, Number)
        },
        start="\n    ".join(lines),
        look="\n    ".join(
            [*_sums(look), *(line for reading in look.readings for line in _observation(reading))]
        ),
        moves="\n    ".join(line for mover in reversed(look.movers) for line in _move(look, mover)),
        most=MOST,
    )


def _observation(reading: Statement) -> Iterator[str]:
    name, location = reading.observation.name, reading.observation.location
    yield f"# {name}, at every {location.value}: {write_text(reading.observation.formula)}"
    if reading.relation is not None:
        yield f"me, it = {_in_view(reading.relation, reading.scope)}"
    yield f"of[{name!r}] = {_statement(reading, reading.observation.formula, location)}"


def _statement(
    reading: Statement,
    formula: Formula,
    location: Location,
    inside: Mapping[Whose, str] | None = None,
) -> str:
    """A statement; inside: inside a quantifier, the variable that holds each of a pair."""
    count = f"_count(graph, {location.value!r})" if inside is None else "len(me)"

    def atom(found: Formula) -> str:
        match found:
            case Quantified(quantity, _, body, times):
                said = _statement(
                    reading,
                    ~body if quantity is Quantity.EVERY else body,
                    location,
                    {Whose.MY: "me", Whose.ITS: "it"},
                )
                holding = f"_holding({count}, me, {said})"
                return (
                    f"({holding} == 0)" if quantity is Quantity.EVERY else f"({holding} >= {times})"
                )
            case Test(term, label):
                value = _term(reading, term, inside)
                feature = reading.features[found][0]
                assert isinstance(feature, Label)
                return value if label is None else f"({value} == {feature.labels.index(label)})"
            case Comparison(left, order, right):
                sides = [[_term(reading, term, inside) for term in side] for side in (left, right)]
                mark = {Order.EQUAL: "=="}.get(order, order.value)
                if len(left) == 1:
                    return f"({sides[0][0]} {mark} {sides[1][0]})"
                return f"(_order([{', '.join(sides[0])}], [{', '.join(sides[1])}]) {mark} 0)"
        raise TypeError(f"{type(found).__name__} is no part of a look")

    return formula_text(
        formula,
        Notation(" & ", " | ", "~", f"_all({count}, True)", f"_all({count}, False)", atom=atom),
    )


def _term(reading: Statement, term: Term, inside: Mapping[Whose, str] | None) -> str:
    return _value(
        reading.resolve(term), reading.scope, None if inside is None else inside[term.whose]
    )


def _value(term: ResolvedTerm, scope: Scope, element: str | None) -> str:
    """element: the variable that holds whom the term begins with; None: every one in order."""
    at, found = term.own, element
    for step in term.steps:
        array = _step(step, at)
        found = array if found is None else f"{array}[{found}]"
        at = _leads_to(step, at, scope)
    if term.field is None:
        return f"np.arange(_count(graph, {at.value!r}))" if found is None else found
    array = f"_number(graph, {at.value!r})" if term.field == NUMBER else f"of[{term.field!r}]"
    return array if found is None else f"{array}[{found}]"


def _step(step: str, at: Location) -> str:
    """The array of where a step leads."""
    if (at, step) not in STEPS:
        return f"of[{step!r}]"
    return f"_to_graph(graph, {at.value!r})" if step == "graph" else f"graph[{step!r}]"


def _leads_to(step: str, at: Location, scope: Scope) -> Location:
    if (at, step) in STEPS:
        return STEPS[at, step]
    kind = scope.fields[step].kind
    assert isinstance(kind, Pointer)
    return kind.to


def _in_view(relation: Relation, scope: Scope) -> str:
    """Who looks, and at whom."""
    found = [_join(join, relation, scope) for join in relation.joins]
    return f"_pairs({', '.join(found)}{', others_only=True' if relation.others_only else ''})"


def _join(join: Join, relation: Relation, scope: Scope) -> str:
    mine, its = join.paths
    if join.through_links:
        return f"np.stack([graph[{mine[0]!r}], graph[{its[0]!r}]])"
    ends = [
        _value(scope.resolve(Term(Whose.MY, path), location, None), scope, None)
        for path, location in ((mine, relation.own), (its, relation.others))
    ]
    return f"_joined({ends[0]}, {ends[1]})"


def _sums(look: Look) -> Iterator[str]:
    for name, each in look.sums.items():
        total = Sum.parse(each.text)
        parts = [
            _value(look.scope.resolve(term, each.location, None), look.scope, None)
            for term in total.terms
        ]
        constant = f"_all(_count(graph, {each.location.value!r}), {total.constant})"
        yield f"of[{name!r}] = _total({', '.join([repr(name), constant, *parts])})"


def _move(look: Look, mover: Mover) -> Iterator[str]:
    """Of several moves of one field, the first in the declaration decides, so it is written
    last.
    """
    name, move, before = mover.name, mover.move, f"found.get({mover.name!r}, of[{mover.name!r}])"
    yield f"# {name}: {move}"
    value = _value(mover.value, look.scope, None)
    if move.relation is not None and mover.mark is not None:
        yield f"me, it = {_in_view(move.relation, look.scope)}"
        marked = _statement(mover.mark, mover.mark.observation.formula, move.relation.others)
        value = (
            f"_taken({value}, _first(_count(graph, {mover.at.value!r}), me, it, {marked}), "
            f"{before})"
        )
    if mover.guard is not None:
        value = (
            f"np.where({_statement(mover.guard, mover.guard.observation.formula, mover.at)}, "
            f"{value}, {before})"
        )
    yield f"found[{name!r}] = {value}"


def _start(look: Look, name: str) -> str:
    field, scope, start = look.state[name], Scope(look.starting), look.start[name]
    kind, at = field.kind, field.location

    def said(text: str) -> str:
        reading = Statement(Observation("start", at, parse_look(text)), scope)
        return _statement(reading, reading.observation.formula, at)

    match kind, start:
        case Mask(), str():
            return said(start)
        case Category(), str():
            return f"_all(_count(graph, {at.value!r}), {kind.labels.index(start)})"
        case Category(), Mapping():
            classes = [kind.labels.index(label) for label in start]
            return f"np.select([{', '.join(map(said, start.values()))}], {classes}, 0)"
        case _, int():
            return f"_all(_count(graph, {at.value!r}), {start})"
        case _, str():
            return _value(
                scope.resolve(Parser(start).whole(lambda parser: parser.term(Whose.MY)), at, None),
                scope,
                None,
            )
    raise TypeError(f"a {type(kind).__name__} cannot start as {start!r}")

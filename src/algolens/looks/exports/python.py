"""A look as Python source: functions on NumPy arrays, which need NumPy alone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from algolens.fields import Number
from algolens.graphs import Location
from algolens.logic.formula import Formula, formula_text
from algolens.logic.notation import Notation
from algolens.looks.language import Comparison, Order, Quantified, Test, statement_text
from algolens.looks.moves import Mover
from algolens.looks.relations import Join, Relation
from algolens.looks.scope import NUMBER, STEPS, ResolvedTerm, Scope
from algolens.looks.statement import Statement
from algolens.looks.sums import MOST
from algolens.looks.terms import Term, Whose

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
    after = {{name: of[name] for name in OBSERVED}}
    {moves}
    return after


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


def _pairs(*joins, others_only=False):
    """Who looks, and at whom: every pair once."""
    me, it = joins[0] if len(joins) == 1 else np.unique(np.concatenate(joins, 1), axis=1)
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
    outcome = np.zeros(np.broadcast_shapes(np.shape(left[0]), np.shape(right[0])), np.int64)
    for a, b in zip(left, right):
        order = np.sign(np.greater(a, b).astype(np.int64) - np.less(a, b))
        outcome = np.where(outcome == 0, order, outcome)
    return outcome


def _total(name, total, *products):
    """Products added up, each of a tuple of factors."""
    for first, *rest in products:
        for factor in rest:
            _bounded(name, np.multiply(first, factor, dtype=float), 2.0**62)
            first = _bounded(name, first * factor)
        total = _bounded(name, total + first)
    return total


def _bounded(name, values, most={most}):
    if np.any(np.abs(values) >= most):
        raise OverflowError(f"'{{name}}' grows beyond 62 bits on this graph.")
    return values


def _first(count, me, it, marked):
    """Of those in view, the first that is marked; -1 where none is."""
    me, it = me[marked[it]], it[marked[it]]
    order = np.argsort(-it, kind="stable")
    first = np.full(count, -1)
    first[me[order]] = it[order]  # of several, the last assignment stays: the lowest
    return first


def _taken(values, chosen, before):
    """The value of the one that was chosen; where none was, what it was before."""
    return np.where(chosen >= 0, values[np.maximum(chosen, 0)], before) if len(values) else before
'''


def look_to_python(look: Look) -> str:
    """A module with ``graph_of``, ``start`` and ``look``; it lists pairs, so graphs are small."""
    return SOURCE.format(classes=category_classes(look), functions=look_functions(look))


def category_classes(look: Look) -> dict[str, tuple[str, ...]]:
    """The classes of each category, in the order of their numbers."""
    fields = {**look.fields, **look.starting, **look.state}
    return {
        name: field.kind.labels
        for name, field in fields.items()
        if field.kind.labels and not field.kind.is_truth_value
    }


def look_functions(look: Look) -> str:
    """The functions alone, for a module that has NumPy and CLASSES."""
    fields = {**look.starting, **look.fields}
    starts = ", ".join(f"{name!r}: {_start(look, name)}" for name in look.state)
    lines = list(_sums(look))
    for statement in look.statements:
        lines += _observation(statement)
    moves = [line for mover in reversed(look.movers) for line in _move(mover)]
    return FUNCTIONS.format(
        observed=tuple(look.observed),
        bounds={
            name: (field.kind.least, field.kind.most)
            for name, field in fields.items()
            if isinstance(field.kind, Number)
        },
        start=f"return {{{starts}}}",
        look="\n    ".join(lines),
        moves="\n    ".join(moves),
        most=MOST,
    )


def _observation(statement: Statement) -> Iterator[str]:
    said = statement_text(statement.formula)
    yield f"# {statement.name}, at every {statement.location.value}: {said}"
    if statement.relation is not None:
        yield f"me, it = {_in_view(statement.relation, statement.scope)}"
    yield f"of[{statement.name!r}] = {_expression(statement)}"


def _expression(statement: Statement, body: Formula | None = None) -> str:
    """An array of bools for every element; of a quantified statement's body, for every pair."""
    variables = {Whose.MY: "me", Whose.ITS: "it"} if body is not None else {}
    count = "len(me)" if body is not None else _count(statement.location)

    def value(term: Term) -> str:
        return _value(statement.resolve(term), statement.scope, variables.get(term.whose))

    def atom(part: Formula) -> str:
        match part:
            case Quantified():
                met = f"_holding({count}, me, {_expression(statement, part.counted)})"
                return f"({met} {part.order.value} {part.count})"
            case Test(term, None):
                return value(term)
            case Test(term, _):
                _, classes = statement.features[part]
                return f"({value(term)} == {next(iter(classes))})"
            case Comparison(left, order, right):
                mark = "==" if order is Order.EQUAL else order.value
                sides = [", ".join(map(value, side)) for side in (left, right)]
                if len(left) == 1:
                    return f"({sides[0]} {mark} {sides[1]})"
                return f"(_order([{sides[0]}], [{sides[1]}]) {mark} 0)"
        raise TypeError(f"{type(part).__name__} is no part of a look")

    every, none = f"_all({count}, True)", f"_all({count}, False)"
    formula = statement.formula if body is None else body
    return formula_text(formula, Notation(" & ", " | ", "~", every, none, atom=atom))


def _count(location: Location) -> str:
    return f"_count(graph, {location.value!r})"


def _value(term: ResolvedTerm, scope: Scope, element: str | None = None) -> str:
    """element: the variable that holds whom the term begins with; None: every one in order."""
    at, arrays = term.own, []
    for step in term.steps:
        arrays.append(_step(step, at))
        at = scope.end_of(step, at)
    if term.field is not None:
        is_number = term.field == NUMBER
        arrays.append(f"_number(graph, {at.value!r})" if is_number else f"of[{term.field!r}]")
    for array in arrays:
        element = array if element is None else f"{array}[{element}]"
    return f"np.arange({_count(at)})" if element is None else element


def _step(step: str, at: Location) -> str:
    """The array of where a step leads."""
    if (at, step) not in STEPS:
        return f"of[{step!r}]"
    return f"_to_graph(graph, {at.value!r})" if step == "graph" else f"graph[{step!r}]"


def _in_view(relation: Relation, scope: Scope) -> str:
    """Who looks, and at whom."""
    joins = ", ".join(_join(join, relation, scope) for join in relation.joins)
    return f"_pairs({joins}{', others_only=True' if relation.others_only else ''})"


def _join(join: Join, relation: Relation, scope: Scope) -> str:
    mine, its = join.paths
    if join.through_links:
        return f"np.stack([graph[{mine[0]!r}], graph[{its[0]!r}]])"
    ends = [
        _value(scope.resolve(Term(Whose.MY, path), location, None), scope)
        for path, location in ((mine, relation.own), (its, relation.others))
    ]
    return f"_joined({ends[0]}, {ends[1]})"


def _sums(look: Look) -> Iterator[str]:
    for name, products in look.summands.items():
        parts = [f"_all({_count(look.sums[name].location)}, {look.totals[name].constant})"]
        for product in products:
            factors = [] if product.factor == 1 else [str(product.factor)]
            factors += [_value(term, look.scope) for term in product.terms]
            parts.append(
                f"({', '.join(factors)},)" if len(factors) == 1 else f"({', '.join(factors)})"
            )
        yield f"of[{name!r}] = _total({name!r}, {', '.join(parts)})"


def _move(mover: Mover) -> Iterator[str]:
    """The first of several moves that is declared decides, so it is written last."""
    name, move, before = mover.name, mover.move, f"after.get({mover.name!r}, of[{mover.name!r}])"
    yield f"# {name}: {move}"
    value = _value(mover.value, mover.scope)
    if move.relation is not None and mover.mark is not None:
        yield f"me, it = {_in_view(move.relation, mover.scope)}"
        first = f"_first({_count(mover.at)}, me, it, {_expression(mover.mark)})"
        value = f"_taken({value}, {first}, {before})"
    if mover.guard is not None:
        value = f"np.where({_expression(mover.guard)}, {value}, {before})"
    yield f"after[{name!r}] = {value}"


def _start(look: Look, name: str) -> str:
    start = look.starts[name]
    if start.term is not None:
        scope = Scope(look.starting)
        return _value(start.resolved(scope), scope)
    if start.value is not None:
        return f"_all({_count(start.field.location)}, {start.value})"
    cases = [_expression(statement) for _, statement in start.cases]
    if start.field.kind.is_truth_value:
        return cases[0]
    return f"np.select([{', '.join(cases)}], {[number for number, _ in start.cases]}, 0)"

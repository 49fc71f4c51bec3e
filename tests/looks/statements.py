"""Random statements of looks, over fields of every kind at every location, and values for them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import numpy as np
import torch
from hypothesis import strategies as st
from torch import Tensor

from algolens.fields import Category, Field, Mask, Number, Pointer
from algolens.graphs import Graph, Location
from algolens.logic.formula import FALSE, TRUE, Formula, Not, conjunction, disjunction
from algolens.looks import (
    RELATIONS,
    Comparison,
    Order,
    Quantified,
    Quantity,
    Relation,
    Term,
    Test,
    Whose,
)
from algolens.looks.scope import STEPS
from tests.strategies import simple_graphs

NODE, EDGE, LINK, GRAPH = Location
FIELDS: Mapping[str, Field] = {
    "awake": Field(NODE, Mask()),
    "last seen": Field(NODE, Mask()),
    "color": Field(NODE, Category("red", "green", "blue")),
    "height": Field(NODE, Number(2)),
    "depth": Field(NODE, Number(3, signed=True)),
    "boss": Field(NODE, Pointer(NODE)),
    "road": Field(EDGE, Mask()),
    "weight": Field(EDGE, Number(2)),
    "toll": Field(EDGE, Number(2)),
    "keeper": Field(EDGE, Pointer(NODE)),
    "used": Field(LINK, Mask()),
    "state": Field(LINK, Category(2)),
    "cost": Field(LINK, Number(3, signed=True)),
    "calm": Field(GRAPH, Mask()),
    "limit": Field(GRAPH, Number(2)),
    "source": Field(GRAPH, Pointer(NODE)),
}
POINTER = "boss"  # that relations go by
locations = st.sampled_from(list(Location))


@st.composite
def graphs(
    draw: st.DrawFn, max_graphs: int = 3, max_nodes: int = 5, *, directed: bool | None = None
) -> Graph:
    """Some graphs side by side, of one kind: undirected, or directed with edges either way or
    both.
    """
    directed = draw(st.booleans()) if directed is None else directed
    found = []
    for _ in range(draw(st.integers(1, max_graphs))):
        graph = draw(simple_graphs(max_nodes))
        edges = (
            [(u, v) if draw(st.booleans()) else (v, u) for u, v in graph.edges]
            if directed
            else list(graph.edges)
        )
        if directed:
            edges += [(v, u) for u, v in edges if draw(st.booleans())]
        found.append(Graph.pack([len(graph)], edges, directed=directed))
    return Graph.join(found)


def random_values(
    graph: Graph, rng: np.random.Generator, fields: Mapping[str, Field] = FIELDS
) -> dict[str, Tensor]:
    """Any values; numbers so few that many are equal."""
    found = {}
    for name, each in fields.items():
        count = graph.count(each.location)
        if isinstance(each.kind, Number):
            found[name] = torch.from_numpy(rng.integers(each.kind.least, each.kind.most + 1, count))
        else:
            found[name] = each.kind.draw(graph, each.location, rng)
    return found


# ---- terms


@cache
def paths(at: Location, wanted: str, steps: int = 2) -> tuple[tuple[str, ...], ...]:
    """Ways from an element to a field of a kind ('label', 'number'), or to an element (by its
    location's name).
    """
    found: list[tuple[str, ...]] = [()] if wanted == at.value else []
    for name, field in FIELDS.items():
        if field.location is at:
            if (wanted == "label" and field.kind.labels) or (
                wanted == "number" and isinstance(field.kind, Number)
            ):
                found.append((name,))
            if steps and isinstance(field.kind, Pointer):
                found += [(name, *rest) for rest in paths(field.kind.to, wanted, steps - 1)]
    if wanted == "number" and at is not GRAPH:
        found.append(("number",))
    for (begin, step), end in STEPS.items():
        if begin is at and steps:
            found += [(step, *rest) for rest in paths(end, wanted, steps - 1)]
    return tuple(found)


def terms(at: Mapping[Whose, Location], wanted: str, whose: Whose) -> st.SearchStrategy[Term]:
    return st.sampled_from(paths(at[whose], wanted)).map(lambda path: Term(whose, path))


@st.composite
def atoms(draw: st.DrawFn, at: Mapping[Whose, Location]) -> Formula:
    """A test, a comparison of numbers, or a meeting, of the elements that there are."""
    sides = st.sampled_from(list(at))
    kind = draw(st.sampled_from(["test", "test", "compare", "compare", "meet"]))
    if kind == "compare":
        left, right = draw(sides), draw(sides)
        many = draw(st.integers(1, 2))
        ours = tuple(draw(terms(at, "number", left)) for _ in range(many))
        others = tuple(draw(terms(at, "number", right)) for _ in range(many))
        # the same number of both is what algorithms compare, and what fast ways are made for
        if left is not right and at[left] is at[right] and draw(st.booleans()):
            others = tuple(Term(right, term.path) for term in ours)
        return Comparison(ours, draw(st.sampled_from(list(Order))), others)
    if kind == "meet":
        left, right = draw(sides), draw(sides)
        ends = [
            end.value
            for end in Location
            if paths(at[left], end.value) and paths(at[right], end.value)
        ]
        end = draw(st.sampled_from(ends))
        order = draw(st.sampled_from([Order.EQUAL, Order.DIFFERENT]))
        return Comparison((draw(terms(at, end, left)),), order, (draw(terms(at, end, right)),))
    term = draw(terms(at, "label", draw(sides)))
    labels = FIELDS[term.path[-1]].kind.labels
    return Test(term, None if labels == ("false", "true") else draw(st.sampled_from(labels)))


def statements(
    leaves: st.SearchStrategy[Formula], max_leaves: int = 4
) -> st.SearchStrategy[Formula]:
    return st.recursive(
        st.one_of(
            leaves, leaves, leaves, leaves, leaves, leaves, leaves, st.sampled_from([TRUE, FALSE])
        ),
        lambda inner: st.one_of(
            inner.map(Not),
            st.tuples(inner, inner).map(lambda pair: conjunction(*pair)),
            st.tuples(inner, inner).map(lambda pair: disjunction(*pair)),
        ),
        max_leaves=max_leaves,
    )


def relations(own: Location | None = None) -> tuple[Relation, ...]:
    """All relations, or those of one location."""
    return tuple(
        relation.by(POINTER) for relation in RELATIONS if own is None or relation.own is own
    )


@st.composite
def looks(draw: st.DrawFn, own: Location, *, counting: bool = True, max_leaves: int = 4) -> Formula:
    """A statement about an element, and about those in view by one relation."""
    relation = draw(st.sampled_from(relations(own)))
    inside = atoms({Whose.MY: own, Whose.ITS: relation.others})
    quantities = [
        Quantity.SOME,
        Quantity.SOME,
        Quantity.EVERY,
        *([Quantity.AT_LEAST] if counting else []),
    ]

    @st.composite
    def quantified(draw: st.DrawFn) -> Formula:
        quantity = draw(st.sampled_from(quantities))
        count = draw(st.integers(1, 3)) if quantity is Quantity.AT_LEAST else 1
        return Quantified(quantity, relation, draw(statements(inside)), count)

    return draw(
        statements(st.one_of(quantified(), quantified(), atoms({Whose.MY: own})), max_leaves)
    )

"""Which nodes an outcome of the graph rests on, and an odd cycle through them."""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor

from algolens.execution import Run
from algolens.graphs import Graph
from algolens.logic.formula import Formula, Not
from algolens.looks import Quantified, Quantity, Test, parse_look
from algolens.looks.language import atoms, holds


def outcome_witnesses(run: Run, outcome: str) -> list[int]:
    """The places that show an outcome true, where some are said to, or false, where all or none
    are; of one graph.

    Of ``no node (shares_side)``, those that do; of ``every node (is_placed)``, those that are not.
    None where the outcome speaks of anything but concepts.
    """
    declaration = run.algorithm.declaration
    found = _quantified(parse_look(declaration.look[outcome].text))
    if not run.has_concepts or found is None or found.relation.others is not declaration.location:
        return []
    tests = list(atoms(found.body))
    if not all(
        isinstance(each, Test)
        and len(each.term.path) == 1
        and each.term.path[0] in declaration.concepts
        for each in tests
    ):
        return []

    def resting(atom: Formula) -> Tensor:
        assert isinstance(atom, Test)
        return run.resting[:, declaration.concepts.index(atom.term.path[0])]

    is_so = holds(found.body, resting)
    return ((~is_so if found.quantity is Quantity.EVERY else is_so).nonzero().flatten()).tolist()


def _quantified(formula: Formula) -> Quantified | None:
    """What the outcome says of some, every or no element; None where it says something else."""
    inner = formula.term if isinstance(formula, Not) else formula
    return (
        inner
        if isinstance(inner, Quantified) and inner.quantity in (Quantity.SOME, Quantity.EVERY)
        else None
    )


def odd_cycle(graph: Graph, side: Tensor, places: Sequence[int]) -> list[int]:
    """A cycle of odd length through an edge whose ends, among these nodes, have one side; else it
    alternates. Or none.

    side: [N] 0 or 1. Two ends of one side are an even number of alternating edges apart.
    """
    marked = set(places)
    for u, v in graph.edges.T.tolist():
        if u in marked and v in marked and side[u] == side[v]:
            way = _alternating(graph, side, u, v)
            if way:
                return way
    return []


def _alternating(graph: Graph, side: Tensor, start: int, end: int) -> list[int]:
    """A shortest way between two nodes along edges that change the side; none where there is no
    such way.
    """
    sides = side.tolist()
    neighbours: dict[int, list[int]] = {}
    for u, v in graph.edges.T.tolist():
        if sides[u] != sides[v]:
            neighbours.setdefault(u, []).append(v)
            neighbours.setdefault(v, []).append(u)
    before, frontier = {start: start}, [start]
    while frontier and end not in before:
        found = [
            (other, node)
            for node in frontier
            for other in neighbours.get(node, ())
            if other not in before
        ]
        before |= {other: node for other, node in found if other not in before}
        frontier = list(dict.fromkeys(other for other, _ in found))
    if end not in before:
        return []
    way = [end]
    while way[-1] != start:
        way.append(before[way[-1]])
    return way

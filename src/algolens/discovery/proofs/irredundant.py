"""Of many candidates, those that the others do not imply: so that few are assumed at once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

import numpy as np

from algolens.discovery.proofs.candidates import CandidateClause
from algolens.discovery.proofs.deadline import in_time
from algolens.graphs import Location
from algolens.logic.formula import Formula, Not
from algolens.looks import Quantified
from algolens.looks.language import atoms, terms

ENDS = ("sender", "receiver", "one_end", "other_end", "edge")
Implied = dict[Formula, set[Formula]]


def irredundant(clauses: Sequence[CandidateClause], until: float = np.inf) -> list[CandidateClause]:
    """Clauses, in order, without those of two literals that follow from simpler ones by chains of
    implications; and without those about one end of an edge or a link, which say what clauses about
    nodes say. until: CPU deadline, as ``time.process_time()`` counts.
    """
    implied: dict[Location, Implied] = defaultdict(lambda: defaultdict(set))
    each = in_time(dict.fromkeys(clauses), until)
    some = [clause for clause in each if not _is_about_one_end(clause)]
    left_out = set()
    pairs = sorted((it for it in in_time(some, until) if len(it.literals) == 2), key=num_parts)
    for clause in in_time(pairs, until):
        mine = implied[clause.location]
        one, other = clause.literals
        if other in _reached(mine, opposite_literal(one)):
            left_out.add(clause)
        mine[opposite_literal(one)].add(other)
        mine[opposite_literal(other)].add(one)
    return [clause for clause in some if clause not in left_out]


def num_parts(clause: CandidateClause) -> int:
    """How much it says: steps of its terms, and looks at others."""
    return sum(
        2 * isinstance(atom, Quantified) + sum(1 + len(term.path) for term in terms(atom))
        for literal in clause.literals
        for atom in atoms(literal)
    )


def price(clause: CandidateClause) -> tuple[int, int]:
    """By which simple ones come first: what speaks of one element alone; then of others in view, of
    none of them before some.
    """
    looks = 0
    for literal in clause.literals:
        is_not = isinstance(literal, Not)
        looks += (2 - is_not) * isinstance(
            opposite_literal(literal) if is_not else literal, Quantified
        )
    return looks, num_parts(clause)


def opposite_literal(literal: Formula) -> Formula:
    """The literal that holds where one does not."""
    return literal.term if isinstance(literal, Not) else Not(literal)


def _reached(implied: Implied, given: Formula) -> Iterable[Formula]:
    """All that follows from a literal."""
    seen, todo = {given}, [given]
    while todo:
        new = implied[todo.pop()] - seen
        seen |= new
        todo += new
    return seen


def _is_about_one_end(clause: CandidateClause) -> bool:
    if clause.location not in (Location.EDGE, Location.LINK):
        return False
    begins = {term.path[:1] for literal in clause.literals for term in terms(literal)}
    return len(begins - {("graph",)}) == 1 and begins <= {("graph",), *((end,) for end in ENDS)}

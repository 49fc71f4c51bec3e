"""Clauses that are assumed in a state, as formulas for Z3.

``~current | no other node (current)`` becomes a statement about two nodes. It names no new element,
and is instantiated for terms that it names itself: so that many clauses can be assumed at once.
"""

from __future__ import annotations

from itertools import product

from algolens.equality.candidates import CandidateClause
from algolens.equality.states import State, is_listed
from algolens.equality.theory import Expression, for_all, z3
from algolens.language.ir import Expr, Not, Quantified

MOST_PATTERNS = 8
FIELDS = ("field ", "input ")
STEPS = ("sender", "receiver", "edge", "reverse", "one_end", "other_end", "number")


def assumed(words: State, clause: CandidateClause) -> Expression:
    """That a clause holds of every row of a state."""
    at, theory = clause.at, words.theory
    me = theory.variable(at, "me")
    none, rest = [], []
    for literal in clause.literals:
        atom = _excluded(literal)
        if atom is None:
            rest.append(words.value(literal, me))
        else:
            none.append(atom)
    made = []
    for views in product(*[words.ways(atom.view, me) for atom in none]):
        parts, variables = list(rest), [] if me is None else [me]
        for atom, view in zip(none, views, strict=True):
            said = words.value(atom.body, me, view.it)
            parts.append(~(view.holds(me) & said))
            variables.append(view.variable)
        body = theory.where_there(at, z3.Or(*parts))
        for view in views:
            if me is not None and view.mine is not None and view.mine.eq(me):
                # the element is where the first path leads
                body = z3.simplify(z3.substitute(body, (me, view.its)))
                variables.remove(me)
                break
        made.append(for_all(variables, body, _patterns(words, body, variables)))
        if len(variables) == len(made) == 1 < len(clause.literals) < 3:
            ways = [[t] for t in _terms(body) if _is_field(t) and t.arg(0).eq(variables[0])]
            plain = [way for way in ways if z3.is_bool(way[0])]
            if plain and len(plain) < len(ways):  # one along a pointer that is not named yet
                made.append(for_all(variables, body, plain, 1))
    return z3.And(*made) if len(made) > 1 else made[0]


def _excluded(literal: Expr) -> Quantified | None:
    """What a literal says that none in view is."""
    match literal:
        case Not(Quantified("some" | "at least", view, _, 1) as atom) if not is_listed(view):
            return atom
        case Quantified("every", view, body) if not is_listed(view):
            return Quantified("some", view, Not(body))
    return None


def _patterns(
    words: State, body: Expression, variables: list[Expression]
) -> list[list[Expression]]:
    """For which terms a clause is instantiated: those that it names, so that none is new."""
    theory, terms, options = words.theory, _terms(body), []
    for variable in variables:
        others = [other for other in variables if other is not variable]
        mine = [t for t in terms if _has(t, variable) and not any(_has(t, v) for v in others)]
        elements = [t for t in mine if _is_field(t) and t.sort() in theory.sorts.values()]
        if elements:  # along pointers: where all that it leads to is named already
            options.append([[t for t in elements if not any(_is_in(t, u) for u in elements)]])
            continue
        at = next(at for at, sort in theory.sorts.items() if sort == variable.sort())
        some = [[t] for t in mine if t.decl().name() not in STEPS]
        options.append(some or theory.met(at, variable))
    return [[t for some in chosen for t in some] for chosen in product(*options)][:MOST_PATTERNS]


def _is_field(term: Expression) -> bool:
    return term.decl().name().startswith(FIELDS)


def _is_in(part: Expression, term: Expression) -> bool:
    return any(_has(child, part) for child in term.children())


def _terms(body: Expression) -> list[Expression]:
    """Applications of functions that Z3 does not interpret, each once."""
    made, seen, todo = [], set[int](), [body]
    while todo:
        one = todo.pop()
        if one.get_id() in seen or not z3.is_app(one):
            continue
        seen.add(one.get_id())
        todo += one.children()
        if one.num_args() and one.decl().kind() == z3.Z3_OP_UNINTERPRETED:
            made.append(one)
    return made


def _has(term: Expression, part: Expression) -> bool:
    return term.eq(part) or _is_in(part, term)

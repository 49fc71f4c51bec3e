"""What holds in every state that runs reach: clauses that the start satisfies and steps keep.

What is to be shown is asked with candidates assumed. Those that it rests on must hold at the start,
and after every step from a state where candidates hold; so must those that this rests on, and so
on. One that may be broken is dropped (as in Houdini: Flanagan and Leino 2001). What is left is kept
by steps all together, so it holds in every state that a run reaches.

A clause is assumed as a formula of its own. ``~current | no other node (current)`` becomes a
statement about two nodes. It names no new element, and is instantiated for terms that it names
itself: so that many clauses can be assumed at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from itertools import product
from typing import TYPE_CHECKING

from algolens.language.ir import Expr, Not, Quantified
from algolens.proofs.equality.candidates import CandidateClause
from algolens.proofs.equality.ghosts import BEGUN
from algolens.proofs.states import Side, State, is_listed
from algolens.proofs.theory import DEPTHS, Expression, Prover, all_of, applied, for_all, in_time, z3

if TYPE_CHECKING:
    from algolens.proofs.equality.proof import Proof

LITTLE_WORK = 1_000_000  # of one of many questions
FEW = 100  # of the first candidates, which are assumed before all


class Invariant:
    """The clauses among candidates that hold at the start and that every step keeps.

    Parameters
    ----------
    proof : Proof
        Both declarations.
    candidates : sequence of CandidateClause
        What may always hold.
    goals : iterable
        What is to be refuted in a state that runs reach.
    known : mapping, optional
        Clauses that are known to be kept, and by which.
    work : int
        Of one question, at one depth.
    """

    def __init__(
        self,
        proof: Proof,
        candidates: Sequence[CandidateClause],
        goals: Iterable[Expression],
        known: Mapping[CandidateClause, list[CandidateClause]] | None = None,
        work: int = LITTLE_WORK,
    ) -> None:
        self.proof = proof
        self._used = dict(known or {})
        self.alive = list(dict.fromkeys([*self._used, *candidates]))
        self.flags = {clause: z3.Bool(f"flag {place}") for place, clause in enumerate(self.alive)}
        flagged = in_time(self.flags.items(), proof.until)
        held = [z3.Implies(flag, assumed(proof.now, clause)) for clause, flag in flagged]
        self.start, self.after = proof.state(" at start"), proof.state(" after")
        start, after = [~self.start.values[BEGUN](None)], [self.after.values[BEGUN](None)]
        side, history = proof.second, proof.history
        becomes = {
            name: (field.at, partial(side.start, name), partial(side.after, name))
            for name, field in proof.fields.items()
        } | {
            name: (field.at, partial(history.start, name), partial(history.after, name, side))
            for name, field in history.fields.items()
        }
        for name, (at, *values) in becomes.items():
            for state, made, value in zip(
                (self.start, self.after), (start, after), values, strict=True
            ):
                me = proof.any_row(at)
                called = state.values[name](me)
                made.append(for_all([me], called == value(me), [[called]]))
        after += proof.counts.between(proof.now, self.after)
        self._unbound = z3.BoolVal(False)  # that the mask which is to bound the steps does not
        if proof.bounding is not None:
            then = Side(proof.known, self.after, proof.inputs)
            at = proof.fields[proof.bounding].at
            some = self.after.some_row(at, self.after.values[proof.bounding])
            self._unbound = ~proof.begun & then.goes_on() & ~some
        self._at_start = Prover([*proof.always([self.start], *start), *start], proof.until)
        steps = [*after, proof.steps(), *held]
        said = proof.always([proof.now, self.after], *steps, self._unbound)
        self._by_step = Prover([*said, *steps], proof.until, work=work)
        said = proof.always([proof.now], *held, *goals)
        self._here = Prover([*said, *held], proof.until, proof.theory.in_order(), work)
        self.dropped, self.wanted = set[CandidateClause](), set[CandidateClause]()  # and by which
        self._goals: list[CandidateClause] = []

    def _broken(self, clause: CandidateClause, state: State) -> Expression:
        me = self.proof.any_row(clause.at)
        said = state.value(clause.formula, me)
        is_broken = self.proof.is_there(clause.at, me) & ~said
        return z3.And(is_broken, *state.definitions([is_broken]))

    def keep(self) -> dict[CandidateClause, list[CandidateClause]]:
        """All clauses that are kept, each by which."""
        count = 0
        while count != len(self.alive):  # where none was dropped, all rest on those that are left
            count = len(self.alive)
            for clause in list(self.alive):
                if clause in self.alive:
                    self._kept([clause])
        return {clause: self._used[clause] for clause in self.alive}

    def shows_bound(self) -> bool:
        """Whether a mask is true of some node after the first step, if another is asked for."""
        return self.proof.bounding is None or self.shows(self._unbound, self._by_step)

    def shows(self, opposite: Expression, prover: Prover | None = None) -> bool:
        """Whether a statement is refuted by clauses that are kept, and by no others.

        Those that it rests on are shown to be kept, by those that they rest on, and so on. One that
        is not is dropped, and the statement is asked again.
        """
        prover = prover or self._here
        while (core := self._core(prover, opposite)) is not None:
            if self._kept(core):
                self._goals += core
                return True
        return False

    def _kept(self, clauses: Sequence[CandidateClause]) -> bool:
        """Whether clauses hold at the start and steps keep them, all together; one that may be
        broken is dropped.
        """
        todo, seen = list(clauses), set[CandidateClause]()
        while todo:
            clause = todo.pop()
            if clause in seen:
                continue
            seen.add(clause)
            if clause not in self._used:
                core = self._by_induction(clause)
                if core is None:
                    self.alive.remove(clause)
                    self.dropped.add(clause)
                    for other in [it for it, used in self._used.items() if clause in used]:
                        del self._used[other]
                    if clause in clauses:
                        return False
                    todo, seen = list(clauses), set()
                    continue
                self._used[clause] = core
            todo += self._used[clause]
        return True

    def _by_induction(self, clause: CandidateClause) -> list[CandidateClause] | None:
        """The clauses by which one is kept, where it holds at the start."""
        if self._at_start.refutes(self._broken(clause, self.start)) is None:
            return None
        return self._core(self._by_step, self._broken(clause, self.after), [clause])

    def _core(
        self, prover: Prover, opposite: Expression, own: Sequence[CandidateClause] = ()
    ) -> list[CandidateClause] | None:
        """The clauses by which a statement is refuted: its own and those that are known to be kept,
        some more, or all.
        """
        clauses = {flag.get_id(): clause for clause, flag in self.flags.items()}
        sure = [*self._used, *own]
        few = [*sure, *[clause for clause in self.alive if clause not in self._used][:FEW]]
        asked = -1
        for some, depths in ((sure, DEPTHS), (few, DEPTHS[1:]), (self.alive, DEPTHS[1:4])):
            if len(some) <= asked:
                continue
            asked, known = len(some), set(some)
            assumed = [flag if c in known else ~flag for c, flag in self.flags.items()]
            core = prover.refutes(opposite, assumed, depths)
            if core is not None:
                made = [clauses[f.get_id()] for f in core if f.get_id() in clauses]
                self.wanted.update(made)
                return made
        return None

    def needed(self) -> dict[CandidateClause, list[CandidateClause]]:
        """Those that the proof rests on, each by which it is kept."""
        needed: dict[CandidateClause, list[CandidateClause]] = {}
        todo = list(self._goals)
        while todo:
            clause = todo.pop()
            if clause not in needed:
                needed[clause] = self._used[clause]
                todo += self._used[clause]
        return needed


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
            parts.append(~(view.holds & words.value(atom.body, me, view.it)))
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
    return all_of(made)


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
        some = [[t] for t in mine if t.decl().name() not in STEPS]
        options.append(some or theory.met(theory.table(variable), variable))
    return [[t for some in chosen for t in some] for chosen in product(*options)][:MOST_PATTERNS]


def _is_field(term: Expression) -> bool:
    return term.decl().name().startswith(FIELDS)


def _is_in(part: Expression, term: Expression) -> bool:
    return any(_has(child, part) for child in term.children())


def _terms(body: Expression) -> list[Expression]:
    """Applications of functions that Z3 does not interpret, each once."""
    return [
        one
        for one in applied(body)
        if one.num_args() and one.decl().kind() == z3.Z3_OP_UNINTERPRETED
    ]


def _has(term: Expression, part: Expression) -> bool:
    return term.eq(part) or _is_in(part, term)

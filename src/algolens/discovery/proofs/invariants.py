"""What holds in every state that runs reach: clauses that the start satisfies and steps keep.

All candidates are assumed in a state, and those that may be broken after a step are dropped, until
none is (Houdini: Flanagan and Leino 2001). What is left holds at the start, and after every step
from a state where it holds; so it holds in every state that a run reaches.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from algolens.discovery.proofs.candidates import BEGUN, CandidateClause
from algolens.discovery.proofs.declared_side import DeclaredSide, start_of
from algolens.discovery.proofs.solver import DEPTHS, Prover
from algolens.discovery.proofs.state_words import StateWords
from algolens.discovery.proofs.theory import Expression, for_all, z3

if TYPE_CHECKING:
    from algolens.discovery.proofs.equality import Proof

SHALLOW = (2.5, 3.5, 5.5)  # for candidates, of which there are many


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
    """

    def __init__(
        self,
        proof: Proof,
        candidates: Sequence[CandidateClause],
        goals: Iterable[Expression],
    ) -> None:
        self.proof = proof
        self.flags = {clause: z3.Bool(f"flag {place}") for place, clause in enumerate(candidates)}
        self.held = {}
        for clause, flag in self.flags.items():
            self.held[clause] = self._everywhere(clause, flag)
        self.start, self.after = proof.state(" at start"), proof.state(" after")
        start = [self.start.values[BEGUN](None) == False]  # noqa: E712
        after = [self.after.values[BEGUN](None)]
        for name in proof.known.state:
            me = proof.element(proof.known.predicted[name].location)
            begins = start_of(proof.known, proof.inputs, name, me)
            start.append(_is_value(self.start.values[name](me), me, begins))
            after.append(_is_value(self.after.values[name](me), me, proof.second.after(name, me)))
        self.broken = {
            state: {clause: self._broken(clause, state) for clause in candidates}
            for state in (self.start, self.after)
        }
        self._unbound = {}
        if proof.bounding is not None:
            then = DeclaredSide(proof.known, self.after)
            at = proof.known.predicted[proof.bounding].location
            some = self.after.views.some_of_graph(at, self.after.values[proof.bounding])
            self._unbound[proof.bounding] = z3.And(
                z3.Not(proof.now.values[BEGUN](None)), then.goes_on(), z3.Not(some)
            )
        held = list(self.held.values())
        at_start = self.broken[self.start].values()
        self._at_start = Prover(
            [*proof.always([self.start], *start, *at_start), *start], proof.until
        )
        steps = [*after, proof.steps(), *held]
        asked = [*self.broken[self.after].values(), *self._unbound.values()]
        self._by_step = Prover(
            [*proof.always([proof.now, self.after], *steps, *asked), *steps], proof.until
        )
        self._here = Prover(
            [*proof.always([proof.now], *held, *goals), *held],
            proof.until,
            [proof.theory.in_order()],
        )
        self.alive: list[CandidateClause] = []
        self._used: dict[CandidateClause, list[CandidateClause]] = {}
        self._goals: list[CandidateClause] = []

    def _everywhere(self, clause: CandidateClause, flag: Expression) -> Expression:
        at, theory = clause.location, self.proof.theory
        me = self.proof.element(at)
        said = self.proof.now.formula(clause.formula, at, me)
        said = theory.where_there(at, said)
        # what is not assumed has no instances
        return z3.Implies(flag, said if me is None else for_all([me], said, theory.met(at, me)))

    def _broken(self, clause: CandidateClause, state: StateWords) -> Expression:
        at = clause.location
        me = self.proof.element(at)
        said = state.formula(clause.formula, at, me)
        return z3.And(self.proof.is_there(at, me), z3.Not(said))

    def keep(self, depths: Sequence[float]) -> None:
        """Keeps those that steps keep, all together; some more with a greater depth."""
        sure = list(self.alive)
        self.alive = [
            clause
            for clause in self.flags
            if clause in sure
            or self._at_start.refutes(self.broken[self.start][clause], depths=depths) is not None
        ]
        changed = True
        while changed:
            changed = False
            for clause in list(self.alive):
                if clause in sure:  # with more that is assumed it is kept as before
                    continue
                core = self._core(self._by_step, self.broken[self.after][clause], depths)
                if core is None:
                    self.alive.remove(clause)
                    changed = True
                else:
                    self._used[clause] = core
            if time.process_time() > self.proof.until:
                self.alive = sure
                break

    def _core(
        self, prover: Prover, opposite: Expression, depths: Sequence[float]
    ) -> list[CandidateClause] | None:
        """The clauses by which a statement is refuted."""
        alive = set(self.alive)
        flags = {flag.get_id(): clause for clause, flag in self.flags.items()}
        assumed = [flag if clause in alive else z3.Not(flag) for clause, flag in self.flags.items()]
        core = prover.refutes(opposite, assumed, depths)
        return None if core is None else [flags[f.get_id()] for f in core if f.get_id() in flags]

    def shows(self, opposite: Expression) -> bool:
        """Whether what is kept refutes a statement."""
        core = self._core(self._here, opposite, DEPTHS)
        if core is not None:
            self._goals += core
        return core is not None

    def shows_bound(self, grows: str | None) -> bool:
        """Whether a mask is true of some node after the first step, if another is asked for."""
        if grows is None:
            return True
        core = self._core(self._by_step, self._unbound[grows], DEPTHS)
        self._goals += core or []
        return core is not None

    def needed(self) -> list[CandidateClause]:
        """Those that the proof rests on."""
        needed: list[CandidateClause] = []
        todo = list(self._goals)
        while todo:
            clause = todo.pop()
            if clause not in needed:
                needed.append(clause)
                todo += self._used[clause]
        return needed


def _is_value(called: Expression, me: Expression, value: Expression) -> Expression:
    """That a field of every element has a value."""
    return called == value if me is None else for_all([me], called == value, [[called]])

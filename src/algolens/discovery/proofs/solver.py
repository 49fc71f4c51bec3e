"""What follows in the theory, asked of Z3 within bounds that no clock decides."""

from __future__ import annotations

import time
from collections.abc import Sequence
from itertools import product

from algolens.discovery.proofs.theory import Expression, z3

# how many instances may rest on one another: few first, since most proofs are short
DEPTHS = (2.5, 3.5, 4.5, 5.5)
MOST_WORK = 3_000_000  # of one question, as Z3 counts it


class Prover:
    """Asks whether statements contradict axioms.

    Parameters
    ----------
    axioms : sequence
        Always true.
    further : sequence
        True as well, but seldom needed and dear: asked again with them where there is no proof
        without.
    until : float
        A time of the process, when nothing more is asked.
    """

    def __init__(
        self, axioms: Sequence[Expression], until: float, further: Sequence[Expression] = ()
    ) -> None:
        self.axioms, self.further, self.until = list(axioms), list(further), until
        self._solvers: dict[tuple[float, bool], Expression] = {}

    def refutes(
        self,
        statement: Expression,
        assumed: Sequence[Expression] = (),
        depths: Sequence[float] = DEPTHS,
    ) -> list[Expression] | None:
        """Of what is assumed, what a statement contradicts; None where that is not shown."""
        ways = [False, True] if self.further else [False]
        for depth, with_further in product(depths, ways):
            if time.process_time() > self.until:
                return None
            solver = self._solver(depth, with_further)
            solver.push()
            solver.add(statement)
            try:
                answer = solver.check(*assumed)
                if answer == z3.unsat:
                    return list(solver.unsat_core())
            finally:
                solver.pop()
        return None

    def _solver(self, depth: float, with_further: bool) -> Expression:
        """A solver for instances of a depth, which Z3 reads when it is made."""
        key = depth, with_further
        if key not in self._solvers:
            z3.set_param("smt.qi.eager_threshold", depth)
            z3.set_param("smt.qi.lazy_threshold", depth)
            solver = z3.SimpleSolver()
            solver.set("auto_config", False)
            solver.set("mbqi", False)
            solver.set("rlimit", MOST_WORK)
            solver.add(*self.axioms, *(self.further if with_further else ()))
            self._solvers[key] = solver
        return self._solvers[key]

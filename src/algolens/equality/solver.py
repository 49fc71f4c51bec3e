"""What follows in the theory, asked of Z3 within bounds that no clock decides, as long as there is
time.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

from algolens.equality.theory import Expression, z3

Item = TypeVar("Item")

# how many instances may rest on one another: few first, since most proofs are short
DEPTHS: tuple[float, ...] = (1.5, 2.5, 3.5, 5.5, 8.5)
MOST_CONDITIONS = 3  # that one question is split by
MOST_WORK = 3_000_000  # of one question, as Z3 counts it
LONGEST = 2**31  # of one question, in milliseconds: Z3 knows no longer time


class OutOfTimeError(Exception):
    """The time of a proof is over. It ends there, and nothing is proven."""


def check_time(until: float) -> None:
    """Ends a proof whose time is over. until: CPU deadline, as ``time.process_time()`` counts."""
    if time.process_time() > until:
        raise OutOfTimeError


def in_time(items: Iterable[Item], until: float) -> Iterator[Item]:
    """Items, one by one, as long as there is time: every loop of a proof goes by it."""
    for item in items:
        check_time(until)
        yield item


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
        CPU deadline, as ``time.process_time()`` counts.
    work : int
        Bound of one question.
    """

    def __init__(
        self,
        axioms: Sequence[Expression],
        until: float,
        further: Sequence[Expression] = (),
        work: int = MOST_WORK,
    ) -> None:
        self.axioms, self.further, self.until = list(axioms), list(further), until
        self.work = work
        self._solvers: dict[tuple[float, bool], Expression] = {}

    def refutes(
        self,
        statement: Expression,
        assumed: Sequence[Expression] = (),
        depths: Sequence[float] = DEPTHS,
    ) -> list[Expression] | None:
        """Of what is assumed, what a statement contradicts; None where that is not shown."""
        core: dict[int, Expression] = {}
        for case in cases(statement):
            parts = self._refutes(case, assumed, depths)
            if parts is None:
                return None
            core |= {part.get_id(): part for part in parts}
        return list(core.values())

    def _refutes(
        self, statement: Expression, assumed: Sequence[Expression], depths: Sequence[float]
    ) -> list[Expression] | None:
        is_spent = False
        ways = [(depth, False) for depth in depths]
        ways += [(depth, True) for depth in (DEPTHS[1], depths[-1]) if self.further]
        for depth, with_further in ways:
            check_time(self.until)
            if is_spent and not with_further:  # deeper, there is more to look at
                continue
            solver = self._solver(depth, with_further)
            left = self.until - time.process_time()
            solver.set("timeout", int(min(1000 * max(left, 0) + 1, LONGEST)))
            solver.push()
            solver.add(statement)
            try:
                if solver.check(*assumed) == z3.unsat:
                    return list(solver.unsat_core())
                is_spent = solver.reason_unknown() == "canceled"
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
            solver.set("rlimit", self.work)
            solver.add(*self.axioms, *(self.further if with_further else ()))
            self._solvers[key] = solver
        return self._solvers[key]


def cases(statement: Expression) -> list[Expression]:
    """A statement, by the values of what its alternatives depend on: each is refuted alone."""
    conditions: dict[int, Expression] = {}
    todo = [statement]
    while todo:
        one = todo.pop()
        is_equality = z3.is_eq(one) or z3.is_distinct(one)
        if z3.is_app_of(one, z3.Z3_OP_ITE) or (is_equality and z3.is_bool(one.arg(0))):
            conditions[one.arg(0).get_id()] = one.arg(0)
        if z3.is_app(one):
            todo += one.children()
    made = [statement]
    for condition in list(conditions.values())[:MOST_CONDITIONS]:
        made = [case & way for case in made for way in (condition, ~condition)]
    return made

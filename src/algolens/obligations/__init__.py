"""Obligations: what a proof has to show of a network, written for solvers that are not ours."""

from algolens.obligations.drat import Equality, equalities
from algolens.obligations.folder import write_obligations
from algolens.obligations.obligation import Counterexample, Obligation
from algolens.obligations.of_network import obligations
from algolens.obligations.solvers import SOLVERS, Answer, Solver, check_with, solver

__all__ = [
    "SOLVERS",
    "Answer",
    "Counterexample",
    "Equality",
    "Obligation",
    "Solver",
    "check_with",
    "equalities",
    "obligations",
    "solver",
    "write_obligations",
]

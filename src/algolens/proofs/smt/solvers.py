"""Solvers from PyPI: Z3 (de Moura and Bjørner 2008) and cvc5 (Barbosa et al. 2022)."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib import metadata
from typing import Any

from algolens.errors import AlgoLensError, UnknownNameError
from algolens.proofs.smt.terms import Obligation

SECONDS = 600  # for one obligation
PACKAGES = {"z3": "z3-solver", "cvc5": "cvc5"}  # on PyPI


@dataclass(frozen=True, eq=False)
class Answer:
    """What a solver said to an obligation."""

    obligation: Obligation
    said: str  # 'unsat': it is shown; 'sat': it does not hold; 'unknown': not settled in time

    @property
    def is_shown(self) -> bool:
        """Whether the obligation holds."""
        return self.said == "unsat"

    def words(self) -> str:
        """What was found, in plain words."""
        if self.said == "sat":
            return "the network gets a case wrong, or is not sure of it: the proof names it"
        return "it holds" if self.is_shown else f"not settled in {SECONDS} s"


@dataclass(frozen=True)
class Solver:
    """A solver that reads SMT-LIB."""

    package: str  # of Python
    solve: Callable[[str], str]  # 'unsat', 'sat' or 'unknown'

    @property
    def version(self) -> str:
        """Which one it is."""
        return metadata.version(PACKAGES[self.package])


def _by_z3(z3: Any, text: str) -> str:
    solver = z3.Solver(ctx=z3.Context())
    solver.set("timeout", 1000 * SECONDS)
    solver.from_string(text)
    return str(solver.check())


def _by_cvc5(cvc5: Any, text: str) -> str:
    solver = cvc5.Solver()
    solver.setOption("tlimit-per", str(1000 * SECONDS))
    parser = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text, "obligation")
    while (command := parser.nextCommand()).getCommandName() != "check-sat":
        reply = command.invoke(solver, parser.getSymbolManager())
        if "error" in reply:
            raise AlgoLensError(f"cvc5 cannot read an obligation: {reply.strip()}")
    result = solver.checkSat()
    return "unsat" if result.isUnsat() else "sat" if result.isSat() else "unknown"


SOLVERS = {"z3": _by_z3, "cvc5": _by_cvc5}


def solver(name: str) -> Solver:
    """A solver by its name."""
    if name not in SOLVERS:
        raise UnknownNameError("solver", name, SOLVERS)
    try:
        module = importlib.import_module(name)
    except ImportError as problem:
        raise AlgoLensError(
            f"{name} is not installed: run `pip install 'algolens[solvers]'`, or write the "
            "obligations with --smtlib, and give them to any solver."
        ) from problem
    return Solver(name, lambda text: SOLVERS[name](module, text))


def check_with(
    solver: Solver,
    obligations: Iterable[Obligation],
    watch: Callable[[Answer], None] = lambda _: None,
) -> list[Answer]:
    """What a solver says to each obligation."""
    answers = []
    for obligation in obligations:
        answers.append(Answer(obligation, solver.solve(obligation.text)))
        watch(answers[-1])
    return answers

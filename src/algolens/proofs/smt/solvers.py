"""Solvers from PyPI: Z3 (de Moura and Bjørner 2008) and cvc5 (Barbosa et al. 2022)."""

from __future__ import annotations

import importlib
import re
from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from types import ModuleType
from typing import Any, ClassVar

from algolens.errors import AlgoLensError, UnknownNameError
from algolens.proofs.smt.terms import Counterexample, Obligation

SECONDS = 600  # for one obligation


@dataclass(frozen=True, eq=False)
class Answer:
    """What a solver said to an obligation."""

    obligation: Obligation
    said: str  # 'unsat': it is shown; 'sat': it does not hold; 'unknown': not settled in time
    counterexample: Counterexample | None = None  # in which it does not hold

    @property
    def is_shown(self) -> bool:
        """Whether the obligation holds."""
        return self.said == "unsat"

    def words(self) -> str:
        """What was found, in plain words."""
        if self.counterexample is None:
            return "it holds" if self.is_shown else f"not settled in {SECONDS} s"
        is_wrong, words = self.counterexample.is_wrong, self.counterexample.words
        return f"the network {'gets it wrong' if is_wrong else 'is not sure'}: {words}"


class Solver(ABC):
    """A solver that reads SMT-LIB."""

    package: ClassVar[str]  # of Python

    def __init__(self) -> None:
        try:
            self.module: ModuleType | Any = importlib.import_module(self.package)
        except ImportError as problem:
            raise AlgoLensError(
                f"{self.package} is not installed: run `pip install 'algolens[solvers]'`, or write "
                "the obligations with --smtlib, and give them to any solver."
            ) from problem

    @property
    @abstractmethod
    def version(self) -> str:
        """Which one it is."""

    @abstractmethod
    def solve(self, text: str) -> tuple[str, dict[str, bool | Fraction]]:
        """'unsat', 'sat' or 'unknown'; and where it is 'sat', values for all constants."""


class Z3(Solver):
    """Z3, by its Python package."""

    package = "z3"

    @property
    def version(self) -> str:
        return self.module.get_version_string()

    def solve(self, text: str) -> tuple[str, dict[str, bool | Fraction]]:
        z3 = self.module
        solver = z3.Solver(ctx=z3.Context())
        solver.set("timeout", 1000 * SECONDS)
        solver.from_string(text)
        said = str(solver.check())
        if said != "sat":
            return said, {}
        # what is defined has no value
        model, names = solver.model(), set(re.findall(r"\(declare-const (\S+) ", text))
        return said, {
            constant.name(): self._value(model[constant])
            for constant in model.decls()
            if constant.name() in names
        }

    def _value(self, term: Any) -> bool | Fraction:
        return self.module.is_true(term) if self.module.is_bool(term) else Fraction(str(term))


class Cvc5(Solver):
    """cvc5, by its Python package."""

    package = "cvc5"

    @property
    def version(self) -> str:
        return self.module.__version__

    def solve(self, text: str) -> tuple[str, dict[str, bool | Fraction]]:
        cvc5 = self.module
        solver = cvc5.Solver()
        solver.setOption("produce-models", "true")
        solver.setOption("tlimit-per", str(1000 * SECONDS))
        parser = cvc5.InputParser(solver)
        parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text, "obligation")
        symbols = parser.getSymbolManager()
        while (command := parser.nextCommand()).getCommandName() != "check-sat":
            reply = command.invoke(solver, symbols)
            if "error" in reply:
                raise AlgoLensError(f"cvc5 cannot read an obligation: {reply.strip()}")
        result = solver.checkSat()
        if not result.isSat():
            return "unsat" if result.isUnsat() else "unknown", {}
        return "sat", {
            str(term): _value(solver.getValue(term)) for term in symbols.getDeclaredTerms()
        }


def _value(term: Any) -> bool | Fraction:
    if term.isBooleanValue():
        return term.getBooleanValue()
    return Fraction(term.getIntegerValue() if term.isIntegerValue() else term.getRealValue())


SOLVERS: dict[str, type[Solver]] = {"z3": Z3, "cvc5": Cvc5}


def solver(name: str) -> Solver:
    """A solver by its name."""
    if name not in SOLVERS:
        raise UnknownNameError("solver", name, SOLVERS)
    return SOLVERS[name]()


def check_with(
    solver: Solver,
    obligations: Iterable[Obligation],
    watch: Callable[[Answer], None] = lambda _: None,
) -> list[Answer]:
    """What a solver says to each obligation; a counterexample is tried on the network itself."""
    answers = []
    for obligation in obligations:
        said, values = solver.solve(obligation.text)
        # what a solver left open may be anything, so it is false or 0
        completed = defaultdict(bool, values)
        counterexample = obligation.read(completed) if said == "sat" else None
        answers.append(Answer(obligation, said, counterexample))
        watch(answers[-1])
    return answers

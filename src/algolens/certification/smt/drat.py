"""That two rules are equal, by a proof that others can check: clauses, a DRAT proof, and a checker
that is no solver.

Two rules are equal where their difference cannot be satisfied. It is written as clauses (Tseitin
1968); a solver of python-sat refutes them, and leaves the clauses that it learnt. Each must follow
from those before it by unit propagation (RUP), or be redundant by its first literal (RAT; Wetzler,
Heule and Hunt 2014). The last is the empty one.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from algolens.errors import AlgoLensError
from algolens.logic import Formula
from algolens.logic.formula import And, Concept, Constant, Not, Or
from algolens.logic.rule_set import RuleSet

Clause = tuple[int, ...]
SOLVER = "glucose4"


@dataclass(frozen=True)
class Cnf:
    """Clauses of whole numbers, as DIMACS has them; the first variables are concepts."""

    concepts: tuple[str, ...]
    variables: int
    clauses: tuple[Clause, ...]

    def to_dimacs(self) -> str:
        """Itself as a file."""
        lines = [f"c {place} {name}" for place, name in enumerate(self.concepts, 1)]
        lines.append(f"p cnf {self.variables} {len(self.clauses)}")
        return "\n".join(
            [*lines, *(" ".join(map(str, (*clause, 0))) for clause in self.clauses), ""]
        )


@dataclass(frozen=True)
class Equality:
    """Two rules: clauses of their difference, and a proof that there is none, or a pattern on which
    they differ.
    """

    name: str
    cnf: Cnf
    proof: tuple[str, ...] | None  # DRAT, line by line
    pattern: str | None

    @property
    def is_shown(self) -> bool:
        """Whether the proof is one."""
        return self.proof is not None and is_refuted(self.cnf.clauses, self.proof)


def equalities(declared: RuleSet, found: RuleSet) -> Iterator[Equality]:
    """Every rule of one program beside that of the other, and those for going on where both
    quantify alike.
    """
    for output, classes in declared.rules.items():
        for label, rule in classes.items():
            yield equality(
                f"rule-{output}-{label}", declared.concepts, rule, found.rules[output][label]
            )
    here, there = declared.continues, found.continues
    if here is not None and there is not None and here.quantifier is there.quantifier:
        yield equality("rule-going-on", declared.concepts, here.formula, there.formula)


def equality(name: str, concepts: Sequence[str], first: Formula, second: Formula) -> Equality:
    """Whether two formulas hold on the same patterns."""
    cnf = difference(concepts, first, second)
    try:
        solvers = importlib.import_module("pysat.solvers")
    except ImportError as problem:
        raise AlgoLensError(
            "python-sat is not installed: run `pip install 'algolens[solvers]'`."
        ) from problem
    with solvers.Solver(name=SOLVER, bootstrap_with=cnf.clauses, with_proof=True) as solver:
        if not solver.solve():
            return Equality(name, cnf, tuple(solver.get_proof()), None)
        true = {each for each in solver.get_model() if each > 0}
    pattern = " & ".join(
        concept if place in true else f"~{concept}" for place, concept in enumerate(concepts, 1)
    )
    return Equality(name, cnf, None, pattern)


def difference(concepts: Sequence[str], first: Formula, second: Formula) -> Cnf:
    """Clauses that hold just where one of two formulas does and the other does not."""
    clauses: list[Clause] = []
    variables = len(concepts)

    def new() -> int:
        nonlocal variables
        variables += 1
        return variables

    def literal(formula: Formula) -> int:
        """A literal that is equal to a formula."""
        match formula:
            case Concept(name):
                return concepts.index(name) + 1
            case Not(term):
                return -literal(term)
            case Constant(value):
                place = new()
                clauses.append((place if value else -place,))
                return place
            case And(terms) | Or(terms):
                # all of them hold where not one does not
                sign = 1 if isinstance(formula, Or) else -1
                parts, place = [sign * literal(term) for term in terms], new()
                clauses.append((-place, *parts))
                clauses.extend((place, -part) for part in parts)
                return sign * place
        raise TypeError(type(formula).__name__)

    a, b = literal(first), literal(second)
    clauses += [(a, b), (-a, -b)]
    return Cnf(tuple(concepts), variables, tuple(clauses))


def is_refuted(clauses: Sequence[Clause], proof: Sequence[str]) -> bool:
    """Whether a DRAT proof derives the empty clause: every line is checked, and no solver is
    asked.
    """
    known = [frozenset(clause) for clause in clauses]
    for line in proof:
        words = line.split()
        is_deleted = words[0] == "d"
        learnt = [int(word) for word in words[is_deleted:] if word != "0"]
        if is_deleted:
            if frozenset(learnt) in known:
                known.remove(frozenset(learnt))
            continue
        if not (_follows(known, learnt) or _is_redundant(known, learnt)):
            return False
        if not learnt:
            return True
        known.append(frozenset(learnt))
    return _follows(known, [])


def _follows(known: Sequence[frozenset[int]], clause: Sequence[int]) -> bool:
    """Whether the opposite of a clause leads to a contradiction by unit propagation."""
    true = {-each for each in clause}
    if any(-each in true for each in true):
        return True
    while True:
        new = set()
        for each in known:
            if each & true:
                continue
            left = [literal for literal in each if -literal not in true]
            if not left:
                return True
            if len(left) == 1:
                new.add(left[0])
        if not new:
            return False
        true |= new
        if any(-each in true for each in new):
            return True


def _is_redundant(known: Sequence[frozenset[int]], clause: Sequence[int]) -> bool:
    """RAT by the first literal: every resolvent follows."""
    if not clause:
        return False
    return all(
        _follows(known, [*clause, *(each - {-clause[0]})]) for each in known if -clause[0] in each
    )

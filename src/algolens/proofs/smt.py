"""All that a proof has to show of a network, in SMT-LIB, and what solvers that are not ours say to
it: Z3 (de Moura and Bjørner 2008) and cvc5 (Barbosa et al. 2022), from PyPI.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from importlib import metadata
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np
import torch

from algolens.disk import write_file
from algolens.errors import AlgoLensError, UnknownNameError, WritingError
from algolens.language.finite import Statement
from algolens.language.ir import And, Const, Expr, Get, Not, Or, Quantified
from algolens.language.rules import as_expr
from algolens.models import Network
from algolens.models.exact import Comparator, Exact, Stage, sent_bits
from algolens.models.layers import SLOPE, Linear
from algolens.proofs.certificate import certificate_subject
from algolens.proofs.certify import assumptions
from algolens.proofs.network import LARGEST, SMALLEST

EPSILON = Fraction(2) ** -23  # twice the unit of rounding in single precision
DOUBLE_EPSILON = Fraction(2) ** -52  # and in double precision
SLOPE_EXACT = Fraction(float(np.float32(SLOPE)))  # what single precision multiplies with


@dataclass(frozen=True, eq=False)
class Obligation:
    """A file whose statements cannot all hold: its negation is what has to be shown."""

    name: str  # of the file, without its ending
    part: str  # of the network
    says: str  # what holds where a solver answers 'unsat', in plain words
    text: str  # SMT-LIB 2.6

    @classmethod
    def write(
        cls,
        name: str,
        part: str,
        says: str,
        constants: Mapping[str, str],
        lines: Sequence[str],
        claim: str,
    ) -> Obligation:
        """Write a whole file; it asserts the opposite of ``claim``. constants: sorts by name."""
        text = [
            *(f"; {line}" for line in says.splitlines()),
            "; A solver is to answer: unsat",
            f"(set-logic {'QF_LIRA' if 'Int' in constants.values() else 'QF_LRA'})",
            *(f"(declare-const {constant} {sort})" for constant, sort in constants.items()),
            *lines,
            f"(assert (not {claim}))",
            "(check-sat)",
            "",
        ]
        return cls(name, part, says.replace("\n", " "), "\n".join(text))


# ---- terms


def rational(value: Fraction | float) -> str:
    """A number without any rounding: a float is a whole number times a power of two."""
    exact = Fraction(value)
    size = f"{abs(exact.numerator)}.0"
    term = size if exact.denominator == 1 else f"(/ {size} {exact.denominator}.0)"
    return f"(- {term})" if exact < 0 else term


def joined(operator: str, terms: Sequence[str], nothing: str) -> str:
    """Terms, all or some of which hold, or a sum of them."""
    return f"({operator} {' '.join(terms)})" if len(terms) > 1 else (*terms, nothing)[0]


both, either = partial(joined, "and", nothing="true"), partial(joined, "or", nothing="false")
total = partial(joined, "+")


def function(name: str, sort: str, term: str, remark: str = "") -> str:
    """A line that gives a term a name."""
    return f"(define-fun {name} () {sort} {term}){remark}"


def truth_term(node: Expr, of_atom: Callable[[Expr], str]) -> str:
    """A statement, its atoms as they are given."""

    def say(part: Expr) -> str:
        return truth_term(part, of_atom)

    match node:
        case Const(value):
            return str(bool(value)).lower()
        case Not(term):
            return f"(not {say(term)})"
        case And(terms):
            return both([*map(say, terms)])
        case Or(terms):
            return either([*map(say, terms)])
    return of_atom(node)


class LayerTerms:
    """Two affine layers of one seed, LeakyReLU between them, on features that are 0 or 1.

    A feature is a term of sort Bool, or ``true`` where it is known to be 1, or None where it is
    known to be 0. Every weight is written as it is. By how much rounding may change an output is a
    sum of a constant and of one for every feature that is 1: all of them positive.
    """

    def __init__(self, first: Linear, last: Linear, features: Sequence[str | None]) -> None:
        (self.weight, bias), (self.weight_last, bias_last) = map(_exact, (first, last))
        self.bias, self.bias_last, self.features = bias[0], bias_last[0], features

    def definitions(self) -> list[str]:
        """What the file defines: hidden values, outputs and how far each may be off."""
        lines = []
        for j, bias in enumerate(self.bias):
            lines.append(function(f"sum{j}", "Real", self._sum(bias, self.weight[:, j])))
            slope = f"(* {rational(SLOPE_EXACT)} sum{j})"
            lines.append(function(f"hidden{j}", "Real", f"(ite (> sum{j} 0.0) sum{j} {slope})"))
        for k, bias in enumerate(self.bias_last):
            weights = enumerate(self.weight_last[:, k])
            terms = [rational(bias), *(f"(* {rational(each)} hidden{j})" for j, each in weights)]
            lines.append(function(f"out{k}", "Real", total(terms, "0.0")))
            lines.append(function(f"reach{k}", "Real", self._sum(*self.reach(k))))
        return lines

    def claim(self, claims: Sequence[str]) -> str:
        """All claims; false where a sum may become too large for single precision."""
        may_be_one = [feature is not None for feature in self.features]
        hidden = abs(self.bias) + abs(self.weight[may_be_one]).sum(0)
        sizes = abs(self.bias_last) + hidden @ abs(self.weight_last)
        return both(claims) if max(*hidden, *sizes) <= Fraction(LARGEST) else "false"

    def decides(self, truth: str, k: int = 0) -> str:
        """That an output is surely positive where a term holds, and surely negative elsewhere."""
        return f"(ite {truth} (> out{k} reach{k}) (< out{k} (- reach{k})))"

    def _sum(self, constant: Fraction, numbers: np.ndarray) -> str:
        """A constant, and those of some numbers, one for each feature, whose feature is 1."""
        pairs = zip(self.features, map(rational, numbers), strict=True)
        terms = [
            number if feature == "true" else f"(ite {feature} {number} 0.0)"
            for feature, number in pairs
            if feature is not None
        ]
        return total([rational(constant), *terms], "0.0")

    def reach(self, k: int) -> tuple[Fraction, np.ndarray]:
        """How far rounding may move an output: a constant, and more for each feature that is 1.

        As ``two_layers`` of the proof has it: 2 n eps times the sum of sizes, and what is lost
        below the smallest number.
        """
        terms = max(len(self.weight), len(self.weight_last)) + 3
        rounding, smallest = 2 * terms * EPSILON, 2 * terms * Fraction(SMALLEST)
        weight, bias, weight_last = abs(self.weight), abs(self.bias), abs(self.weight_last[:, k])
        constant = rounding * (bias @ weight_last + abs(self.bias_last[k]))
        constant += smallest * (2 + weight_last.sum() + bias.sum())
        return constant, rounding * (weight @ weight_last) + smallest * weight.sum(1)


def _exact(layer: Linear) -> list[np.ndarray]:
    """Weight and bias as fractions."""
    assert layer.bias is not None
    values = (each[0].detach().cpu().double() for each in (layer.weight, layer.bias))
    return [np.frompyfunc(Fraction, 1, 1)(each.numpy()) for each in values]


# ---- obligations


@torch.no_grad()
def obligations(network: Network) -> Iterator[Obligation]:
    """Of one seed's network: the order of numbers, the stages (one is going on), the outputs."""
    network = network.on_cpu()
    perceiver = network.perceiver
    assert isinstance(perceiver, Exact)
    yield from map(order_obligation, perceiver.comparisons.values())
    for name, stage in perceiver.stages.items():
        yield from stage_obligations(perceiver.statements[name], stage)
    for name in network.decoders:
        yield output_obligation(network, name)


def order_obligation(comparison: Comparator) -> Obligation:
    """Of one seed. That of the opposite pair follows: the difference changes its sign."""
    bits = comparison.bits
    weights, (threshold,) = comparison.weights[0].tolist(), comparison.threshold[0].tolist()
    says = (
        f"Numbers of {bits} bits. differ0, differ1, ... are the bits of x less those of y, the "
        "highest first: -1, 0 or 1, and\nhere any number between. Where the first that is not 0 "
        "is 1 (so x > y), the sum of weights times them exceeds the\nthreshold by more than "
        "rounding. Of equal numbers the sum is 0, and does not."
    )
    differs = [f"differ{place}" for place in range(bits)]
    lines = [f"(assert (and (<= (- 1.0) {name}) (<= {name} 1.0)))" for name in differs]
    claims = ["false"]
    if all(map(isfinite, [*weights, threshold])):
        pairs = zip(weights, differs, strict=True)
        terms = [f"(* {rational(weight)} {name})" for weight, name in pairs]
        lines.append(function("difference", "Real", total(terms, "0.0")))
        bound, unit = Fraction(threshold), 4 * (bits + 3) * DOUBLE_EPSILON
        claims = [f"(>= {rational(bound)} 0.0)"]
        for place, name in enumerate(differs):
            later = sum(map(abs, map(Fraction, weights[place:])), Fraction(0))
            needed = rational(bound + unit * (later + bound))
            first = both([*(f"(= {before} 0.0)" for before in differs[:place]), f"(= {name} 1.0)"])
            claims.append(f"(=> {first} (> difference {needed}))")
    constants = dict.fromkeys(differs, "Real")
    return Obligation.write(
        f"order-{bits}", f"comparison {bits}", says, constants, lines, both(claims)
    )


def output_obligation(network: Network, name: str) -> Obligation:
    """Of one seed."""
    declaration, decoder = network.algorithm.declaration, network.decoders[name]
    labels = network.outputs[name].classes
    constants = {concept: f"concept{i}" for i, concept in enumerate(declaration.concepts)}
    kept = zip(constants.values(), decoder.kept[0, :, 0].tolist(), strict=True)
    layers = LayerTerms(
        decoder.first, decoder.last, [each if keep else None for each, keep in kept]
    )
    lines = [f"; {constant}: {concept}" for concept, constant in constants.items()]
    lines += layers.definitions()

    def of_atom(atom: Expr) -> str:
        assert isinstance(atom, Get)
        return constants[atom.column]

    def declares(label: str) -> str:
        rule = declaration.rule_set.rules[name][label]
        return truth_term(as_expr(rule, declaration.location), of_atom)

    if network.outputs[name].kind == "mask":
        lines.append(function("declared", "Bool", declares("true")))
        claims = [layers.decides("declared")]
    else:
        claims = []
        for i, label in enumerate(labels):
            lines.append(function(f"declared{i}", "Bool", declares(label), f"  ; class {label}"))
            others = [k for k in range(len(labels)) if k != i]
            ahead = both([f"(> (- out{i} reach{i}) (+ out{k} reach{k}))" for k in others])
            claims.append(f"(=> declared{i} {ahead})")
    says = (
        f"Output '{name}': on every pattern of concepts, the network decides what the declared "
        "rules say;\nno rounding can change it."
    )
    sorts = dict.fromkeys(constants.values(), "Bool")
    return Obligation.write(f"output-{name}", name, says, sorts, lines, layers.claim(claims))


def stage_obligations(statement: Statement, stage: Stage) -> Iterator[Obligation]:
    """For each own class: what every kind sends to it, and what it concludes from any in view."""
    for own in range(statement.num_own):
        if stage.looks_at_others:
            yield _messages(statement, stage, own)
        yield _conclusion(statement, stage, own)


def _own_features(stage: Stage, own: int) -> list[str | None]:
    return ["true" if bit else None for bit in stage.own_features[own].tolist()]


def _kinds(statement: Statement, word: str) -> tuple[list[str], list[str]]:
    """A constant for each kind of one in view, and lines that say which kind it is."""
    kinds = [f"{word}{kind}" for kind in range(statement.num_neighbours)]
    words = map(statement.neighbour_words, range(len(kinds)))
    return kinds, [f"; {kind}: {said}" for kind, said in zip(kinds, words, strict=True)]


def _chosen(kinds: Sequence[str], row: Iterable[float]) -> list[str]:
    """The kinds that have something."""
    return [kind for kind, has in zip(kinds, row, strict=True) if has]


def _messages(statement: Statement, stage: Stage, own: int) -> Obligation:
    """The kind of one in view is a constant for each of its features' values."""
    name, (kinds, lines) = statement.name, _kinds(statement, "kind")
    one_of_them = both(
        [either(kinds), *(f"(not (and {a} {b}))" for i, a in enumerate(kinds) for b in kinds[:i])]
    )
    lines.append(f"(assert {one_of_them})")
    features = _own_features(stage, own)
    for i, column in enumerate(stage.kind_features.T.tolist()):
        lines.append(function(f"input{i}", "Bool", either(_chosen(kinds, column))))
        features.append(f"input{i}")
    layers = LayerTerms(stage.message_first, stage.message_last, features)
    lines += layers.definitions()
    claims = []
    for bit, column in enumerate(sent_bits(stage, own).T):
        lines.append(function(f"sends{bit}", "Bool", either(_chosen(kinds, column))))
        claims.append(layers.decides(f"sends{bit}", bit))
    says = (
        f"Messages of '{name}' to own class {own} ({statement.own_words(own)}):\none of a kind "
        "sends exactly the bits of the table sends0, sends1, ...; no rounding can change one."
    )
    constants = dict.fromkeys(kinds, "Bool")
    claim = layers.claim(claims)
    return Obligation.write(f"stage-{name}-{own}-messages", name, says, constants, lines, claim)


def _conclusion(statement: Statement, stage: Stage, own: int) -> Obligation:
    """How many of each kind are in view is a constant: a Bool, or where it counts, an Int.

    Of which kinds the body of a quantified statement holds is left to the solver.
    """
    name, exactly = statement.name, statement.exactly
    is_counted = statement.most > 1 or exactly is not None
    kinds, lines = _kinds(statement, "number" if is_counted else "in_view")
    if is_counted:
        lines += [f"(assert (>= {kind} 0))" for kind in kinds]
    if exactly is not None:
        lines.append(f"(assert (= {total(kinds, '0')} {exactly}))")

    def at_least(count: int, some: list[str]) -> str:
        return f"(>= {total(some, '0')} {count})" if is_counted else either(some)

    def of_atom(kind: int | None, atom: Expr) -> str:
        if isinstance(atom, Quantified):
            return f"statement{statement.quantifiers.index(atom)}"
        return str(statement.atom_holds(atom, own, kind)).lower()

    features = _own_features(stage, own)
    for bit, column in enumerate(sent_bits(stage, own).T if stage.looks_at_others else ()):
        for step in range(stage.most):
            features.append(f"received{bit}_{step}")
            received = at_least(step + 1, _chosen(kinds, column))
            lines.append(function(f"received{bit}_{step}", "Bool", received))
    for place, quantified in enumerate(statement.quantifiers):
        every, fitting = quantified.quantity == "every", []
        for kind, constant in enumerate(kinds):
            body = f"body{place}_{kind}"
            said = truth_term(quantified.body, partial(of_atom, kind))
            lines.append(function(body, "Bool", said))
            fits = f"(not {body})" if every else body
            fitting.append(
                f"(ite {fits} {constant} 0)" if is_counted else f"(and {constant} {fits})"
            )
        met = at_least(quantified.count, fitting)
        lines.append(function(f"statement{place}", "Bool", f"(not {met})" if every else met))
    layers = LayerTerms(stage.head_first, stage.head_last, features)
    lines += layers.definitions()
    lines.append(function("declared", "Bool", truth_term(statement.value, partial(of_atom, None))))
    says = (
        f"'{name}' at own class {own} ({statement.own_words(own)}), declared as: "
        f"{statement.text}.\n"
        "Whoever is in view, the network concludes what is declared; no rounding can change it."
    )
    constants = dict.fromkeys(kinds, "Int" if is_counted else "Bool")
    claim = layers.claim([layers.decides("declared")])
    return Obligation.write(f"stage-{name}-{own}", name, says, constants, lines, claim)


# ---- the files


PAGE = """# What has to be shown of a network for {algorithm}

The network of seed {seed} is to do what its algorithm declares, in every state of every graph. Its
weights have the SHA-256
{weights} (by content, as `certificate.json` and `algolens/checker.py` name it).

Each file asserts the opposite of one statement, in SMT-LIB 2.6 and exact rationals: a float is a
whole number times a power of two. A solver that answers `unsat` has shown the statement. A solver
that answers `sat` has found a situation in which the network is wrong, or not sure.

    for file in *.smt2; do z3 $file; done        # or cvc5; each is to answer: unsat

## How they make the theorem

1. `order-B`: of two numbers of B bits, the comparison tells which is lower or higher, and tells
   neither of equal ones. A comparison of several numbers is one of their bits in a row.
2. `stage-NAME-C-messages`: an observation NAME is a stage of the network. An element's own class C
   is a combination of values of the fields that it reads of itself. The kind of another one, in
   view, is a combination of what it reads of that one, and of how their numbers compare. By 1, the
   network sees own class and kinds as they are. The file says which bits each kind sends to an
   element of class C.
3. `stage-NAME-C`: bits are joined by "or"; where others are counted, they are added up. So what an
   element receives is settled by which kinds are in view (how many of each, where they are
   counted), in a graph of any size. The file leaves this open: its constants say which kinds are in
   view. Whatever they are, the network concludes what the formula of NAME says.
4. Stages stand in the order of the declaration, and each reads those before it. All hold for any
   values of what they read; so, by induction over the order, every observation is what is declared.
   `goes_on` is one of them, at the graph.
5. `output-NAME`: on every pattern of concepts, the decoder decides the class that the rules say.
6. Pointers and numbers move as declared, by what was observed: that is carried out, not learnt. So
   a step of the network is a step of the algorithm, and by induction over steps, so is a run.

In 2, 3 and 5, `reachK` bounds by how much rounding in single precision can move `outK`, in whatever
order a machine adds; `docs/exactness.md` of AlgoLens proves the bound. In 1, weights are those of
this machine in double precision, and rounding is bounded likewise.

What is assumed:

{assumptions}

## The files

{files}
"""


def write_obligations(folder: Path, network: Network, obligations: Sequence[Obligation]) -> None:
    """Writes a file for each obligation, and README.md, into a folder that is empty or new."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise WritingError(
            f"{folder} is there already, and not empty: give another folder for the obligations."
        )
    for obligation in obligations:
        write_file(folder / f"{obligation.name}.smt2", obligation.text)
    page = PAGE.format(
        algorithm=network.algorithm.name,
        seed=network.seeds[0],
        weights=certificate_subject(network)["weights"],
        assumptions="\n".join(f"- {assumption}" for assumption in assumptions(network)),
        files="\n".join(
            f"- `{obligation.name}.smt2`: {obligation.says}" for obligation in obligations
        ),
    )
    write_file(folder / "README.md", page)


# ---- solvers

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

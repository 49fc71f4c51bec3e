"""All that a proof has to show of a network, as files for any solver."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import isfinite
from pathlib import Path

import torch

from algolens.disk import write_file
from algolens.errors import WritingError
from algolens.language.fields import Mask
from algolens.language.ir import At, Expr, Get
from algolens.language.rules import as_expr
from algolens.models import Network
from algolens.models.exact import Comparator, Exact
from algolens.proofs.certificate import certificate_subject
from algolens.proofs.certify import assumptions
from algolens.proofs.smt.stages import stage_obligations
from algolens.proofs.smt.terms import (
    LayerTerms,
    Obligation,
    both,
    plus,
    rational,
    truth_term,
)

DOUBLE_EPSILON = Fraction(2) ** -52  # twice the unit of rounding in double precision


@torch.no_grad()
def obligations(network: Network) -> Iterator[Obligation]:
    """Of one seed's network: the order of numbers, the stages (one is going on), the outputs."""
    network = network.on_cpu()
    perceiver = network.perceiver
    assert isinstance(perceiver, Exact)
    for comparison in perceiver.comparisons.values():
        yield order_obligation(comparison)
    for name, stage in perceiver.stages.items():
        yield from stage_obligations(perceiver.statements[name], stage)
    for name in network.decoders:
        yield output_obligation(network, name)


def order_obligation(comparison: Comparator) -> Obligation:
    """Of one seed. That of the opposite pair follows: the difference changes its sign."""
    bits = comparison.bits
    weights = comparison.weights[0].detach().tolist()
    threshold = float(comparison.threshold[0, 0].detach())
    says = (
        f"Numbers of {bits} bits. differ0, differ1, ... are the bits of x less those of y, the "
        "highest first: -1, 0 or 1, and\nhere any number between. Where the first that is not 0 "
        "is 1 (so x > y), the sum of weights times them exceeds the\nthreshold by more than "
        "rounding. Of equal numbers the sum is 0, and does not."
    )
    constants = {f"differ{place}": "Real" for place in range(bits)}
    lines = [f"(assert (and (<= (- 1.0) {name}) (<= {name} 1.0)))" for name in constants]
    claim = "false"
    if all(map(isfinite, [*weights, threshold])):
        pairs = zip(weights, constants, strict=True)
        terms = [f"(* {rational(weight)} {name})" for weight, name in pairs]
        lines.append(f"(define-fun difference () Real {plus(terms)})")
        claim = _order_claim([*constants], weights, threshold)

    return Obligation.write(f"order-{bits}", f"comparison {bits}", says, constants, lines, claim)


def _order_claim(differs: list[str], weights: list[float], threshold: float) -> str:
    bound, unit = Fraction(threshold), 4 * (len(weights) + 3) * DOUBLE_EPSILON
    claims = [f"(>= {rational(bound)} 0.0)"]
    for place, name in enumerate(differs):
        later = sum((abs(Fraction(weight)) for weight in weights[place:]), Fraction(0))
        needed = rational(bound + unit * (later + bound))
        first = both([*(f"(= {before} 0.0)" for before in differs[:place]), f"(= {name} 1.0)"])
        claims.append(f"(=> {first} (> difference {needed}))")
    return both(claims)


def output_obligation(network: Network, name: str) -> Obligation:
    """Of one seed."""
    declaration, decoder = network.algorithm.declaration, network.decoders[name]
    concepts, kind = declaration.concepts, network.outputs[name]
    constants = {concept: f"concept{place}" for place, concept in enumerate(concepts)}
    kept = decoder.kept[0, :, 0].tolist()
    features = [
        constants[concept] if keep else None for concept, keep in zip(concepts, kept, strict=True)
    ]
    layers = LayerTerms(decoder.first, decoder.last, features)
    at: At = declaration.location.value
    rules = {label: as_expr(rule, at) for label, rule in declaration.rule_set.rules[name].items()}
    lines = [
        f"; {constant}: {concept}" for concept, constant in constants.items()
    ] + layers.definitions()

    def of_atom(atom: Expr) -> str:
        assert isinstance(atom, Get)
        return constants[atom.column]

    if isinstance(kind, Mask):
        lines.append(f"(define-fun declared () Bool {truth_term(rules['true'], of_atom)})")
        claims = [layers.decides("declared")]
    else:
        claims = []
        for place, label in enumerate(kind.labels):
            lines.append(
                f"(define-fun declared{place} () Bool {truth_term(rules[label], of_atom)})  ; "
                f"class {label}"
            )
            least = f"(- out{place} reach{place})"
            ahead = [
                f"(> {least} (+ out{i} reach{i}))" for i in range(layers.outputs) if i != place
            ]
            claims.append(f"(=> declared{place} {both(ahead)})")
    says = (
        f"Output '{name}': on every pattern of concepts, the network decides what the declared "
        "rules say;\nno rounding can change it."
    )
    sorts = dict.fromkeys(constants.values(), "Bool")
    return Obligation.write(f"output-{name}", name, says, sorts, lines, layers.claim(claims))


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

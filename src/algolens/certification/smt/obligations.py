"""All that a proof has to show of a network, and a folder of it for any solver."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from pathlib import Path

import torch

from algolens.certification.certify import assumptions, certificate_subject
from algolens.certification.smt.drat import Equality
from algolens.certification.smt.obligation import Obligation
from algolens.certification.smt.outputs import order_obligation, output_obligation
from algolens.certification.smt.stages import stage_obligations
from algolens.disk import write_file
from algolens.errors import WritingError
from algolens.models import Network
from algolens.models.exact import Exact


@torch.no_grad()
def obligations(network: Network) -> Iterator[Obligation]:
    """Of one seed's network: the order of numbers, the stages in order, going on among them, and
    the outputs.
    """
    network = copy.deepcopy(network).eval().cpu()
    perceiver = network.perceiver
    assert isinstance(perceiver, Exact)
    for comparison in perceiver.comparisons.values():
        yield order_obligation(comparison)
    for name, stage in perceiver.stages.items():
        yield from stage_obligations(perceiver.readings[name], stage)
    for name in network.decoders:
        yield output_obligation(network, name)


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


RULES = """
## The rules

`rule-OUTPUT-CLASS.cnf` are the clauses of the difference between a declared rule and the one that
was drawn from the network. The `.drat` beside it is a proof that they cannot hold:
`drat-trim rule-visited-true.cnf rule-visited-true.drat`. So that rule in rule_sets.json is equal to
the declared one, on every pattern of concepts. Where there is no proof, they differ on a pattern.

{rules}
"""


def write_obligations(
    folder: Path,
    network: Network,
    obligations: Sequence[Obligation],
    rules: Sequence[Equality] = (),
) -> None:
    """Writes a file for each obligation and rule, and README.md, into a folder that is empty or not
    there.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise WritingError(
            f"{folder} is there already, and not empty: give another folder for the obligations."
        )
    for each in obligations:
        write_file(folder / f"{each.name}.smt2", each.text)
    for rule in rules:
        write_file(folder / f"{rule.name}.cnf", rule.cnf.to_dimacs())
        if rule.proof is not None:
            write_file(folder / f"{rule.name}.drat", "\n".join([*rule.proof, ""]))
    page = PAGE.format(
        algorithm=network.algorithm.name,
        seed=network.seeds[0],
        weights=certificate_subject(network)["weights"],
        assumptions="\n".join(f"- {each}" for each in assumptions(network)),
        files="\n".join(f"- `{each.name}.smt2`: {each.says}" for each in obligations),
    )
    told = [
        f"- `{each.name}`: " + ("equal" if each.pattern is None else f"differ on {each.pattern}")
        for each in rules
    ]
    write_file(folder / "README.md", page + (RULES.format(rules="\n".join(told)) if rules else ""))

"""Making a certificate: the proof, and beside it free runs on small and on larger graphs."""

from __future__ import annotations

import torch
from torch import Tensor

from algolens.algorithms import Algorithm, python_methods
from algolens.data.graph_sets import draw_graphs
from algolens.data.small_graphs import (
    DIRECTIONS,
    DRAWS,
    EveryInput,
    ShownGraph,
    Trial,
    runs_taken,
    small_trials,
)
from algolens.engines import Run, Threads
from algolens.errors import AlgoLensError, ContractError
from algolens.evaluation import free_run, right_graphs
from algolens.graphs import stream
from algolens.language.ir import INDEX_BITS, NUMBER, columns_of
from algolens.language.words import numbers_of
from algolens.memory import phase
from algolens.models import Network
from algolens.proofs.certificate import (
    LOWERING,
    Basis,
    Certificate,
    Check,
    certificate_subject,
    objection_to_proof,
)
from algolens.proofs.network import prove

SAMPLED_SIZES, SAMPLED_GRAPHS = (20, 50, 100), 10  # nodes, and graphs of each family
DIRECTED = {False: "undirected", True: "directed"}


def certify_network(network: Network) -> Certificate:
    """Make the certificate of one seed's network.

    Parameters
    ----------
    network : Network
        A network without memory, of one seed.

    Returns
    -------
    Certificate
        The checks of the proof, then those of the trials.

    Raises
    ------
    ContractError
        If nothing can be proven of the network: it decides by numbers that are no bits, or its
        algorithm goes by Python.
    """
    name, alone = network.algorithm.name, network.on_cpu()
    with phase(f"proving {name}"):
        proven = proof(network)
    with phase(f"trying {name} on small and on larger graphs"):
        trials = (*small_graph_trials(alone), larger_graph_trial(alone))
    return Certificate(
        algorithm=name,
        seed=network.seeds[0],
        about=certificate_subject(network),
        assumptions=assumptions(network),
        checks=(*proven, *lowering_checks(network.algorithm), *trials),
    )


def lowering_checks(algorithm: Algorithm) -> list[Check]:
    """That the aggregates that engines compute equal what is declared, on graphs of any size;
    nothing without Z3. That each engine computes them rightly is tested, not proven.
    """
    from algolens.proofs import theory  # Z3 takes long to import

    if theory.z3 is None:
        return []
    from algolens.proofs.lowering import unproven_lets

    lets = list(unproven_lets(algorithm.declaration.program, algorithm.graphs))
    unproven = [name for name, why in lets if why is not None]
    says = "On graphs of any size, what is declared equals its lowered form, as Z3 shows"
    if unproven:
        says += f"; not shown, but tested: {', '.join(unproven)}"
    return [Check(LOWERING, Basis.PROOF, len(lets) - len(unproven), 0, f"{says}.")]


@torch.no_grad()
def proof(network: Network) -> tuple[Check, ...]:
    """Prove now what can be proven of one seed's network; it takes a fraction of a second.

    Returns
    -------
    tuple of Check
        Each holds on every graph.
    """
    wrong = objection_to_proof(network)
    if wrong is not None:
        raise ContractError(
            f"{wrong}, and cannot be proven right: take one of the preset 'exact' for an algorithm "
            "that is declared alone."
        )
    if len(network.seeds) != 1:
        raise AlgoLensError(
            f"one seed is certified at a time, and {len(network.seeds)} came: take one with "
            "network.only(place)."
        )
    with Threads() as threads:
        threads.suit(0)  # tables are small
        return tuple(finding.check for finding in prove(network.on_cpu()))


def assumptions(network: Network) -> tuple[str, ...]:
    """What a proof rests on, in words."""
    declaration = network.algorithm.declaration
    program, apart = (
        declaration.program,
        {
            "graph": ", different within a graph",
            "neighbours": ", different between neighbours",
            None: "",
        },
    )
    sentences = [
        "IEEE 754 rounding, in any order of summation, with or without subnormals; every decision "
        "is further from its threshold than rounding can move it",
        *(
            f"every {name} is a whole number of {one.bits} bits{apart[one.distinct]}"
            for name, one in program.inputs.items()
            if one.kind == "number"
        ),
        *(
            f"every {name} stays a whole number of {one.bits} bits, or the run is refused"
            for name, one in program.state.items()
            if one.kind == "number"
        ),
    ]
    statements = declaration.statements.values()
    if any(column == NUMBER for one in statements for _, column in columns_of(one.value)):
        sentences.append(
            f"a graph has fewer than 2^{INDEX_BITS} nodes and edges, because ties are "
            "broken by number"
        )
    sums = ", ".join(let.name for let in numbers_of(program))
    if sums:
        sentences.append(f"sums are computed as declared, and stay inside 62 bits: {sums}")
    if declaration.moved:
        names = ", ".join(declaration.moved)
        sentences.append(f"what moves, moves as declared, by what was observed: {names}")
    if python_methods(network.algorithm):
        sentences.append("runs are those that check() takes, which is written in Python")
    if type(network.algorithm).reference is Algorithm.reference:
        last = "the declaration says what is wanted: no trusted implementation stands beside it"
    else:
        last = "the declaration is the textbook's algorithm, which is tested, not proven"
    return (*sentences, last)


def small_graph_trials(network: Network) -> list[Check]:
    """Free runs on all small graphs: a check for those that were gone through in the same way."""
    alike: dict[tuple[bool, bool], list[Trial]] = {}
    for trial in small_trials(network.algorithm):
        alike.setdefault((trial.directed, trial.has_every_input), []).append(trial)
    return [
        _small_graphs(network, trials)
        for trials in alike.values()
        if any(trial.runs for trial in trials)
    ]


def _small_graphs(network: Network, trials: list[Trial]) -> Check:
    cases, failures, first = 0, 0, None
    for run in (run for trial in trials for run in trial.runs):
        right = _right(network, run)
        cases, failures = cases + len(right), failures + int((~right).sum())
        if first is None and not right.all():
            alone = run.take([int((~right).nonzero()[0])])
            first = str(
                ShownGraph.of(alone.graph, alone.inputs, network.algorithm.declaration.inputs)
            )
    says = f"Running freely, it is right in every step on {_tried(network.algorithm, trials)}."
    basis = Basis.EXHAUSTIVE if trials[0].has_every_input else Basis.SAMPLED
    return Check("small graphs", basis, cases, failures, says, first)


def _tried(algorithm: Algorithm, trials: list[Trial]) -> str:
    """Which graphs were tried, and with which inputs, in words."""
    first, last = trials[0], trials[-1]
    if first.nodes == 1:
        sizes = f"up to {last.nodes}"
    else:
        sizes = f"{last.nodes}" if first is last else f"{first.nodes} to {last.nodes}"
    inputs = (
        EveryInput(algorithm, last.nodes).words()
        if first.has_every_input
        else f"inputs drawn {DRAWS} times"
    )
    count = f"{sum(trial.graphs for trial in trials):,} {DIRECTED[first.directed]} graphs"
    refused = sum(trial.num_refused for trial in trials)
    left_out = f"; {refused:,} runs that {algorithm.name} refuses are left out" if refused else ""
    with_inputs = f", with {inputs}" if inputs else ""
    return f"all {count} of {sizes} nodes in every numbering{with_inputs}{left_out}"


def larger_graph_trial(network: Network) -> Check:
    """Free runs on random graphs of the recipe's families; what is refused is left out."""
    algorithm = network.algorithm
    failures, cases, refused = 0, 0, 0
    recipe = algorithm.recipe
    largest = max(recipe.test_sizes, default=SAMPLED_SIZES[-1])
    tried: dict[str, None] = {}
    kinds: dict[str, None] = {}
    reason = ""
    for size in [size for size in SAMPLED_SIZES if size <= largest] or [largest]:
        for directed in DIRECTIONS[algorithm.graphs]:
            rng = stream(0, "certificate", algorithm.name, size, DIRECTED[directed])
            wanted = [(family, size, SAMPLED_GRAPHS) for family in recipe.families]
            try:
                drawn = draw_graphs(algorithm, wanted, rng, directed=directed)
            except AlgoLensError as problem:  # what is proven stays so
                reason = reason or str(problem)
                continue
            refused += drawn.refused + drawn.taken.graph.num_graphs
            for truth in runs_taken(algorithm, drawn.taken.graph, drawn.taken.inputs):
                right = _right(network, truth)
                failures, cases = failures + int((~right).sum()), cases + len(right)
                refused -= len(right)
            tried[str(size)] = kinds[DIRECTED[directed]] = None
    if cases == 0:
        says = f"No random graph was tried: {reason}"
    else:
        left_out = f"; {refused:,} that {algorithm.name} refuses are left out" if refused else ""
        says = (
            f"On random {' and '.join(kinds)} graphs of {', '.join(tried)} nodes, every step is "
            f"right{left_out}."
        )
    return Check("larger graphs", Basis.SAMPLED, cases, failures, says)


@torch.no_grad()
def _right(network: Network, truth: Run) -> Tensor:
    """[G] bools: is a graph's run right?"""
    return right_graphs(free_run(network, truth), truth)

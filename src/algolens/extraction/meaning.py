"""What each observation means to an exact network, and the smallest graph that shows a mistake."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
import torch

from algolens.algorithms import Values
from algolens.data.small_graphs import ShownGraph, drawn, small_graphs
from algolens.engines import run_algorithm
from algolens.engines.tensors import Running
from algolens.errors import AlgoLensError
from algolens.evaluation import free_run
from algolens.evaluation.rightness import GOING_ON, differences
from algolens.extraction.statements import Possible, all_cases, statement_of
from algolens.graphs import Graph, stream
from algolens.language.finite import Compared, Statement
from algolens.language.ir import Expr
from algolens.models import Network
from algolens.models.architecture import GOES_ON
from algolens.models.exact import Exact, StageTable


@dataclass(frozen=True)
class Meaning:
    """What one observation was found to be, compared with its declaration."""

    name: str
    at: str  # where it sits
    declared: str
    found: Expr | None  # None where it is too intricate to be put into words
    in_words: str  # what was found
    proven: bool  # no smaller statement of its form says the same
    # that elements of any graph can be in, as the stage and the declared statement tell them apart
    cases: int
    wrong: int  # cases in which what was found is not what is declared
    star_words: str | None  # of those, one with the fewest others in view
    # numbers of so many bits, which it compares, are not always told apart rightly
    misorders: tuple[int, ...] = ()

    @property
    def equal(self) -> bool:
        """Whether what was found is what is declared, in every case."""
        return not self.wrong and not self.misorders

    def to_json(self) -> dict[str, Any]:
        """Itself as JSON."""
        return {
            "name": self.name,
            "at": self.at,
            "declared": self.declared,
            "found": None if self.found is None else self.in_words,
            "proven_smallest": self.proven,
            "cases": self.cases,
            "wrong_cases": self.wrong,
            "equal_in_every_case": self.equal,
            "first_difference": self.star_words,
            "misordered_bits": list(self.misorders),
        }


@dataclass(frozen=True)
class Misfit:
    """A situation in which a network perceived otherwise than the statement found says."""

    situation: str
    perceived: bool
    times: int


@dataclass(frozen=True)
class SampledMeaning:
    """What a concept was found to be on samples, compared with its declaration."""

    name: str
    at: str
    declared: str
    found: Expr
    in_words: str  # what was found
    samples: int  # elements and steps
    fidelity: float  # share of them at which it says what the network perceived
    # what was found and what is declared are the same in every case; of the network, samples alone
    # are known
    equal: bool
    misfits: tuple[Misfit, ...]  # where it fails, the most frequent first

    def to_json(self) -> dict[str, Any]:
        """Itself as JSON."""
        return {
            "name": self.name,
            "at": self.at,
            "declared": self.declared,
            "found": self.in_words,
            "on": "samples",
            "samples": self.samples,
            "fidelity": self.fidelity,
            "found_is_as_declared": self.equal,
            "fails": [asdict(misfit) for misfit in self.misfits],
        }


def meanings(network: Network, possible: Mapping[str, Possible] | None = None) -> list[Meaning]:
    """What every observation of an exact network means to it, going on included.

    Parameters
    ----------
    network
        An exact network of one seed.
    possible
        For each observation the cases that count; by default all.

    Returns
    -------
    list of Meaning
    """
    perceiver = network.perceiver
    assert isinstance(perceiver, Exact)
    tables, read = perceiver.tables(), []
    for name, statement in perceiver.statements.items():
        counting = None if possible is None else possible[name]
        meaning = meaning_of(statement, tables[name], counting)
        wrong = {
            feature.bits
            for feature in (*statement.own, *statement.others)
            if isinstance(feature, Compared)
            and not bool(perceiver.comparisons[str(feature.bits)].in_order().all())
        }
        read.append(replace(meaning, misorders=tuple(sorted(wrong))))
    return read


def meaning_of(
    statement: Statement, table: StageTable, possible: Possible | None = None
) -> Meaning:
    """What one stage computes, as a statement, beside the declared one."""
    possible = possible or Possible.every(statement)
    counts = [part.count for part in statement.quantifiers]
    cases = all_cases(statement, table, possible, statement.counted, counts)
    declared = statement.truth_where_met(cases.own, cases.met)
    wrong = np.flatnonzero(cases.concluded != declared).tolist()
    star_words = None
    if wrong:
        first = min(wrong, key=lambda case: len(cases.neighbours(case)))
        star = statement.case_words(int(cases.own[first]), cases.neighbours(first))
        concluded = cases.concluded[first]
        star_words = f"it is found {concluded}, and is declared {not concluded}, for {star}"
    try:
        worded = statement_of(statement, table, possible)
    except AlgoLensError:
        # more cases, or more statements, than can be gone through
        worded = None
    return Meaning(
        name=statement.name,
        at=statement.at,
        declared=statement.text,
        found=None if worded is None else worded.value,
        in_words=(
            "too intricate to be put into words" if worded is None else statement.say(worded.value)
        ),
        proven=worded is not None and worded.proven,
        cases=len(cases),
        wrong=len(wrong),
        star_words=star_words,
    )


@dataclass(frozen=True)
class ShownOn:
    """A graph and a state in which something is found otherwise than it is declared."""

    situation: ShownGraph  # inputs, and the state before the step
    step: int | None  # of a run, from 1 on; None of a state that no run was seen to reach
    at: str
    element: int  # its place in the graph
    found: bool

    def to_json(self) -> dict[str, Any]:
        """Itself as JSON."""
        rest = {"step": self.step, "at": self.at, "element": self.element, "found": self.found}
        return {**self.situation.to_json(), **rest}

    def __str__(self) -> str:
        when = "in a state that no run was seen to reach"
        if self.step is not None:
            when = f"at step {self.step} of a run"
        where = f" at {self.at} {self.element}" if self.at != "graph" else ""
        return (
            f"{self.situation}: {when} it is found {self.found}{where}, and is declared "
            f"{not self.found}"
        )


@torch.no_grad()
def smallest_graph(network: Network, name: str) -> ShownOn | None:
    """The smallest graph found on which an observation is not what is declared.

    Tried are ``small_graphs``: first runs of the network, then arbitrary states.

    Parameters
    ----------
    network
        An exact network of one seed.
    name
        Of the observation.

    Returns
    -------
    ShownOn or None
        None if no graph was found.
    """
    for search in (_in_runs, _in_any_state):
        for graphs, inputs in small_graphs(network.algorithm):
            shown = search(network, name, graphs, inputs)
            if shown is not None:
                return shown
    return None


def _in_runs(network: Network, name: str, graphs: Graph, inputs: Values) -> ShownOn | None:
    """The first graph in whose run an observation is wrong at the first step that is."""
    truth = run_algorithm(network.algorithm, graphs, inputs, check=False)
    run = free_run(network, truth)
    wanted = GOING_ON if name == GOES_ON else name
    # [G] the first steps at which what is asked for is wrong, and anything is
    here = anything = truth.lengths
    for field, location, first in differences(run, truth):
        of_graph = truth.lengths.scatter_reduce(0, graphs.owner(location), first, "amin")
        anything = anything.minimum(of_graph)
        here = of_graph if field == wanted else here
    wrong = (here == anything) & (here < truth.lengths)
    if not bool(wrong.any()):
        return None
    graph = int(wrong.nonzero()[0])
    step = int(here[graph])
    alone, true = run.take([graph]), truth.take([graph])
    location, first = next(
        (location, first) for field, location, first in differences(alone, true) if field == wanted
    )
    element = int((first == step).nonzero()[0])
    values = alone.goes_on if wanted == GOING_ON else alone[wanted]
    before = {field: alone.state(field)[step] for field in alone.start}
    return ShownOn(
        _shown(network, alone.graph, {**alone.inputs, **before}),
        step + 1,
        location,
        element,
        bool(values[step][element]),
    )


def _in_any_state(network: Network, name: str, graphs: Graph, inputs: Values) -> ShownOn | None:
    """The first graph with a state in which an observation is wrong, those before it right."""
    perceiver, declaration = network.perceiver, network.algorithm.declaration
    assert isinstance(perceiver, Exact)
    rng = stream(0, "any state", network.algorithm.data_name, graphs.num_nodes)
    fields = {field: declaration.predicted[field] for field in declaration.state}
    state = drawn(fields, graphs, rng)
    running, prepared = Running(declaration.program, graphs), perceiver.prepare(graphs, inputs)
    true, perceived = running.look(inputs, state), dict(perceiver(prepared, state).settled)
    if GOES_ON in perceiver.stages:
        concepts = torch.stack([true[concept] for concept in declaration.concepts], 1)
        true[GOES_ON], perceived[GOES_ON] = running.goes_on(), perceiver.goes_on(prepared, concepts)
    was_right = torch.ones(graphs.num_graphs, dtype=torch.bool)
    for each, statement in perceiver.statements.items():
        location = statement.at
        owner, is_wrong = graphs.owner(location), perceived[each] != true[each]
        if each == name:
            break
        was_right[owner[is_wrong]] = False
    wrong = (is_wrong & was_right[owner]).nonzero().flatten()
    if not len(wrong):
        return None
    element = int(wrong[owner[wrong].argmin()])
    picked = graphs.take([int(owner[element])])
    fields = declaration.fields
    values = {
        field: value[picked.index(fields[field].at)] for field, value in {**inputs, **state}.items()
    }
    place = 0 if location == "graph" else int(graphs.place(location)[element])
    found = bool(perceived[name][element])
    return ShownOn(_shown(network, picked.graph, values), None, location, place, found)


def _shown(network: Network, graph: Graph, values: Values) -> ShownGraph:
    declaration = network.algorithm.declaration
    return ShownGraph.of(graph, values, declaration.fields)

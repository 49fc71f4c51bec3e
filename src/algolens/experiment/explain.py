"""The explanation of a model, and its distillation into a proven one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import cache
from typing import Any

import torch
from msgspec import structs

from algolens.disk import as_json
from algolens.engines import Run
from algolens.engines.program import Program
from algolens.errors import ExtractionError
from algolens.evaluation import Mistake, first_mistakes, free_run
from algolens.experiment.config import preset
from algolens.experiment.model import Model, Place, extract_all, save_certificates
from algolens.experiment.train import train_into
from algolens.extraction import (
    Meaning,
    SampledMeaning,
    ShownOn,
    Unseen,
    grade,
    meanings,
    met_in_runs,
    sampled_meanings,
    smallest_graph,
    tally,
)
from algolens.extraction.explained import Explained
from algolens.models import Network
from algolens.models.exact import Exact
from algolens.proofs import Certificate, certify_network
from algolens.proofs.equality import ProgramComparison, compare_programs
from algolens.records import put_file
from algolens.training import Epoch

SAMPLED_GRAPHS = 100


class WhichCases(Enum):
    """Which cases of an observation count."""

    ALL = "all"
    MET = "met"


SAID = {
    WhichCases.ALL: "Counted over every case possible in any graph.",
    WhichCases.MET: (
        "Cases count that true runs on training graphs came upon; elsewhere it may say anything."
    ),
}


def explain_model(
    trained: Model,
    unseen: Unseen = Unseen.DONT_CARE,
    seed: int | None = None,
    cases: WhichCases = WhichCases.ALL,
) -> Explained:
    """The explanation of a model. seed: whose rules are shown; None: one with the commonest."""
    network, experiment = trained.network, trained.experiment
    truth = cache(lambda: experiment.data(tests=False).train)
    rules = trained.extractions
    if rules is None or any(entry.unseen is not unseen for entry in rules):
        rules = extract_all(network, truth(), unseen)
    rule_sets = [entry.rule_set for entry in rules]
    if seed is None:
        texts = list(map(str, rule_sets))
        shown = texts.index(Counter(texts).most_common(1)[0][0])
    else:
        shown = experiment.seeds.index(seed)
    alone = network.only(shown).eval().cpu()
    read_off: list[tuple[Meaning, ShownOn | None]] = []
    sampled: list[SampledMeaning] = []
    if isinstance(alone.perceiver, Exact):
        possible = met_in_runs(alone.perceiver, truth()) if cases is WhichCases.MET else None
        for meaning in meanings(alone, possible):
            graph = None if meaning.equal else smallest_graph(alone, meaning.name)
            read_off.append((meaning, graph))
    elif not alone.algorithm.declaration.in_python:
        some = truth().take(range(min(SAMPLED_GRAPHS, truth().graph.num_graphs)))
        sampled = sampled_meanings(free_run(alone, some))
    is_whole = (read_off or sampled) and all(meaning.found is not None for meaning, _ in read_off)
    return Explained(
        algorithm=experiment.algorithm,
        seeds=experiment.seeds,
        rules=rules,
        verdicts=[grade(rule_set, network.algorithm) for rule_set in rule_sets],
        counts=tally(rule_sets),
        shown=shown,
        truth=truth,
        meanings=read_off,
        cases=SAID[cases],
        sampled=sampled,
        found_in=network.algorithm if is_whole else None,
    )


def program_of_model(trained: Model, seed: int | None = None) -> Program:
    """The program that stands alone of one seed's network."""
    explained = explain_model(trained, seed=seed)
    if explained.program is None:
        raise ExtractionError(
            f"there is no program that stands alone of this network: {explained.why_no_program}."
        )
    return explained.program


MOST_MISTAKES = 5  # that are told of some graphs
HELD_OUT = 3  # graphs of each family to test a twin on: it is proven besides


@dataclass(frozen=True)
class Account:
    """Where a network differs from its verified twin, on some graphs."""

    name: str  # the number of their nodes, or "given"
    graphs: int
    differing: int  # of them
    mistakes: tuple[Mistake, ...]  # the first of each of some graphs; "true" is what the twin says

    def to_json(self) -> dict[str, Any]:
        """Itself as JSON."""
        differences = [mistake.to_json() for mistake in self.mistakes]
        for difference in differences:
            difference["twin"] = difference.pop("true")
        return {
            "name": self.name,
            "graphs": self.graphs,
            "differing": self.differing,
            "first_differences": differences,
        }


@dataclass(frozen=True, eq=False)
class Distilled:
    """What a distillation gives."""

    algorithm: str
    seed: int  # of the network that was distilled
    program: Program
    declared: ProgramComparison  # the program beside the algorithm as it is declared
    certificate: Certificate  # of the twin: that it does what the program says
    accounts: Sequence[Account]

    def to_json(self) -> dict[str, Any]:
        """Itself as JSON."""
        return {
            "algorithm": self.algorithm,
            "seed": self.seed,
            "program": self.program.to_json(),
            "beside_the_declared": self.declared.to_json(),
            "twin_proven": self.certificate.proven,
            "accounts": [entry.to_json() for entry in self.accounts],
        }


def distil_into(
    place: Place,
    trained: Model,
    seed: int,
    tests: Mapping[Any, Iterable[Run]],
    command: str,
    watch: Callable[[Epoch], None] = lambda _: None,
) -> Distilled:
    """Distils one seed's network; its twin, and accounts on tests, go to a claimed folder."""
    network = trained.network.only(trained.experiment.seeds.index(seed)).eval().cpu()
    program = program_of_model(trained, seed)
    experiment = replace(
        preset("exact", program.algorithm), program=program.to_json(), options={}, held_out=HELD_OUT
    )
    twin = train_into(place, experiment, torch.device("cpu"), command, watch).network.only(0)
    certificate = certify_network(twin)
    save_certificates(place.folder, [certificate])
    distilled = Distilled(
        algorithm=trained.experiment.algorithm,
        seed=seed,
        program=program,
        # it alone, not its network
        declared=compare_programs(
            structs.replace(program, remarks=()), Program.of(network.algorithm)
        ),
        certificate=certificate,
        accounts=[account(network, twin, str(name), runs) for name, runs in tests.items()],
    )
    put_file(place.folder, "distilled.json", as_json(distilled.to_json()))
    return distilled


@torch.no_grad()
def account(network: Network, twin: Network, name: str, runs: Iterable[Run]) -> Account:
    """Where a network differs from its twin on the graphs of some runs, each running by itself."""
    graphs, differing, mistakes = 0, 0, list[Mistake]()
    for given in runs:
        count, first = first_mistakes(
            free_run(network, given), free_run(twin, given), MOST_MISTAKES
        )
        graphs, differing = graphs + given.graph.num_graphs, differing + count
        mistakes += first
    return Account(name, graphs, differing, tuple(mistakes[:MOST_MISTAKES]))

"""Distil and verify: from a trained network its program, an exact network of that program, and
where the two differ.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch

from algolens.algorithms import Values
from algolens.certification import Certificate, certify_network
from algolens.disk import write_json
from algolens.evaluation import Mistake, first_mistakes
from algolens.execution import run_algorithm
from algolens.experiment.config import Experiment
from algolens.experiment.explain import program_of_model
from algolens.experiment.folder import TrainedModel, save_certificates
from algolens.experiment.place import Place
from algolens.experiment.presets import preset
from algolens.experiment.train import train_into
from algolens.graphs import Graph
from algolens.models import Network, NetworkParts
from algolens.programs import Program, ProgramComparison, compare_programs
from algolens.training import Epoch

MOST_MISTAKES = 5  # that are told of some graphs
HELD_OUT = 3  # graphs of each family to test a twin on: it is proven besides


@dataclass(frozen=True, eq=False)
class Chosen:
    """Graphs to compare two networks on, with their inputs."""

    name: str
    graph: Graph
    inputs: Values


@dataclass(frozen=True)
class Account:
    """Where a network differs from its verified twin, on some graphs."""

    name: str
    graphs: int
    differing: int  # of them
    mistakes: tuple[Mistake, ...]  # the first of each of some graphs; "true" is what the twin says

    def to_json(self) -> dict[str, Any]:
        """Itself as JSON."""
        told = [{**each.to_json(), "twin": each.to_json()["true"]} for each in self.mistakes]
        for each in told:
            del each["true"]
        return {
            "name": self.name,
            "graphs": self.graphs,
            "differing": self.differing,
            "first_differences": told,
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
            "accounts": [each.to_json() for each in self.accounts],
        }


def twin_experiment(program: Program) -> Experiment:
    """The training of an exact network that is taught by a program."""
    return replace(
        preset("exact", program.algorithm), program=program.to_json(), options={}, held_out=HELD_OUT
    )


def distil_into(
    place: Place,
    trained: TrainedModel,
    seed: int,
    chosen: Iterable[Chosen],
    command: str,
    watch: Callable[[Epoch], None] = lambda _: None,
) -> Distilled:
    """Distils one seed's network; its twin, and the account, are written to a claimed folder."""
    network = copy.deepcopy(trained.network.only(trained.experiment.seeds.index(seed))).eval().cpu()
    program = program_of_model(trained, seed)
    twin = train_into(
        place, twin_experiment(program), torch.device("cpu"), command, watch
    ).run.network.only(0)
    certificate = certify_network(twin)
    save_certificates(place.folder, [certificate])
    found = Distilled(
        algorithm=trained.experiment.algorithm,
        seed=seed,
        program=program,
        # it alone, not its network
        declared=compare_programs(replace(program, remarks=()), Program.of(network.algorithm)),
        certificate=certificate,
        accounts=[account(network, twin, each) for each in chosen],
    )
    write_json(place.folder / "distilled.json", found.to_json())
    return found


@torch.no_grad()
def account(network: Network, twin: Network, chosen: Chosen) -> Account:
    """Where a network differs from its twin, on some graphs, each running by itself."""
    run, verified = (
        run_algorithm(
            each.algorithm, chosen.graph, chosen.inputs, **NetworkParts(each).sockets, check=False
        )
        for each in (network, twin)
    )
    differing, mistakes = first_mistakes(run, verified, MOST_MISTAKES)
    return Account(chosen.name, chosen.graph.num_graphs, differing, tuple(mistakes))

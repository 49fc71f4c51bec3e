"""The explanation of a model, and its distillation into a proven one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import cache
from os import PathLike
from pathlib import Path
from typing import Any

import torch
from msgspec import structs
from rich.console import RenderableType

from algolens.disk import as_json, check_free, check_writable, path_of, write_inside
from algolens.engines import Run
from algolens.engines.program import Program
from algolens.errors import AlgoLensError, ExtractionError
from algolens.evaluation import Mistake, first_mistakes, free_run
from algolens.experiment.config import preset
from algolens.experiment.model import Model, Place, extract_all, save_certificates
from algolens.experiment.train import train_into
from algolens.extraction.explained import Explained
from algolens.extraction.extraction import Unseen
from algolens.extraction.grading import grade, tally
from algolens.extraction.meaning import Meaning, SampledMeaning, ShownOn, meanings, smallest_graph
from algolens.extraction.observations import decision_trees
from algolens.extraction.sampled import sampled_meanings
from algolens.extraction.statements import met_in_runs
from algolens.lazy import require
from algolens.logic.rule_set import RuleSet
from algolens.models import Network
from algolens.models.exact import Exact
from algolens.proofs.certificate import Certificate
from algolens.proofs.certify import certify_network
from algolens.proofs.equality.comparing import ProgramComparison, compare_programs
from algolens.text.display import Shown
from algolens.text.learnt import rules_report
from algolens.text.outcome import count_in_words
from algolens.training import Epoch

SAMPLED_GRAPHS = 100
PICTURES = (".png", ".svg", ".pdf")


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


@dataclass(frozen=True, eq=False, repr=False)
class Explanation(Shown, Explained):
    """The result of ``al.explain``: rules, meanings and a program; ``print`` shows all of it."""

    @property
    def rules(self) -> RuleSet:
        """The rules for outputs in terms of concepts, with remarks on their measurements."""
        return self.rule_set

    @property
    def meanings(self) -> dict[str, str]:
        """What each feature means to the network, as a statement."""
        found = {meaning.name: meaning.in_words for meaning, _ in self.read_off}
        return found | {meaning.name: meaning.in_words for meaning in self.sampled}

    @property
    def is_right(self) -> bool:
        """Whether all rules match the true ones, and all meanings match the declaration."""
        is_equal = self.verdicts[self.shown].equal_on_seen
        return is_equal and all(meaning.equal for meaning, _ in self.read_off)

    @property
    def program(self) -> Program:
        """The whole algorithm as a program, which runs without the network."""
        if isinstance(self.whole, str):
            raise ExtractionError(f"there is no program that stands alone: {self.whole}.")
        return self.whole

    @property
    def _best(self) -> RuleSet | Program:
        return self.rules if isinstance(self.whole, str) else self.whole

    def to_python_source(self) -> str:
        """Return the program (or else the rules) as a Python module that needs only NumPy."""
        return self._best.to_python_source()

    def to_sql(self) -> str:
        """Return the program as SQL."""
        return self.program.to_sql()

    def to_latex(self) -> str:
        """Return the program, or the rules, in LaTeX."""
        return self._best.to_latex()

    def to_markdown(self) -> str:
        """Return the program, or the rules, in Markdown."""
        return self._best.to_markdown()

    def to_smtlib(self) -> str:
        """Return the rules as SMT-LIB 2."""
        return self._best.to_smtlib()

    def save(self, path: str | PathLike[str], *, overwrite: bool = False) -> Path:
        """Write the program to a .json file that ``al.execute`` can run."""
        place = path_of(path, "save")
        check_program_file(place, overwrite=overwrite)
        self.program.save(place)
        return place

    def save_picture(self, path: str | PathLike[str], *, overwrite: bool = False) -> Path:
        """Draw the network's decisions as decision trees, in a .png, .svg or .pdf."""
        trees, figures = map(require, ("algolens.reports.trees", "algolens.reports.figures"))
        place = path_of(path, "save_picture")
        check_picture(place, overwrite=overwrite)
        title = f"{self.algorithm}: decisions of seed {self.seeds[self.shown]}"
        figure = trees.draw_trees(decision_trees(self.network, self.truth()), title)
        figures.save_figure(figure, place)
        return place

    def parts(self) -> Iterator[RenderableType]:
        """What is shown, from top to bottom."""
        return rules_report(self)

    def __repr__(self) -> str:
        return f"Explanation({self.algorithm}, seed {self.seeds[self.shown]})"


def check_program_file(path: Path, *, overwrite: bool) -> None:
    """Raise an error if a program cannot be written there."""
    if path.suffix != ".json":
        raise AlgoLensError(f"{path}: a program ends in .json, by which al.execute knows it.")
    check_free(path, overwrite=overwrite)


def check_picture(path: Path, *, overwrite: bool) -> None:
    """Raise an error if a picture cannot be drawn, before anything is computed."""
    if path.suffix not in PICTURES:
        raise AlgoLensError(f"{path}: a picture ends in {', '.join(PICTURES)}.")
    check_free(path, overwrite=overwrite)
    check_writable(path)


def explain_model(
    trained: Model,
    unseen: Unseen = Unseen.DONT_CARE,
    seed: int | None = None,
    cases: WhichCases = WhichCases.ALL,
) -> Explanation:
    """The explanation of a model. seed: whose rules are shown; None: one with the commonest."""
    network, experiment = trained.network, trained.experiment
    truth = cache(lambda: experiment.data(tests=False).train)
    extractions = trained.extractions
    if extractions is None or any(entry.unseen is not unseen for entry in extractions):
        extractions = extract_all(network, truth(), unseen)
    rule_sets = [entry.rule_set for entry in extractions]
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
    return Explanation(
        network=alone,
        algorithm=experiment.algorithm,
        seeds=experiment.seeds,
        extractions=extractions,
        verdicts=[grade(rule_set, network.algorithm) for rule_set in rule_sets],
        counts=tally(rule_sets),
        shown=shown,
        truth=truth,
        read_off=read_off,
        cases=SAID[cases],
        sampled=sampled,
        found_in=network.algorithm if is_whole else None,
    )


MOST_MISTAKES = 5  # that are told of some graphs
HELD_OUT = 3  # graphs of each family to test a twin on: it is proven besides


@dataclass(frozen=True)
class Account:
    """The differences between a network and its verified twin on some graphs."""

    name: str  # the number of their nodes, or "given"
    graphs: int
    differing: int  # of them
    mistakes: tuple[Mistake, ...]  # the first of each of some graphs; "true" is what the twin says

    def to_json(self) -> dict[str, Any]:
        """Return this as JSON."""
        differences = [mistake.to_json() for mistake in self.mistakes]
        for difference in differences:
            difference["twin"] = difference.pop("true")
        return {
            "name": self.name,
            "graphs": self.graphs,
            "differing": self.differing,
            "first_differences": differences,
        }


@dataclass(frozen=True, eq=False, repr=False)
class Distilled(Shown):
    """The result of a distillation."""

    algorithm: str
    seed: int  # of the network that was distilled
    program: Program
    declared: ProgramComparison  # the program beside the algorithm as it is declared
    certificate: Certificate  # of the twin: that it does what the program says
    accounts: Sequence[Account]

    def to_json(self) -> dict[str, Any]:
        """Return this as JSON."""
        return {
            "algorithm": self.algorithm,
            "seed": self.seed,
            "program": self.program.to_json(),
            "beside_the_declared": self.declared.to_json(),
            "twin_proven": self.certificate.proven,
            "accounts": [entry.to_json() for entry in self.accounts],
        }

    def parts(self) -> Iterator[RenderableType]:
        """What is shown, from top to bottom."""
        yield (
            f"The program of this network for {self.algorithm} (seed {self.seed}), found on "
            "samples:"
        )
        yield f"\n{self.program}\n"
        yield f"Beside the declared algorithm: {self.declared}"
        proven = "is proven to do what this program says, on every graph"
        verdict = proven if self.certificate.proven else "is NOT proven"
        yield f"The exact network that was taught it {verdict}.\n"
        yield "Where the network that was distilled differs from this twin:"
        for account in self.accounts:
            graphs = count_in_words(account.graphs, "graph")
            if not account.differing:
                yield f"  {account.name}: nowhere, on {graphs}."
                continue
            yield f"  {account.name}: on {account.differing} of {graphs}."
            for mistake in account.mistakes:
                where = f" of {mistake.at} {mistake.element}" if mistake.element is not None else ""
                yield (
                    f"    graph {mistake.graph}, step {mistake.step}: {mistake.field}{where} is "
                    f"{mistake.found}, and {mistake.true} by the twin."
                )


def distil_into(
    place: Place,
    trained: Model,
    seed: int,
    tests: Mapping[Any, Iterable[Run]],
    command: str,
    watch: Callable[[Epoch], None] = lambda _: None,
) -> Distilled:
    """Distils one seed's network; its twin, and accounts on tests, go to a claimed folder."""
    explanation = explain_model(trained, seed=seed)
    network, program = explanation.network, explanation.program
    experiment = replace(
        preset("exact", program.algorithm), program=program.to_json(), options={}, held_out=HELD_OUT
    )
    twin = train_into(place, experiment, torch.device("cpu"), command, watch).network.only(0)
    certificate = certify_network(twin)
    save_certificates(place.folder, twin, [certificate])
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
    write_inside(place.folder, "distilled.json", as_json(distilled.to_json()))
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

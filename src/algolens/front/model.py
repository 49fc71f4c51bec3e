"""Models loaded, certified, explained and distilled."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any

from algolens.front.own_data import own_test_sets
from algolens.front.progress import Board
from algolens.terminal.display import Shown
from algolens.terminal.outcome import count_in_words
from rich.console import RenderableType
from rich.padding import Padding
from rich.text import Text
from torch import nn

from algolens.algorithms import (
    Algorithm,
    algorithm_in_file,
    algorithms,
    shipped_folder,
    unknown_algorithm,
)
from algolens.errors import AlgoLensError, ContractError
from algolens.experiment.config import objections, preset
from algolens.experiment.explain import (
    Distilled,
    Explanation,
    WhichCases,
    distil_into,
    explain_model,
)
from algolens.experiment.model import (
    Model,
    certificates_json,
    claim,
    extract_all,
    load_model,
    save_rule_sets,
    unchanged,
)
from algolens.experiment.train import TestSets
from algolens.extraction import Unseen
from algolens.proofs.certificate import Certificate, objection_to_proof, unproven_methods
from algolens.proofs.certify import certify_network
from algolens.proofs.smt import Solver, check_with, obligations, write_obligations


def load(
    what: str | PathLike[str],
    *,
    algorithm: type[Algorithm] | Algorithm | None = None,
    network: type[nn.Module] | None = None,
) -> Model:
    """The model that ships for an algorithm, or one of your own.

    Parameters
    ----------
    what : str or path
        The algorithm's name, or a model's folder.
    algorithm : type of Algorithm, optional
        The algorithm's class, where it stands in no file that the library knows: in a notebook.
    network : type of nn.Module, optional
        The class of a network of your own. Without it, the file that holds it is run.

    Returns
    -------
    Model
        The networks with their rules.

    Examples
    --------
    >>> load("coloring")
    Model(coloring (colors=5, bits=62), exact, proven right on every graph)
    """
    if not isinstance(what, str | PathLike):
        raise AlgoLensError(
            "a model goes by the name of an algorithm or by its folder; a "
            f"{type(what).__name__} came."
        )
    in_file = algorithm_in_file(str(what))
    name = str(what) if in_file is None else in_file.name
    own = type(algorithm) if isinstance(algorithm, Algorithm) else algorithm
    if own is not None and not (isinstance(own, type) and issubclass(own, Algorithm)):
        raise AlgoLensError(f"algorithm= takes the class of an Algorithm, and {own!r} came.")
    ships = None if own is not None else shipped_folder(name)
    if ships is None and not Path(name).exists() and "/" not in name:
        if name not in algorithms():
            raise unknown_algorithm(name, " Or give a model's folder.")
        raise AlgoLensError(f"no model ships for {name}: train one, with al.train('{what}').")
    return load_model(name, own, network)


def as_model(given: object) -> Model:
    """A model, as a user gives it: itself, its folder, or the name of one that ships."""
    if isinstance(given, Model):
        return given
    if isinstance(given, str | PathLike):
        return load(given)
    raise AlgoLensError(
        f"a model is what al.load or al.train gives, or its folder; a {type(given).__name__} came."
    )


@dataclass(frozen=True, eq=False, repr=False)
class Certified(Shown):
    """What ``al.certify`` gives: true where every seed is proven right.

    ``print`` shows every check, and what is assumed.

    Attributes
    ----------
    certificates : tuple of Certificate
        Of each seed.
    solver : mapping, optional
        What a solver said that checked the proof again.
    """

    certificates: tuple[Certificate, ...]
    solver: Mapping[str, Any] | None = None

    def __bool__(self) -> bool:
        failed = self.solver is not None and self.solver["failed"]
        return not failed and all(certificate.proven for certificate in self.certificates)

    def judged(self, model: Model, judge: Solver, board: Board) -> Certified:
        """The same with what a solver says of every obligation of the model."""
        every = [one for network in model.alone for one in obligations(network)]
        title = f"{model.algorithm.name}, by {judge.package}"
        with board.counting(title, len(every), "obligation") as done:
            answers = check_with(judge, every, lambda _: done())
        failed = [
            {"obligation": answer.obligation.name, "said": answer.said, "found": answer.words()}
            for answer in answers
            if not answer.is_shown
        ]
        solver = {"name": judge.package, "version": judge.version, "obligations": len(every)}
        return replace(self, solver={**solver, "failed": failed})

    def to_json(self) -> dict[str, Any]:
        """What certificate.json holds."""
        judged = {} if self.solver is None else {"solver": self.solver}
        return certificates_json(self.certificates) | judged

    def parts(self) -> Iterator[RenderableType]:
        """What is shown, from top to bottom."""
        for certificate in self.certificates:
            verdict, style = ("not proven", "bold red")
            if certificate.proven:
                verdict, style = ("proven right on every graph", "bold green")
            seed = f", seed {certificate.seed}: "
            yield Text.assemble((certificate.algorithm, "bold"), seed, (verdict, style), ".")
            for assumption in certificate.assumptions:
                yield _indented(f"assumed: {assumption}")
            for check in certificate.checks:
                cases = f"{count_in_words(check.cases, 'case')}, {check.failures:,} failed."
                yield Text()
                yield Text.assemble((check.name, "bold"), f" ({check.basis.value}): {cases}")
                yield _indented(check.says)
                if check.counterexample is not None:
                    yield _indented(f"Not so: {check.counterexample}.", "red")
        if self.solver is not None:
            failed, count = self.solver["failed"], self.solver["obligations"]
            verdict, style = ("not shown", "bold red") if failed else SHOWN_AGAIN
            by = f" by {self.solver['name']} {self.solver['version']}"
            how_many = f"{by}: {count - len(failed)} of {count} obligations."
            yield Text.assemble((verdict, style), how_many)
            for entry in failed:
                yield Text(f"  - {entry['obligation']}: {entry['found']}", "red")

    def __repr__(self) -> str:
        said = "proven right on every graph" if self else "not proven"
        return f"Certified({self.certificates[0].algorithm}, {said})"


SHOWN_AGAIN = ("shown once more", "bold green")


def _indented(text: str, style: str = "") -> RenderableType:
    """On any width."""
    return Padding(Text(text, style), (0, 0, 0, 2), expand=False)


def certify(model: Model | str | PathLike[str]) -> Certified:
    """Proves of a model what can be proven on every graph, and tries the rest; in some seconds.

    Parameters
    ----------
    model : Model, str or path
        Itself, its folder, or an algorithm's name.

    Returns
    -------
    Certified
        The certificates. Nothing is written: ``algolens certify MODEL`` does that.

    Raises
    ------
    ContractError
        Where such a network cannot be proven.
    """
    chosen = as_model(model)
    if chosen.is_provable:
        return Certified(tuple(map(certify_network, chosen.alone)))
    name, wrong = chosen.algorithm.name, objections(chosen.algorithm)["exact"]
    objection = objection_to_proof(chosen.network)
    advice = f"nor can another: {wrong}"
    if unproven_methods(chosen.algorithm):
        advice = "declare what that does."
    elif wrong is None:
        advice = f"train one with `algolens train {name} --preset exact`."
    raise ContractError(f"{objection}, and cannot be proven right; {advice}")


def write_smtlib(model: Model, folder: Path) -> Iterator[tuple[int, Path]]:
    """Writes the proof obligations of each seed; yields where those of which seed are."""
    for network in model.alone:
        (seed,) = network.seeds
        place = folder if len(model.seeds) == 1 else folder / f"seed-{seed}"
        write_obligations(place, network, list(obligations(network)))
        yield seed, place


def check_seed(trained: Model, seed: int | None) -> None:
    """Raises an error where a model has not this seed."""
    if seed not in (None, *trained.seeds):
        raise AlgoLensError(
            f"seed {seed} is not in this model; it has {', '.join(map(str, trained.seeds))}."
        )


def explain(
    model: Model | str | PathLike[str],
    *,
    seed: int | None = None,
    cases: str = WhichCases.ALL.value,
    unseen: str = Unseen.DONT_CARE.value,
    redraw: bool = False,
) -> Explanation:
    """What a model's concepts mean, and the rules that it decides by, minimised and graded.

    Parameters
    ----------
    model : Model, str or path
        Itself, its folder, or an algorithm's name.
    seed : int, optional
        Whose rules are shown; None: one with the commonest.
    cases : str
        What counts: ``all`` cases that an element of any graph can be in, or those ``met`` in runs.
    unseen : str
        Patterns never seen are ``dont-care``, or no rule holds there (``negative``). Of an exact
        network all patterns are read.
    redraw : bool
        Draws the rules anew from the weights, and keeps them in the model's folder.

    Returns
    -------
    Explanation
        Rules, meanings and the program.
    """
    trained = as_model(model)
    check_seed(trained, seed)
    for what, value, choices in (("cases", cases, WhichCases), ("unseen", unseen, Unseen)):
        words = [choice.value for choice in choices]
        if value not in words:
            raise AlgoLensError(f"{what}={value!r} is none of {', '.join(words)}.")
    if redraw:
        trained = _redrawn(trained, Unseen(unseen))
    return explain_model(trained, Unseen(unseen), seed, WhichCases(cases))


def _redrawn(model: Model, unseen: Unseen) -> Model:
    """The model with its rules drawn anew, and kept beside its weights."""
    folder = model.folder
    if folder is None or model.ships:
        raise AlgoLensError(
            "--redraw: what came with the package stays as it came. Leave it out, or give a folder "
            f"for {model.algorithm.name}."
        )
    if not model.experiment.architecture.bottleneck:
        raise AlgoLensError(
            "--redraw: rules of a network without concepts are not kept, and are drawn anew every "
            "time. Leave it out."
        )
    with unchanged(folder):
        own = model.experiment.own
        trained = load_model(folder, own)
        truth = trained.experiment.data(tests=False).train
        save_rule_sets(folder, trained.network, extract_all(trained.network, truth, unseen))
        return load_model(folder, own)


SIZES = (20, 50, 100)  # of the graphs where none are given


def distil(
    model: Model,
    folder: Path,
    graphs: Sequence[Any] | None,
    seed: int | None,
    board: Board,
    command: str,
    *,
    overwrite: bool,
) -> Distilled:
    """Teaches a network's program to an exact network, in a folder, and compares the two."""
    check_seed(model, seed)
    algorithm, experiment = model.algorithm, model.experiment
    if algorithm.declaration.in_python:
        raise AlgoLensError(
            f"{algorithm.name} sees in Python here, so no program of it can be found: nothing is "
            "distilled."
        )
    if graphs:
        tests = own_test_sets(experiment, graphs, 0)
    else:
        tests = TestSets.of(experiment, SIZES, None, None)
    epochs = preset("exact", algorithm).schedule.epochs
    with (
        claim(folder, overwrite=overwrite) as place,
        board.training(f"{algorithm.name}, distilled", epochs) as watch,
    ):
        which = model.seeds[0] if seed is None else seed
        return distil_into(place, model, which, tests.traces, command, watch)

"""Models loaded, certified and explained."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from rich.console import RenderableType
from rich.padding import Padding
from rich.text import Text
from torch import nn

from algolens.algorithms import (
    SHIPPED,
    Algorithm,
    algorithm_in_file,
    algorithms,
    shipped_folder,
    unknown_algorithm,
)
from algolens.disk import check_writable, path_of
from algolens.engines.program import Program
from algolens.errors import AlgoLensError, ContractError
from algolens.experiment.config import objections
from algolens.experiment.explain import WhichCases, explain_model
from algolens.experiment.model import (
    Model,
    certificates_json,
    extract_all,
    load_model,
    save_rule_sets,
    unchanged,
)
from algolens.extraction import Unseen, decision_trees
from algolens.extraction.explained import Explained
from algolens.logic.rule_set import RuleSet
from algolens.proofs import (
    Certificate,
    certify_network,
    objection_to_proof,
    unproven_methods,
)
from algolens.terminal.display import Shown
from algolens.terminal.learnt import rules_report
from algolens.terminal.outcome import count_in_words


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
    """

    certificates: tuple[Certificate, ...]

    def __bool__(self) -> bool:
        return all(certificate.proven for certificate in self.certificates)

    def to_json(self) -> dict[str, Any]:
        """What certificate.json holds."""
        return certificates_json(self.certificates)

    def parts(self) -> Iterator[RenderableType]:
        """What is shown, from top to bottom."""
        for certificate in self.certificates:
            yield from _certificate_report(certificate)

    def __repr__(self) -> str:
        said = "proven right on every graph" if self else "not proven"
        return f"Certified({self.certificates[0].algorithm}, {said})"


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


def _certificate_report(certificate: Certificate) -> Iterator[RenderableType]:
    """A verdict, what it assumes, and each check with what it says, on any width."""
    verdict, style = ("not proven", "bold red")
    if certificate.proven:
        verdict, style = ("proven right on every graph", "bold green")
    seed = f", seed {certificate.seed}: "
    yield Text.assemble((certificate.algorithm, "bold"), seed, (verdict, style), ".")
    for assumption in certificate.assumptions:
        yield Padding(Text(f"assumed: {assumption}"), (0, 0, 0, 2), expand=False)
    for check in certificate.checks:
        cases, failed = count_in_words(check.cases, "case"), f"{check.failures:,} failed"
        yield Text()
        yield Text.assemble((check.name, "bold"), f" ({check.basis.value}): {cases}, {failed}.")
        yield Padding(Text(check.says), (0, 0, 0, 2), expand=False)
        if check.counterexample is not None:
            yield Padding(
                Text(f"Not so: {check.counterexample}.", "red"), (0, 0, 0, 2), expand=False
            )


PICTURES = (".png", ".svg", ".pdf")


@dataclass(frozen=True, eq=False, repr=False)
class Explanation(Shown):
    """What ``al.explain`` gives: ``print`` tells all of it.

    Attributes
    ----------
    explained : Explained
        The rules of every seed, how they compare with the true ones, and what concepts mean.
    trained : Model
        What is explained.
    """

    explained: Explained
    trained: Model

    @property
    def rules(self) -> RuleSet:
        """How outputs follow from concepts, with remarks on what was measured."""
        return self.explained.rule_set

    @property
    def meanings(self) -> dict[str, str]:
        """What each observation was found to mean to the network, in the language of looks."""
        read_off = {meaning.name: meaning.in_words for meaning, _ in self.explained.meanings}
        sampled = {one.name: one.in_words for one in self.explained.sampled}
        return read_off | sampled

    @property
    def is_right(self) -> bool:
        """Whether rules are equal to the true ones where they occur, and meanings as declared."""
        verdict = self.explained.verdicts[self.explained.shown]
        return verdict.equal_on_seen and all(
            meaning.equal for meaning, _ in self.explained.meanings
        )

    @property
    def program(self) -> Program:
        """The whole algorithm, to be run without a network; refused where something is missing."""
        if self.explained.program is None:
            raise AlgoLensError(
                f"there is no program that stands alone: {self.explained.why_no_program}."
            )
        return self.explained.program

    @property
    def _best(self) -> RuleSet | Program:
        return self.explained.program or self.rules

    def to_python_source(self) -> str:
        """The program (or else the rules) as a Python module that needs NumPy alone."""
        return self._best.to_python_source()

    def to_sql(self) -> str:
        """The program as SQL."""
        return self.program.to_sql()

    def to_latex(self) -> str:
        """The program, or the rules, in LaTeX."""
        return self._best.to_latex()

    def to_markdown(self) -> str:
        """The program, or the rules, in Markdown."""
        return self._best.to_markdown()

    def to_smtlib(self) -> str:
        """The rules as SMT-LIB 2."""
        return self._best.to_smtlib()

    def to_json(self) -> dict[str, Any]:
        """What ``algolens explain --json`` prints."""
        return self.explained.to_json()

    def save(self, path: str | PathLike[str], *, overwrite: bool = False) -> Path:
        """Writes the program to a .json file, which ``al.execute`` runs."""
        place = path_of(path, "save")
        check_program_file(place, overwrite=overwrite)
        self.program.save(place)
        return place

    def save_picture(self, path: str | PathLike[str], *, overwrite: bool = False) -> Path:
        """Draws decision trees of the network's decisions: a .png, .svg or .pdf."""
        from algolens.reports.figures import save_figure
        from algolens.reports.trees import draw_trees

        place = path_of(path, "save_picture")
        check_picture(place, overwrite=overwrite)
        shown, network = self.explained.shown, self.trained.network
        truth = self.trained.experiment.data(tests=False).train
        title = f"{self.explained.algorithm}: decisions of seed {self.explained.seeds[shown]}"
        grown = decision_trees(network.only(shown), truth)
        save_figure(draw_trees(grown, title), place)
        return place

    def parts(self) -> Iterator[RenderableType]:
        """What is shown, from top to bottom."""
        return rules_report(self.explained)

    def __repr__(self) -> str:
        seed = self.explained.seeds[self.explained.shown]
        return f"Explanation({self.explained.algorithm}, seed {seed})"


def check_program_file(path: Path, *, overwrite: bool) -> None:
    """Raises an error where a program is not to be written."""
    if path.suffix != ".json":
        raise AlgoLensError(f"{path}: a program ends in .json, by which al.execute knows it.")
    check_free(path, overwrite=overwrite)


def check_picture(path: Path, *, overwrite: bool) -> None:
    """Raises an error where a picture cannot be drawn, before anything is computed."""
    if path.suffix not in PICTURES:
        raise AlgoLensError(f"{path}: a picture ends in {', '.join(PICTURES)}.")
    check_free(path, overwrite=overwrite)
    check_writable(path)


def check_free(path: Path, *, overwrite: bool) -> None:
    """Raises an error where a file is there that may not be replaced."""
    if path.exists() and not overwrite:
        raise AlgoLensError(
            f"{path} is there already: give another place, or --overwrite (in Python, "
            "overwrite=True)."
        )


def check_seed(trained: Model, seed: int | None) -> None:
    """Raises an error where a model has not this seed."""
    experiment = trained.experiment
    if seed is not None and seed not in experiment.seeds:
        raise AlgoLensError(
            f"seed {seed} is not in this model; it has {', '.join(map(str, experiment.seeds))}."
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
    chosen = as_model(model)
    trained = chosen
    check_seed(trained, seed)
    for what, value, choices in (("cases", cases, WhichCases), ("unseen", unseen, Unseen)):
        words = [choice.value for choice in choices]
        if value not in words:
            raise AlgoLensError(f"{what}={value!r} is none of {', '.join(words)}.")
    if redraw:
        trained = _redrawn(chosen, Unseen(unseen))
    explained = explain_model(trained, Unseen(unseen), seed, WhichCases(cases))
    return Explanation(explained, trained)


def _redrawn(model: Model, unseen: Unseen) -> Model:
    """The model with its rules drawn anew, and kept beside its weights."""
    folder = model.folder
    if folder is None or folder.is_relative_to(SHIPPED):
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

"""The algorithm that a network learnt, in words, as rules, and as a program."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from rich.console import RenderableType

from algolens.disk import check_writable, path_of
from algolens.engines.program import Program
from algolens.errors import AlgoLensError
from algolens.experiment import (
    SHIPPED,
    Model,
    WhichCases,
    explain_model,
    extract_all,
    load_model,
    save_rule_sets,
    unchanged,
)
from algolens.extraction import Unseen, decision_trees
from algolens.extraction.explained import Explained
from algolens.front.model import as_model
from algolens.logic.rule_set import RuleSet
from algolens.terminal.display import Shown
from algolens.terminal.explanation import rules_report

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

"""The algorithm that a network learnt, in words, as rules, and as a program."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

from rich.console import RenderableType

from algolens.errors import AlgoLensError
from algolens.experiment.explain import WhichCases
from algolens.experiment.explain import explain_model as explain_run
from algolens.extraction import Unseen
from algolens.front.arguments import path_of
from algolens.front.display import Shown
from algolens.front.model import Model, as_model
from algolens.logic.rule_set import RuleSet
from algolens.looks import statement_text
from algolens.programs import Program
from algolens.terminal.rules import Explained, rules_report


@dataclass(frozen=True, eq=False, repr=False)
class Explanation(Shown):
    """What ``al.explain`` gives: ``print`` tells all of it; rules, meanings and the program are its
    attributes.
    """

    explained: Explained

    @property
    def rules(self) -> RuleSet:
        """How outputs follow from concepts, with remarks on what was measured."""
        return self.explained.rule_set

    @property
    def meanings(self) -> dict[str, str]:
        """What each observation was found to mean to the network, in the language of looks."""
        read_off = {meaning.name: meaning.in_words for meaning, _ in self.explained.meanings}
        return read_off | {each.name: statement_text(each.found) for each in self.explained.sampled}

    @property
    def is_right(self) -> bool:
        """Whether the rules are equal to the true ones on every pattern that occurs, and all
        meanings are as declared.
        """
        verdict = self.explained.verdicts[self.explained.shown]
        return verdict.equal_on_seen and all(
            meaning.equal for meaning, _ in self.explained.meanings
        )

    @property
    def program(self) -> Program:
        """The whole algorithm, to be run without a network; refused where not all that is seen was
        found.
        """
        if self.explained.program is None:
            raise AlgoLensError(
                f"there is no program that stands alone: {self.explained.why_no_program}."
            )
        return self.explained.program

    @property
    def _best(self) -> RuleSet | Program:
        return self.explained.program or self.rules

    def to_python_source(self) -> str:
        """The program as a Python module that needs NumPy alone; the rules, where there is no whole
        program.
        """
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

    def save(self, path: str | PathLike[str], *, overwrite: bool = False) -> Path:
        """Writes the program to a .json file, which ``al.execute`` runs. overwrite: also over what
        is there.
        """
        place = path_of(path, "save")
        if place.suffix != ".json":
            raise AlgoLensError(f"{place}: a program ends in .json, by which al.execute knows it.")
        if place.exists() and not overwrite:
            raise AlgoLensError(f"{place} is there already: give another place, or overwrite=True.")
        self.program.save(place)
        return place

    def parts(self) -> Iterator[RenderableType]:
        return rules_report(self.explained)

    def __repr__(self) -> str:
        return (
            f"Explanation({self.explained.algorithm}, seed "
            f"{self.explained.seeds[self.explained.shown]})"
        )


def explain(
    model: Model | str | PathLike[str],
    *,
    seed: int | None = None,
    cases: str = "all",
    unseen: str = Unseen.DONT_CARE.value,
) -> Explanation:
    """What a model's concepts mean, and the rules that it decides by, minimised and graded.

    model: itself, a run's folder, or an algorithm's name. seed: whose rules are shown; else one
    with the commonest. cases: ``all`` that an element of any graph can be in, or those ``met`` in
    runs. unseen: patterns never seen are ``dont-care``, or no rule holds there (``negative``); of
    an exact network all patterns are read.
    """
    found = as_model(model)
    experiment = found.trained_run.experiment
    if not experiment.architecture.bottleneck:
        raise AlgoLensError(
            f"this model has no bottleneck (preset '{experiment.preset}'), so it has no rules."
        )
    if seed is not None and seed not in experiment.seeds:
        raise AlgoLensError(
            f"seed {seed} is not in this model; it has {', '.join(map(str, experiment.seeds))}."
        )
    for what, value, choices in (("cases", cases, WhichCases), ("unseen", unseen, Unseen)):
        words = [each.value for each in choices]
        if value not in words:
            raise AlgoLensError(f"{what}={value!r} is none of {', '.join(words)}.")
    return Explanation(explain_run(found.trained_run, Unseen(unseen), seed, WhichCases(cases)))

"""Algorithms listed, looked over before anything is trained, and compared."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from algolens.algorithms import Algorithm, add_file, algorithms
from algolens.algorithms import algorithm as find
from algolens.errors import AlgoLensError
from algolens.experiment import TrainedModel, load_model
from algolens.experiment.explain import program_of_model
from algolens.experiment.review import Review, review
from algolens.front.display import Shown
from algolens.front.explanation import Explanation
from algolens.front.model import Model
from algolens.front.task import find_subject, with_options
from algolens.programs import Program, ProgramComparison
from algolens.programs import compare_programs as compare_programs
from algolens.terminal.declared import algorithm_facts, declared_lines, purpose
from algolens.terminal.outcome import count_in_words
from algolens.terminal.steps import steps


def list_algorithms() -> dict[str, str]:
    """Every algorithm that is known by its name, and what it does in a line.

    >>> list_algorithms()["bfs"]
    'Breadth-first search: which nodes can be reached from a source.'
    """
    return {name: purpose(cls()) for name, cls in algorithms().items()}


@dataclass(frozen=True, eq=False, repr=False)
class CheckedAlgorithm(Shown):
    """What ``al.check`` gives: true where nothing is wrong. ``print`` tells what the algorithm
    declares, and who learns it.
    """

    reviews: tuple[Review, ...]  # of each algorithm: a file may define several

    @property
    def problems(self) -> list[str]:
        """What is wrong; empty where nothing is."""
        return [
            f"{each.algorithm.name}: {wrong}" for each in self.reviews for wrong in each.problems
        ]

    @property
    def learnt_by(self) -> list[str]:
        """The presets that learn it."""
        return [name for each in self.reviews for name in each.learnt_by]

    @property
    def is_provable(self) -> bool:
        """Whether a network for it can be proven right on every graph."""
        return all(each.cases is not None for each in self.reviews)

    def __bool__(self) -> bool:
        return not self.problems

    def parts(self) -> Iterator[RenderableType]:
        for each in self.reviews:
            yield from review_report(each)
        for wrong in self.problems:
            yield f"Wrong: {wrong}"
        if not self.problems:
            yield "Nothing is wrong."

    def __repr__(self) -> str:
        names = ", ".join(each.algorithm.name for each in self.reviews)
        return f"CheckedAlgorithm({names}: {'; '.join(self.problems) or 'nothing is wrong'})"


def check(
    algorithm: type[Algorithm] | Algorithm | str | PathLike[str], **options: Any
) -> CheckedAlgorithm:
    """Looks an algorithm over: what it declares, who learns it, what a proof takes, an example, and
    whether it is right.

    algorithm: its class, itself, its name, or a Python file that defines it. Nothing is trained.
    Where the class has a ``reference``, runs on random graphs are compared with it. options: of the
    algorithm.
    """
    found = _found(algorithm)
    return CheckedAlgorithm(tuple(review(with_options(each, options)) for each in found))


def _found(given: object) -> list[Algorithm]:
    if isinstance(given, type) and issubclass(given, Algorithm):
        return [given()]
    if isinstance(given, Algorithm):
        return [given]
    if not isinstance(given, str | PathLike):
        raise AlgoLensError(
            "an algorithm to check is a class, its name, or a Python file; a "
            f"{type(given).__name__} came."
        )
    path = Path(given)
    if path.suffix != ".py" and not path.is_file():
        return [find(str(given))]
    if not path.is_file():
        raise AlgoLensError(
            f"{path}: there is no such file. `algolens new NAME` writes one to start from."
        )
    return [cls() for cls in add_file(path)]


def review_report(found: Review) -> Iterator[RenderableType]:
    """What was found of one algorithm."""
    yield Text(f"{found.algorithm.name}: {algorithm_facts(found.algorithm)}", style="bold")
    yield from [*declared_lines(found.algorithm), "", *_learning(found), *_running(found), ""]
    if found.example is not None:
        size = count_in_words(found.example.graph.num_nodes, "node")
        yield Text(
            f"An example, on {size} and {count_in_words(found.example.graph.num_edges, 'edge')}:",
            style="bold",
        )
        yield from steps(found.example)
    yield ""


def _learning(found: Review) -> Iterator[str]:
    if found.learnt_by:
        yield f"Learnt by the presets: {', '.join(found.learnt_by)}."
    reasons: dict[str, list[str]] = {}
    for name, problem in found.presets.items():
        if problem is not None:
            reasons.setdefault(problem, []).append(name)
    yield from (f"Not by {', '.join(names)}: {reason}" for reason, names in reasons.items())
    if found.cases is None:
        yield "Nothing can be proven of a network for it."
    else:
        parts = ", ".join(f"{name} {count:,}" for name, count in found.cases.items())
        yield (
            f"Provable by the preset exact, in at most {sum(found.cases.values()):,} cases: "
            f"{parts}."
        )


def _running(found: Review) -> Iterator[str]:
    if found.agreement is None:
        yield f"It ran on {found.graphs} random graphs. It has no reference() to be compared with."
    elif found.agreement.difference is None:
        compared = ", ".join(found.agreement.compared)
        yield (
            f"It agrees with its reference on {found.agreement.graphs} random graphs, in "
            f"{compared}."
        )
        if found.at_limit:
            cut = f"On {found.at_limit} of {found.graphs} it is cut short by its step limit"
            yield f"{cut}; what it gives then is as its reference says."


def compare(first: object, second: object) -> ProgramComparison:
    """Whether two algorithms do the same on every graph; if not, the smallest graph found on which
    they differ.

    Each is a name, an Algorithm or its class, a model, a run's folder, an explanation, or a program
    (or its file).

    >>> print(compare("bfs", "bfs"))  # doctest: +NORMALIZE_WHITESPACE
    They are equal: on every graph, both see, decide, move and go on alike.
    That is proven, case by case.
    """
    return compare_programs(find_program(first), find_program(second))


def find_program(given: object, load: Callable[[str], TrainedModel] = load_model) -> Program:
    """The program of what a user gives. load: how a run is loaded."""
    if isinstance(given, Explanation):
        return given.program
    subject = find_subject(given.trained_run if isinstance(given, Model) else given, load)
    if subject.program is not None:
        return subject.program
    if subject.algorithm is not None:
        return Program.of(subject.algorithm)
    if subject.find_run is None:
        raise AlgoLensError(f"{subject.name} has no program to be compared.")
    return program_of_model(subject.find_run())

"""Two programs side by side, from Python."""

from __future__ import annotations

from collections.abc import Callable

from algolens.errors import AlgoLensError
from algolens.experiment import TrainedRun, load_run
from algolens.experiment.explain import program_of_run
from algolens.front.explanation import Explanation
from algolens.front.model import Model
from algolens.front.task import find_subject
from algolens.programs import ProgramComparison, WholeProgram
from algolens.programs import compare as compare_programs


def compare(first: object, second: object) -> ProgramComparison:
    """Whether two algorithms do the same on every graph; if not, the smallest graph found on which
    they differ.

    Each is a name, an Algorithm or its class, a model, a run's folder, an explanation, or a program
    (or its file).

    >>> print(compare("bfs", "bfs"))
    They are equal: on every graph, both see, decide, move and go on alike. That is proven, case by case.
    """
    return compare_programs(find_program(first), find_program(second))


def find_program(given: object, load: Callable[[str], TrainedRun] = load_run) -> WholeProgram:
    """The program of what a user gives. load: how a run is loaded."""
    if isinstance(given, Explanation):
        return given.program
    subject = find_subject(given.trained_run if isinstance(given, Model) else given, load)
    if subject.program is not None:
        return subject.program
    if subject.algorithm is not None:
        return WholeProgram.of(subject.algorithm)
    if subject.find_run is None:
        raise AlgoLensError(f"{subject.name} has no program to be compared.")
    return program_of_run(subject.find_run())

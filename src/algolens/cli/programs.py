"""Programs that stand alone, as commands take them: by a file, by an algorithm's name, or of a run."""

from __future__ import annotations

from pathlib import Path

from algolens.algorithms import algorithm, algorithms
from algolens.cli.runs import find_run
from algolens.errors import UnknownNameError
from algolens.experiment.explain import program_of_run
from algolens.front.task import is_program
from algolens.programs import WholeProgram


def find_program(name: str) -> WholeProgram:
    """The program in a file, of an algorithm, or of a run's network."""
    if is_program(name):
        return WholeProgram.load(Path(name))
    if name in algorithms():
        return WholeProgram.of(algorithm(name))
    if not Path(name).is_dir():
        raise UnknownNameError("algorithm", name, algorithms())
    return program_of_run(find_run(name))

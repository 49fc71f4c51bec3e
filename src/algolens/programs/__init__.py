"""Programs that stand alone: all it takes to carry an algorithm out, saved, run and compared."""

from algolens.programs.comparing import ProgramComparison, compare_programs, declared_otherwise
from algolens.programs.program import Program
from algolens.programs.renaming import aligned, renamed

__all__ = [
    "Program",
    "ProgramComparison",
    "aligned",
    "compare_programs",
    "declared_otherwise",
    "renamed",
]

"""Programs that stand alone: all it takes to carry an algorithm out, saved, run and compared."""

from algolens.programs.comparing import ProgramComparison, compare_programs, declared_otherwise
from algolens.programs.program import Program, exclusive

__all__ = ["Program", "ProgramComparison", "compare_programs", "declared_otherwise", "exclusive"]

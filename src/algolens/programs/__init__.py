"""Programs that stand alone: all that it takes to carry an algorithm out, as one value that is
saved, run and compared.
"""

from algolens.programs.comparing import ProgramComparison, compare_programs
from algolens.programs.exclusive import exclusive
from algolens.programs.program import Program

__all__ = ["Program", "ProgramComparison", "compare_programs", "exclusive"]

"""Whether two programs do the same on every graph: case by case, or by a first-order theory of
graphs, what programs say in it, and invariants.
"""

from algolens.equality.comparing import ProgramComparison, compare_programs, declared_otherwise
from algolens.equality.proof import Equality, prove_equal
from algolens.equality.renaming import aligned, renamed

__all__ = [
    "Equality",
    "ProgramComparison",
    "aligned",
    "compare_programs",
    "declared_otherwise",
    "prove_equal",
    "renamed",
]

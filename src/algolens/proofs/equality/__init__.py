"""Whether two programs do the same on every graph: case by case, or by a first-order theory of
graphs, what programs say in it, and invariants.
"""

from typing import TYPE_CHECKING

from algolens.lazy import exports

if TYPE_CHECKING:
    from algolens.proofs.equality.comparing import (
        ProgramComparison,
        compare_programs,
        declared_otherwise,
    )
    from algolens.proofs.equality.proof import Equality, prove_equal
    from algolens.proofs.equality.renaming import aligned, renamed

__all__ = [
    "Equality",
    "ProgramComparison",
    "aligned",
    "compare_programs",
    "declared_otherwise",
    "prove_equal",
    "renamed",
]

if not TYPE_CHECKING:
    __getattr__ = exports(__name__, "renaming", "comparing", "proof")

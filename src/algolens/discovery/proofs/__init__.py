"""Whether two declarations take the same steps on every graph: a first-order theory of graphs, what
declarations say in it, invariants, and the proof.
"""

from algolens.discovery.proofs.equality import Equality, prove_equal

__all__ = ["Equality", "prove_equal"]

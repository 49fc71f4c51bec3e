"""Whether two programs do the same on every graph: case by case, or by a first-order theory of
graphs, what programs say in it, and invariants.
"""

"""Random graphs to teach and test with that several algorithms share."""

from algolens.graphs import Recipe

# for algorithms that take as many steps as there are pairs of nodes: on more and larger graphs,
# traces alone take minutes
LONG_RUNS = Recipe(size=16, train=20, held_out=4, test_sizes=(16, 32))

"""Algorithms with long runs: many steps in which little changes, and in which everything does."""

from algolens.algorithms import Algorithm, Graph, Node, mask, number, per
from algolens.graphs import Recipe


class Melting(Algorithm):
    """The first node that has something left loses one of it, until nothing is left."""

    count = Node.input(number(6))

    gone = Node.output(mask, start="False", becomes="~has_any | has_one & is_first")
    left = Node.output(number(6), start="count", becomes="left - 1 where is_first")
    has_any = Node.derived("left > 0")
    has_one = Node.derived("left = 1")
    is_first = Node.derived("me = least node (left > 0) by number")

    goes_on = "some node (has_any)"
    most_steps = 2**6 * per(Node)


class FewMelting(Melting):
    """The same, with fewer graphs, of sizes that nobody chose."""

    recipe = Recipe(families=("ladder", "tree"), train=4, held_out=2)


class Ticking(Algorithm):
    """Every node counts the steps."""

    first = Node.input(number(1))

    ended = Node.output(mask, start="False", becomes="is_old")
    age = Node.output(number(13), start="first", becomes="age + 1")
    is_old = Node.derived("age > 4000")

    goes_on = "some node (~is_old)"
    most_steps = 5000 * per(Graph)

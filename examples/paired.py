r"""An algorithm that asks whether a neighbour is as the node itself is, in one file.

A node is paired once some neighbour is on its side. A network in which nodes send messages to
themselves cannot see this: the largest message always comes from a node on the same side, the node
itself. Compare

    export ALGOLENS_ALGORITHMS=examples/paired.py
    algolens train paired --preset paper --seeds 0-4 --epochs 20 \
        --set learning_rate=0.005 --set batch_size=8
    algolens train paired --preset paper --seeds 0-4 --epochs 20 \
        --set learning_rate=0.005 --set batch_size=8 --set self_loops=true \
        --out runs/paired-self-loops
"""

from algolens.algorithms import Algorithm, Node, category, mask
from algolens.graphs import Recipe


class Paired(Algorithm):
    """A node is paired once some neighbour is on its side."""

    recipe = Recipe(
        families=("tree", "erdos_renyi"), size=8, train=100, held_out=20, test_sizes=(8, 20)
    )

    side = Node.input(category("red", "blue"))

    paired = Node.output(mask, start="False", becomes="paired | has_mate")
    has_mate = Node.derived(
        "some neighbour (side is red & my side is red | side is blue & my side is blue)"
    )

    goes_on = "some node (~paired & has_mate)"

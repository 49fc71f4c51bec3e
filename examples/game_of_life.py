"""An algorithm of your own, in one file: Conway's game of life (1970), on any graph.

A living cell with two or three living neighbours lives on, and one is born where three are; all
others are dead in the next step. Run this file to see a blinker, three cells in a row, turn on a
board of five by five:

    .venv/bin/python examples/game_of_life.py

All commands know it once it is named in the environment, as in

    export ALGOLENS_ALGORITHMS=examples/game_of_life.py
    algolens check game_of_life
    algolens execute game_of_life grid:25
    algolens train game_of_life --preset exact
    algolens explain runs/game_of_life-exact

or, without that, when an installed package of yours offers the class:

    [project.entry-points."algolens.algorithms"]
    game_of_life = "your_package.game_of_life:GameOfLife"
"""

import networkx as nx
from rich import print

from algolens.algorithms import Algorithm, Graph, Node, Option, PlainValues, mask, per
from algolens.engines import run_algorithm
from algolens.graphs import from_networkx, stream
from algolens.text.steps import steps


class GameOfLife(Algorithm):
    """A cell lives in the next step where three neighbours live, or where it lives and two do."""

    steps = Option(8)  # so many: nothing that a cell sees says when to stop

    living = Node.input(mask)

    alive = Node.output(
        mask,
        start="living",
        becomes="~is_crowded & (has_three | has_two & alive)",
    )
    has_two = Node.derived("at least 2 neighbours (alive)")
    has_three = Node.derived("at least 3 neighbours (alive)")
    is_crowded = Node.derived("at least 4 neighbours (alive)")

    most_steps = steps * per(Graph)

    def reference(self, graph: nx.Graph, inputs: PlainValues) -> PlainValues:
        living = {node for node in graph if graph.nodes[node]["living"]}
        for _ in range(self.steps):
            count = {node: len(living & set(graph[node])) for node in graph}
            living = {
                node for node in graph if count[node] == 3 or (count[node] == 2 and node in living)
            }
        return {"alive": dict.fromkeys(living, True)}


if __name__ == "__main__":
    board = nx.strong_product(nx.path_graph(5), nx.path_graph(5))  # a cell has eight neighbours
    nx.set_node_attributes(
        board, {cell: cell in {(1, 2), (2, 2), (3, 2)} for cell in board}, "living"
    )
    algorithm, graph = GameOfLife(steps=2), from_networkx(board)
    for part in steps(run_algorithm(algorithm, graph, algorithm.read(graph, stream(0))[0])):
        print(part)

"""What a run needs, from sizes alone: refused where the machine has not got it."""

from __future__ import annotations

from algolens.algorithms import Algorithm
from algolens.errors import DefinitionError, GraphError
from algolens.graphs import Graph
from algolens.limits import MOST_STEPS
from algolens.memory import check_memory

# of every node and every link, and of every field there: measured without what single steps change
BYTES_OF_ELEMENT, BYTES_OF_FIELD = 100.0, 40.0


def check_size(algorithm: Algorithm, num_nodes: int, num_edges: float) -> None:
    """Refuses a run that does not fit into memory, on a graph of which the size is known."""
    declaration = algorithm.declaration
    fields = len(declaration.inputs) + len(declaration.predicted)
    check_memory(
        (num_nodes + 2 * num_edges) * (BYTES_OF_ELEMENT + BYTES_OF_FIELD * fields),
        f"{algorithm.name} on {num_nodes:,} nodes and {num_edges:,.0f} edges",
        "give a smaller graph",
    )


def check_run(algorithm: Algorithm, graph: Graph) -> None:
    """Refuses a run that does not fit into memory, or that may take too many steps."""
    check_size(algorithm, graph.num_nodes, graph.num_links / 2)
    steps = int(algorithm.max_steps(graph).max()) if graph.num_graphs else 0
    if steps > MOST_STEPS:
        raise GraphError(
            f"{algorithm.name} may take {steps:,} steps on {graph.num_nodes:,} nodes and "
            f"{graph.num_edges:,} edges, and {MOST_STEPS:,} are the most that are run: give a "
            "smaller graph."
        )


def most_bits(algorithm: Algorithm) -> int:
    """The most bits that its declaration has room for: sums and products may leave fewer."""
    for bits in range(algorithm.range_of("bits").most, algorithm.options["bits"], -1):
        try:
            algorithm.but(bits=bits).declaration  # noqa: B018
        except DefinitionError:
            continue
        return bits
    return int(algorithm.options["bits"])

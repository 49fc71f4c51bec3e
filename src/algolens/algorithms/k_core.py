"""k-core: the largest part in which every node has at least k neighbours (Seidman 1983)."""

from algolens.algorithms import Algorithm, Node, Option, mask
from algolens.lazy import nx


class KCore(Algorithm):
    """Remove every node with fewer than k neighbours left, until none is removed."""

    title, group, loops_matter, parallel_edges_matter = "k-core", "parts", True, True
    example = "A-B A-C A-D B-C B-D C-D D-E E-F E-G F-G G-H"
    k = Option(3, 1, 100_000)

    in_core = Node.output(
        mask,
        start="True",
        becomes="in_core & has_enough_neighbours",
        tells={
            "~in_core": "{me} was removed",
            "has_enough_neighbours": "{me} stays: it has {how many neighbours (in_core)} of {how "
            "many neighbours} neighbours left",
            "True": "{me} is removed: it has {how many neighbours (in_core)} of {how many "
            "neighbours} neighbours left, fewer than {k}",
        },
        line={
            "in_core & ~has_enough_neighbours": "remove every node with fewer than {k} neighbours "
            "left"
        },
        yes="it is left",
        no="it was removed",
    )
    has_enough_neighbours = Node.derived(
        "at least k neighbours (in_core)",
        yes="it has {how many neighbours (in_core)} of {how many neighbours} neighbours left",
        no="it has {how many neighbours (in_core)} of {how many neighbours} neighbours left, fewer "
        "than {k}",
    )

    goes_on = "some node (in_core & ~has_enough_neighbours)"
    legend = {"in_core": "left", "True": "removed"}
    starts_with, ends_when = "every node is left", "no node is removed"

    def reference(self, graph, inputs):
        return {"in_core": set(nx.k_core(graph, self.k))}

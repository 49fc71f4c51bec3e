"""Breadth-first search: which nodes can be reached from a source."""

from algolens.algorithms import Algorithm, Graph, Node, mask, pointer
from algolens.lazy import nx


class Bfs(Algorithm):
    """Each step visits all neighbours of visited nodes, until none is new."""

    title, group, graphs = "Breadth-first search", "searches", "any"

    example = "A-B A-C B-D C-D C-E D-F E-G F-G G-H"
    source = Graph.input(pointer(Node))

    visited = Node.output(
        mask,
        start="me = graph's source",
        becomes="has_visited_neighbours",
        tells={
            "has_been_visited": "{me} is visited",
            "has_visited_neighbours": "{me} is reached from {predecessors (visited)}",
            "True": "{me} is not visited: no visited node leads to it",
        },
    )
    has_been_visited = Node.concept("visited", says="it has [not] been visited")
    # the paper's graphs have self-loops: a node is a neighbour of its own
    has_visited_neighbours = Node.concept(
        "visited | some predecessor (visited)",
        yes={
            "has_been_visited": "it has been visited",
            "True": "visited nodes lead to it: {predecessors (visited)}",
        },
        no="no visited node leads to it",
        line={
            "has_visited_neighbours & ~has_been_visited": "visit every neighbour of a visited "
            "node: the next frontier"
        },
    )

    goes_on = "some node (~has_been_visited & has_visited_neighbours)"
    legend = {"visited": "visited", "True": "not visited"}
    starts_with, ends_when = "the source is visited", "no node is newly visited"

    def reference(self, graph, inputs):
        reached = nx.descendants(graph, inputs["source"])
        return {"visited": {inputs["source"], *reached}}

"""The walk of a depth-first search, which several algorithms take."""

from algolens.algorithms import Algorithm, Graph, Link, Node, mask, per, pointer_or_none


class Walk(Algorithm, part=True):
    """Every step enters a node, or leaves one for good, so that a walk over n nodes takes 2 n
    steps, and the number of a step is the time that textbooks and CLRS count.
    """

    is_idle = Graph.derived("no node (current)")
    is_next_root = Node.derived(
        "graph's is_idle & me = least node (~visited) by number",
        says="it is [not] the next root",
        line="if the search is nowhere: begin at the first unvisited node of the list",
    )
    can_be_taken = Link.derived("sender's current & ~receiver's visited")
    is_taken = Link.derived("me = least sibling (can_be_taken) by receiver's number")
    is_entered = Node.derived(
        "some incoming link (is_taken)",
        yes="the search enters it",
        no="the search does not enter it",
        line="enter the first unvisited neighbour of the current node, in the order of the list",
    )
    is_dead_end = Node.derived(
        "current & no outgoing link (can_be_taken)",
        yes="it is finished",
        no="it is not finished now",
        line="if there is none: the current node is finished",
    )
    is_returned_to = Node.derived(
        "some node whose parent is me (is_dead_end & it != me)",
        yes="the search goes back to it",
        no="the search does not go back to it",
        line="and go back to its parent",
    )

    visited = Node.output(
        mask,
        becomes="visited | is_entered | is_next_root",
        tells={
            "is_next_root": "{me} is a root: the search is nowhere, and it is the first unvisited "
            "node, in the order of the list",
            "is_entered": "",
            "visited": "{me} has been visited",
            "some incoming link (can_be_taken)": "{me} is not entered yet: another unvisited "
            "neighbour comes first",
            "graph's is_idle": "{me} is not entered yet: another unvisited node comes first",
            "True": "{me} is not entered yet: no edge leads to it from where the search stands",
        },
        says="it has [not] been visited",
    )
    parent = Node.output(
        pointer_or_none(Node),
        becomes="the incoming link's sender (is_taken)",
        tells="{me} is entered from {new}: it comes first of the unvisited neighbours",
    )
    current = Node.output(
        mask,
        becomes="is_entered | is_returned_to | is_next_root",
        tells={
            "is_next_root | is_entered": "",
            "is_dead_end": "{me} is finished: every neighbour has been visited",
            "is_returned_to": "The search goes back to {me}, from where it came",
            "current": "",
            "True": "The search does not go to {me}",
        },
        says="the search is [not] there",
    )

    goes_on = "some node (~visited | current)"
    most_steps = 2 * per(Node)
    legend = {"current": "where the search stands", "visited": "visited", "True": "not visited"}
    starts_with, ends_when = "no node is visited", "every node is visited and finished"

"""Maximal independent set (Luby 1986): no two neighbours, and no node can be added."""

from algolens.language.declare import Algorithm, Node, Option, category, number


class IndependentSet(Algorithm):
    """An undecided node with the highest priority among undecided neighbours is chosen; its
    neighbours are out.

    With random priorities it takes O(log n) steps, as is to be expected. What it finds is the set
    that a greedy choice in the order of priorities finds one by one.
    """

    title, group, loops_matter = "Maximal independent set (Luby)", "choices", True
    bits = Option(8, 1, 62)  # of a priority

    priority = Node.input(number(bits, distinct="neighbours"), drawn=True)

    status = Node.output(
        category("undecided", "chosen", "out"),
        start="undecided",
        becomes={
            "chosen": "status is chosen | has_priority & ~has_chosen_neighbour",
            "out": "has_chosen_neighbour",
        },
        called={"chosen": "in the set", "out": "out: a neighbour is in the set"},
        tells={
            "status is chosen": "{me} is in the set",
            "has_chosen_neighbour": "{me} is out: it is a neighbour of {neighbours (status is "
            "chosen)}",
            "has_priority": "{me} is chosen: no undecided neighbour has a higher priority than "
            "{priority}",
            "True": "{me} waits for {neighbours (status is undecided & its priority > my "
            "priority)}: higher priority",
        },
    )
    has_chosen_neighbour = Node.sees(
        "some neighbour (status is chosen)",
        yes="it is a neighbour of {neighbours (status is chosen)}, in the set",
        no="no neighbour is in the set",
    )
    has_priority = Node.sees(
        "status is undecided & no neighbour (status is undecided & its priority > my priority)",
        yes="no undecided neighbour has a higher priority than {priority}",
        no={
            "status is undecided": "undecided neighbours have a higher priority: {neighbours "
            "(status is undecided & its priority > my priority)}",
            "True": "it is decided",
        },
    )
    is_chosen_now = Node.sees(
        "has_priority & ~has_chosen_neighbour",
        line="choose every undecided node with the highest priority among its undecided neighbours",
    )
    is_put_out = Node.sees(
        "status is undecided & has_chosen_neighbour", line="neighbours of chosen nodes are out"
    )

    goes_on = "some node (status is undecided)"
    starts_with, ends_when = "no node is decided", "every node is decided"

"""Maximal matching (Israeli and Itai 1986): no two edges share an end, and none can be added."""

from algolens.language.declare import Algorithm, Edge, Option, category, mask, number


class Matching(Algorithm):
    """An undecided edge with the highest priority among undecided edges at its ends is matched; the
    other edges at its ends are out.
    """

    title, group = "Maximal matching", "choices"
    bits = Option(8, 1, 62)  # of a priority

    priority = Edge.input(number(bits), drawn=True)

    status = Edge.output(
        category("undecided", "matched", "out"),
        start="undecided",
        becomes={
            "matched": "status is matched | is_matched_now",
            "out": "has_matched_neighbour",
        },
        called={"out": "out: an end is matched"},
        tells={
            "status is matched": "{me} is matched",
            "has_matched_neighbour": "{me} is out: it shares an end with {adjacent edges (status "
            "is matched)}",
            "has_priority": "{me} is matched: no undecided edge at its ends has a higher priority "
            "than {priority}",
            "True": "{me} waits for {adjacent edges (status is undecided & (its priority, its "
            "number) > (my priority, my number))}: higher priority",
        },
    )
    in_matching = Edge.output(
        mask,
        becomes="status is matched | is_matched_now",
        tells={
            "status is matched": "{me} is matched",
            "is_matched_now": "",
            "True": "{me} is not matched",
        },
    )
    has_matched_neighbour = Edge.sees(
        "some adjacent edge (status is matched)",
        yes="it shares an end with {adjacent edges (status is matched)}",
        no="no edge at its ends is matched",
    )
    has_priority = Edge.sees(
        "greatest adjacent edge (status is undecided) by priority, number",
        yes="no undecided edge at its ends has a higher priority than {priority}",
        no={
            "status is undecided": "an undecided edge at its ends has a higher priority",
            "True": "it is decided",
        },
    )
    is_matched_now = Edge.sees(
        "has_priority & ~has_matched_neighbour",
        line="match every undecided edge with the highest priority among undecided edges at its "
        "ends",
    )
    is_put_out = Edge.sees(
        "status is undecided & has_matched_neighbour",
        line="other edges at the ends of matched ones are out",
    )

    goes_on = "some edge (status is undecided)"
    starts_with, ends_when = "no edge is decided", "every edge is decided"

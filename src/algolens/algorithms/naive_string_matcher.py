"""Naive string matching: where a pattern stands in a text, letter by letter."""

from algolens.algorithms import Graph, Node, mask, per
from algolens.algorithms._strings import MATCH, NO_MATCH, PLACE, StringSearch
from algolens.language.layouts import Tape

PAIR = ("in_text", "in_needle")


class NaiveStringMatcher(StringSearch):
    """At each place of the text, compare the pattern letter by letter, until one differs or all
    agree.

    The nodes are the letters of the text, and after them those of the pattern. ``match`` marks
    where the pattern begins in the text; where it is nowhere, its own first letter. The first step
    looks where the pattern begins and ends.
    """

    title = "Naive string matching"
    example = "ABABABAC ABABAC"
    layout = Tape(of="letter", second="in_pattern", meets=PAIR, marks=PAIR)

    in_text = Graph.state(
        PLACE,
        becomes=["in_text + 1 where advances", "shift + 1 where shifts"],
        tells=["The next letters are compared", "The pattern moves on by one letter of the text"],
        title="compared next",
    )
    in_needle = Graph.state(
        PLACE,
        becomes=[
            "the node's number (is_head) where begins",
            "in_needle + 1 where advances",
            "head where shifts",
        ],
        title="with this letter",
    )
    is_compared = Node.derived("graph's has_begun & number = graph's in_text")
    is_same = Node.derived(
        "number = graph's in_needle & some other node (is_compared & its letter = my letter)"
    )
    agrees = Graph.derived("some node (is_same)")
    advances = Graph.derived(
        "agrees & in_needle != tail", line="while letters agree, compare the next ones"
    )

    shift = Graph.state(PLACE, becomes="shift + 1 where shifts")
    # after the next shift, the pattern ends before it begins itself
    fits = Graph.derived("shift + tail + 1 < head + head")
    shifts = Graph.derived(
        "has_begun & ~agrees & fits", line="if two differ, move the pattern on by one place"
    )
    fails = Graph.derived("has_begun & ~agrees & ~fits")

    ends = Graph.derived("agrees & in_needle = tail")
    is_match = Node.derived(
        "graph's ends & number = graph's shift | graph's fails & number = graph's head",
        line="if all agree, the pattern is found",
        yes="the pattern is found there, or nowhere else",
        no="the pattern is not found there",
    )
    match = Node.output(
        mask,
        becomes="is_match | match",
        tells={
            **MATCH,
            "is_compared & graph's agrees": "Letter {number + 1} of the text and letter {graph's "
            "in_needle - graph's head + 1} of the pattern are both {letter}",
            "is_compared": "Letter {number + 1} of the text is {letter}, and differs from letter "
            "{graph's in_needle - graph's head + 1} of the pattern",
            **NO_MATCH,
        },
        says="it is [not] marked",
    )

    is_searched = Node.derived(
        "graph's begins | graph's advances | graph's shifts",
        yes="letters are left to compare",
        no="nothing is left to compare",
    )
    goes_on, examines = "some node (is_searched | is_match & ~match)", "is_compared"
    most_steps = 2 * per(Node, Node)
    legend = {"match": "the pattern begins here", "True": ""}
    starts_with = "the pattern is at the first place of the text"
    ends_when = "the pattern is found, or the text is over"

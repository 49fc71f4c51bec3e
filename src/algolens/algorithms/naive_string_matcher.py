"""Naive string matching: where a pattern stands in a text, letter by letter."""

import networkx as nx
import numpy as np
from torch import Tensor

from algolens.algorithms import (
    Algorithm,
    Declaration,
    Limit,
    PlainValues,
    Words,
    _forms,
    _strings,
)
from algolens.fields import Location, Mask, Number, at_graph, at_node
from algolens.graphs import Graph
from algolens.layouts import Tape

WORDS = Words(
    examined="is_compared",
    phrases={
        **_strings.PHRASES,
        "in_text": (
            "the next letters are compared",
            "the pattern moves on, to place {new} of the text",
        ),
        "match": {
            **_strings.MATCH,
            "is_compared & graph's agrees": (
                "{me} ({letter}) agrees with {other nodes (is_same)}, the letter of the pattern"
            ),
            "is_compared": (
                "{me} ({letter}) differs from {other nodes (its number = my graph's in_needle)}, "
                "the letter of the pattern"
            ),
            "True": "the pattern is not known to begin at {me}",
        },
    },
    lines={
        "start": "the pattern is at the first place of the text",
        "begins": "find where the pattern begins and ends",
        "advances": "while letters agree, compare the next ones",
        "shifts": "if two differ, move the pattern on by one place",
        "is_match": "if all agree, the pattern is found",
        "until": "the pattern is found, or the text is over",
    },
    states={
        "match": "the pattern begins here",
        "none": "",
    },
    names={
        "in_text": "compared next",
        "in_needle": "with this letter",
        "in_pattern": "the pattern",
    },
)


class NaiveStringMatcher(Algorithm):
    """At each place of the text, compare the pattern letter by letter, until one differs or all
    agree.

    The nodes are the letters of the text, and after them those of the pattern. ``match`` marks
    where the pattern begins in the text; where it is nowhere, its own first letter. The first step
    looks where the pattern begins and ends.
    """

    name = "naive_string_matcher"
    title = "Naive string matching"
    group = "strings"
    graphs = "any"
    checks = (("pattern_last", "in_pattern"),)
    layout = Tape(
        of="letter",
        second="in_pattern",
        meets=("in_text", "in_needle"),
        marks=("in_text", "in_needle"),
    )

    bits: int = 8  # of a letter

    def declare(self) -> Declaration:
        place = Number(31)
        return Declaration(
            location=Location.NODE,
            words=WORDS,
            inputs={"letter": at_node(Number(self.bits)), "in_pattern": at_node(Mask())},
            state=("has_begun", "head", "tail", "shift", "in_text", "in_needle", "match"),
            start={
                "has_begun": "False",
                **dict.fromkeys(("head", "tail", "shift", "in_text", "in_needle"), 0),
                "match": "False",
            },
            sums={
                "shift_after": at_graph("shift + 1"),
                "text_after": at_graph("in_text + 1"),
                "needle_after": at_graph("in_needle + 1"),
                "end_after": at_graph("shift + tail + 1"),
                "twice_head": at_graph("head + head"),
            },
            look={
                **_strings.BEGINNING,
                "is_compared": at_node("graph's is_begun & number = graph's in_text"),
                "is_same": at_node(
                    "number = graph's in_needle & some other node (is_compared & its letter = my "
                    "letter)"
                ),
                "agrees": at_graph("some node (is_same)"),
                "ends": at_graph("agrees & in_needle = tail"),
                "advances": at_graph("agrees & in_needle != tail"),
                # after the next shift, the pattern ends before it begins itself
                "fits": at_graph("end_after < twice_head"),
                "shifts": at_graph("is_begun & ~agrees & fits"),
                "fails": at_graph("is_begun & ~agrees & ~fits"),
                "is_match": at_node(
                    "graph's ends & number = graph's shift | graph's fails & number = graph's head"
                ),
                "was_match": at_node("match"),
                "is_searched": at_node("graph's begins | graph's advances | graph's shifts"),
            },
            moves={
                **_strings.BEGINNING_MOVES,
                "in_text": ["text_after where advances", "shift_after where shifts"],
                "in_needle": [
                    "the node's number (is_head) where begins",
                    "needle_after where advances",
                    "head where shifts",
                ],
                "shift": "shift_after where shifts",
            },
            hints=dict.fromkeys(("head", "tail", "shift", "in_text", "in_needle"), at_graph(place)),
            concepts=("is_match", "was_match", "is_searched"),
            outputs={"match": Mask()},
            rules={"match": _forms.where_any("is_match", "was_match")},
            continues="is_searched | is_match & ~was_match",
            most_steps=Limit(2, squared=True),
        )

    def sample(self, graph: Graph, rng: np.random.Generator) -> dict[str, Tensor]:
        return _strings.draw_strings(graph, rng)

    def reference(self, graph: nx.Graph, inputs: PlainValues) -> PlainValues:
        return _strings.first_match(graph)

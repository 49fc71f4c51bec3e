"""Knuth-Morris-Pratt matcher: where a pattern stands in a text, each letter of which is read once
(1977).
"""

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
from algolens.fields import Location, Mask, Number, Observed, at_graph, at_node
from algolens.graphs import Graph
from algolens.layouts import Tape

PLACES = ("head", "tail", "k", "q", "shift", "in_text")

WORDS = Words(
    examined="is_read | is_target",
    phrases={
        **_strings.PHRASES,
        "fall": (
            (
                "{me} agrees with {other nodes (is_candidate)}: on a mismatch after it, go on "
                "after {other nodes (is_candidate)}, for the pattern up to there stands here again"
            ),
            "",
        ),
        "is_reset": {
            "is_read & graph's hits": (
                "{me} ({letter}) agrees with {other nodes (is_hit)}, the letter of the pattern"
            ),
            "is_read": (
                "{me} ({letter}) differs from {other nodes (is_wanted)}, the letter of the pattern"
            ),
            "is_target & graph's falls": (
                "{me} ({letter}) differs from {other nodes (is_candidate)}: try a shorter "
                "beginning of the pattern"
            ),
            "is_target & becomes_reset": (
                "{me} ({letter}) differs from {other nodes (is_candidate)}, the first letter: on "
                "a mismatch after it, begin the pattern anew"
            ),
            "is_target": (
                "{me} ({letter}) agrees with {other nodes (is_candidate)}: on a mismatch after it, "
                "one letter of the pattern stands there already"
            ),
            "was_reset": "{me} falls back to nothing",
            "becomes_reset": (
                "{me} is the first letter of the pattern: on a mismatch after it, begin anew"
            ),
            "True": "{me} is not known to fall back to nothing",
        },
        "was_reset": ("it falls back to nothing", "it is not known to fall back to nothing"),
        "becomes_reset": (
            "a mismatch after it leaves nothing of the pattern",
            "it does not become known that it falls back to nothing",
        ),
        "q": (
            "",
            "",
            "",
            "the pattern is learnt: now the text is read",
            "the letters differ: fall back in the pattern",
            "the letters differ: begin the pattern anew",
            "the letters agree: go on in the pattern",
        ),
        "in_text": "letter {new} of the text is read next",
        "match": {
            **_strings.MATCH,
            "True": "the pattern is not known to begin at {me}",
        },
    },
    lines={
        "start": "no letter is read",
        "begins": "find where the pattern begins and ends",
        "learns": (
            "for every letter of the pattern, find the longest beginning of the pattern that ends "
            "there"
        ),
        "is_read": ("then read the text: compare its next letter with the next one of the pattern"),
        "falls_in_text": "if they differ, fall back in the pattern",
        "hits": "if they agree, go on in the pattern",
        "is_match": "if the pattern is complete, it is found",
        "until": "the pattern is found, or the text is over",
    },
    states={
        "match": "the pattern begins here",
        "is_reset": "begins anew on a mismatch",
        "none": "",
    },
    names={
        "is_read": "read next",
        "is_wanted": "wanted next",
        "is_target": "learnt next",
        "is_candidate": "compared with it",
        "in_pattern": "the pattern",
        "fall": "falls back to",
    },
)


class KmpMatcher(Algorithm):
    """First find for every letter of the pattern where to fall back to. Then read the text; where a
    letter differs, fall back.

    The nodes are the letters of the text, and after them those of the pattern. ``match`` marks
    where the pattern begins in the text; where it is nowhere, its own first letter. ``is_reset``
    marks letters from which the search falls back to nothing. The first step looks where the
    pattern begins and ends.
    """

    name = "kmp_matcher"
    title = "Knuth-Morris-Pratt matcher"
    group = "strings"
    graphs = "any"
    checks = (("pattern_last", "in_pattern"),)
    layout = Tape(
        of="letter",
        second="in_pattern",
        meets=("is_read", "is_wanted"),
        noted="fall",
        marks=("is_read", "is_wanted", "is_target", "is_candidate"),
    )

    bits: int = 8  # of a letter

    def declare(self) -> Declaration:
        place = Number(31)
        return Declaration(
            location=Location.NODE,
            words=WORDS,
            inputs={"letter": at_node(Number(self.bits)), "in_pattern": at_node(Mask())},
            state=(
                *("has_begun", "k_reset", "q_reset", "is_closed", "reads_text", "is_over"),
                *(*PLACES, "fall", "is_reset", "match"),
            ),
            start={
                "has_begun": "False",
                "k_reset": "True",
                "q_reset": "True",
                "is_closed": "False",
                "reads_text": "False",
                "is_over": "False",
                **dict.fromkeys(PLACES, 0),
                "fall": "number",
                "is_reset": "False",
                "match": "False",
            },
            sums={
                "number_after": at_node("number + 1"),
                "k_after": at_graph("k + 1"),
                "q_after": at_graph("q + 1"),
                "text_after": at_graph("in_text + 1"),
                "shift_after": at_graph("shift + 1"),
                "text_and_head": at_graph("in_text + head"),
            },
            look={
                **_strings.BEGINNING,
                **self._learning(),
                **self._reading(),
                "was_reset": at_node("is_reset"),
                "becomes_reset": at_node("graph's begins & is_head | is_target & graph's misses"),
                "is_match": at_node(
                    "graph's completes & number = graph's shift | graph's fails & is_head"
                ),
                "was_match": at_node("match"),
                "is_searched": at_node(
                    "graph's begins | graph's learns | graph's turns | graph's reads"
                ),
            },
            moves={
                **_strings.BEGINNING_MOVES,
                "k": [
                    "the node's number (is_head) where begins",
                    "the node's fall (is_k) where goes_back",
                    "head where resets",
                    "k_after where extends",
                ],
                "fall": ["graph's k_after where is_extended", "graph's head where is_restarted"],
                "q": [
                    "the node's number (is_head) where begins_single",
                    "the node's number_after (is_head) where begins",
                    "the node's number (is_target)",
                    "head where turns",
                    "the node's fall (is_q) where goes_back_in_text",
                    "head where resets_in_text",
                    "q_after where extends_in_text",
                ],
                "in_text": "text_after where advances",
                "shift": "shift_after where shifts",
            },
            hints={
                **dict.fromkeys(PLACES, at_graph(place)),
                "fall": at_node(place),
            },
            concepts=("was_reset", "becomes_reset", "is_match", "was_match", "is_searched"),
            outputs={"match": Mask(), "is_reset": Mask()},
            rules={
                "match": _forms.where_any("is_match", "was_match"),
                "is_reset": _forms.where_any("was_reset", "becomes_reset"),
            },
            continues="is_searched",
            most_steps=Limit(5),
        )

    def _learning(self) -> dict[str, Observed]:
        """The letter ``q`` of the pattern is compared with the one after ``k``."""
        return {
            "is_single": at_graph("some node (is_head & is_tail)"),
            "begins_single": at_graph("begins & is_single"),
            "turns": at_graph("is_begun & ~last reads_text & last is_closed & q = tail"),
            "learns": at_graph("is_begun & ~last reads_text & ~(last is_closed & q = tail)"),
            "learns_next": at_graph("learns & last is_closed"),
            "learns_on": at_graph("learns & ~last is_closed"),
            "is_target": at_node(
                "graph's learns_next & number = graph's q_after | graph's learns_on & number = "
                "graph's q"
            ),
            "from_nothing": at_graph("learns & last k_reset"),
            "from_something": at_graph("learns & ~last k_reset"),
            "is_candidate": at_node(
                "graph's from_nothing & is_head | graph's from_something & number = graph's k_after"
            ),
            "is_same": at_node(
                "is_target & some other node (is_candidate & its letter = my letter)"
            ),
            "agrees": at_graph("some node (is_same)"),
            "falls": at_graph("from_something & ~agrees"),
            "misses": at_graph("from_nothing & ~agrees"),
            "extends": at_graph("from_something & agrees"),
            "is_k": at_node("number = graph's k"),
            "resets": at_graph("falls & some node (is_k & is_reset)"),
            "goes_back": at_graph("falls & ~resets"),
            "is_extended": at_node("is_target & graph's extends"),
            "is_restarted": at_node("is_target & graph's from_nothing"),
            "k_reset": at_graph("resets | last k_reset & ~(from_nothing & agrees)"),
            "is_closed": at_graph("begins_single | learns & ~falls | last is_closed & ~learns"),
        }

    def _reading(self) -> dict[str, Observed]:
        """The next letter of the text is compared with the letter of the pattern after ``q``."""
        return {
            "reads_text": at_graph("last reads_text | turns"),
            "reads": at_graph("last reads_text & ~last is_over"),
            "is_read": at_node("graph's reads & number = graph's in_text"),
            "wants_first": at_graph("reads & last q_reset"),
            "wants_next": at_graph("reads & ~last q_reset"),
            "is_wanted": at_node(
                "graph's wants_first & is_head | graph's wants_next & number = graph's q_after"
            ),
            "is_hit": at_node("is_wanted & some other node (is_read & its letter = my letter)"),
            "hits": at_graph("some node (is_hit)"),
            "completes": at_graph("some node (is_hit & is_tail)"),
            "falls_in_text": at_graph("wants_next & ~hits"),
            "is_q": at_node("number = graph's q"),
            "resets_in_text": at_graph("falls_in_text & some node (is_q & is_reset)"),
            "goes_back_in_text": at_graph("falls_in_text & ~resets_in_text"),
            "extends_in_text": at_graph("wants_next & hits & ~completes"),
            "passes": at_graph("reads & ~falls_in_text & ~completes"),
            "fails": at_graph("passes & text_after >= head"),
            "advances": at_graph("passes & text_after < head"),
            # the pattern would end after what was read of the text
            "shifts": at_graph("advances & text_and_head >= tail"),
            "q_reset": at_graph("turns | resets_in_text | last q_reset & ~(wants_first & hits)"),
            "is_over": at_graph("last is_over | completes | fails"),
        }

    def sample(self, graph: Graph, rng: np.random.Generator) -> dict[str, Tensor]:
        return _strings.draw_strings(graph, rng)

    def reference(self, graph: nx.Graph, inputs: PlainValues) -> PlainValues:
        return _strings.first_match(graph)

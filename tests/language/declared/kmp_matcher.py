"""Knuth-Morris-Pratt matcher (1977): where a pattern stands in a text, each letter read once."""

from algolens.language.declare import Graph, Node, category, mask, per
from algolens.layouts import Tape
from tests.language.declared.strings import PLACE, StringSearch


class KmpMatcher(StringSearch):
    """First find for every letter of the pattern where to fall back to. Then read the text; where a
    letter differs, fall back.

    ``match`` marks where the pattern begins in the text; where it is nowhere, its own first letter.
    ``is_reset`` marks letters from which the search falls back to nothing.
    """

    title = "Knuth-Morris-Pratt matcher"
    shown = ("is_read", "is_wanted", "is_target", "is_candidate")
    layout = Tape(
        of="letter",
        second="in_pattern",
        meets=("is_read", "is_wanted"),
        noted="fall",
        marks=shown,
    )

    phase = Graph.state(
        category("begins", "learns", "reads", "over"),
        start="begins",
        becomes={"learns": "begins", "reads": "turns", "over": "completes | fails"},
    )
    begins = Graph.sees("phase is begins", line="find where the pattern begins and ends")

    # learning: letter q of the pattern is compared with the one after k; k_reset: with the first
    k = Graph.state(
        PLACE,
        start=0,
        becomes=[
            "the node's number (is_head) where begins",
            "the node's fall (number = my k) where falls & ~resets",
            "head where resets",
            "k + 1 where learns & ~k_reset & agrees",
        ],
    )
    k_reset = Graph.state(mask, start="True", becomes="resets | k_reset & ~(learns & agrees)")
    is_closed = Graph.state(
        mask, start="False", becomes="begins & is_single | learns & ~falls | is_closed & ~learns"
    )
    fall = Node.state(
        PLACE,
        start="number",
        becomes=[
            "graph's k + 1 where is_target & ~graph's k_reset & graph's agrees",
            "graph's head where is_target & graph's k_reset",
        ],
        tells=[
            "{me} agrees with {other nodes (is_candidate)}: on a mismatch after it, go on after "
            "{other nodes (is_candidate)}, for the pattern up to there stands here again",
            "",
        ],
        title="falls back to",
    )
    is_reset = Node.output(
        mask,
        start="False",
        becomes="is_reset | becomes_reset",
        called=("begins anew on a mismatch",),
        tells={
            "is_read & graph's hits": "{me} ({letter}) agrees with {other nodes (is_hit)}, the "
            "letter of the pattern",
            "is_read": "{me} ({letter}) differs from {other nodes (is_wanted)}, the letter of the "
            "pattern",
            "is_target & graph's falls": "{me} ({letter}) differs from {other nodes "
            "(is_candidate)}: try a shorter beginning of the pattern",
            "is_target & becomes_reset": "{me} ({letter}) differs from {other nodes "
            "(is_candidate)}, the first letter: on a mismatch after it, begin the pattern anew",
            "is_target": "{me} ({letter}) agrees with {other nodes (is_candidate)}: on a mismatch "
            "after it, one letter of the pattern stands there already",
            "is_reset": "{me} falls back to nothing",
            "becomes_reset": "{me} is the first letter of the pattern: on a mismatch after it, "
            "begin anew",
            "True": "{me} is not known to fall back to nothing",
        },
    )

    is_single = Graph.sees("some node (is_head & is_tail)")
    turns = Graph.sees("phase is learns & is_closed & q = tail")
    learns = Graph.sees(
        "phase is learns & ~turns",
        line="for every letter of the pattern, find the longest beginning of the pattern that ends "
        "there",
    )
    is_target = Node.sees(
        "graph's learns & (graph's is_closed & number = graph's q + 1 | ~graph's is_closed & "
        "number = graph's q)"
    )
    is_candidate = Node.sees(
        "graph's learns & (graph's k_reset & is_head | ~graph's k_reset & number = graph's k + 1)"
    )
    is_same = Node.sees("is_target & some other node (is_candidate & its letter = my letter)")
    agrees = Graph.sees("some node (is_same)")
    falls = Graph.sees("learns & ~k_reset & ~agrees")
    resets = Graph.sees("falls & some node (number = my k & is_reset)")
    becomes_reset = Node.sees(
        "graph's begins & is_head | is_target & graph's k_reset & ~graph's agrees",
        yes="a mismatch after it leaves nothing of the pattern",
        no="it does not become known that it falls back to nothing",
    )

    # reading: the next letter of the text is compared with the letter of the pattern after q
    q = Graph.state(
        PLACE,
        start=0,
        becomes=[
            "the node's number (is_head) where begins & is_single",
            "the node (is_head)'s number + 1 where begins",
            "the node's number (is_target)",
            "head where turns | resets_in_text",
            "the node's fall (number = my q) where falls_in_text",
            "q + 1 where phase is reads & ~q_reset & hits & ~completes",
        ],
        tells=[
            "",
            "",
            "",
            "begin the pattern anew",
            "the letters differ: fall back in the pattern",
            "the letters agree: go on in the pattern",
        ],
    )
    q_reset = Graph.state(
        mask, start="True", becomes="turns | resets_in_text | q_reset & ~(phase is reads & hits)"
    )
    in_text = Graph.state(
        PLACE,
        start=0,
        becomes="in_text + 1 where advances",
        tells="letter {new} of the text is read next",
    )
    shift = Graph.state(PLACE, start=0, becomes="shift + 1 where advances & in_text + head >= tail")
    match = Node.output(
        mask,
        start="False",
        becomes="match | is_match",
        called=("the pattern begins here", ""),
        tells={
            "match": "the pattern begins at {me}",
            "is_match & graph's fails": "the pattern is nowhere in the text: {me}, its own first "
            "letter, is marked",
            "is_match": "the pattern is found: it begins at {me}",
            "True": "the pattern is not known to begin at {me}",
        },
    )

    is_read = Node.sees(
        "graph's phase is reads & number = graph's in_text",
        line="then read the text: compare its next letter with the next one of the pattern",
    )
    is_wanted = Node.sees(
        "graph's phase is reads & (graph's q_reset & is_head | ~graph's q_reset & number = graph's "
        "q + 1)"
    )
    is_hit = Node.sees("is_wanted & some other node (is_read & its letter = my letter)")
    hits = Graph.sees("some node (is_hit)", line="if they agree, go on in the pattern")
    completes = Graph.sees("some node (is_hit & is_tail)")
    falls_in_text = Graph.sees(
        "phase is reads & ~q_reset & ~hits", line="if they differ, fall back in the pattern"
    )
    resets_in_text = Graph.sees("falls_in_text & some node (number = my q & is_reset)")
    passes = Graph.sees("phase is reads & ~falls_in_text & ~completes")
    advances = Graph.sees("passes & in_text + 1 < head")
    fails = Graph.sees("passes & in_text + 1 >= head")
    is_match = Node.sees(
        "graph's completes & number = graph's shift | graph's fails & is_head",
        line="if the pattern is complete, it is found",
    )

    goes_on = "phase is not over"
    most_steps = 5 * per(Node)
    examines = "is_read | is_target"
    starts_with, ends_when = "no letter is read", "the pattern is found, or the text is over"

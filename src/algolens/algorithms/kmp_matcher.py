"""Knuth-Morris-Pratt matcher: where a pattern stands in a text, without going back in it (1977)."""

from algolens.algorithms import Graph, Node, mask, per
from algolens.algorithms._strings import MATCH, NO_MATCH, PLACE, StringSearch
from algolens.language.layouts import Tape

DIFFER = (
    "Letter {number + 1} of the text is {letter}, letter {the other node (is_wanted)'s number - "
    "graph's head + 1} of the pattern is {the other node (is_wanted)'s letter}: they differ"
)


class KmpMatcher(StringSearch):
    """First find for every letter of the pattern where to fall back to. Then read the text; where a
    letter differs, fall back.

    The nodes are the letters of the text, and after them those of the pattern. ``match`` marks
    where the pattern begins in the text; where it is nowhere, its own first letter. ``is_reset``
    marks letters from which the search falls back to nothing. The first step looks where the
    pattern begins and ends.
    """

    title = "Knuth-Morris-Pratt matcher"
    example = "ABABABAC ABABAC"
    layout = Tape(
        of="letter",
        second="in_pattern",
        meets=("is_read", "is_wanted"),
        noted="fall",
        marks=("is_read", "is_wanted", "is_target", "is_candidate"),
    )

    # learning: a letter of the pattern is compared with the one after k; from nothing, the first
    is_single = Graph.derived("some node (is_head & is_tail)")
    begins_single = Graph.derived("begins & is_single")
    turns = Graph.derived("has_begun & ~reads_text & is_closed & q = tail")
    learns = Graph.derived(
        "has_begun & ~reads_text & ~(is_closed & q = tail)",
        line="for every letter of the pattern, find the longest beginning of the pattern that ends "
        "there",
    )
    learns_next = Graph.derived("learns & is_closed")
    learns_on = Graph.derived("learns & ~is_closed")
    is_target = Node.derived(
        "graph's learns_next & number = graph's q + 1 | graph's learns_on & number = graph's q",
        title="learnt next",
    )
    from_nothing = Graph.derived("learns & k_reset")
    from_something = Graph.derived("learns & ~k_reset")
    is_candidate = Node.derived(
        "graph's from_nothing & is_head | graph's from_something & number = graph's k + 1",
        title="compared with it",
    )
    is_same = Node.derived("is_target & some other node (is_candidate & its letter = my letter)")
    agrees = Graph.derived("some node (is_same)")
    extends = Graph.derived("from_something & agrees")
    misses = Graph.derived("from_nothing & ~agrees")
    falls = Graph.derived("from_something & ~agrees")
    is_k = Node.derived("number = graph's k")
    resets = Graph.derived("falls & some node (is_k & is_reset)")
    is_closed = Graph.state(mask, becomes="begins_single | learns & ~falls | is_closed & ~learns")
    k_reset = Graph.state(mask, start="True", becomes="resets | k_reset & ~(from_nothing & agrees)")
    k = Graph.state(
        PLACE,
        becomes=[
            "the node's number (is_head) where begins",
            "the node's fall (is_k) where falls & ~resets",
            "head where resets",
            "k + 1 where extends",
        ],
    )
    fall = Node.state(
        PLACE,
        start="number",
        becomes=[
            "graph's k + 1 where is_target & graph's extends",
            "graph's head where is_target & graph's from_nothing",
        ],
        tells=[
            "Letters {number - graph's head + 1} and {the other node (is_candidate)'s number - "
            "graph's head + 1} of the pattern are both {letter}: where the letters up to "
            "{number - graph's head + 1} agree and the next differs, go on after letter {the other "
            "node (is_candidate)'s number - graph's head + 1}, for the pattern up to there stands "
            "here again",
            "",
        ],
        title="falls back to",
    )
    becomes_reset = Node.derived(
        "graph's begins & is_head | is_target & graph's misses",
        yes="a mismatch after it leaves nothing of the pattern",
        no="it does not become known that it falls back to nothing",
    )
    is_reset = Node.output(
        mask,
        becomes="is_reset | becomes_reset",
        tells={
            "is_read & graph's hits": "Letter {number + 1} of the text and letter {the other node "
            "(is_hit)'s number - graph's head + 1} of the pattern are both {letter}",
            "is_read & graph's wants_first": DIFFER,
            "is_read & graph's resets_in_text": DIFFER + ". No beginning of the letters before, "
            "which agree, is also their end: the pattern starts over at its first letter",
            "is_read": DIFFER + ". Of the {graph's q - graph's head + 1} letters before, which "
            "agree, the longest beginning that is also their end has length {the other node "
            "(is_q)'s fall - graph's head + 1}: go on at letter {the other node (is_q)'s fall - "
            "graph's head + 2} of the pattern",
            "is_target & graph's falls": "Letter {number - graph's head + 1} of the pattern is "
            "{letter}, letter {the other node (is_candidate)'s number - graph's head + 1} is {the "
            "other node (is_candidate)'s letter}: they differ. Try a shorter beginning of the "
            "pattern",
            "is_target & becomes_reset": "Letter {number - graph's head + 1} of the pattern is "
            "{letter}, the first letter is {the other node (is_candidate)'s letter}: they differ. "
            "Where the letters up to {number - graph's head + 1} agree and the next differs, the "
            "pattern starts over",
            "is_target": "Letters {number - graph's head + 1} and {the other node "
            "(is_candidate)'s number - graph's head + 1} of the pattern are both {letter}: where "
            "the letters up to {number - graph's head + 1} agree and the next differs, go on after "
            "letter {the other node (is_candidate)'s number - graph's head + 1}, which matches "
            "already",
            "is_reset": "Where the letters up to {me} agree and the next differs, the pattern "
            "starts over",
            "becomes_reset": "Where the first letter agrees and the second differs, the pattern "
            "starts over",
            "~in_pattern": "",
            "fall != number": "Where the letters up to {me} agree and the next differs, go on "
            "after letter {fall - graph's head + 1}",
            "True": "Nothing is known yet of where to fall back to after {me}",
        },
        yes="it falls back to nothing",
        no="it is not known to fall back to nothing",
    )

    # reading: a letter of the text is compared with that of the pattern after q
    reads_text = Graph.state(mask, becomes="reads_text | turns")
    is_over = Graph.state(mask, becomes="is_over | completes | fails")
    reads = Graph.derived("reads_text & ~is_over")
    is_read = Node.derived(
        "graph's reads & number = graph's in_text",
        line="then read the text: compare its next letter with the next one of the pattern",
        title="read next",
    )
    wants_first = Graph.derived("reads & q_reset")
    wants_next = Graph.derived("reads & ~q_reset")
    is_wanted = Node.derived(
        "graph's wants_first & is_head | graph's wants_next & number = graph's q + 1",
        title="wanted next",
    )
    is_hit = Node.derived("is_wanted & some other node (is_read & its letter = my letter)")
    falls_in_text = Graph.derived(
        "wants_next & ~hits", line="if they differ, fall back in the pattern"
    )
    hits = Graph.derived("some node (is_hit)", line="if they agree, go on in the pattern")
    is_q = Node.derived("number = graph's q")
    resets_in_text = Graph.derived("falls_in_text & some node (is_q & is_reset)")
    q_reset = Graph.state(
        mask, start="True", becomes="turns | resets_in_text | q_reset & ~(wants_first & hits)"
    )
    q = Graph.state(
        PLACE,
        becomes=[
            "the node's number (is_head) where begins_single",
            "the node (is_head)'s number + 1 where begins",
            "the node's number (is_target)",
            "head where turns",
            "the node's fall (is_q) where falls_in_text & ~resets_in_text",
            "head where resets_in_text",
            "q + 1 where wants_next & hits & ~completes",
        ],
        tells=[
            "",
            "",
            "",
            "The pattern is learnt: now the text is read, letter by letter",
            "",
            "",
            "Go on to the next letter of the pattern",
        ],
    )
    completes = Graph.derived("some node (is_hit & is_tail)")
    passes = Graph.derived("reads & ~falls_in_text & ~completes")
    fails = Graph.derived("passes & in_text + 1 >= head")
    advances = Graph.derived("passes & in_text + 1 < head")
    in_text = Graph.state(
        PLACE,
        becomes="in_text + 1 where advances",
        tells="Letter {in_text + 2} of the text is read next",
    )
    # the pattern would end after what was read of the text
    shifts = Graph.derived("advances & in_text + head >= tail")
    shift = Graph.state(PLACE, becomes="shift + 1 where shifts")
    is_match = Node.derived(
        "graph's completes & number = graph's shift | graph's fails & is_head",
        line="if the pattern is complete, it is found",
        yes="the pattern is found there, or nowhere else",
        no="the pattern is not found there",
    )
    match = Node.output(
        mask, becomes="is_match | match", tells={**MATCH, **NO_MATCH}, says="it is [not] marked"
    )

    is_searched = Node.derived(
        "graph's begins | graph's learns | graph's turns | graph's reads",
        yes="letters are left to compare",
        no="nothing is left to compare",
    )
    goes_on, most_steps = "some node (is_searched)", 5 * per(Node)
    examines = "is_read | is_target"
    legend = {
        "match": "the pattern begins here",
        "is_reset": "starts over on a mismatch",
        "True": "",
    }
    starts_with, ends_when = "no letter is read", "it is known whether the pattern is in the text"

"""What people write that a look cannot say: why it cannot, and what to write instead."""

from __future__ import annotations

from collections.abc import Sequence

SEE = "see docs/declaring.md"
ADDS = "because a look adds and compares numbers, and does nothing else with them"
OPEN = "because a sum of any number of others has no bound, and a proof needs finitely many cases"
PRODUCT = (
    f"'{{mark}}' cannot be said, {ADDS}: give the result as an input, or compare sums, as a + a > "
    f"b for a doubled; {SEE}."
)
MARKS = {
    "*": PRODUCT,
    "/": PRODUCT,
    "%": PRODUCT,
    "^": PRODUCT,
    "-": (
        f"'-' cannot be said, {ADDS}: add on the other side, as a > b + c for a - b > c, with "
        f"b + c declared in sums; {SEE}."
    ),
    "+": (
        "'+' stands in sums alone: declare the sum, as in sums={'offer': at_node('height + 1')}, "
        f"and name it here; {SEE}."
    ),
    ".": (
        "numbers in statements are whole: write them without a point, as x > 3; for a field of "
        f"another, write its pointer, 's and the field; {SEE}."
    ),
}
TOTAL = (
    f"'{{mark}}' over others cannot be said, {OPEN}: add one value in each step to a number of the "
    f"state, or give the result as an input; {SEE}."
)
AVERAGE = (
    f"'{{mark}}' cannot be said, {ADDS}: compare sums, as a + b > c + c for the mean of a and b; "
    f"over neighbours, give it as an input; {SEE}."
)
COUNT = (
    "'{mark}' is no number here, because what is counted is compared with a constant: write at "
    f"least 3, at most 3 or exactly 3 neighbours (...); {SEE}."
)
HIGHEST = (
    "'{mark}' is no number here: say which element has it, as in no neighbour (its height > my "
    f"height), and take its value in moves; {SEE}."
)
LOWEST = HIGHEST.replace(">", "<")
WORDS = {
    "sum": TOTAL,
    "total": TOTAL,
    "product": PRODUCT,
    "average": AVERAGE,
    "avg": AVERAGE,
    "mean": AVERAGE,
    "median": AVERAGE,
    "count": COUNT,
    "len": COUNT,
    "degree": COUNT,
    "max": HIGHEST,
    "maximum": HIGHEST,
    "min": LOWEST,
    "minimum": LOWEST,
    "abs": PRODUCT,
    "all": "'{mark}' is written every, as in every neighbour (marked).",
    "any": "'{mark}' is written some, as in some neighbour (marked).",
}


def lesson(tokens: Sequence[str], position: int) -> str | None:
    """What to write where reading stopped, if that is something that people often try.

    A word counts only where something follows that a field cannot stand before, so that a field may
    be called by it.
    """
    token = tokens[position] if position < len(tokens) else ""
    before = tokens[position - 1] if position else ""
    if token == before == "=":
        return "'==' is written =."
    if token in MARKS and not token == before == "+":
        return MARKS[token].replace("{mark}", token)
    if before in WORDS and (token == "(" or token.isidentifier()):
        return WORDS[before].replace("{mark}", before)
    return None

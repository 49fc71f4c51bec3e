"""What people write that a look cannot say: why it cannot, and what to write instead."""

from __future__ import annotations

from collections.abc import Sequence

SEE = "see docs/declaring.md"
CARRIED_OUT = "because a look adds, subtracts, multiplies and compares numbers, and nothing else"
OPEN = "because a sum of any number of others has no bound, and a proof needs finitely many cases"
QUOTIENT = (
    f"'{{mark}}' cannot be said, {CARRIED_OUT}: give the result as an input, or multiply the other "
    f"side, as a > twice, with twice = 2 * b declared in sums, for a / 2 > b; {SEE}."
)
IN_SUMS = (
    "'{mark}' stands in sums alone: declare what it gives, as in sums={'area': at_node('width * "
    f"height - 1')}}, and name it here; {SEE}."
)
CONSTANT = (
    "a number is named before it is used: declare sums={'constant': at_node('{number}')}, and "
    "write constant here."
)
ARITHMETIC = ("+", "-", "*")  # what sums are written with
MARKS = {
    **dict.fromkeys(ARITHMETIC, IN_SUMS),
    "/": QUOTIENT,
    "%": QUOTIENT,
    "^": QUOTIENT,
    ".": (
        "numbers in statements are whole: write them without a point, as x > 3; for a field of "
        f"another, write its pointer, 's and the field; {SEE}."
    ),
}
PARENTHESIS = (
    "in sums there are no parentheses: declare what stands in them as a sum of its own before this "
    f"one, and name it here; {SEE}."
)
TOTAL = (
    f"'{{mark}}' over others cannot be said, {OPEN}: add one value in each step to a number of the "
    f"state, or give the result as an input; {SEE}."
)
AVERAGE = (
    f"'{{mark}}' cannot be said, {CARRIED_OUT}: compare sums, as a + b > 2 * c for the mean of a "
    f"and b; over neighbours, give it as an input; {SEE}."
)
SIZE = (
    f"'{{mark}}' cannot be said, {CARRIED_OUT}: compare both, as x > y | minus > y, with minus = "
    f"-x declared in sums; {SEE}."
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
    "product": TOTAL,
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
    "abs": SIZE,
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
    if token in MARKS and not (token in ARITHMETIC and before in ARITHMETIC):
        return MARKS[token].replace("{mark}", token)
    if before in WORDS and (token == "(" or token.isidentifier()):
        return WORDS[before].replace("{mark}", before)
    return None

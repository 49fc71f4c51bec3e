"""Names of concepts, outputs and fields that are one name in every form of export."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from algolens.errors import FormulaError

WORDS = frozenset({"True", "False", "true", "false", "and", "or", "not"})  # of formulas


def name_objection(name: str) -> str | None:
    """What is wrong with a name, and what to write instead; None where nothing is.

    >>> name_objection("has_been_visited")
    >>> name_objection("ﬁ")
    "Python and many other tools read it as 'fi': write that."
    """
    if not isinstance(name, str):
        return "a name is text."
    if name in WORDS:
        return "it is a word of formulas: write another."
    if not name.isidentifier():
        return "write letters, digits and underscores, not beginning with a digit."
    plain = unicodedata.normalize("NFKC", name)
    return (
        None if plain == name else f"Python and many other tools read it as '{plain}': write that."
    )


def check_name(name: str, what: str) -> None:
    """Refuses a name for something, as for 'a concept'."""
    wrong = name_objection(name)
    if wrong is not None:
        raise FormulaError(f"{name!r} cannot name {what}: {wrong}")


def check_names(names: Sequence[str], what: str) -> None:
    """Refuses names for several things of one kind, also where two are the same."""
    for name in names:
        check_name(name, what)
    if len(set(names)) < len(names):
        twice = next(name for name in names if list(names).count(name) > 1)
        raise FormulaError(f"'{twice}' names {what} twice; each needs a name of its own.")


def as_name(text: str) -> str:
    """The name nearest to a text of any kind.

    >>> as_name("petal length (cm)"), as_name("1st"), as_name("and"), as_name("ﬁ")
    ('petal_length__cm_', '_1st', 'and_', 'fi')
    """
    plain = unicodedata.normalize("NFKC", text)
    name = "".join(mark if f"_{mark}".isidentifier() else "_" for mark in plain)
    if not name.isidentifier():  # it is empty, or begins with a digit
        name = f"_{name}"
    return f"{name}_" if name in WORDS else name

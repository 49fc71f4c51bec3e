"""Programs as text: what an author writes."""

from __future__ import annotations

import re
from collections.abc import Mapping

from algolens.language.ir import (
    IT,
    ME,
    TRUE,
    And,
    Arith,
    At,
    Case,
    Compare,
    Const,
    Expr,
    Get,
    It,
    Let,
    Me,
    Not,
    Or,
    Program,
    Quantified,
    The,
    View,
    Within,
    speaks_of,
)


class Text:
    """Writes expressions; ``labels``: the classes of each category, by table and column.

    >>> Text({})(Not(Get("visited", "node", Get("sender", "link"))))
    "~sender's visited"
    """

    def __init__(self, labels: Mapping[tuple[At, str], tuple[str, ...]]) -> None:
        self.labels = labels

    @classmethod
    def of(cls, program: Program) -> Text:
        """Writes what a program says."""
        fields = (program.inputs | program.outputs | program.state).items()
        return cls({(field.at, name): field.labels for name, field in fields if field.labels})

    def let(self, let: Let) -> str:
        """What a column is, classes by their names."""
        if not isinstance(let.value, Case):
            return self.case(let, TRUE, let.value)
        parts = [self.case(let, *each) for each in let.value.cases]
        if let.value.otherwise != Get(let.name, let.at):
            parts.append(f"else {self.case(let, TRUE, let.value.otherwise)}")
        return "; ".join(parts)

    def case(self, let: Let, guard: Expr, value: Expr) -> str:
        """``value where statement``, of a column."""
        labels = self.labels.get((let.at, let.name))
        text = labels[value.value] if labels and isinstance(value, Const) else self(value)
        return text if guard == TRUE else f"{text} where {self(guard)}"

    def __call__(self, node: Expr, subject: Expr | None = ME) -> str:
        """An expression; ``subject``: of whom bare names speak."""

        def say(part: Expr) -> str:
            return self(part, subject)

        match node:
            case Const(value):
                return str(value)
            case Me():
                return "me"
            case It():
                return "it"
            case Get(column, _, Me() | It() as of):
                return column if of == subject else f"{'my' if of == ME else 'its'} {column}"
            case Get(column, _, of):
                return f"{say(of)}'s {column}"
            case Not(Quantified("some", view, body)):
                return f"no {view.words}{self._inside(body)}"
            case Not(Quantified("at least", view, body, count)) if count > 1:
                return f"fewer than {count} {several(view.words)}{self._inside(body)}"
            case Not(Compare() as term) if (label := self.label(term)) is not None:
                return f"{say(term.left[0])} is not {label}"
            case Not(term):
                inner = say(term)
                return f"~({inner})" if isinstance(term, And | Or | Compare) else f"~{inner}"
            case And(terms) | Or(terms):
                texts = (f"({say(t)})" if isinstance(t, And | Or) else say(t) for t in terms)
                return (" & " if isinstance(node, And) else " | ").join(texts)
            case Compare(left, op, right):
                label = self.label(node)
                if label is not None:
                    return f"{say(left[0])} is {label}"
                if speaks_of(node) == {ME, IT}:  # each side says of whom
                    subject = None
                one, other = (", ".join(map(say, side)) for side in (left, right))
                return f"({one}) {op} ({other})" if len(left) > 1 else f"{one} {op} {other}"
            case Arith(a, op, b):
                one = f"({say(a)})" if isinstance(a, Arith) and op == "*" else say(a)
                other = f"({say(b)})" if isinstance(b, Arith) else say(b)
                return f"{one} {op} {other}"
            case Case(cases, otherwise):
                nowhere = Let("", "node", node)
                parts = [self.case(nowhere, *each) for each in cases]
                return "; ".join([*parts, f"else {say(otherwise)}"])
            case Quantified(quantity, view, body, count):
                words = f"{count} " if quantity == "at least" else ""
                words += several(view.words) if count > 1 else view.words
                return f"{quantity} {words}{self._inside(body)}"
            case The(view, where, value, by):
                end = "" if value == IT else f"'s {self(value, IT)}"
                keys = f" by {', '.join(self(key, IT) for key in by)}" if by else ""
                return f"the {view.words}{end}{self._inside(where)}{keys}"
            case Within(of):
                return say(of)
        raise TypeError(node)

    def label(self, node: Compare) -> str | None:
        """The class that a category is compared with."""
        match node:
            case Compare((Get(column, at),), "=", (Const(value),)) if (at, column) in self.labels:
                return self.labels[at, column][value]
        return None

    def _inside(self, body: Expr) -> str:
        return "" if body == TRUE else f" ({self(body, IT)})"


def several(words: str) -> str:
    """A relation's words in the plural: the noun is the last word, or stands before these.

    >>> several("link into my set by root")
    'links into my set by root'
    """
    return re.sub("(?= whose | into | by |$)", "s", words, count=1)


def plain(name: str) -> str:
    """A name in sentences."""
    return name.replace("_", " ")


def table_of(view: View) -> At:
    """The table of those in view."""
    return "node" if isinstance(view.it, Get) else view.rows

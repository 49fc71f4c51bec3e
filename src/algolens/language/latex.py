"""Programs as LaTeX mathematics: of me, x, and of another one, y."""

from __future__ import annotations

from collections.abc import Iterable

from algolens.language.ir import (
    TRUE,
    And,
    Arith,
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
)
from algolens.language.lower import OPPOSITE
from algolens.language.text import Text, several
from algolens.language.words import features_of, moves_in, numbers_of
from algolens.logic.printing import in_latex, latex_name

ORDERS = {"<=": r"\le", "!=": r"\ne", ">=": r"\ge"}
SIGNS = {"*": r" \cdot ", "+": " + ", "-": " - "}


class Latex:
    r"""Writes expressions of a program.

    >>> from algolens.language.ir import Field
    >>> from algolens.language.parse import Parser, parse
    >>> fields = {"weight": Field("node", "number", bits=4)}
    >>> typed = "at least 2 neighbours (its weight < my weight)"
    >>> print(Latex(Text({}))(parse(Parser.statement, typed, "node", fields)))
    \exists^{\ge 2}\, y \in \text{neighbours}(x)\; (\mathit{weight}(y) < \mathit{weight}(x))
    """

    def __init__(self, text: Text) -> None:
        self.text = text

    def __call__(self, node: Expr) -> str:
        """An expression."""
        match node:
            case Const(bool() as value):
                return r"\top" if value else r"\bot"
            case Const(value):
                return str(value)
            case Me() | It():
                return "x" if isinstance(node, Me) else "y"
            case Get(column, _, of):
                return f"{_name(column)}({self(of)})"
            case Not(Compare(left, op, right) as term) if self.text.label(term) is None:
                return self(Compare(left, OPPOSITE[op], right))
            case Not(term):
                return rf"\lnot {self._inner(term, And | Or)}"
            case And(terms):
                return r" \land ".join(self._inner(term, Or) for term in terms)
            case Or(terms):
                return r" \lor ".join(self._inner(term, And) for term in terms)
            case Compare(left, op, right):
                label = self.text.label(node)
                if label is not None:
                    return rf"({self(left[0])} = {_text(label)})"
                return f"{self._side(left)} {ORDERS.get(op, op)} {self._side(right)}"
            case Arith(a, op, b):
                return f"{self._inner(a, Arith)}{SIGNS[op]}{self._inner(b, Arith)}"
            case Quantified(quantity, view, body, count):
                how = r"\forall" if quantity == "every" else r"\exists"
                many = rf"^{{\ge {count}}}" if quantity == "at least" else ""
                return rf"{how}{many}\, y \in {_view(view)}\; ({self(body)})"
            case The(view, where, value, by):
                keys = rf"{_text(' by ')}{self._side(by)}" if by else ""
                who = rf"{_text(' of the first ')} y \in {_view(view)}{_text(' with ')}"
                return f"{self(value)}{who} {self(where)}{keys}"
        raise TypeError(node)

    def _inner(self, term: Expr, enclosed: object) -> str:
        text = self(term)
        return f"({text})" if isinstance(term, enclosed) else text  # type: ignore[arg-type]

    def _side(self, values: tuple[Expr, ...]) -> str:
        texts = [self(value) for value in values]
        return texts[0] if len(texts) == 1 else f"({', '.join(texts)})"

    def case(self, let: Let, guard: Expr, value: Expr) -> str:
        """One case of a column: its value, and where."""
        labels, said = self.text.labels.get((let.at, let.name)), self(value)
        if labels and isinstance(value, Const):
            said = _text(labels[value.value])
        return said if guard == TRUE else rf"{said}\;{_text(' where ')}\; {self(guard)}"

    def begins(self, let: Let) -> str:
        """How a field of the state begins."""
        value = let.value
        if not isinstance(value, Case):
            return self.case(let, TRUE, value)
        lines = [
            rf"{self.case(let, TRUE, result)} & {self(guard)}" for guard, result in value.cases
        ]
        lines.append(rf"{self.case(let, TRUE, value.otherwise)} & {_text('else')}")
        return r"\begin{cases}" + r" \\ ".join(lines) + r"\end{cases}"


def start_to_latex(program: Program) -> str:
    """Aligned mathematics: how each field of the state begins."""
    say = Latex(Text.of(program))
    return _aligned(f"{_name(let.name)}(x) &:= {say.begins(let)}" for let in program.start)


def steps_to_latex(program: Program, decided: Iterable[str]) -> str:
    """Aligned mathematics: numbers, features, then what moves; decided: what rules decide."""
    say = Latex(Text.of(program))
    return _aligned(
        [
            *(f"{_name(let.name)}(x) &= {say(let.value)}" for let in numbers_of(program)),
            *(
                rf"{_name(let.name)}(x) &\leftrightarrow {say(let.value)}"
                for let in features_of(program)
            ),
            *(
                f"{_name(let.name)}(x) &:= {say.case(let, *case)}"
                for let, case in moves_in(program, decided)
            ),
        ]
    )


def _aligned(lines: Iterable[str]) -> str:
    return "\\begin{align*}\n" + " \\\\\n".join(lines) + "\n\\end{align*}"


def _name(name: str) -> str:
    return latex_name(name).replace(" ", r"\ ")


def _text(text: str) -> str:
    return rf"\text{{{in_latex(text)}}}"


def _view(view: View) -> str:
    return f"{_text(several(view.words))}(x)"

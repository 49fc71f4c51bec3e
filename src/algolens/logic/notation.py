"""Ways of writing formulas: the marks of each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from algolens.logic.formula import Formula


@dataclass(frozen=True)
class Notation:
    """The marks of one way of writing formulas."""

    conjunction: str
    disjunction: str
    negation: str
    true: str
    false: str
    name: Callable[[str], str] = str
    # of statements that are no concepts, where a layer above has such
    atom: Callable[[Formula], str] | None = None


TEXT = Notation(" & ", " | ", "~", "True", "False", atom=str)

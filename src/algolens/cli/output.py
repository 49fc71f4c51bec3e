"""Where output goes: results to standard output, everything else to standard error."""

from __future__ import annotations

import json
from decimal import Decimal
from fractions import Fraction
from typing import Any

import typer
from rich.console import Console

results = Console()
remarks = Console(stderr=True)


def print_json(value: Any) -> None:
    """One JSON document on standard output."""
    typer.echo(json.dumps(value, indent=2, ensure_ascii=False, default=_number))


def _number(value: Any) -> float | str:
    """A decimal as a number where a float is written just so, else as text: nothing is rounded."""
    if isinstance(value, Decimal) and Decimal(repr(float(value))) == value:
        return float(value)
    if isinstance(value, Decimal | Fraction):
        return str(value)
    raise TypeError(f"{type(value).__name__} is no JSON")

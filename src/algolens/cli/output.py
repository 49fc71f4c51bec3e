"""Where output goes: results to standard output, everything else to standard error."""

from __future__ import annotations

import json
from typing import Any

import typer
from rich.console import Console

results = Console()
remarks = Console(stderr=True)


def print_json(value: Any) -> None:
    """One JSON document on standard output."""
    typer.echo(json.dumps(value, indent=2, ensure_ascii=False))

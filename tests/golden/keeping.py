"""Values kept as compressed JSON, and the first place at which what is now differs from them."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent


def kept(name: str) -> Any:
    """What was written under a name."""
    return json.loads(gzip.decompress((FOLDER / f"{name}.json.gz").read_bytes()))


def write(name: str, value: Any) -> None:
    """Keep a value under a name, in place of what is there."""
    text = json.dumps(value, separators=(",", ":"))
    (FOLDER / f"{name}.json.gz").write_bytes(gzip.compress(text.encode(), mtime=0))


def first_difference(before: Any, now: Any, *, nearly: float = 1e-6, path: str = "") -> str | None:
    """The path of the first difference and both values there; None where there is none.

    nearly: by how much numbers that are not whole may differ.

    >>> first_difference({"steps": [1, 2]}, {"steps": [1, 3]})
    '.steps[1] was 2, is 3'
    >>> first_difference({"steps": [1], "by": 1}, {"steps": [1]})
    '.by was 1, is not there'
    """
    if isinstance(before, dict) and isinstance(now, dict):
        for key in [*before, *now]:
            if key not in now:
                return f"{path}.{key} was {_short(before[key])}, is not there"
            if key not in before:
                return f"{path}.{key} was not there, is {_short(now[key])}"
            below = f"{path}.{key}"
            if found := first_difference(before[key], now[key], nearly=nearly, path=below):
                return found
        return None
    if isinstance(before, list) and isinstance(now, list | tuple):
        for place, (one, other) in enumerate(zip(before, now, strict=False)):
            below = f"{path}[{place}]"
            if found := first_difference(one, other, nearly=nearly, path=below):
                return found
        if len(before) != len(now):
            return f"{path} had {len(before)} values, has {len(now)}"
        return None
    if float in (type(before), type(now)) and {type(before), type(now)} <= {int, float}:
        is_same = abs(before - now) <= nearly
    else:
        is_same = type(before) is type(now) and before == now
    return None if is_same else f"{path} was {_short(before)}, is {_short(now)}"


def _short(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) < 300 else f"{text[:300]} ..."

"""Remarks: sentences on what was measured of rules, of which some warn."""

from __future__ import annotations

from collections.abc import Sequence

WARNING = "WARNING: "
# how a remark begins on what may do otherwise elsewhere
SAMPLED = "These rules were drawn from a network's own run"


def warnings(lines: Sequence[str]) -> list[str]:
    """Those remarks that warn."""
    return [line for line in lines if line.startswith(WARNING)]


def said(sentence: str, *, is_right: bool) -> str:
    """A remark, which warns unless all is right."""
    return sentence[0].upper() + sentence[1:] if is_right else WARNING + sentence

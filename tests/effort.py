"""How many random cases a law is tried on."""

from __future__ import annotations

from hypothesis import settings

USUAL = 40  # where a test says nothing


def examples(count: int) -> settings:
    """So many cases in `make test`; with another profile, as in `make fuzz`, more in proportion."""
    usual = settings.default.max_examples if settings.default else USUAL
    return settings(max_examples=max(1, count * usual // USUAL), deadline=None)

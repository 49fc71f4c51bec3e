"""How many random cases a law is tried on."""

from __future__ import annotations

from hypothesis import settings

# what the counts in the tests are meant beside; `make test` tries half of it, `make fuzz` ten times
# as many
USUAL = 40


def examples(count: int) -> settings:
    """So many cases, in proportion to what the profile tries where a test says nothing."""
    return settings(max_examples=in_proportion(count), deadline=None)


def in_proportion(count: int) -> int:
    """So many, in proportion to what the profile tries where a test says nothing."""
    usual = settings.default.max_examples if settings.default else USUAL
    return max(1, count * usual // USUAL)

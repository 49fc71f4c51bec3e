"""What was measured of extracted rules, in sentences that go with them wherever they are written."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

WARNING = "WARNING: "


def remarks(described: Mapping[str, Any]) -> tuple[str, ...]:
    """On what rules were measured, how each agrees with its network and with the truth, and a warning where it does not.

    described: an extraction as its JSON has it.
    """
    elements, going_on = described["elements"], described["termination"]
    measured = f"{elements:,} decisions" + (f" and {going_on['steps']:,} steps" if going_on else "")
    lines = [
        f"These rules were drawn from a network's own run on {described['graphs']:,} graphs, and measured there: {measured}."
    ]
    for output, found in described["outputs"].items():
        for label, rule in found["classes"].items():
            shares = [rule["fidelity"], rule["accuracy"]]
            decided, true = (counted(share, elements, "decisions") for share in shares)
            sentence = (
                f"the rule for {output} = {label} says what the network decided at {decided}, and what is true at {true}."
            )
            lines.append(said(sentence, is_right=shares == [1, 1]))
            mostly = rule.get("mostly")
            if mostly:
                lines.append(
                    f"For {output} = {label} the network mostly goes by '{mostly['formula']}': that is what it decided at "
                    f"{counted(mostly['fidelity'], elements, 'decisions')}; otherwise most often where "
                    f"'{mostly['exception']}' ({mostly['exceptions']:,} times)."
                )
    if going_on:
        share = 1 - going_on["contradicting_steps"] / going_on["steps"]
        sentence = f"the rule for going on says what the network decided at {counted(share, going_on['steps'], 'steps')}."
        lines.append(said(sentence, is_right=not going_on["contradicting_steps"]))
    return tuple(lines)


def warnings(lines: Sequence[str]) -> list[str]:
    """Those remarks that warn."""
    return [line for line in lines if line.startswith(WARNING)]


def percent(share: float) -> str:
    """A share in percent, rounded down, so that only the whole is called 100 %.

    >>> percent(1.0), percent(0.999999)
    ('100.00 %', '99.99 %')
    """
    return f"{math.floor(10_000 * share + 1e-9) / 100:.2f} %"


def counted(share: float, total: int, what: str) -> str:
    """So many of all, and only all where it is all.

    >>> counted(0.9996, 10_000, "steps")
    '9,996 of 10,000 steps (99.96 %)'
    """
    return f"all {total:,} {what}" if share == 1 else f"{round(share * total):,} of {total:,} {what} ({percent(share)})"


def said(sentence: str, *, is_right: bool) -> str:
    """A remark, which warns unless all is right."""
    return sentence[0].upper() + sentence[1:] if is_right else WARNING + sentence

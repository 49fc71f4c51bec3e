"""What was measured of extracted rules, in sentences that go with them wherever they are
written.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from algolens.logic.remarks import SAMPLED, said


def remarks(described: Mapping[str, Any]) -> tuple[str, ...]:
    """On what rules were measured, how each agrees with its network and with the truth, and a
    warning where it does not.

    described: an extraction as its JSON has it.
    """
    elements, going_on = described["elements"], described["termination"]
    measured = f"{elements:,} decisions" + (f" and {going_on['steps']:,} steps" if going_on else "")
    graphs = f"{described['graphs']:,} graphs"
    if described["exact"]:
        lines = [
            (
                "These rules were read off a network, on all patterns of concepts, and measured on "
                f"{graphs}: {measured}."
            )
        ]
    else:
        lines = [
            (
                f"{SAMPLED} on {graphs}, from the patterns of concepts met there, and measured "
                f"there: {measured}."
            )
        ]
        if described.get("in_file"):
            lines.append("They are shown as rule_sets.json has them, and were not drawn anew.")
    for output, found in described["outputs"].items():
        if described["exact"] and not found["read"]:
            sentence = (
                f"the rules for {output} go by {len(found['relevant'])} concepts, too many for all "
                f"patterns: they were drawn from the {found['patterns_seen']:,} met on these "
                "graphs, and on others may say what the network does not."
            )
            lines.append(said(sentence, is_right=False))
        for label, rule in found["classes"].items():
            shares = [rule["fidelity"], rule["accuracy"]]
            decided, true = (counted(share, elements, "decisions") for share in shares)
            sentence = (
                f"the rule for {output} = {label} says what the network decided at {decided}, and "
                f"what is true at {true}."
            )
            lines.append(said(sentence, is_right=shares == [1, 1]))
            mostly = rule.get("mostly")
            if mostly:
                lines.append(
                    f"For {output} = {label} the network mostly goes by '{mostly['formula']}': "
                    "that is what it decided at "
                    f"{counted(mostly['fidelity'], elements, 'decisions')}; otherwise most often "
                    f"where '{mostly['exception']}' ({mostly['exceptions']:,} times)."
                )
    if going_on:
        share = 1 - going_on["contradicting_steps"] / going_on["steps"]
        sentence = (
            "the rule for going on says what the network decided at "
            f"{counted(share, going_on['steps'], 'steps')}."
        )
        lines.append(said(sentence, is_right=not going_on["contradicting_steps"]))
        if described["exact"] and not going_on["read"]:
            sentence = (
                "the rule for going on was drawn from these steps, and elsewhere may say what the "
                "network does not."
            )
            lines.append(said(sentence, is_right=False))
    return tuple(lines)


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
    return (
        f"all {total:,} {what}"
        if share == 1
        else f"{round(share * total):,} of {total:,} {what} ({percent(share)})"
    )

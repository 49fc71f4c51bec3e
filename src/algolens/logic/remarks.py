"""Remarks: sentences on what was measured of rules, which every export carries."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

WARNING = "WARNING: "
# how a remark begins on what may do otherwise elsewhere
SAMPLED = "These rules were drawn from a network's own run"


def warnings(lines: Sequence[str]) -> list[str]:
    """Those remarks that warn."""
    return [line for line in lines if line.startswith(WARNING)]


def said(sentence: str, *, is_right: bool) -> str:
    """A remark, which warns unless all is right."""
    return sentence[0].upper() + sentence[1:] if is_right else WARNING + sentence


def remarks(described: Mapping[str, Any]) -> tuple[str, ...]:
    """On what rules were measured, and how each agrees with its network and with the truth.

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
        if not described.get("has_concepts", True):
            lines.append(
                "The network has no concepts: they go by the algorithm's own, in the states that "
                "the network brought about."
            )
        if described.get("in_file"):
            lines.append("They are shown as rule_sets.json has them, and were not drawn anew.")
    for output, of_output in described["outputs"].items():
        if described["exact"] and not of_output["read"]:
            sentence = (
                f"the rules for {output} go by {len(of_output['relevant'])} concepts, too many for "
                f"all patterns: they were drawn from the {of_output['patterns_seen']:,} met on "
                "these graphs, and on others may say what the network does not."
            )
            lines.append(said(sentence, is_right=False))
        for label, rule in of_output["classes"].items():
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
    if going_on and going_on.get("of_algorithm"):
        lines.append(
            "The network does not tell whether to go on: the algorithm's own rule does, on the "
            "network's concepts."
        )
    elif going_on:
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
    """'k of n (p %)', or 'all n'.

    >>> counted(0.9996, 10_000, "steps")
    '9,996 of 10,000 steps (99.96 %)'
    """
    return (
        f"all {total:,} {what}"
        if share == 1
        else f"{round(share * total):,} of {total:,} {what} ({percent(share)})"
    )

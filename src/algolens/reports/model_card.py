"""A model card: what a trained run is for, what is proven of it, how it was trained and scored, and
where its limits are.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from algolens.algorithms import Algorithm, algorithm
from algolens.logic.rule_set import RuleSet
from algolens.terminal.declared import algorithm_facts, field_described, purpose

CARD = """# {name}

{purpose} {about}

Use it:

```sh
algolens execute {name} grid:9 --by network
```

## What it is for

| | |
|---|---|
| task | carry out `{name}` step by step, and give the reason for each step |
| graphs | {graphs} |
| inputs | {inputs} |
| concepts | {concepts} |
| outputs | {outputs} |
| options | {options} |
| not for | half precision or TF32; approximate or noisy inputs; any other algorithm |

## What is proven

{verdict}

{proofs}

Assumed:

{assumptions}

Tried besides, as `certificate.json` claims, which is no proof:

{trials}

`algolens certify {name}` does all of it again. [Exactness](../exactness.md) explains it.

## The rules it decides by

{rules}

`algolens explain {name}` also says what each concept means to it.

## Training

| | |
|---|---|
| preset | `{preset}`: no memory, messages of bits |
| data | single elements with arbitrary others in view, drawn afresh; \
no data set, nothing about people |
| command | `{command}` |
| seed | {seed} |
| device, time | {device}, {seconds} s |
| versions | {versions} |
| epochs | {epochs}, until it was proven |
| weights | {parameters:,} numbers, {kilobytes} KB; SHA-256 begins with `{digest}` |

## Scores

Percentages on random graphs that training did not use. A graph is right if everything is right in \
every step.

| nodes | graphs | outputs right at a step | outputs right at the end | graphs right | graphs \
right by rules |
|---:|---:|---:|---:|---:|---:|
{scores}

## Limits

{limits}
"""


def model_card(folder: Path, certificate: Mapping[str, Any]) -> str:
    """The card of a run of the preset ``exact``, as Markdown: from the files in its folder, and
    what its algorithm declares.

    certificate: of its network, proven by who asks for the card.
    """
    experiment, scores, rule_sets = (
        json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
        for name in ("experiment", "scores", "rule_sets")
    )
    made = experiment["about"]
    chosen = algorithm(experiment["algorithm"], **experiment["options"])
    proofs = [check for check in certificate["checks"] if check["kind"] == "proof"]
    weights = (folder / "weights.safetensors").read_bytes()
    return CARD.format(
        name=chosen.name,
        purpose=purpose(chosen),
        about=" ".join(algorithm_facts(chosen).split()),
        verdict=_verdict(certificate["proven"], sum(check["cases"] for check in proofs)),
        proofs=_checks(proofs, "cases"),
        trials=_checks(
            [check for check in certificate["checks"] if check["kind"] != "proof"], "runs"
        ),
        assumptions="\n".join(
            f"- {assumed[0].upper()}{assumed[1:]}." for assumed in certificate["assumptions"]
        ),
        rules=_rules(RuleSet.from_json(rule_sets["seeds"][0]["rule_set"])),
        preset=experiment["preset"],
        command=made["command"],
        seed=", ".join(map(str, experiment["seeds"])),
        device=made["device"],
        seconds=made["training_seconds"],
        versions=", ".join(f"{name} {version}" for name, version in made["versions"].items()),
        epochs=", ".join(map(str, made["selected_epochs"])),
        parameters=_num_parameters(weights),
        kilobytes=round(len(weights) / 1024),
        digest=certificate["about"]["weights"][:12],
        scores="\n".join(_score(size, found) for size, found in scores["sizes"].items()),
        limits="\n".join(f"- {each}" for each in _limits(chosen, max(map(int, scores["sizes"])))),
        **_declared(chosen),
    )


def _declared(chosen: Algorithm) -> dict[str, str]:
    """What an algorithm declares, as cells of a table."""
    declaration = chosen.declaration
    outputs = {name: declaration.predicted[name] for name in declaration.outputs}
    return {
        "graphs": "directed or undirected" if chosen.graphs == "any" else chosen.graphs,
        "inputs": "; ".join(
            f"`{name}`, {field_described(field)}" for name, field in declaration.inputs.items()
        )
        or "none",
        "concepts": ", ".join(f"`{name}`" for name in declaration.concepts),
        "outputs": "; ".join(
            f"`{name}`, {field_described(field)}" for name, field in outputs.items()
        )
        or "pointers and numbers only",
        "options": ", ".join(f"`{name}={value}`" for name, value in chosen.options.items())
        or "none",
    }


def _verdict(is_proven: bool, cases: int) -> str:
    if is_proven:
        return (
            "**It does what the algorithm declares, in every state of every graph.** All "
            f"{cases:,} cases were checked:"
        )
    return "**It is not proven.** What was checked:"


def _checks(checks: list[dict[str, Any]], counted: str) -> str:
    rows = [
        f"| {check['name']} | {check['cases']:,} | {check['failures']:,} | {_cell(check['says'])} |"
        for check in checks
    ]
    return "\n".join(
        [f"| check | {counted} | failures | what it says |", "|---|---:|---:|---|", *rows]
    )


def _rules(rule_set: RuleSet) -> str:
    rows = [
        f"- {output} = {label}: `{rule}`"
        for output, rules in rule_set.rules.items()
        for label, rule in rules.items()
    ]
    ends = (
        "It takes a fixed number of steps."
        if rule_set.continues is None
        else f"It goes on while: `{rule_set.continues}`"
    )
    return "\n".join([*rows, f"- {ends}"])


def _score(size: str, found: dict[str, Any]) -> str:
    names = ("mean_step", "last_step", "graphs_right", "formula_graphs_right")
    return (
        f"| {size} | {found['graphs']} | "
        + " | ".join(f"{found[name]:.2f}" for name in names)
        + " |"
    )


def _limits(chosen: Algorithm, largest: int) -> list[str]:
    bits = [
        f"`{name}` has {field.kind.bits} bits"
        for name, field in chosen.declaration.inputs.items()
        if hasattr(field.kind, "bits")
    ]
    return [
        (
            "That the declaration is the textbook's algorithm is tested against a reference, not "
            "proven."
        ),
        "Sums and moves are carried out by code, not learnt.",
        (
            f"It is scored on graphs of up to {largest:,} nodes. The proof holds for all of fewer "
            "than 2^31 nodes and edges."
        ),
        *([f"Inputs outside their bits are refused: {', '.join(bits)}."] if bits else []),
    ]


def _num_parameters(weights: bytes) -> int:
    """How many numbers a safetensors file holds, by the shapes in its header."""
    header = json.loads(weights[8 : 8 + int.from_bytes(weights[:8], "little")])
    total = 0
    for name, tensor in header.items():
        if name != "__metadata__":
            count = 1
            for length in tensor["shape"]:
                count *= length
            total += count
    return total


def _cell(text: str) -> str:
    return text.replace("|", "\\|")

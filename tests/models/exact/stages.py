"""Exact networks for random looks, with random weights, and what their layers give element by
element.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import torch

from algolens.algorithms import Declaration
from algolens.fields import Mask, Observed
from algolens.graphs import Location
from algolens.logic.formula import Formula
from algolens.looks import Compared, Feature, Label, Statement, statement_text
from algolens.models import Architecture
from algolens.models.exact import Exact, Stage
from algolens.models.layers import draw_all
from tests.looks.plain import World
from tests.looks.statements import FIELDS

INPUTS = {name: field for name, field in FIELDS.items() if not name.startswith("last ")}


def declared(look: Mapping[str, tuple[Location, Formula]]) -> Declaration:
    """An algorithm that sees certain things, whatever it does with them."""
    return Declaration(
        location=Location.NODE,
        inputs=INPUTS,
        state=("seen",),
        start={"seen": "awake"},
        look={
            name: Observed(location, statement_text(formula))
            for name, (location, formula) in look.items()
        }
        | {"seen": Observed(Location.NODE, "awake")},
        concepts=("seen",),
        outputs={"outcome": Mask()},
        rules={"outcome": {"true": "seen", "false": "~seen"}},
    )


def random_perceiver(
    declaration: Declaration, seed: int, *, in_order: bool, width: int = 6, bits: int = 3
) -> Exact:
    """With weights as they are first drawn, but larger and off balance, so that everything makes a
    difference.

    in_order: whether its comparisons tell numbers apart rightly; otherwise they too are random.
    """
    perceiver = Exact(
        declaration, Architecture(width=width, processor="exact", message_bits=bits), (seed,)
    )
    draw_all(perceiver, (seed,))
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for stage in perceiver.stages.values():
            for parameter in stage.parameters():
                parameter.mul_(2).add_(0.5 * torch.randn(parameter.shape, generator=generator))
        for comparison in perceiver.comparisons.values():
            if in_order:
                comparison.change.fill_(0.2)  # each place counts more than seven times the next
                comparison.offset.fill_(-8)
            else:
                comparison.change.copy_(
                    0.05 * torch.randn(comparison.change.shape, generator=generator)
                )
    for comparison in perceiver.comparisons.values():
        assert bool(comparison.in_order().all()) or not in_order
    return perceiver.eval()


def bits_of(value: int, bits: int, *, signed: bool) -> list[float]:
    """A number's bits, the highest first; a signed one is counted from the least that there is."""
    return [float(bit) for bit in f"{value + (2 ** (bits - 1) if signed else 0):0{bits}b}"]


def feature_of(
    perceiver: Exact, feature: Feature, world: World, at: Mapping[str, tuple[str, int]]
) -> int:
    """What a feature is of an element and one in view, numbers as the network compares them: by
    their bits.
    """
    if isinstance(feature, Label):
        return int(world.value(feature.term.to_json(), at))
    if not isinstance(feature, Compared):
        return int(
            world.value(feature.left.to_json(), at) == world.value(feature.right.to_json(), at)
        )
    first, second = (
        [
            bit
            for term, kind in zip(side, feature.kinds, strict=True)
            for bit in bits_of(int(world.value(term.to_json(), at)), kind.bits, signed=kind.signed)
        ]
        for side in (feature.left, feature.right)
    )
    return int(
        perceiver.comparison(feature).outcome(torch.tensor([first]), torch.tensor([second]))[0, 0]
    )


def number_of(values: Sequence[int], features: Sequence[Feature]) -> int:
    """A combination of values by its place among all of them."""
    every = list(itertools.product(*(range(each.size) for each in features)))
    return every.index(tuple(values))


def concluded(perceiver: Exact, statement: Statement, world: World, me: int) -> bool:
    """What the layers of a stage give of one element: every message computed by itself, then
    joined.
    """
    stage = perceiver.stages[statement.name]
    at = {"my": (statement.location.value, me)}
    own = number_of(
        [feature_of(perceiver, each, world, at) for each in statement.own], statement.own
    )
    kinds = []
    others, seen = (
        ("", []) if statement.relation is None else world.seen_by(statement.relation.phrase(1), me)
    )
    for it in seen:
        both = {**at, "its": (others, it)}
        kinds.append(
            number_of(
                [feature_of(perceiver, each, world, both) for each in statement.other],
                statement.other,
            )
        )
    return by_layers(stage, own, kinds) > 0


@torch.no_grad()
def by_layers(stage: Stage, own: int, kinds: Sequence[int]) -> float:
    """The logit of an element of an own class that has others of these kinds in view."""
    mine = torch.tensor([own])
    if not stage.looks_at_others:
        return float(stage.conclude(mine, stage.nothing(1)))
    if not kinds:
        return float(stage.conclude(mine, torch.zeros(1, 1, stage.bits * stage.most)))
    seen = torch.tensor([list(kinds)])
    return float(stage(mine, seen, torch.ones_like(seen, dtype=torch.bool)))


def as_json(values: Mapping[str, torch.Tensor]) -> dict[str, Any]:
    return {name: value.tolist() for name, value in values.items()}

"""Exact networks for random statements, with random weights, and what their layers give element by
element.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Sequence

import torch
from msgspec import json

from algolens import reference
from algolens.algorithms import Declaration
from algolens.graphs import Graph
from algolens.language.finite import Compared, Feature, Statement
from algolens.language.ir import At, Const, Expr, Field, Get, Let, Program
from algolens.models import Architecture
from algolens.models.exact import Exact, Stage
from algolens.models.layers import draw_all
from tests.language.statements import AT, FIELDS, Drawing, draw_world, read

# statements of every sort, with counting, and the table where each is said
TEXTS: list[tuple[str, At]] = [
    ("some neighbour (awake & its height > my height)", "node"),
    (
        "awake | no neighbour (color is red) & some neighbour (color is green & my color is green)",
        "node",
    ),
    ("at least 3 neighbours (awake)", "node"),
    ("at least 2 neighbours (awake) & ~at least 3 neighbours (color is red)", "node"),
    ("every neighbour (awake | its height = my height)", "node"),
    ("some end (awake) & ~every end (awake)", "edge"),
    ("at least 2 ends (color is red)", "edge"),
    ("awake & color is not red", "node"),
]


def drawn_statement(
    rng: random.Random, suits: Callable[[Statement], bool], name: str = "found"
) -> Statement:
    """One of these, or any other, that suits."""
    while True:
        text, at = rng.choice(TEXTS)
        if rng.random() < 0.7:
            at = rng.choice(AT)
            text = Drawing(rng, at).statement()
        statement = read(text, at, name)
        if suits(statement):
            return statement


def declared(*statements: Statement) -> Declaration:
    """An algorithm that sees certain things, whatever it does with them."""
    mask, seen = Field("node", "mask"), Get("seen", "node")
    lets = (*(each.let for each in statements), Let("seen", "node", Get("awake", "node")))
    program = Program(
        name="drawn",
        inputs=FIELDS,
        state={"outcome": mask},
        start=(Let("outcome", "node", Const(False)),),
        lets=lets,
        becomes=(Let("outcome", "node", seen),),
        outputs={"outcome": mask},
        concepts=("seen",),
    )
    return Declaration(program)


def drawn_state(rng: random.Random) -> tuple[reference.World, Graph, dict[str, torch.Tensor]]:
    """A small graph with any values, plainly, and as tensors."""
    world = draw_world(rng)
    graph, edges = world.graph, torch.tensor(world.graph.edges, dtype=torch.int64).reshape(-1, 2)
    batch = Graph(
        torch.tensor([graph.nodes]),
        torch.tensor([len(edges)]),
        edges.T.contiguous(),
        directed=graph.directed,
    )
    values = {
        name: torch.tensor(
            world.columns[one.at, name], dtype=torch.bool if one.kind == "mask" else torch.int64
        )
        for name, one in FIELDS.items()
    }
    return world, batch, values


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
    perceiver: Exact, feature: Feature, world: reference.World, me: int, it: int | None
) -> int:
    """What a feature is of an element and one in view, numbers as the network compares them: by
    their bits.
    """

    def of(term: Expr) -> int:
        return int(world.value(json.decode(json.encode(term)), me, it))

    sides = [[of(term) for term in side] for side in feature.sides]
    if not isinstance(feature, Compared):
        return sides[0][0] if len(sides) == 1 else int(sides[0] == sides[1])
    first, second = (
        [
            bit
            for value, one in zip(side, feature.numbers, strict=True)
            for bit in bits_of(value, one.bits, signed=one.signed)
        ]
        for side in sides
    )
    return int(
        perceiver.comparison(feature).outcome(torch.tensor([first]), torch.tensor([second]))[0, 0]
    )


def number_of(values: Sequence[int], features: Sequence[Feature]) -> int:
    """A combination of values by its place among all of them."""
    every = list(itertools.product(*(range(each.size) for each in features)))
    return every.index(tuple(values))


def concluded(perceiver: Exact, statement: Statement, world: reference.World, me: int) -> bool:
    """What the layers of a stage give of one element: every message computed by itself, then
    joined.
    """

    def combined(features: Sequence[Feature], it: int | None = None) -> int:
        values = [feature_of(perceiver, each, world, me, it) for each in features]
        return number_of(values, features)

    others = [] if statement.view is None else world.in_view(statement.view.words, me)[1]
    kinds = [combined(statement.others, it) for it in others]
    return by_layers(perceiver.stages[statement.name], combined(statement.own), kinds) > 0


@torch.no_grad()
def by_layers(stage: Stage, own: int, kinds: Sequence[int]) -> float:
    """The logit of an element of an own class that has others of these kinds in view."""
    mine = torch.tensor([own])
    if not stage.looks_at_others:
        return float(stage.conclude(mine))
    if not kinds:
        return float(stage.conclude(mine, torch.zeros(1, 1, stage.bits * stage.most)))
    seen = torch.tensor([list(kinds)])
    return float(stage(mine, seen, torch.ones_like(seen, dtype=torch.bool)))

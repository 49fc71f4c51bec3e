"""Numbers of any size: every engine computes them exactly, or refuses where the reference does."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import numpy as np

from algolens.algorithms import Algorithm, Graph, Node, mask, number, per, pointer
from algolens.graphs import Graph as Batch
from tests.conformance.cases import Case
from tests.conformance.test_conformance import hold
from tests.effort import in_proportion

MAGNITUDES = (1, 9, 2**20, 2**30, 2**31, 2**40, 2**60)
COUNT = in_proportion(60)


def drawn_sum(rng: random.Random, names: list[str], most: int) -> str:
    """Up to so many products, and a constant."""
    written = str(rng.randint(-9, 9))
    for _ in range(rng.randint(1, most)):
        factor = rng.choice([1, 1, -1, -1, 2, -3, 2**20])
        terms = rng.choices(names, k=rng.choice([1, 1, 2, 2, 3]))
        sign = "-" if factor < 0 else "+"
        written += f" {sign} {' * '.join([str(abs(factor)), *terms])}"
    return written


def computing(rng: random.Random) -> Algorithm:
    """Takes the second of two sums where it is the higher one, for two steps."""
    whole = number(62, signed=True)
    fields = ["x", "y", "root's x", "best"]
    members: dict[str, Any] = {
        "graphs": "any",
        "x": Node.input(whole),
        "y": Node.input(whole),
        "root": Node.input(pointer(Node)),
        "first": Node.derived(drawn_sum(rng, fields, 3)),
        "second": Node.derived(drawn_sum(rng, [*fields, "first"], 6)),
        "best": Node.output(whole, start="y", becomes="second where second > first"),
        "leads": Node.concept("me = greatest node by second"),
        "marked": Node.output(mask, start="False", becomes="leads"),
        "most_steps": 2 * per(Graph),
    }
    return type("Computing", (Algorithm,), members)()


def case(seed: int) -> Case:
    rng = random.Random(seed)
    chosen, nodes, most = computing(rng), rng.randint(1, 4), rng.choice(MAGNITUDES)
    given = {name: [rng.randint(-most, most) for _ in range(nodes)] for name in "xy"}
    given["root"] = [rng.randrange(nodes) for _ in range(nodes)]
    inputs = {name: np.array(values) for name, values in given.items()}
    return Case(chosen, Batch.pack([nodes], []), inputs)


def test_every_engine_computes_exactly_or_refuses() -> None:
    taken, ended = Counter[str](), Counter[bool]()
    for seed in range(COUNT):
        each = case(seed)
        hold(each, taken)
        ended["refused" in each.expected] += 1
    assert min(ended[True], ended[False]) >= COUNT // 5, ended

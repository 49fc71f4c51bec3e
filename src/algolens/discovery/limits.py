"""What a discovery may take, and what it tries: every bound and tuned number of the search."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from algolens.data.small_graphs import MOST_NODES

Sizes = tuple[int, int]  # the fewest and the most nodes of a graph


class Phase(NamedTuple):
    """What is tried together. What a step decides may be named by what is explained later, so after
    each decision the search begins with the first phase anew.
    """

    prices: range = range(1)  # of observations, one after the other
    depth: int = 0  # of inner observations
    choose: bool = False  # whether the first of those that could be is looked for
    classes: bool = False  # whether single classes of a category are looked for
    many: bool = False  # whether many observations together may explain a decision
    mixed: bool = False  # whether a move may be followed by a value of one's own


FIRST = Phase()
CHEAP = (Phase(range(3, 4)), Phase(range(3, 4), choose=True), Phase(range(4, 5)))


@dataclass(frozen=True)
class Limits:
    """What a discovery may take and try; callers replace what they want otherwise."""

    # what a user asks for
    runs: int = 30  # on random graphs, that it begins with
    seconds: float = 120.0  # of computing, after which the best so far is given
    seed: int = 0  # of the random graphs
    # all graphs of up to so many nodes are tried, at most 5 (4, if they are directed)
    nodes: int = max(MOST_NODES.values())
    progress: Callable[[str], None] = lambda _: None  # callback for one-line progress messages

    # what is tried at the time
    until: float = np.inf  # CPU deadline, as ``time.process_time()`` counts
    phase: Phase = FIRST
    price: int = 1  # of observations
    allowed: float = 0.0  # the share of decisions that may be exceptions; 0: it is exact
    # of several that a value may be taken from, whether all are marked; by default, those alone
    # that no other can stand in for
    mark_all: bool = False

    # runs
    first_sizes: Sizes = (3, 9)  # nodes of the graphs that a search begins with,
    more_sizes: Sizes = (5, 14)  # of further ones, where the first leave something unexplained,
    fresh_sizes: Sizes = (4, 20)  # and of those that what was found is held against
    checked: int = 60  # random runs that what was found is held against
    every_input: int = 6_000  # runs on graphs of one size with every order of inputs; else drawn
    refused: int = 40  # batches that the black box refuses, before inputs are drawn
    # runs that tell answers of one price apart: how many, of how many nodes
    apart: tuple[tuple[int, Sizes], ...] = ((60, (2, 5)), (40, (5, 12)), (20, (12, 24)))

    # rounds
    rounds: int = 60
    unexplained: int = 2  # times that more states are looked at, where something is not explained
    first_states: int = 260  # that are looked at first,
    more_states: int = 600  # and where these leave something unexplained
    added: int = 40  # runs that err, of which states are added at a time

    # statements
    most_price: int = 7  # of one observation
    counted: int = 4  # "at least 4"
    literals: int = 3  # of one in view
    bodies: int = 8_000  # of one relation and one price
    cells: int = 8_000_000  # bools that are looked at together

    # explaining a decision
    further: int = 2  # prices beyond the first that are tried, in search of a cheaper set,
    furthest: int = 4  # but no further than that
    known_price: float = 0.1  # what an observation costs that was chosen before
    offered: int = 12_000  # observations, beyond which no cheaper set is looked for
    others_seconds: float = 0.5  # of looking for another set of the same price
    inner: int = 80  # observations of a location that others may look at
    cover_seconds: float = 3.0  # of looking for the cheapest set; then a cheap one is enough
    cover_nodes: int = 3_000  # of branch and bound
    chosen: int = 10  # observations of one decision
    nearest: int = 40  # of a group of states that look alike, so many get their nearest opposite,
    compared: int = 400  # of so many
    # orders that are tried where observations cost more than 2: so many of the cheapest, and of
    # those that explain most
    orders: int = 12
    phases: tuple[Phase, ...] = (
        Phase(range(1, 4)),
        Phase(range(1, 4), choose=True),
        Phase(range(1, 5), classes=True),
        Phase(range(1, 3), many=True),
        Phase(range(1, 4), choose=True, many=True),
        Phase(range(1, 4), mixed=True),
        Phase(range(2, 5), 1),
        Phase(range(2, 5), 1, choose=True),
        Phase(range(4, 6)),
        Phase(range(2, 5), 2),
        Phase(range(2, 5), 2, choose=True),
        Phase(range(3, 6), many=True),
        Phase(range(6, 8), many=True),
    )

    # moves
    plans: int = 6  # ways to explain a field, that are tried
    dearer_plans: int = 1  # by how much they may cost more than the cheapest
    moves: int = 3  # of one field
    mixed_sources: int = 2  # in view, and of one's own, that are tried together
    partial_sources: int = 40  # that explain some changes, of which plans are made

    # whether a run goes on
    extra: int = 300  # observations of one price that are tried beside all concepts
    looked_through: int = 2_000  # of these, the first that are sorted by what moves go by
    price_if_fixed: int = 3  # of observations, where the number of steps may be fixed

    # with exceptions
    exact_share: float = 0.6  # of the time, in which an exact explanation is looked for first
    odd_runs: int = 150  # at least: by fewer, chance is not told from rule
    odd_rounds: Sizes = (3, 8)  # at least and at most: rare cases come up on larger graphs, later
    fresh: int = 60  # runs that exceptions are counted on
    shares: tuple[float, ...] = tuple(map(float, np.geomspace(0.01, 0.25, 15)))  # one after another
    likely: float = 1.3  # times the usual share: with so many, dearer observations are tried
    slice: float = 0.4  # of the time left, that is spent with so many exceptions
    cheap: tuple[Phase, ...] = CHEAP
    dear: tuple[Phase, ...] = (
        *CHEAP,
        Phase(range(3, 5), 1),
        Phase(range(3, 4), 1, choose=True),
        Phase(range(4, 6), choose=True),
        Phase(range(3, 5), 2),
    )
    exact_price: int = 3  # up to this price, what needs no exception is looked for first
    enough: int = 8_000  # observations, beyond which no dearer ones are offered
    described: int = 5_000  # of them that a description may choose; beyond it, the cheapest
    beam: int = 6  # sets that are widened at a time
    describing: int = 7  # observations of a set
    promising: int = 500  # observations that sets other than the best are widened by
    clearly: float = 10.0  # bits that an observation must save beyond its name: a thousand to one
    patience: int = 2  # wider sets without a shorter description, after which it ends
    likely_sources: int = 12  # of which pairs are tried
    odd_bits: float = 8.0  # of a change that no source explains
    price_bits: float = 10.0  # of what a source costs
    condition_price: int = 2  # of the observations that the condition of a choice is made of
    condition_offered: int = 60  # of these, the cheapest
    condition_kept: int = 6  # conditions that are made narrower
    condition_parts: int = 3  # observations of a condition
    condition_clearly: int = 4  # fewer odd ones, for which a condition may have one part more,
    condition_dearer: int = 2  # or cost 1 more, or an order
    # of those that were chosen; where more are odd, the order tells nothing
    condition_odd: float = 0.8
    orders_on: int = 1_200  # elements that all orders are tried on
    best_orders: int = 5  # that are tried on all elements

    # from final outputs alone
    end_sizes: Sizes = (2, 7)
    end_price: int = 12  # of a program
    end_counted: int = 3
    end_literals: int = 2
    end_batches: int = 4  # of all graphs of one size

    @property
    def is_late(self) -> bool:
        """Whether the time is spent."""
        return time.process_time() > self.until

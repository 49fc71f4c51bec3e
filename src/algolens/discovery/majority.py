"""A black box that errs by chance, asked again for the same step until one answer leads clearly."""

from __future__ import annotations

from collections import Counter

import numpy as np
import torch
from numpy import ndarray
from torch import Tensor

from algolens.algorithms import Values
from algolens.discovery.oracle import Oracle, StepAnswer, values_on
from algolens.errors import DefinitionError
from algolens.graphs import At, Graph, TakenGraphs

FIRST = 10  # times that each step is asked for; then twice as often, where no answer leads clearly
MOST_ASKED = 160
RARELY = 1e-9  # how often a wrong answer may win
SHARES = (0.01, 0.4)  # between which the share of wrong answers is taken to be


class UndecidedBlackBoxError(DefinitionError):
    """Where a step was asked for many times, and no answer leads."""


class MajorityOracle(Oracle):
    """A black box whose every step is what it answers most often.

    A wrong answer that comes with probability q leads the right one by d votes with probability
    (q / (1 - q))**d. q is estimated, for each field, from the answers so far; d is the least lead
    for which a wrong answer wins once in 10**9 decisions.

    This tells wrong answers from right ones only where a black box errs otherwise the next time.

    Parameters
    ----------
    oracle : Oracle
        The black box that errs by chance.
    """

    def __init__(self, oracle: Oracle) -> None:
        self.oracle, self.schema = oracle, oracle.schema
        self.begin, self.sample = oracle.begin, oracle.sample  # type: ignore[method-assign]
        self.most_steps = oracle.most_steps  # type: ignore[method-assign]
        self.answers: Counter[str] = Counter()  # single values that were given, by field
        self.otherwise: Counter[str] = Counter()  # of these, those that are not the most frequent

    @property
    def share(self) -> float:
        """The share of values that were given otherwise than most."""
        return self.otherwise.total() / max(self.answers.total(), 1)

    def step(self, graph: Graph, inputs: Values, state: Values, times: int = FIRST) -> StepAnswer:
        """What is answered most of so many times."""
        schema, count = self.schema, graph.num_graphs
        if times > MOST_ASKED:
            raise UndecidedBlackBoxError(
                f"{schema.name} was asked {MOST_ASKED} times for the same step, and no answer "
                "leads clearly: it errs too often."
            )

        def on(part: TakenGraphs) -> tuple[Graph, Values, Values]:
            given = values_on(schema.inputs, inputs, part)
            return part.graph, given, values_on(schema.state, state, part)

        part = graph.take(torch.arange(count).repeat(times))
        answer = self.oracle.step(*on(part))
        is_open = np.zeros(count, bool)

        def winner(name: str, value: Tensor, location: At) -> Tensor:
            order = part.index(location).argsort(stable=True)
            won, is_close = self._counted(name, value[order].reshape(-1, times).numpy())
            is_open[graph.owner(location).numpy()[is_close]] = True
            return torch.from_numpy(won)

        places = {name: schema.decided[name].at for name in answer.frame}
        frame = {name: winner(name, answer.frame[name], at) for name, at in places.items()}
        goes_on = winner("goes_on", answer.goes_on, "graph")
        outcomes = {  # a field of the state may have the same name
            name: winner(f"outcome {name}", value, "graph")
            for name, value in answer.outcomes.items()
        }
        if is_open.any():
            some = graph.take(np.flatnonzero(is_open))
            again = self.step(*on(some), 2 * times)
            for name, at in places.items():
                frame[name][some.index(at)] = again.frame[name]
            for name, value in again.outcomes.items():
                outcomes[name][is_open] = value
            goes_on[is_open] = again.goes_on
        return StepAnswer(frame, goes_on, outcomes)

    def _counted(self, name: str, votes: ndarray) -> tuple[ndarray, ndarray]:
        """[N] what each element was given most often, and whether that does not lead clearly.

        votes: [N, times].
        """
        values = np.unique(votes)
        counts = np.zeros((len(votes), len(values) + 2), int)
        for place, value in enumerate(values):
            counts[:, place] = (votes == value).sum(1)
        second, first = np.sort(counts, 1)[:, -2:].T
        self.answers[name] += votes.size
        self.otherwise[name] += votes.size - int(first.sum())
        share = np.clip((self.otherwise[name] + 1) / (self.answers[name] + 10), *SHARES)
        lead = np.ceil(np.log(RARELY) / np.log(share / (1 - share)))
        return values[counts.argmax(1)], first - second < lead

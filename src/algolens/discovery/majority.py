"""A black box that errs by chance, asked again for the same step until one answer leads clearly."""

from __future__ import annotations

from collections import Counter

import numpy as np
import torch
from numpy import ndarray
from torch import Tensor

from algolens.algorithms import Values
from algolens.discovery.teachers import StepAnswer, StepTeacher, values_on
from algolens.errors import DefinitionError
from algolens.graphs import Graph, TakenGraphs
from algolens.language.fields import Location

FIRST = 10  # times that each step is asked for; then twice as often, where no answer leads clearly
MOST_ASKED = 160
RARELY = 1e-9  # how often a wrong answer may win
SHARES = (0.01, 0.4)  # between which the share of wrong answers is taken to be


class UndecidedBlackBoxError(DefinitionError):
    """Where a step was asked for many times, and no answer leads."""


class MajorityTeacher(StepTeacher):
    """A black box whose every step is what it answers most often.

    A wrong answer that comes with probability q leads the right one by d votes with probability
    (q / (1 - q))**d. q is estimated, for each field, from the answers so far; d is the least lead
    for which a wrong answer wins once in 10**9 decisions.

    This tells wrong answers from right ones only where a black box errs otherwise the next time.

    Parameters
    ----------
    teacher : StepTeacher
        Who errs by chance.
    """

    def __init__(self, teacher: StepTeacher) -> None:
        self.teacher, self.schema = teacher, teacher.schema
        self.answers: Counter[str] = Counter()  # single values that were given, by field
        self.otherwise: Counter[str] = Counter()  # of these, those that are not the most frequent

    @property
    def share(self) -> float:
        """The share of values that were given otherwise than most."""
        return self.otherwise.total() / max(self.answers.total(), 1)

    def begin(self, graph: Graph, inputs: Values) -> Values:
        return self.teacher.begin(graph, inputs)

    def sample(self, graph: Graph, rng: np.random.Generator) -> dict[str, Tensor]:
        return self.teacher.sample(graph, rng)

    def most_steps(self, graph: Graph) -> Tensor:
        return self.teacher.most_steps(graph)

    def step(self, graph: Graph, inputs: Values, state: Values) -> StepAnswer:
        return self._voted(graph, inputs, state, FIRST)

    def _voted(self, graph: Graph, inputs: Values, state: Values, times: int) -> StepAnswer:
        """What is answered most of so many times."""
        schema = self.schema
        if times > MOST_ASKED:
            raise UndecidedBlackBoxError(
                f"{schema.name} was asked {MOST_ASKED} times for the same step, and no answer "
                "leads clearly: it errs too often."
            )

        def on(part: TakenGraphs) -> tuple[Graph, Values, Values]:
            given = values_on(schema.inputs, inputs, part)
            return part.graph, given, values_on(schema.state, state, part)

        part = graph.take(torch.arange(graph.num_graphs).repeat(times))
        answer = self.teacher.step(*on(part))
        is_open = np.zeros(graph.num_graphs, bool)

        def winners(name: str, value: Tensor, location: Location) -> Tensor:
            order = part.index(location).argsort(stable=True)
            votes = value[order].reshape(-1, times).numpy()
            won, is_close = self._counted(name, votes)
            is_open[graph.owner(location).numpy()[is_close]] = True
            return torch.from_numpy(won)

        made = StepAnswer(
            {
                name: winners(name, value, schema.decided[name].location)
                for name, value in answer.frame.items()
            },
            winners("goes_on", answer.goes_on, Location.GRAPH),
            {  # a field of the state may have the same name
                name: winners(f"outcome {name}", value, Location.GRAPH)
                for name, value in answer.outcomes.items()
            },
        )
        if is_open.any():
            some = graph.take(torch.from_numpy(is_open.nonzero()[0]))
            again = self._voted(*on(some), 2 * times)
            for name, value in again.frame.items():
                made.frame[name][some.index(schema.decided[name].location)] = value
            made.goes_on[is_open] = again.goes_on
            for name, value in again.outcomes.items():
                made.outcomes[name][is_open] = value
        return made

    def _counted(self, name: str, votes: ndarray) -> tuple[ndarray, ndarray]:
        """[N] what each element was given most often, and whether that does not lead clearly.

        votes: [N, times].
        """
        values, number = np.unique(votes, return_inverse=True)
        counts = np.zeros((len(votes), len(values) + 2), int)
        np.add.at(counts, (np.arange(len(votes))[:, None], number.reshape(votes.shape)), 1)
        second, first = np.sort(counts, 1)[:, -2:].T
        self.answers[name] += votes.size
        self.otherwise[name] += votes.size - int(first.sum())
        share = np.clip((self.otherwise[name] + 1) / (self.answers[name] + 10), *SHARES)
        lead = np.ceil(np.log(RARELY) / np.log(share / (1 - share)))
        return values[counts.argmax(1)], first - second < lead

"""A black box that errs by chance, asked again for the same step until one answer leads clearly."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import torch
from torch import Tensor

from algolens.discovery.schema import StepAnswer, StepTeacher, values_on
from algolens.errors import DefinitionError
from algolens.graphs import Graph
from algolens.language.fields import Location

FIRST = 10  # times that each step is asked for
FURTHER = 4  # times more, where no answer leads clearly
MOST_ASKED = 200
RARELY = 1e-9  # how often a wrong answer may win
SHARES = (0.01, 0.4)  # between which the share of wrong answers is taken to be
GOES_ON = "goes_on"


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
        self.answers: dict[str, int] = {}  # single values that were given, by field
        self.otherwise: dict[str, int] = {}  # of these, how many are not the most frequent

    @property
    def share(self) -> float:
        """The share of values that were given otherwise than most."""
        return sum(self.otherwise.values()) / max(sum(self.answers.values()), 1)

    def begin(self, graph: Graph, inputs: Mapping[str, Tensor]) -> Mapping[str, Tensor]:
        return self.teacher.begin(graph, inputs)

    def sample(self, graph: Graph, rng: np.random.Generator) -> dict[str, Tensor]:
        return self.teacher.sample(graph, rng)

    def most_steps(self, graph: Graph) -> Tensor:
        return self.teacher.most_steps(graph)

    def step(
        self, graph: Graph, inputs: Mapping[str, Tensor], state: Mapping[str, Tensor]
    ) -> StepAnswer:
        ballots = {
            name: _Ballot(declared.kind.dtype, graph.owner(declared.location))
            for name, declared in self.schema.decided.items()
        }
        everyone = torch.arange(graph.num_graphs)
        told = {name: _Ballot(torch.long, everyone) for name in (GOES_ON, *self._outcome_names())}
        open_graphs, times, asked = everyone, FIRST, 0
        while len(open_graphs):
            if asked >= MOST_ASKED:
                raise UndecidedBlackBoxError(
                    f"{self.schema.name} was asked {asked} times for the same step, and no answer "
                    "leads clearly: it errs too often."
                )
            part = graph.take(open_graphs.repeat(times))
            answer = self.teacher.step(
                part.graph,
                values_on(self.schema.inputs, inputs, part),
                values_on(self.schema.state, state, part),
            )
            for name, ballot in ballots.items():
                location = self.schema.decided[name].location
                ballot.add(part.index(location), answer.frame[name])
            told[GOES_ON].add(part.index(Location.GRAPH), answer.goes_on)
            for name, value in answer.outcomes.items():
                told[self._outcome(name)].add(part.index(Location.GRAPH), value)
            is_open = torch.zeros(graph.num_graphs, dtype=torch.bool)
            for name, ballot in {**ballots, **told}.items():
                is_open |= ballot.is_open(self._lead(name), graph.num_graphs)
            asked, times = asked + times, FURTHER
            open_graphs = is_open.nonzero().flatten()
        for name, ballot in {**ballots, **told}.items():
            self.answers[name] = self.answers.get(name, 0) + ballot.count
            self.otherwise[name] = self.otherwise.get(name, 0) + ballot.otherwise
        return StepAnswer(
            {name: ballot.winners() for name, ballot in ballots.items()},
            told[GOES_ON].winners(),
            {name: told[self._outcome(name)].winners().bool() for name in self.schema.outcomes},
        )

    def _outcome_names(self) -> list[str]:
        return [self._outcome(name) for name in self.schema.outcomes]

    @staticmethod
    def _outcome(name: str) -> str:
        return f"outcome {name}"  # a field of the state may have the same name

    def _lead(self, name: str) -> int:
        """By how many votes an answer must lead."""
        share = (self.otherwise.get(name, 0) + 1) / (self.answers.get(name, 0) + 10)
        share = float(np.clip(share, *SHARES))
        return int(np.ceil(np.log(RARELY) / np.log(share / (1 - share))))


@dataclass(eq=False)
class _Ballot:
    """The values that were given of each element."""

    dtype: torch.dtype
    owner: Tensor  # [N] the graph of each element
    elements: list[np.ndarray] = field(default_factory=list)
    values: list[np.ndarray] = field(default_factory=list)

    def add(self, elements: Tensor, values: Tensor) -> None:
        self.elements.append(elements.numpy())
        self.values.append(values.long().numpy())

    @property
    def count(self) -> int:
        return sum(map(len, self.elements))

    @property
    def otherwise(self) -> int:
        return self.count - int(self._leading()[1].sum())

    def is_open(self, lead: int, num_graphs: int) -> Tensor:
        """[G] bools: in which graphs the first value of some element does not lead by so much."""
        _, first, second = self._leading()
        close = torch.from_numpy(first - second < lead)
        is_open = torch.zeros(num_graphs, dtype=torch.bool)
        is_open[self.owner[close]] = True
        return is_open

    def winners(self) -> Tensor:
        return torch.from_numpy(self._leading()[0]).to(self.dtype)

    def _leading(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """[N] of every element: the most frequent value, its votes, and those of the second."""
        values, number = np.unique(np.concatenate(self.values), return_inverse=True)
        keys = np.concatenate(self.elements) * len(values) + number.reshape(-1)
        pairs, votes = np.unique(keys, return_counts=True)
        element, value = pairs // max(len(values), 1), values[pairs % max(len(values), 1)]
        order = np.lexsort((-votes, element))
        element, value, votes = element[order], value[order], votes[order]
        begins = np.flatnonzero(np.diff(element, prepend=-1))
        second = np.zeros(len(begins), np.int64)
        has_second = np.diff(np.append(begins, len(element))) > 1
        second[has_second] = votes[begins[has_second] + 1]
        return value[begins], votes[begins], second

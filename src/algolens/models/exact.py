"""Exact networks: a stage for each declared statement, which can be proven right on every graph."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import product
from typing import Any

import msgspec
import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from algolens.algorithms import Algorithm, Declaration, Values
from algolens.engines.tensors import Running, Tensors, compared
from algolens.graphs import Graph
from algolens.language import finite, ir
from algolens.language.finite import Closure, Compared, Feature, Statement
from algolens.language.rules import with_lets
from algolens.language.text import table_of
from algolens.models.architecture import GOES_ON, Architecture, reserved
from algolens.models.layers import Linear, Seeded, leaky
from algolens.models.perceiver import Perceived, Perceiver

PAIRS_AT_ONCE = 2**18  # of which messages are computed

# how much faster than other weights the logarithms of the places' weights move: they have further
# to go
SPREAD = 10.0
MARGIN = 6.0  # of the hinge loss
RATE, BATCH, CHECK_EVERY = 1e-2, 256, 25
# a comparison that is not in order after so many batches begins anew; of numbers of 155 bits, three
# of four get there the first time
PATIENCE, ATTEMPTS = 2_500, 8
EQUAL_SHARE = 0.2  # of the pairs it is taught by


class Comparator(Seeded):
    """Two numbers side by side: is the one lower, or higher, than the other?

    Two bits for a pair of numbers x, y: lower = hard(-d - b), higher = hard(d - b), with d = w .
    (bits of x - bits of y). Where bits agree, nothing is added, so rounding is relative to the
    first place that differs, and numbers of any length are told apart. The weights w = sinh(theta)
    can span many powers of two; learnt is by how much theta changes from place to place, so that no
    place's weight has to be found against all the others'. Both bits share one offset b > 0: of
    equal numbers neither is set, whatever is learnt.
    """

    def __init__(self, seeds: int, bits: int) -> None:
        super().__init__()
        self.bits = bits
        # of theta, from each place to the one before it
        self.change = nn.Parameter(torch.empty(seeds, bits))
        self.offset = nn.Parameter(torch.zeros(seeds, 1))

    def draw(self, place: int, generator: torch.Generator) -> None:
        with torch.no_grad():
            self.change[place] = (
                0.3 + 0.1 * torch.randn(self.change[place].shape, generator=generator)
            ) / SPREAD
            self.offset[place] = 0.0

    @property
    def weights(self) -> Tensor:
        """[S, bits] what each place counts, the highest first."""
        return torch.sinh((SPREAD * self.change.double()).flip(1).cumsum(1).flip(1))

    @property
    def threshold(self) -> Tensor:
        """[S, 1] what a difference must exceed: always positive."""
        return F.softplus(self.offset.double())

    def difference(self, first: Tensor, second: Tensor) -> Tensor:
        """[S, A] of numbers that come as their bits, [A, bits] each."""
        return self.weights @ (first - second).double().T

    def outcome(self, first: Tensor, second: Tensor) -> Tensor:
        """[S, A] 0 where the first number [A, bits] is lower, 1 where neither, 2 where higher."""
        difference = self.difference(first, second)
        return 1 + (difference > self.threshold).long() - (difference < -self.threshold).long()

    def margins(self) -> Tensor:
        """[S, bits] how far a difference that begins at a place exceeds the threshold, at least.

        At the first place where two numbers differ, that place's weight stands against all lower
        ones, which can take away no more than their sum; what rounding can change, in any order of
        adding, is taken away besides.
        """
        weights = self.weights
        lower = weights.abs().flip(1).cumsum(1).flip(1) - weights.abs()
        unit = 4 * (self.bits + 3) * torch.finfo(torch.float64).eps
        return (weights - lower) - self.threshold - unit * (weights.abs() + lower + self.threshold)

    def in_order(self) -> Tensor:
        """[S] bools: a proof, on the weights, that all different numbers are told apart rightly."""
        margins = self.margins()
        return (margins > 0).all(1) & margins.isfinite().all(1)


def teach(comparison: Comparator, seed: int) -> None:
    """Teach a comparison on pairs that are hard to tell apart, each of its seeds alone.

    One that is not in order for long begins anew from other weights.
    """
    for place in range(len(comparison.change)):
        alone, generator = Comparator(1, comparison.bits), torch.Generator().manual_seed(seed)
        with torch.no_grad():
            for own, held in zip(alone.parameters(), comparison.parameters(), strict=True):
                own.copy_(held[place : place + 1])
        for _ in range(1, ATTEMPTS):
            if _in_order(alone, generator):
                break
            alone.draw(0, generator)
        with torch.no_grad():
            for own, held in zip(alone.parameters(), comparison.parameters(), strict=True):
                held[place] = own[0]


def _in_order(alone: Comparator, generator: torch.Generator) -> bool:
    """Whether one seed gets in order by so many batches."""
    adam = torch.optim.Adam(alone.parameters(), RATE)
    for batch in range(PATIENCE):
        if batch % CHECK_EVERY == 0 and alone.in_order():
            return True
        first, second, order = _pairs(alone.bits, BATCH, generator)
        difference = alone.difference(first, second) / alone.threshold
        # asinh: a pair that lies far on the wrong side pulls as much as one that lies near
        loss = F.relu(MARGIN - order * torch.asinh(difference) / math.asinh(1))
        adam.zero_grad()
        (loss * (order != 0)).sum().div(BATCH).backward()
        adam.step()
    return False


def _pairs(bits: int, count: int, generator: torch.Generator) -> tuple[Tensor, Tensor, Tensor]:
    """Pairs of numbers [count, bits], and whether the first is higher (1), lower (-1), neither (0).

    Two numbers agree up to a place, differ there, and are then either random, or as near to each
    other as can be.
    """
    first, other = (torch.randint(0, 2, (count, bits), generator=generator) for _ in range(2))
    place = torch.randint(0, bits, (count, 1), generator=generator)
    columns, higher = torch.arange(bits), first.gather(1, place)
    second = torch.where(columns < place, first, other)
    second = torch.where(columns == place, 1 - first, second)
    close = (columns > place) & (torch.rand(count, 1, generator=generator) < 0.5)
    first, second = torch.where(close, 1 - higher, first), torch.where(close, higher, second)
    equal = torch.rand(count, 1, generator=generator) < EQUAL_SHARE
    order = torch.where(equal, 0, 2 * higher - 1).squeeze(1)
    return first, torch.where(equal, first, second), order


@dataclass(frozen=True)
class Star:
    """An element of an own class, and the neighbour classes of those in view."""

    own: int
    kinds: tuple[int, ...]


def harden(x: Tensor) -> Tensor:
    """1 where positive, else 0; its gradient is the sigmoid's."""
    return _Hard.apply(x)


class _Hard(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.save_for_backward(x)
        return (x > 0).to(x.dtype)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Tensor:
        soft = torch.sigmoid(ctx.saved_tensors[0])
        return grad * soft * (1 - soft)


SILENCE = -5.0  # the logit of a bit that nobody sends


class Stage(nn.Module):
    """Bits from everyone in view, joined; then a head on the own class and the joined bits.

    A message is hard(M(own class, kind of other)). M and the head are two layers each. Bits are
    joined by "or"; where others are counted, by a sum that stops at the largest count that is asked
    for, which the head sees as a thermometer of bits. So what is concluded is settled by the own
    class and by how many of each kind are in view (one, or none, where nothing is counted):
    finitely many cases, whatever the graph. What a stage knows of its observation is which features
    it reads, and how far it counts; never the formula.
    """

    own_features: Tensor  # [own classes, features] each own class as the layers see it
    kind_features: Tensor  # [kinds, features] each kind of other likewise

    def __init__(self, seeds: int, statement: Statement, *, width: int, bits: int) -> None:
        super().__init__()
        self.most = statement.most
        self.looks_at_others = statement.view is not None
        self.register_buffer("own_features", _encoded(statement.own), persistent=False)
        self.register_buffer("kind_features", _encoded(statement.others), persistent=False)
        own, kind = self.own_features.shape[1], self.kind_features.shape[1]
        self.bits = num_bits(statement, bits)
        if self.looks_at_others:
            self.message_first = Linear(seeds, own + kind, width)
            self.message_last = Linear(seeds, width, self.bits)
        self.head_first = Linear(seeds, own + self.bits * self.most, width)
        self.head_last = Linear(seeds, width, 1)

    def messages(self, own: Tensor, kinds: Tensor) -> Tensor:
        """[S, A, bits] logits of what others of kinds [A] send to elements of own classes [A]."""
        features = torch.cat([self.own_features[own], self.kind_features[kinds]], -1)
        features = features.expand(len(self.message_first.weight), -1, -1)
        return self.message_last(leaky(self.message_first(features)))

    def sent(self) -> Tensor:
        """[S, own classes, kinds, bits] logits of every message that there is."""
        own, kinds = len(self.own_features), len(self.kind_features)
        every = torch.arange(own * kinds, device=self.own_features.device)
        return self.messages(every // kinds, every % kinds).unflatten(1, (own, kinds))

    def thermometer(self, received: Tensor) -> Tensor:
        """[..., bits x most] counts of bits [..., bits] as the head sees them."""
        steps = torch.arange(self.most, device=received.device)
        return (received[..., None] > steps).float().flatten(-2)

    def join(self, sent: Tensor, there: Tensor) -> Tensor:
        """[S, M, bits x most] what elements receive, from logits [S, M, others, bits].

        there: [M, others] who is there.
        """
        silent = ~there[None, :, :, None]
        if self.most == 1:
            return harden(sent.masked_fill(silent, SILENCE).amax(2))
        counts = harden(sent).masked_fill(silent, 0).sum(2)
        steps = torch.arange(self.most, device=sent.device) + 0.5
        return harden(counts[..., None] - steps).flatten(2)

    def conclude(self, own: Tensor, joined: Tensor | None = None) -> Tensor:
        """[S, M] logits of elements of own classes [M] that receive [S, M, bits x most], or nothing
        where nobody is looked at.
        """
        features = self.own_features[own].expand(len(self.head_first.weight), -1, -1)
        if joined is not None:
            features = torch.cat([features, joined.expand(len(features), -1, -1)], -1)
        return self.head_last(leaky(self.head_first(features))).squeeze(-1)

    def forward(self, own: Tensor, kinds: Tensor, there: Tensor) -> Tensor:
        """[S, M] logits of elements of own classes [M] with kinds [M, others] in view, if there."""
        if not self.looks_at_others:
            return self.conclude(own)
        count, others = kinds.shape
        sent = self.messages(own.repeat_interleave(others), kinds.flatten())
        return self.conclude(own, self.join(sent.view(len(sent), count, others, -1), there))


def num_bits(statement: Statement, message_bits: int) -> int:
    """Bits of a stage's messages: twice as many where others are counted, none without others."""
    return 0 if statement.view is None else message_bits * (2 if statement.most > 1 else 1)


def _encoded(features: tuple[Feature, ...]) -> Tensor:
    """[combinations, width] all values as a network sees them: classes one-hot, orders two bits."""
    parts = [
        COMPARED if isinstance(feature, Compared) else torch.eye(feature.size)
        for feature in features
    ]
    rows = [torch.cat([torch.zeros(0), *row]) for row in product(*parts)]
    return torch.stack(rows)


COMPARED = torch.tensor([[1.0, 0.0], [0.0, 0.0], [0.0, 1.0]])  # lower, equal, higher


def all_statements(declaration: Declaration) -> dict[str, Statement]:
    """What each stage is to find, by the stage's name: last, where that is seen, going on."""
    found = finite.statements(declaration.program)
    if asked := found.pop(ir.GOES_ON, None):
        let = msgspec.structs.replace(asked.let, name=GOES_ON)
        found[GOES_ON] = replace(asked, let=let)
    return found


def comparisons_of(statement: Statement) -> list[Compared]:
    """The comparisons of numbers that a statement reads."""
    features = (*statement.own, *statement.others)
    return [feature for feature in features if isinstance(feature, Compared)]


# ---- what a stage can come upon, as a table

LARGEST_TABLE = 2**16  # entries; one that has more is not stated
LARGEST_STATEMENT = 2**10  # operations


@dataclass(frozen=True, eq=False)
class StageTable:
    """A stage of one seed as a table: what another of a kind leads to, and what is concluded.

    Cases that no further others can tell apart are one. So a kind that makes no difference leads
    from every case to itself.
    """

    first: np.ndarray  # [own classes] the case of an element that has nobody in view
    after: np.ndarray  # [cases, kinds]
    concluded: np.ndarray  # [cases] bools

    @classmethod
    def of(cls, stage: Stage) -> StageTable:
        """The table of a stage, by what its layers say."""
        closures = [receiving(stage, own) for own in range(len(stage.own_features))]
        first = np.cumsum([0, *(len(cases.after) for cases in closures)])
        after = [cases.after + start for cases, start in zip(closures, first, strict=False)]
        concluded = [conclusions(stage, own, cases) for own, cases in enumerate(closures)]
        return merged(first[:-1], np.concatenate(after), np.concatenate(concluded))

    @cached_property
    def groups(self) -> list[list[int]]:
        """The kinds that make a difference in some case, those that make the same together."""
        groups: dict[bytes, list[int]] = {}
        for kind, after in enumerate(self.after.T):
            if (after != np.arange(len(after))).any():
                groups.setdefault(after.tobytes(), []).append(kind)
        return list(groups.values())

    def stated(self, statement: Statement) -> ir.Expr | None:
        """The stage as a statement of what it tells apart; None where that is large."""
        sizes = [feature.size for feature in statement.own]
        sizes += [statement.most + 1] * len(self.groups)
        if math.prod(sizes) > LARGEST_TABLE:
            return None

        def said(variable: int, values: Collection[int]) -> ir.Expr:
            own = len(statement.own)
            if variable < own:
                return finite.has_value(statement.own[variable], values)
            return self._counted(statement, self.groups[variable - own], values)

        value = finite.stated(self.by_counts(statement.most).reshape(sizes), said)
        return value if finite.operations(value) <= LARGEST_STATEMENT else None

    def by_counts(self, most: int) -> np.ndarray:
        """What is concluded for every own class and every count of each group, up to ``most``."""
        case = self.first
        for group in self.groups:
            cases = [case]
            for _ in range(most):
                cases.append(self.after[cases[-1], group[0]])
            case = np.stack(cases, -1).ravel()
        return self.concluded[case]

    def _counted(self, statement: Statement, group: list[int], counts: Collection[int]) -> ir.Expr:
        """That as many of a group are in view as one of some counts, the largest and all above."""
        assert statement.view is not None
        view, others, most = statement.view, statement.others, statement.most
        among = np.isin(np.arange(statement.num_neighbours), group)
        body = finite.stated(
            among.reshape([each.size for each in others]),
            lambda variable, values: finite.has_value(others[variable], values),
        )

        def at_least(count: int) -> ir.Expr:
            if not 0 < count <= most:
                return ir.TRUE if count <= 0 else ir.FALSE
            return ir.Quantified("some" if count == 1 else "at least", view, body, count)

        begins = [count for count in sorted(counts) if count - 1 not in counts]
        ends = [count for count in sorted(counts) if count + 1 not in counts]
        return ir.disjunction(
            *(
                ir.conjunction(at_least(begin), ir.negation(at_least(end + 1)))
                for begin, end in zip(begins, ends, strict=True)
            )
        )


@torch.no_grad()
def sent_bits(stage: Stage, own: int) -> np.ndarray:
    """[kinds, bits] what each kind sends to an own class: 0 or 1."""
    kinds = torch.arange(len(stage.kind_features), device=stage.kind_features.device)
    return (
        (stage.messages(torch.full_like(kinds, own), kinds)[0] > 0).cpu().numpy().astype(np.uint8)
    )


def receiving(stage: Stage, own: int) -> Closure:
    """All that an element of an own class can receive."""
    sent = sent_bits(stage, own) if stage.looks_at_others else np.zeros((0, 0), np.uint8)
    return finite.closure(sent, np.full(stage.bits, stage.most))


@torch.no_grad()
def conclusions(stage: Stage, own: int, cases: Closure) -> np.ndarray:
    """[cases] bools: what an element of an own class concludes in each case."""
    received = torch.from_numpy(cases.received).to(stage.own_features.device)
    own_classes = torch.full((len(received),), own, device=received.device)
    return (stage.conclude(own_classes, stage.thermometer(received))[0] > 0).cpu().numpy()


def merged(first: np.ndarray, after: np.ndarray, concluded: np.ndarray) -> StageTable:
    """The table with cases made one that conclude alike, whatever comes into view (Moore 1956)."""
    group = concluded.astype(np.int64)
    while True:
        rows = np.concatenate([group[:, None], group[after]], 1)
        _, refined = np.unique(rows, axis=0, return_inverse=True)
        refined = refined.reshape(-1)
        if refined.max(initial=0) == group.max(initial=0):
            break
        group = refined
    _, representative = np.unique(refined, return_index=True)
    return StageTable(refined[first], refined[after[representative]], concluded[representative])


# ---- classes in a state

# [A] whether numbers are lower (0), equal (1) or higher (2) than others
Outcome = Callable[[Compared, list[Tensor], list[Tensor]], Tensor]


def true_outcome(_: Compared, left: list[Tensor], right: list[Tensor]) -> Tensor:
    """How numbers compare."""
    return 1 + compared(left, ">", right).long() - compared(left, "<", right).long()


def classes(
    statement: Statement, tensors: Tensors, outcome: Outcome = true_outcome
) -> tuple[Tensor, Tensor, Tensor]:
    """[N] own classes; of [A] pairs in view, who looks, and the neighbour class."""
    at, view = statement.at, statement.view
    own = _numbered(
        statement.own, tensors.counts[at], lambda term: tensors.value(at, term), outcome, tensors
    )
    if view is None:
        nobody = own.new_zeros(0)
        return own, nobody, nobody
    me, it = tensors.pairs(at, view)
    neighbours = _numbered(
        statement.others,
        len(me),
        lambda term: tensors.of_pairs(term, me, it, at, table_of(view)),
        outcome,
        tensors,
    )
    return own, me, neighbours


def _numbered(
    features: Sequence[Feature],
    count: int,
    value: Callable[[ir.Expr], Tensor],
    outcome: Outcome,
    tensors: Tensors,
) -> Tensor:
    """[count] the combination of features' values, by its number; the first counts most."""
    number = torch.zeros(count, dtype=torch.int64, device=tensors.device)
    for feature in features:
        sides = [[*map(value, side)] for side in feature.sides]
        match feature:
            case Compared():
                found = outcome(feature, *sides)
            case finite.Label():
                found = sides[0][0]
            case _:
                found = sides[0][0] == sides[1][0]
        number = feature.size * number + found
    return number


# ---- the network


class Exact(Perceiver):
    """The network for every algorithm that declares what it sees.

    A stage for each statement, in order; running, each gets what those before it gave. Pointers
    and numbers then move as declared, by what was found: that is not learnt. Whether to go on is
    one more stage, at the graph.
    """

    takes_directed = True
    has_termination = False

    def __init__(
        self, declaration: Declaration, architecture: Architecture, seeds: tuple[int, ...]
    ) -> None:
        super().__init__(declaration, architecture, seeds)
        self.statements = all_statements(declaration)
        self._tables: dict[str, StageTable] = {}
        self._stated: dict[str, ir.Expr] | None = None
        self._weights: list[bytes] = []  # those that both were found from
        size = {"width": self.width, "bits": architecture.message_bits}
        self.stages: Mapping[str, Stage] = nn.ModuleDict(  # type: ignore[assignment]
            {name: Stage(self.count, said, **size) for name, said in self.statements.items()}
        )
        compared = map(comparisons_of, self.statements.values())
        widths = {feature.bits for features in compared for feature in features}
        self.comparisons: Mapping[str, Comparator] = nn.ModuleDict(  # type: ignore[assignment]
            {str(width): Comparator(self.count, width) for width in sorted(widths)}
        )

    @classmethod
    def objection(cls, algorithm: Algorithm, architecture: Architecture) -> str | None:
        declaration = algorithm.declaration
        if declaration.in_python:
            return (
                "learns what is declared as a look, and this algorithm sees in Python, of which "
                "nothing can be proven"
            )
        if not architecture.bottleneck:
            return "has a bottleneck, and this is to be one without"
        if declaration.terminates and GOES_ON in declaration.predicted:
            return f"calls whether to go on '{GOES_ON}', and this algorithm calls something else so"
        return reserved([*declaration.statements, *declaration.outputs])

    def facts(self) -> dict[str, Any]:
        """Not a network of the paper; only these facts apply."""
        return {
            "network": (
                "no memory: a stage of messages of bits for every declared observation, which "
                "can be proven right"
            ),
            "batches": "drawn anew, with what the last proof found wrong",
            "train_graphs": (
                "none: single elements with arbitrary others in view, and what is declared of them"
            ),
            "train_size": "up to 8 others in view",
        }

    def comparison(self, feature: Compared) -> Comparator:
        """The one that serves numbers of so many bits."""
        return self.comparisons[str(feature.bits)]

    def tables(self) -> dict[str, StageTable]:
        """Every stage as a table; of one seed. Computed again only where weights have changed."""
        # contents are compared: a write through .data leaves no other trace
        weights = [value.detach().cpu().numpy().tobytes() for value in self.parameters()]
        if self._weights != weights:
            self._tables = {name: StageTable.of(stage) for name, stage in self.stages.items()}
            stated = {
                _let_of(name): table.stated(self.statements[name])
                for name, table in self._tables.items()
            }
            known = {name: said for name, said in stated.items() if said is not None}
            ordered = all(bool(each.in_order().all()) for each in self.comparisons.values())
            self._stated = known if ordered and len(known) == len(stated) else None
            self._weights = weights
        return self._tables

    def stated(self) -> dict[str, ir.Expr] | None:
        """What the stages conclude as statements, by the let that each stands for.

        None where one is too large, or where numbers are compared wrongly.
        """
        self.tables()
        return self._stated

    def prepare(
        self, graph: Graph, inputs: Values, *, by_layers: bool = False
    ) -> tuple[Values, Running, Running]:
        """The inputs, the run of a program, and that of whether to go on, by concepts.

        by_layers: the layers themselves run, whatever they conclude, and not tables of them.
        """
        stated = None if by_layers else self.stated()
        layers = {_let_of(name): partial(self._conclude, name) for name in self.stages}
        instead = layers if stated is None else {}
        program = with_lets(self.declaration.program, stated or {})
        concepts = dict.fromkeys(
            self.declaration.concepts, ir.Field(self.declaration.location, "mask")
        )
        asks = tuple(let for let in program.lets if let.name == ir.GOES_ON)
        asking = ir.Program(program.name, {}, concepts, (), asks, ())
        return inputs, Running(program, graph, instead), Running(asking, graph, instead)

    def forward(
        self,
        prepared: tuple[Values, Running, Running],
        state: Values,
        memory: Tensor | None = None,
    ) -> Perceived:
        inputs, running, _ = prepared
        return Perceived(settled=running.perceive(inputs, state, self.declaration.perceived))

    def goes_on(self, prepared: tuple[Values, Running, Running], concepts: Tensor) -> Tensor:
        """[G] bools: whether to go on, by the concepts [N, C] after a step."""
        *_, asked = prepared
        asked.give(dict(zip(self.declaration.concepts, concepts.unbind(1), strict=True)))
        return asked.goes_on()

    def _conclude(self, name: str, tensors: Tensors) -> Tensor:
        """[N] bools: what the layers of a stage conclude in a state."""
        stage = self.stages[name]
        own, looks, kinds = classes(self.statements[name], tensors, self._outcome)
        if not stage.looks_at_others:
            return stage.conclude(own)[0] > 0
        counts = torch.zeros(len(own), stage.bits, dtype=torch.int64, device=own.device)
        for here, there in zip(looks.split(PAIRS_AT_ONCE), kinds.split(PAIRS_AT_ONCE), strict=True):
            counts.index_add_(0, here, (stage.messages(own[here], there)[0] > 0).long())
        return stage.conclude(own, stage.thermometer(counts))[0] > 0

    def _outcome(self, feature: Compared, left: list[Tensor], right: list[Tensor]) -> Tensor:
        """[A] how numbers compare, as the network finds it from their bits."""
        encoded = [
            torch.cat([each.encode(x) for x, each in zip(side, feature.numbers, strict=True)], -1)
            for side in (left, right)
        ]
        return self.comparison(feature).outcome(*encoded)[0]


def _let_of(stage: str) -> str:
    """The name of the let that a stage stands for."""
    return ir.GOES_ON if stage == GOES_ON else stage

"""A discovered algorithm, and what is known of it in sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from algolens.algorithms import Algorithm, Declaration
from algolens.discovery.decisions import Explanation
from algolens.discovery.declaring import algorithm_of
from algolens.discovery.differences import Deviation, Fidelity
from algolens.discovery.oracle import GraphSizes, Schema
from algolens.engines.program import Program
from algolens.language.ir import GOES_ON
from algolens.language.text import Text
from algolens.proofs.equality.renaming import renamed

MOST_SHOWN = 3  # answers that were not told apart, in sentences
NOT_PROVEN = "That it is the algorithm of the black box on every graph is not proven."


@dataclass(frozen=True)
class Enumerated:
    """What was enumerated by a search for a program with given final outputs."""

    programs: int  # that were run
    price: int  # up to which all were
    bound: str
    alike: tuple[str, ...]  # others of the same price that no run told apart
    complete: bool  # whether all of this price were run


@dataclass(frozen=True)
class Known:
    """What is known of a discovered algorithm."""

    runs: GraphSizes  # that its statements were settled on
    sampled: tuple[GraphSizes, ...] = ()  # further random runs on which it takes the same steps
    # sizes of graphs of which all were tried: nodes, whether directed, whether with every input
    tried: tuple[tuple[int, bool, bool], ...] = ()
    error: Deviation | None = None  # where it errs
    asked: bool = True  # whether the black box could be asked for more runs
    # answers of the same price that no run told apart
    undecided: tuple[Mapping[str, Any], ...] = ()
    is_late: bool = False  # whether the time ended the search
    seen: Fidelity | None = None  # with exceptions: on the runs that it was described by
    fresh: Fidelity | None = None  # on runs that the search never saw
    otherwise: float | None = None  # by majority: the share of values given otherwise than mostly
    ends: Enumerated | None = None  # where final outputs alone were looked at

    @property
    def fidelity(self) -> Fidelity | None:
        """How often the black box decides otherwise; None where it was never seen to."""
        return self.fresh or self.seen

    def words(self) -> str:
        """In sentences, by the words of docs/limits.md."""
        if self.ends is not None:
            return " ".join(self._of_ends(self.ends))
        parts = self._described(self.seen) if self.seen is not None else self._settled()
        if not self.asked:
            parts.append("The runs were recorded: nothing else could be asked.")
        parts.append(NOT_PROVEN)
        if self.otherwise is not None and self.fresh is not None:
            parts.insert(
                0,
                "It errs by chance: each step was asked for again until one answer led clearly "
                f"({100 * self.otherwise:.2g} % of all values were given otherwise), and the "
                "answers that won are what follows speaks of.",
            )
            parts.append(f"Of {_counted(self.fresh, 'fresh runs as they came')}.")
            parts += _smallest(self.fresh.shown)
        return " ".join(parts)

    def _settled(self) -> list[str]:
        """Of what was settled without exceptions."""
        parts = [
            f"Settled on {self.runs.runs} runs on {self.runs}: situations that look alike were "
            "decided alike.",
            *self._checked(),
        ]
        if self.error is not None:
            why = (
                "The time was spent: give more."
                if self.is_late
                else "The search ended before its time: nothing within its bounds mends this."
            )
            parts += [f"It {self.error.what_errs()}", why]
        if self.undecided:
            shown = "; ".join(
                f"'{one['decision']}' by {' and '.join(one['other'])}"
                for one in self.undecided[:MOST_SHOWN]
            )
            more = len(self.undecided) - MOST_SHOWN
            rest = f"; and {more} more" if more > 0 else ""
            parts.append(f"As cheap, and told apart by no run: {shown}{rest}.")
        return parts

    def _described(self, seen: Fidelity) -> list[str]:
        """Of what was described with exceptions."""
        counted = [some for some in (seen, self.fresh) if some is not None]
        parts = [
            "The runs are not settled without exceptions."
            if any(sum(some.exceptions.values()) for some in counted)
            else "It was described with exceptions allowed, and none came up.",
            f"Of {_counted(seen, 'runs that it was described by')}.",
            "Its description is the shortest that a beam search found.",
        ]
        if self.fresh is not None:
            parts.append(f"Sampled: of {_counted(self.fresh, 'fresh runs')}.")
        # rare exceptions may not come up on fresh runs
        shown = next((some.shown for some in reversed(counted) if some.shown), ())
        parts += _smallest(shown)
        if self.error is not None and self.error not in shown:
            parts.append(f"Held against other runs, it {self.error.what_errs()}")
        return [*parts, *self._checked()]

    def _of_ends(self, ends: Enumerated) -> list[str]:
        """Of a program that was found from final outputs."""
        parts = [
            f"From inputs and final outputs of {self.runs.runs} runs on {self.runs}; no step was "
            "seen.",
            f"Enumerated: {ends.programs:,} programs of up to price {ends.price} ({ends.bound}).",
        ]
        if not ends.complete:
            parts.append("The time was spent before all of this price were run.")
        if ends.alike:
            parts.append(
                f"It is not the only one: {len(ends.alike)} others of this price end alike on "
                f"every run tried ({'; '.join(ends.alike[:MOST_SHOWN])})."
            )
        elif ends.complete:
            parts.append("Within this bound no other program ends in these outputs.")
        if self.sampled:
            ranges = [f"{some.runs} further runs on {some}" for some in self.sampled]
            parts.append(f"Sampled: it ends alike on {' and on '.join(ranges)}.")
        return [*parts, "That it takes the steps of the black box is not known."]

    def _checked(self) -> list[str]:
        """What it was tried on, in sentences."""
        parts = []
        for begin, every, end in (
            ("Exhaustive: it takes the same steps on all", True, ", with every input."),
            ("On all", False, " it does with inputs drawn."),
        ):
            sizes: dict[bool, list[int]] = {}
            for nodes, directed, full in sorted(self.tried):
                if full == every:
                    sizes.setdefault(directed, []).append(nodes)
            ranges = [
                f"{'directed' if way else 'undirected'} graphs of {_range(nodes)} nodes"
                for way, nodes in sorted(sizes.items())
            ]
            if ranges:
                parts.append(f"{begin} {' and all '.join(ranges)}{end}")
        if self.sampled:
            ranges = [f"{some.runs} further random runs on {some}" for some in self.sampled]
            parts.append(f"Sampled: it does on {' and on '.join(ranges)}.")
        return parts


def _range(nodes: Sequence[int]) -> str:
    return f"up to {max(nodes)}" if min(nodes) == 1 else " and ".join(map(str, nodes))


def _smallest(shown: Sequence[Deviation]) -> list[str]:
    return [f"The smallest: {'; '.join(one.in_short() for one in shown)}."] if shown else []


def _counted(some: Fidelity, where: str) -> str:
    total, wrong = sum(some.decisions.values()), sum(some.exceptions.values())
    return (
        f"{total:,} decisions on {some.graphs.runs} {where} ({some.graphs}), {wrong:,} are "
        f"exceptions ({100 * some.share:.2g} %)"
    )


@dataclass(frozen=True, eq=False)
class Discovery:
    """An algorithm that was discovered from runs, and what is known of it."""

    schema: Schema
    declaration: Declaration
    decisions: Mapping[str, Explanation]
    known: Known
    seconds: float  # of computing
    rounds: int  # of settling and checking
    tried: int  # statements

    def algorithm(self, name: str | None = None) -> Algorithm:
        """As an algorithm."""
        return algorithm_of(self.schema, self.declaration, name or f"discovered_{self.schema.name}")

    def renamed(self, names: Mapping[str, str]) -> Discovery:
        """The same, observations renamed."""
        return replace(self, declaration=renamed(self.declaration, names))

    def __str__(self) -> str:
        return str(Program.of(self.algorithm()))

    def to_json(self) -> dict[str, Any]:
        """Itself as JSON."""
        program, rules = self.declaration.program, self.declaration.rule_set
        say = Text.of(program)
        return {
            "statements": {let.name: say.let(let) for let in program.lets if let.name != GOES_ON},
            "rules": {
                output: {label: str(rule) for label, rule in classes.items()}
                for output, classes in rules.rules.items()
            },
            "continues": None if rules.continues is None else str(rules.continues),
            "decisions": {
                name: {
                    "observations": list(map(say, settled.said)),
                    "cost": round(settled.cost, 1),
                    "least_up_to_price": settled.bound if settled.proven else None,
                }
                for name, settled in self.decisions.items()
            },
            "known": self.known.words(),
            "errs": None if self.known.error is None else str(self.known.error),
            "undecided": list(self.known.undecided),
            "statements_tried": self.tried,
            "rounds": self.rounds,
            "seconds": round(self.seconds, 2),
        }

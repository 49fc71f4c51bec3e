"""Two programs side by side: equal in every case, or the smallest graph found where they differ.

Equal are programs with the same fields, start, sums, moves, limit of steps, graphs and results,
whose observations are the same in every case, and whose rules and going on are the same on every
pattern.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import replace as changed
from typing import Any

from msgspec.structs import asdict, replace

from algolens.data.small_graphs import TRIED, ShownGraph
from algolens.engines.exports import in_words
from algolens.engines.program import Program
from algolens.errors import AlgoLensError
from algolens.language import ir
from algolens.language.finite import columns
from algolens.logic.remarks import SAMPLED, WARNING, warnings
from algolens.proofs.equality.difference import find_difference
from algolens.proofs.equality.renaming import aligned, says_the_same

# what else a program declares, and what is so of two of which that differs
DECLARED = {
    "graphs": "are for other graphs",
    "table": "are for other tables",
    "checks": "do not refuse the same inputs",
    "loops_matter": "do not both refuse self-loops",
    "parallel_edges_matter": "do not both refuse parallel edges",
    "times": "may take other numbers of steps",
    "per": "may take other numbers of steps",
    "only_where": "show outputs at other places",
    "endless": "show other numbers as endless",
    "outcomes": "tell other outcomes",
}
WITHIN_BITS = " where neither refuses a run because a number leaves its bits"
SAMPLES = (
    " It is proven of the programs: one was found on samples of its network, which may do "
    "otherwise elsewhere."
)


@dataclass(frozen=True)
class ProgramComparison:
    """How two programs compare."""

    # they are equal on every graph, and refuse the same runs: nothing was sampled
    proven: bool = False
    unproven: str | None = None  # where the proof ends
    graph: ShownGraph | None = None  # on which they differ, with its inputs
    difference: str | None = None  # in words
    # in words, where a number of one has more bits than that of the other, and both got as many
    bits: str | None = None
    sampled: bool = False  # a program was found on samples of what its network does
    # proven, but for runs that one alone may refuse: a number that is no input has other bits, or a
    # sum may leave 62
    within_bits: bool = False
    # what holds in every state that a run reaches, where the proof rests on it; None where they
    # see, decide and go on alike in every state
    invariant: tuple[str, ...] | None = None
    # the search for a difference ended before all graphs were tried, for its time was over
    is_cut_short: bool = False

    @property
    def differ(self) -> bool:
        """Whether a graph was found on which they differ."""
        return self.graph is not None

    def to_json(self) -> dict[str, Any]:
        """Itself as JSON."""
        shown = {"equal": False if self.differ else self.proven or None, **vars(self)}
        del shown["is_cut_short"]
        graph = None if self.graph is None else self.graph.to_json()
        invariant = None if self.invariant is None else list(self.invariant)
        return {**shown, "graph": graph, "invariant": invariant}

    def __str__(self) -> str:
        compared = "" if self.bits is None else f"Compared {self.bits}. "
        if self.differ:
            return (
                f"{compared}They differ. The smallest graph found: {self.graph}. There "
                f"{self.difference}."
            )
        if self.proven or self.within_bits:
            where = "on every graph" if self.proven else "there"
            by_steps = self.invariant is not None
            alike = "take the same steps and stop" if by_steps else "see, decide, move and go on"
            how = "by Z3" if by_steps else "case by case"
            said = f"{compared}They are equal{'' if self.proven else WITHIN_BITS}: {where}, both "
            said += f"{alike} alike. That is proven, {how}"
            if not self.proven:
                said += f". That they are equal on every graph is not: {self.unproven}"
            if self.invariant:
                said += (
                    f"{', with' if self.proven else '. The proof rests on'} what holds in every "
                )
                return "\n  ".join([f"{said}state that is reached:", *self.invariant])
            return f"{said}.{SAMPLES if self.sampled else ''}"
        part = "in the time given, on a part of" if self.is_cut_short else "on"
        return (
            f"{compared}No difference was found {part} {TRIED}. That they are equal is not proven: "
            f"{self.unproven}."
        )


def compare_programs(
    first: Program, second: Program, *, seconds: float = math.inf
) -> ProgramComparison:
    """Whether two programs do the same on every graph: see, give and tell the same, and stop alike.

    Numbers of fewer bits are given those of the other. Where these are not inputs, a run may leave
    the bits of one program alone; equality is then proven of all other runs.

    Parameters
    ----------
    first, second : Program
        Two programs for one task: of the same inputs, outputs and location.
    seconds : float
        CPU seconds after which no further graphs are tried.

    Returns
    -------
    ProgramComparison
        Equal, by a proof; or the smallest graph found on which they differ; or neither.

    Raises
    ------
    AlgoLensError
        Where no graph can be given to both.
    """
    ours, theirs = _bits(first), _bits(second)
    other = {
        name: (ours[name], theirs[name])
        for name in ours
        if name in theirs and ours[name] != theirs[name]
    }
    own = [
        f"'{name}' has {pair[0]} bits in the first, {pair[1]} in the second"
        for name, pair in other.items()
        if name not in first.program.inputs
    ]
    words = None
    if other:
        widths = dict.fromkeys((max(pair), min(pair)) for pair in other.values())
        said = ", and ".join(f"{more} bits in place of {fewer}" for more, fewer in widths)
        words = f"with {said}"
        most = {name: max(pair) for name, pair in other.items()}
        first, second = _with_bits(first, most), _with_bits(second, most)
    _check(first, second)
    sampled = any(remark.startswith(SAMPLED) for remark in (*first.remarks, *second.remarks))
    compared = ProgramComparison(bits=words, sampled=sampled)
    mine, its = first.program, second.program
    unproven = declared_otherwise(first, second)
    if unproven is None and says_otherwise(mine, its) is not None:
        unproven = says_otherwise(mine, aligned(mine, its))
    if unproven is None:
        return changed(compared, proven=not own, unproven=(*own, None)[0], within_bits=bool(own))
    until = time.process_time() + seconds
    difference = find_difference(first, second, until)
    if difference is None:
        is_cut_short = time.process_time() > until
        return changed(compared, unproven=unproven, is_cut_short=is_cut_short)
    return changed(compared, graph=difference[0], difference=difference[1])


def _bits(program: Program) -> dict[str, int]:
    """How many bits numbers have, among its inputs, outputs and state."""
    hir = program.program
    fields = hir.inputs | hir.outputs | hir.state
    return {name: field.bits for name, field in fields.items() if field.kind == "number"}


def _with_bits(program: Program, bits: Mapping[str, int]) -> Program:
    """The same program, numbers of some names having so many bits."""
    wider = {
        part: {
            name: replace(field, bits=bits.get(name, field.bits)) for name, field in fields.items()
        }
        for part, fields in asdict(program.program).items()
        if part in ("inputs", "state", "outputs")
    }
    return replace(program, program=replace(program.program, **wider))


def _check(first: Program, second: Program) -> None:
    """Refuses programs that no graph can be given to both of."""
    names = f"'{first.name}' and '{second.name}'"
    if first.at != second.at:
        raise AlgoLensError(f"{names} decide at other places: they cannot be compared.")
    for what in ("input", "output"):
        ours, theirs = (getattr(each.program, f"{what}s") for each in (first, second))
        if set(ours) != set(theirs):
            raise AlgoLensError(
                f"{names} have other {what}s ({', '.join(ours) or 'none'}; "
                f"{', '.join(theirs) or 'none'}): only programs for one task can be compared."
            )
        for name in ours:
            if ours[name] != theirs[name]:
                raise AlgoLensError(
                    f"the {what} '{name}' of {names} is not the same ({in_words(ours[name])}; "
                    f"{in_words(theirs[name])}): only programs for one task can be compared."
                )
    if {first.graphs, second.graphs} == {"directed", "undirected"}:
        raise AlgoLensError(
            f"one of {names} is for directed graphs, the other for undirected: they cannot be "
            "compared."
        )


def declared_otherwise(first: Program, second: Program) -> str | None:
    """What two programs declare otherwise, besides what they see and do; None: nothing."""
    ours, theirs = (asdict(each.program) | asdict(each) for each in (first, second))
    for part, difference in DECLARED.items():
        if ours[part] != theirs[part]:
            return f"they {difference}"
    warned = [
        remark.removeprefix(WARNING).rstrip(".")
        for remark in warnings([*first.remarks, *second.remarks])
    ]
    if warned:
        return f"as they are written they are, but with a warning: {'; '.join(warned)}"
    return None


def says_otherwise(ours: ir.Program, theirs: ir.Program) -> str | None:
    """What keeps two programs from being equal case by case; None where nothing does."""
    for part in ("inputs", "state", "outputs"):
        if getattr(ours, part) != getattr(theirs, part):
            return f"they have other {part}"
    if {*ours.start} != {*theirs.start}:
        return "they have other start"
    lets, becomes = ({let.name: let for let in some} for some in (theirs.lets, theirs.becomes))
    if {let.name for let in ours.lets} != lets.keys():
        return "they see things of other names"
    known = columns(ours)
    for let in ours.lets:
        if not says_the_same(let, lets[let.name], known):
            if let.name == ir.GOES_ON:
                return "their rules differ on a pattern of concepts"
            return f"'{let.name}' could not be shown to be the same in every case"
    for let in ours.becomes:
        if let.name not in becomes or not says_the_same(let, becomes[let.name], known):
            return f"'{let.name}' could not be shown to become the same"
    return None

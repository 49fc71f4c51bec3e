"""What observations mean to a network, for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich import box
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from algolens.data.small_graphs import TRIED
from algolens.extraction import Meaning, SampledMeaning, ShownOn
from algolens.logic.remarks import percent
from algolens.looks import statement_text


def meanings_report(
    found: Sequence[tuple[Meaning, ShownOn | None]], scope: str
) -> Iterator[RenderableType]:
    """A row for each observation: what it was found to be, in how many cases, and whether that is
    what is declared.

    scope: in a sentence, which cases count.
    """
    yield Text(
        f"What each observation was found to be, from the weights alone. {scope}", style="bold"
    )
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("observation")
    table.add_column("at", no_wrap=True)
    table.add_column("found", overflow="fold", ratio=1)
    table.add_column("cases", justify="right", no_wrap=True)
    table.add_column("as declared", no_wrap=True)
    for meaning, _ in found:
        agrees = (
            "in all"
            if meaning.equal
            else f"not in {meaning.wrong:,}"
            if meaning.wrong
            else "not always"
        )
        table.add_row(
            meaning.name, meaning.at, Text(meaning.in_words), f"{meaning.cases:,}", agrees
        )
    yield table
    unproven = [meaning.name for meaning, _ in found if not meaning.proven]
    if unproven:
        yield Text(f"A smaller statement may say the same of: {', '.join(unproven)}.", style="dim")
    else:
        yield Text(
            "Of each it is proven that no smaller statement of its form says the same.", style="dim"
        )
    for meaning, _ in found:
        if meaning.equal and statement_text(meaning.declared) != meaning.in_words:
            yield Text(
                f"{meaning.name} is declared as: {statement_text(meaning.declared)}", style="dim"
            )
    for meaning, shown in found:
        if not meaning.equal:
            yield from _difference(meaning, shown)


def _difference(meaning: Meaning, shown: ShownOn | None) -> Iterator[Text]:
    yield Text(
        f"{meaning.name} is not what is declared: {statement_text(meaning.declared)}",
        style="bold red",
    )
    for bits in meaning.misorders:
        yield Text(
            f"  Numbers of {bits} bits that it compares are not always told apart: lower and "
            "higher is what it takes for it."
        )
    if meaning.star_words is not None:
        yield Text(f"  A case: {meaning.star_words}.")
    if shown is None:
        yield Text(f"  No graph that was tried shows it: {TRIED}.")
    else:
        yield Text(f"  The smallest graph that was found to show it: {shown}.")


def sampled_report(found: Sequence[SampledMeaning]) -> Iterator[RenderableType]:
    """A row for each concept: what it was found to be on samples, how often that is what was
    perceived, where it fails.
    """
    yield Text(
        f"What each concept was found to be, on {found[0].samples:,} samples of the network's own "
        "runs. On others it may be something else.",
        style="bold",
    )
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("concept")
    table.add_column("found", overflow="fold", ratio=1)
    table.add_column("as perceived", justify="right", no_wrap=True)
    table.add_column("as declared", no_wrap=True)
    for each in found:
        table.add_row(
            each.name,
            Text(statement_text(each.found)),
            percent(each.fidelity),
            "yes" if each.equal else "no",
        )
    yield table
    for each in found:
        if not each.equal:
            yield Text(f"{each.name} is declared as: {statement_text(each.declared)}", style="dim")
        for misfit in each.misfits:
            times = "once" if misfit.times == 1 else f"{misfit.times:,} times"
            yield Text(
                f"{each.name} was perceived {misfit.perceived} {times}, against it: "
                f"{misfit.situation}.",
                style="dim",
            )

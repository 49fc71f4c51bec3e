"""How runs depart from the paper: a table for each algorithm, and what the page says of all of
them.
"""

from __future__ import annotations

from collections.abc import Sequence

from algolens.protocol import fact_in_words
from algolens.reports.material import HOW_MUCH, ShownRun, as_file_name
from algolens.reports.tables import Table

LEGEND = (
    "Text: what the paper says. Code: what its authors' public code does; what stands there "
    "alone, only the code says. An empty cell of a network: it is as in the paper, or has no such "
    "part. All of it is computed, from the runs' settings and from what the parts of the networks "
    "state of themselves, against src/algolens/protocol/paper.json."
)


def departures_table(algorithm: str, runs: Sequence[ShownRun]) -> Table:
    """A row for each thing that some network does otherwise, a column for each network."""
    found: dict[tuple[str, str, str], dict[str, str]] = {}
    for run in runs:
        for each in run.departures:
            said = [
                fact_in_words(each.said[where]) if where in each.said else ""
                for where in ("text", "code")
            ]
            found.setdefault((each.what, said[0], said[1]), {})[run.title] = fact_in_words(
                each.ours
            )
    titles = [run.title for run in runs]
    return Table(
        name=f"departures-{as_file_name(algorithm)}",
        title=f"Departures of {algorithm}",
        columns=["what", "text", "code", *(run.network for run in runs)],
        rows=[[*key, *(ours.get(title, "") for title in titles)] for key, ours in found.items()],
        legend=LEGEND,
    )


def departures_warning(runs: Sequence[ShownRun]) -> str:
    """What the page says of all runs: none is the paper's own, in how many points, and how much was
    trained.
    """
    departing = [run for run in runs if run.departures]
    if not departing:
        return ""
    counts = ", ".join(f"{run.title} in {len(run.departures)}" for run in departing)
    parts = [
        (
            f"These networks are after the paper's, and depart from them: {counts} points. The "
            "tables of departures list all."
        )
    ]
    for what in HOW_MUCH:
        titles_by_departure: dict[str, list[str]] = {}
        for run in departing:
            for each in run.departures:
                if each.what == what:
                    titles_by_departure.setdefault(str(each), []).append(run.title)
        parts += [f"{words}: {', '.join(titles)}." for words, titles in titles_by_departure.items()]
    return " ".join(parts)

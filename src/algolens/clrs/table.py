"""The thirty tasks of CLRS: what is declared, compared, proven and scored of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

from algolens.clrs.judge import Judgement
from algolens.clrs.tasks import clrs_task
from algolens.clrs.traces import all_probes
from algolens.experiment.shipped import Shipped
from algolens.reading import package_json

BEGIN, END = "<!-- algolens clrs -->\n", "<!-- end -->\n"  # around the table in a page


@dataclass(frozen=True)
class ClrsRow:
    """What is known of one task of CLRS."""

    task: str
    algorithm: str
    outputs: tuple[str, ...]  # that are compared
    hints: tuple[str, ...]  # likewise, at every step that has its counterpart
    left_out: Mapping[str, str]  # hints that are not, with the reason
    remarks: str
    judged: tuple[Judgement, ...]  # on CLRS's own graphs, as `algolens clrs --judge` gave it
    ships: Shipped  # the proof of the network that ships, and its scores on graphs of ours

    def to_json(self) -> dict[str, object]:
        """For machines."""
        return asdict(self)

    @property
    def judged_in_words(self) -> list[str]:
        """By size, on how many of CLRS's graphs all is right; by whom, where not by all."""
        sizes = dict.fromkeys(judgement.nodes for judgement in self.judged)
        words = []
        for size in sizes:
            there = [judgement for judgement in self.judged if judgement.nodes == size]
            counts = dict.fromkeys((judgement.right, judgement.graphs) for judgement in there)
            for right, graphs in counts:
                ways = [way.by for way in there if (way.right, way.graphs) == (right, graphs)]
                share = f"all {graphs}" if right == graphs else f"{right} of {graphs}"
                by = "" if len(ways) == len(WAYS) else f" by {' and '.join(ways)}"
                words.append(f"{share} right at {size} nodes{by}")
        return words

    @property
    def markdown(self) -> str:
        """Its row in a page."""
        compared = ", ".join(f"`{name}`" for name in self.hints)
        left_out = "; ".join(f"`{name}`: {reason}" for name, reason in self.left_out.items())
        cells = [
            self.task,
            f"`{self.algorithm}`" + (", proven" if self.ships.proven else ", not proven"),
            compared,
            left_out,
            "; ".join(self.judged_in_words),
            "; ".join(self.ships.right_in_words),
        ]
        return f"| {' | '.join(cells)} |"


WAYS = ("algorithm", "network", "rules")


def clrs_rows(tasks: Sequence[str] = ()) -> list[ClrsRow]:
    """What is known of CLRS's tasks, of all thirty where none are named.

    The proof of each network that ships is made now, which takes some seconds; judgements on CLRS's
    own graphs and scores are read.

    Examples
    --------
    >>> import algolens as al
    >>> [row] = al.clrs.clrs_rows(["bfs"])
    >>> row.algorithm, row.hints, row.ships.proven
    ('bfs_tree', ('reach_h', 'pi_h'), True)
    """
    chosen = [clrs_task(name) for name in tasks or all_probes()]
    judged = read_judged()
    return [
        ClrsRow(
            task.name,
            task.algorithm,
            tuple(task.outputs),
            tuple(task.hints),
            task.left_out,
            task.remarks,
            tuple(entry for entry in judged if entry.task == task.name),
            Shipped.of(task.algorithm),
        )
        for task in chosen
    ]


def read_judged() -> list[Judgement]:
    """What `algolens clrs --judge` gave when it was last kept."""
    kept = package_json("algolens.clrs", "stored/judged.json")
    return [Judgement(**entry) for entry in kept["judged"]]


def page_with_table(page: str, rows: Sequence[ClrsRow]) -> str:
    """A page with the table of all tasks between its marks, written anew."""
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    head = (
        "| task | here | hints compared | left out, and why | on CLRS's graphs | the network on "
        "graphs of ours |\n|---|---|---|---|---|---|\n"
    )
    table = "".join(f"{row.markdown}\n" for row in rows)
    return f"{before}{BEGIN}{head}{table}{END}{after}"

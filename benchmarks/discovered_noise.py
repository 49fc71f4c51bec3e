"""Which algorithms are discovered from runs with wrong outputs, and from final outputs alone.

python -m benchmarks.discovered_noise bfs k_core --shares 0,0.05
python -m benchmarks.discovered_noise --markdown docs/discovered-noise.md

Fields are called f1, f2, ... as in benchmarks.discovered. What is found is held against the
algorithm without noise: on all graphs of up to 4 nodes, and on fresh random runs.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import torch
import typer
from rich.console import Console

from algolens.algorithms import Algorithm, algorithm
from algolens.discovery import AlgorithmTeacher, RunTeacher
from algolens.discovery.checks import BlackBoxCheck, random_runs
from algolens.discovery.fidelity import fidelity
from algolens.discovery.from_final import KnownFromEnds, discover_from_ends
from algolens.discovery.mixed_runs import fewer, mixed_runs
from algolens.discovery.noise import NoisyTeacher
from algolens.discovery.noisy import RUNS, discover_any
from algolens.disk import write_file
from algolens.errors import AlgoLensError
from algolens.graphs import stream
from benchmarks.discovered import ShuffledTeacher
from benchmarks.neighbourhood_tree import is_class, share_right
from benchmarks.pages import command, line, made_with, table

FIRST_24 = (
    "bfs",
    "k_core",
    "independent_set",
    "matching",
    "minimum",
    "components",
    "bfs_tree",
    "coloring",
    "selection_sort",
    "kruskal",
    "bipartite",
    "dijkstra",
    "prim",
    "widest_path",
    "bellman_ford",
    "boruvka",
    "activity_selection",
    "order_statistic",
    "topological_sort",
    "dfs",
    "strong_components",
    "bridges",
    "articulation_points",
    "dfs_topological_sort",
)
ENDS = ("bfs", "k_core", "components", "independent_set", "matching", "bipartite")
ENDS_HEADER = ("algorithm", "found", "programs run", "price", "others", "CPU s", "remark")
FRESH, SIZES, NODES = 50, (2, 24), 4
PAGE = """# Algorithms discovered from wrong runs, and from final outputs

Made by this command:

```sh
{command}
```

{made_with}. Each search had {seconds} CPU seconds at most; CPU seconds are in brackets.

## Wrong outputs

Every mask and class that rules decide was wrong with the probability of the column, at every \
element and step, and the run went on from there. Pointers and numbers move by what the algorithm \
sees, and were not made wrong. Fields had other names. *yes*: without noise, \
what was discovered takes the algorithm's own steps on all graphs of up to {nodes} nodes that \
were tried, and on {fresh} fresh random runs of up to {size} nodes. This is measured, not proven.

*Tree*: of the decisions of fresh runs without noise, the share (%) that scikit-learn's decision \
tree makes right, on features of neighbourhoods made by hand (counts of classes and extreme \
differences of numbers over every relation), grown on runs with {tree_share} wrong outputs. \
*Discovered*: the same share of what was discovered from such runs, going on and moves included. \
A dash: nothing came back, or no output is a mask or a class, so that nothing was wrong.

{summary}

{noise}

Popper, which learns logic programs, needs SWI-Prolog and is not on PyPI; it could not be had \
here, so that it has no row.

## Inputs and final outputs only

No step was seen. The smallest program that ends in the outputs is looked for among programs of \
one field, price by price; *others* of the same price end alike on every run that was tried.

{ends}
"""


def noisy(name: str, share: float, seed: int) -> tuple[RunTeacher, RunTeacher, Algorithm]:
    """An algorithm that errs and one that does not, both under the same other names."""
    ours = algorithm(name)
    teacher = NoisyTeacher(ours, share, seed) if share else AlgorithmTeacher(ours)
    names = [stream(seed, "names", name) for _ in range(2)]
    return (
        ShuffledTeacher(teacher, names[0]),
        ShuffledTeacher(AlgorithmTeacher(ours), names[1]),
        ours,
    )


def measure(name: str, share: float, seconds: float, seed: int = 0) -> tuple[str, float | None]:
    """Whether an algorithm is discovered, with the CPU seconds; the share of decisions right."""
    teacher, clean, _ = noisy(name, share, seed)
    began = time.process_time()
    try:
        made = discover_any(teacher, seconds=seconds, seed=seed)
    except AlgoLensError:
        return f"no ({time.process_time() - began:.0f})", None
    spent = time.process_time() - began
    check = BlackBoxCheck(clean, made.algorithm(), time.process_time() + seconds, NODES)
    wrong = check.counterexample([], stream(seed, "checked", name))
    fresh = list(random_runs(clean, FRESH, SIZES, stream(seed, "fresh", name)))
    compared = fidelity(made.algorithm(), clean.schema, fresh)
    right = 1 - compared.share
    return f"{'yes' if wrong is None and right == 1 else 'no'} ({spent:.1f})", right


def tree(name: str, share: float, seed: int = 0) -> float | None:
    """The share of decisions that the baseline makes right."""
    teacher, clean, ours = noisy(name, share, seed)
    if not any(map(is_class, clean.schema.outputs.values())):
        return None
    rng = stream(seed, "tree", name)
    taught = fewer(teacher, mixed_runs(teacher, RUNS, (4, 10), rng))
    fresh = list(random_runs(clean, FRESH, SIZES, stream(seed, "fresh", ours.name)))
    return share_right(clean.schema, taught, fresh)


def ends(name: str, seconds: float) -> tuple[str, ...]:
    """The row of one algorithm, from its final outputs."""
    began = time.process_time()
    try:
        made = discover_from_ends(AlgorithmTeacher(algorithm(name)), seconds=seconds)
    except AlgoLensError as problem:
        return (name, "no", "-", "-", "-", f"{time.process_time() - began:.1f}", str(problem))
    known = made.known
    assert isinstance(known, KnownFromEnds)
    statements = "; ".join(
        f"`{entry.text}`" for entry in made.declaration.look.values() if "(" in entry.text
    )
    return (
        name,
        "yes",
        f"{known.enumerated:,}",
        str(known.price),
        str(len(known.alike)),
        f"{made.seconds:.1f}",
        statements,
    )


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.2f}"


def main(
    console: Console,
    names: Sequence[str],
    shares: Sequence[float],
    *,
    seconds: float,
    markdown: Path | None = None,
) -> None:
    """Prints a line for each algorithm, and writes the page where one is asked for."""
    torch.set_num_threads(1)
    tree_share = max((share for share in shares if share <= 0.05), default=0.0)
    header = ("algorithm", *(f"{100 * share:g} %" for share in shares), "discovered", "tree")
    widths = (22, *(12 for _ in shares), 11, 8)
    rows: list[tuple[str, ...]] = []
    ended: list[tuple[str, ...]] = []

    def write() -> str:
        """The page as far as it goes, and what it sums up."""
        found = [
            sum(row[1 + place].startswith("yes") for row in rows) for place in range(len(shares))
        ]
        counted = ", ".join(
            f"{count} with {100 * share:g} %" for count, share in zip(found, shares, strict=True)
        )
        summary = f"Of {len(rows)} algorithms, so many were discovered: {counted} wrong outputs."
        if markdown is not None:
            page = PAGE.format(
                command=command("discovered_noise"),
                made_with=made_with(),
                seconds=f"{seconds:g}",
                nodes=NODES,
                fresh=FRESH,
                size=SIZES[1],
                tree_share=f"{100 * tree_share:g} %",
                summary=summary,
                noise=table(header, rows),
                ends=table(ENDS_HEADER, ended),
            )
            write_file(markdown, page)
        return summary

    for name in ENDS:
        ended.append(ends(name, seconds))
        console.print(line(ended[-1], (18, 5, 10, 6, 6, 7, 60)), highlight=False)
    console.print(line(header, widths), highlight=False)
    for name in names or FIRST_24:
        cells, right = [], None
        can_err = any(map(is_class, AlgorithmTeacher(algorithm(name)).schema.outputs.values()))
        for share in shares:
            if share and not can_err:  # nothing would be made wrong
                cells.append("-")
                continue
            cell, share_of = measure(name, share, seconds)
            cells.append(cell)
            right = share_of if share == tree_share else right
        rows.append((name, *cells, _percent(right), _percent(tree(name, tree_share))))
        console.print(line(rows[-1], widths), highlight=False)
        write()
    console.print(write())


def _command(
    names: Annotated[list[str] | None, typer.Argument(help="Algorithms; by default 24.")] = None,
    shares: Annotated[str, typer.Option(help="Of wrong outputs.")] = "0,0.01,0.05,0.1",
    seconds: Annotated[float, typer.Option(help="Of computing, for each search.")] = 60.0,
    markdown: Annotated[Path | None, typer.Option(help="The page to write.")] = None,
) -> None:
    main(
        Console(width=160),
        names or (),
        [float(share) for share in shares.split(",")],
        seconds=seconds,
        markdown=markdown,
    )


if __name__ == "__main__":
    typer.run(_command)

"""What networks without a bottleneck compute, discovered without labels: BFS, coloring, Kruskal.

python -m benchmarks.discovered_networks --jobs 6 --keep networks.jsonl \\
    --markdown results/pages/discovered-networks.md

Networks of many epochs are those of results/runs; those of few are trained here. A network's own
decisions are the labels. What is discovered of it is compared with it on fresh graphs, and linear
probes say how well each concept is read off its hidden units.
"""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

import algolens as al
from algolens.discovery import Limits, discover
from algolens.discovery.oracle import NetworkOracle
from algolens.disk import write_file
from algolens.errors import AlgoLensError
from benchmarks.kept_rows import Row, kept_rows
from benchmarks.network_probes import probes
from benchmarks.pages import command, made_with, table

RESULTS = Path(__file__).parents[1] / "results" / "runs"
PAGE = """# What networks without concepts compute

Networks of the paper's preset `standard` have no bottleneck: nobody named a concept to them. \
Their own decisions, right or wrong, are the labels here, and what comes back is what they do, \
with its exceptions. Made by this command:

```sh
{command}
```

{made_with}. {about}

- *exceptions*: of the decisions that the network took on {fresh} fresh random graphs of {small} \
to {large} nodes, the share that what was discovered decides otherwise, a step at a time;
- *probe*: the balanced accuracy (%) of a logistic regression from the network's hidden units to \
the concept, on graphs that it was not fitted on; *unit*: the one that tells most alone, and its \
balanced accuracy. A concept that can be read off need not be what the network decides by: this \
is a measure, not a proof.

{sections}
"""


def oracle_of(name: str, epochs: int | None) -> NetworkOracle:
    """A network of many epochs, as stored, or of few, trained now."""
    if epochs is None:
        return NetworkOracle(al.load(RESULTS / f"{name}-standard").network.only(0))
    model = al.train(name, preset="standard", epochs=epochs, progress=False)
    return NetworkOracle(model.network.only(0))


def measure(name: str, epochs: int | None, seconds: float) -> Row:
    """What one network computes, as Markdown."""
    return {"text": section(name, epochs, seconds)}


def section(name: str, epochs: int | None, seconds: float) -> str:
    """What one network computes, as Markdown."""
    oracle = oracle_of(name, epochs)
    stored = json.loads((RESULTS / f"{name}-standard" / "experiment.json").read_text())
    many = epochs or stored["schedule"]["epochs"]
    title = f"## {name}, {many} epochs{'' if epochs else ', as stored'}\n\n"
    began = time.process_time()
    try:
        made = discover(oracle, limits=Limits(seconds=seconds, nodes=4))
    except AlgoLensError as problem:
        return f"{title}No whole algorithm came back: {problem}"
    spent = time.process_time() - began
    found = made.algorithm()
    carried = {one.concept: one for one in probes(oracle, found)}
    rows = []
    for concept, entry in made.declaration.statements.items():
        one = carried.get(concept)
        shown = ("-", "-") if one is None else _shown(one.accuracy, one.unit, one.alone)
        rows.append((f"`{_cut(entry.text, 120)}`", *shown))
    known = made.known
    if known.seen is not None and known.fresh is not None:
        fresh = known.fresh
        said = "; ".join(
            f"{field}: {fresh.exceptions[field]:,} of {count:,}"
            for field, count in fresh.decisions.items()
        )
        said = (
            f"Exceptions: {said}. The smallest: {'; '.join(map(str, fresh.shown[:2])) or 'none'}."
        )
        if known.error is not None:
            said += f" Held against other runs, it {known.error.what_errs()}"
    else:
        said = known.words()
    rules = "\n".join(
        f"{output} = {label}: {_cut(str(rule), 400)}"
        for output, classes in made.declaration.rule_set.rules.items()
        for label, rule in classes.items()
    )
    head = ("observation", "probe", "unit")
    return f"{title}{said} {spent:.1f} CPU s.\n\n{table(head, rows)}\n\n```text\n{rules}\n```"


def _cut(text: str, most: int) -> str:
    """What is too long for a page: its beginning."""
    return text if len(text) <= most else f"{text[:most]}... ({len(text):,} characters)"


def _shown(accuracy: float, unit: int, alone: float) -> tuple[str, str]:
    return f"{100 * accuracy:.0f}", f"{unit} ({100 * alone:.0f})"


def _command(
    algorithms: Annotated[str, typer.Option(help="Which.")] = "bfs,coloring,kruskal",
    few: Annotated[int, typer.Option(help="Epochs of the networks that are trained now.")] = 2,
    trained: Annotated[str, typer.Option(help="Which are trained now.")] = "bfs,coloring,kruskal",
    seconds: Annotated[float, typer.Option(help="Of computing, for each search.")] = 60.0,
    jobs: Annotated[int, typer.Option(min=1, help="Networks at once.")] = 1,
    keep: Annotated[Path | None, typer.Option(help="The file that sections are kept in.")] = None,
    markdown: Annotated[Path | None, typer.Option(help="The page to write.")] = None,
) -> None:
    console = Console(width=160)
    tasks = [
        (name, epochs, seconds)
        for name in algorithms.split(",")
        for epochs in ((few, None) if name in trained.split(",") else (None,))
    ]
    sections = {}
    for task, row in kept_rows(tasks, measure, jobs=jobs, keep=keep):
        sections[task] = row["text"]
        console.print(sections[task], highlight=False, markup=False)
    if markdown is not None:
        page = PAGE.format(
            command=command("discovered_networks"),
            made_with=made_with(),
            about=f"Networks of {few} epochs are trained by this command, one seed each.",
            fresh=Limits.fresh,
            small=Limits.fresh_sizes[0],
            large=Limits.fresh_sizes[1],
            sections="\n\n".join(sections[task] for task in tasks),
        )
        write_file(markdown, page)


if __name__ == "__main__":
    typer.run(_command)

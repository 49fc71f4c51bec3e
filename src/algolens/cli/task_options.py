"""What `algolens execute` and `algolens play` take alike, declared: nothing that is slow to import is needed for it."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from algolens.cli import completion


class By(Enum):
    """What carries the algorithm out."""

    ALGORITHM = "algorithm"
    NETWORK = "network"
    RULES = "rules"  # over the concepts that the network sees, as in `algolens evaluate`
    RULES_ALONE = "rules-alone"  # over the algorithm's own concepts: no network has a part in it


AlgorithmArgument = Annotated[
    str,
    typer.Argument(
        help="The algorithm: see `algolens list`; the folder of a run of yours, to run its network; or a program in a "
        ".json file, as `algolens explain --save` writes it.",
        autocompletion=completion.runnable,
    ),
]
GraphArgument = Annotated[
    str,
    typer.Argument(
        help="A file (edge list .csv or .tsv with `source,target[,weight]`, .graphml, node-link .json), "
        "a NetworkX built-in (`nx:karate_club`), or a family and a size (`grid:50`).",
        autocompletion=completion.graphs,
    ),
]
NodesOption = Annotated[
    Path | None,
    typer.Option(
        help="A .csv or .tsv that says more of the nodes: a header like `node,wall,priority`, then a line for each node. "
        "Columns go by the names of the algorithm's inputs.",
        show_default=False,
    ),
]
DirectedOption = Annotated[
    bool | None,
    typer.Option(
        "--directed/--undirected",
        help="Edges of an edge list lead from source to target; or forget the directions that a file says. Unless given, "
        "GraphML and JSON say it themselves, an edge list is undirected, and a family is as the algorithm needs it.",
        show_default=False,
    ),
]
SourceOption = Annotated[
    str | None,
    typer.Option(
        help="The node to start from, where the algorithm has a source. Every other input that the whole graph has one of "
        "can be given so, by its name."
    ),
]
GivenOption = Annotated[
    list[str] | None,
    typer.Option(
        "--input", help="An input that the whole graph has one of, as in `source=Mill` or `horizon=3`. May be repeated."
    ),
]
SetOption = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        help="Set a concept by hand and see what follows: `has_priority=true@Mill#2` at node Mill in step 2; without "
        "`#2` in every step, without `@Mill` everywhere. May be repeated.",
    ),
]
SeedOption = Annotated[int, typer.Option(min=0, help="For what is drawn at random: a family's graph, priorities, weights.")]
ByOption = Annotated[
    list[By] | None,
    typer.Option(
        help="What carries it out: the `algorithm` itself; a `network` (the one that ships, or your run's); its `rules`, "
        "over the concepts that the network sees; or `rules-alone`, over the algorithm's own concepts. "
        "Unless said, an algorithm's name runs by algorithm, and a run's folder by network. Given more than once, the runs "
        "stand side by side on a page.",
        show_default=False,
    ),
]
HtmlOption = Annotated[
    Path | None,
    typer.Option(help="Write a page that plays the run in a browser: one file, which needs nothing else.", show_default=False),
]

"""A program as a record of JSON, and its published schema."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from msgspec import Meta, Struct

from algolens.algorithms._limit import MOST_TIMES
from algolens.disk import write_json
from algolens.fields.records import AnyField, AnyKind
from algolens.logic.records import GoOnRecord, Names, RulesByClass
from algolens.looks.exports.json import LookRecord
from algolens.reading import Name, OneLine, Text, schema_of

SCHEMA = Path(__file__).with_name("program.schema.json")


class MostSteps(Struct, frozen=True, forbid_unknown_fields=True):
    """The most steps that a program may take."""

    times: Annotated[int, Meta(ge=1, le=MOST_TIMES)]
    per: Literal["node", "edge", "graph", "pair"]


class CheckRecord(Struct, frozen=True, forbid_unknown_fields=True):
    """Inputs that are refused: by which check, of which inputs, or with which number."""

    check: Literal[
        "end_not_before",
        "ascending",
        "below_count",
        "pattern_last",
        "first_word_first",
        "no_three_on_a_line",
        "colors_suffice",
    ]
    of: list[Name | Annotated[int, Meta(ge=1, le=MOST_TIMES)]]


class WordsRecord(Struct, frozen=True, forbid_unknown_fields=True):
    """What people say of a program: phrases with names and numbers in braces, and pseudo-code."""

    examined: Text = ""
    phrases: dict[Name, Text | list[Text] | dict[Text, Text]] = {}
    lines: dict[Text, Text] = {}
    states: dict[Text, Text] = {}
    names: dict[Name, Text] = {}
    endless: dict[Name, Name] = {}  # where earlier versions wrote it


class ProgramRecord(Struct, frozen=True, forbid_unknown_fields=True):
    """What a file of a program holds."""

    format: Literal["algolens program"]
    version: Annotated[
        Literal[2, 3], Meta(description="Before 3 a program said nothing of what it refuses.")
    ]
    name: Name
    graphs: Literal["undirected", "directed", "any"]
    loops_matter: bool
    parallel_edges_matter: bool
    most_steps: MostSteps
    location: Annotated[Literal["node", "edge"], Meta(description="Of concepts and outputs.")]
    concepts: Annotated[Names, Meta(min_length=1)]
    outputs: Annotated[dict[Name, AnyKind], Meta(min_length=1)]
    hints: dict[Name, AnyField]
    only_where: dict[Name, Name]
    outcomes: list[Name]
    look: LookRecord
    rules: RulesByClass
    continues: GoOnRecord | None
    remarks: list[Text]
    title: Annotated[OneLine, Meta(description="What people call it, for readers alone.")] = ""
    words: WordsRecord = WordsRecord()
    endless: Annotated[
        dict[Name, Name], Meta(description="Numbers without a bound at the node of an input.")
    ] = {}
    checks: Annotated[list[CheckRecord], Meta(description="What it refuses of inputs.")] = []
    table: Annotated[
        Literal["pairs", "intervals"] | None,
        Meta(
            description="Of a graph that is given, it runs on the cells of all pairs of nodes, or "
            "of all intervals of its row of nodes."
        ),
    ] = None


def write_schema(path: Path = SCHEMA) -> None:
    """Writes the schema anew, after a change of the record: ``make schemas``."""
    described = (
        "What an algorithm on graphs sees, how its state begins and moves, its rules, and when it "
        "goes on. `algolens explain RUN --save FILE` writes it, `algolens execute FILE GRAPH` runs "
        "it."
    )
    write_json(path, schema_of(ProgramRecord, "An AlgoLens program that stands alone", described))

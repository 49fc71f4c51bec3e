"""A discovered algorithm as a file of Python, which all commands take as one of the user's own."""

from __future__ import annotations

from collections.abc import Mapping
from textwrap import fill

from algolens.algorithms import Declaration, Limit
from algolens.discovery.schema import Schema
from algolens.fields import Category, Field, Kind, Number, Observed, Pointer

HEADER = '''"""{name}, discovered from runs of a black box.

{known}

A concept is renamed here, in one place, by replacing its name throughout this file.
"""

from algolens.algorithms import Algorithm, Declaration, Limit
from algolens.fields import Category, Location, Mask, Number, Pointer
from algolens.fields import at_edge, at_graph, at_link, at_node
from algolens.graphs import Recipe


class {class_name}(Algorithm):
    """{summary}"""

    name = "{name}"
    graphs = "{graphs}"
    recipe = Recipe(directed={directed})
    loops_matter = {loops}
    parallel_edges_matter = {parallel}

    def declare(self) -> Declaration:
        return Declaration(
'''


def source_of(schema: Schema, declaration: Declaration, name: str, known: str) -> str:
    """The text of the file.

    Parameters
    ----------
    schema, declaration
        What was discovered.
    name : str
        What it is called.
    known : str
        What is known of it, in sentences.
    """
    parts: dict[str, str] = {
        "location": f"Location.{declaration.location.name}",
        "inputs": _mapping({key: _field(value) for key, value in declaration.inputs.items()}),
        "state": repr(tuple(declaration.state)),
        "start": _mapping({key: repr(value) for key, value in declaration.start.items()}),
        "sums": _mapping(
            {
                key: _observed(value)
                for key, value in declaration.sums.items()
                if not key.startswith("constant_")
            }
        ),
        "look": _mapping({key: _observed(value) for key, value in declaration.look.items()}),
        "concepts": repr(tuple(declaration.concepts)),
        "outputs": _mapping({key: _kind(value) for key, value in declaration.outputs.items()}),
        "hints": _mapping(
            {
                key: _field(value)
                for key, value in declaration.hints.items()
                if key not in declaration.look
            }
        ),
        "moves": _mapping({key: repr(value) for key, value in declaration.moves.items()}),
        "rules": _mapping(
            {
                output: _mapping({label: repr(str(rule)) for label, rule in classes.items()}, 5)
                for output, classes in declaration.rules.items()
            }
        ),
        "continues": repr(None if declaration.continues is None else str(declaration.continues)),
        "only_where": repr(dict(declaration.only_where)),
        "endless": repr(dict(declaration.endless)),
        "outcomes": repr(tuple(declaration.outcomes)),
        "most_steps": _limit(declaration.most_steps),
    }
    head = HEADER.format(
        name=name,
        known=fill(known, 100),
        class_name="".join(word[:1].upper() + word[1:] for word in name.split("_")),
        summary="Discovered from runs: its concepts are named by what they say.",
        graphs=schema.graphs,
        directed=schema.graphs == "directed",
        loops=schema.loops_matter,
        parallel=schema.parallel_edges_matter,
    )
    return (
        head
        + "".join(f"            {key}={text},\n" for key, text in parts.items())
        + "        )\n"
    )


def _mapping(entries: Mapping[str, str], depth: int = 4) -> str:
    if not entries:
        return "{}"
    inner = "".join(f"{'    ' * depth}{key!r}: {text},\n" for key, text in entries.items())
    return "{\n" + inner + "    " * (depth - 1) + "}"


def _observed(observed: Observed) -> str:
    return f"at_{observed.location.value}({observed.text!r})"


def _field(field: Field) -> str:
    flags = "".join(f", {flag}=True" for flag in ("start_only", "drawn") if getattr(field, flag))
    return f"at_{field.location.value}({_kind(field.kind)}{flags})"


def _kind(kind: Kind) -> str:
    match kind:
        case Category(labels=labels):
            return f"Category({', '.join(map(repr, labels))})"
        case Number():
            flags = "".join(
                f", {flag}={getattr(kind, flag)!r}"
                for flag in ("low", "distinct", "signed")
                if getattr(kind, flag)
            )
            return f"Number({kind.bits}{flags})"
        case Pointer():
            none = ", itself_is_none=True" if kind.itself_is_none else ""
            return f"Pointer(Location.{kind.to.name}{none})"
    return f"{type(kind).__name__}()"


def _limit(limit: Limit) -> str:
    if limit.squared:
        return f"Limit({limit.times}, squared=True)"
    return f"Limit({limit.times}, Location.{limit.per.name})"

"""What `algolens execute` and `algolens play` are asked to run, read as a user types it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from algolens.algorithms import Algorithm, algorithms
from algolens.cli.options import find_model_folder, read_options
from algolens.errors import AlgoLensError
from algolens.front.arguments import Setting, intervention
from algolens.front.by import By
from algolens.front.task import Task, find_subject, make_task
from algolens.graphs import Graph


def read_task(
    algorithm: str,
    graph: str,
    *,
    nodes: Path | None,
    directed: bool | None,
    source: str | None,
    by: Sequence[By],
    given: list[str],
    by_name: list[str],
    option: list[str],
    set_by_hand: list[str],
    seed: int,
) -> Task:
    """What a command asks for, checked. by_name: words that no option of the command took: inputs
    by their own names.
    """

    def arguments(chosen: Algorithm) -> dict[str, str]:
        return _arguments(chosen, source, [*given, *_options_by_name(by_name, chosen)])

    return make_task(
        find_subject(algorithm, find_model_folder),
        graph,
        by=by,
        options=read_options(option),
        nodes=nodes,
        directed=directed,
        seed=seed,
        arguments=arguments,
        settings=partial(read_interventions, set_by_hand),
    )


def _options_by_name(words: list[str], algorithm: Algorithm) -> list[str]:
    """Options that are called as inputs are (``--target Mill``), as ``--input`` takes them
    (``target=Mill``).
    """
    found, left = [], list(words)
    while left:
        name, equals, value = left.pop(0).partition("=")
        if not name.startswith("--"):
            raise AlgoLensError(
                f"'{name}' is one argument too many: give an algorithm and a graph."
            )
        name = name.removeprefix("--").replace("-", "_")
        if name not in algorithm.declaration.inputs:
            has = ", ".join(f"--{each}" for each in algorithm.declaration.inputs) or "none"
            raise AlgoLensError(
                f"there is no option --{name}, and {algorithm.name} has no such input (it has "
                f"{has}): see `algolens execute --help`."
            )
        if not equals and not left:
            raise AlgoLensError(f"--{name} needs a value, as in --{name} Mill.")
        found.append(f"{name}={value if equals else left.pop(0)}")
    return found


def _arguments(algorithm: Algorithm, source: str | None, given: list[str]) -> dict[str, str]:
    """Inputs that the command itself gives, by name."""
    if source is not None and "source" not in algorithm.declaration.inputs:
        raise AlgoLensError(_no_source(algorithm))
    arguments = {} if source is None else {"source": source}
    for each in given:
        name, equals, value = each.partition("=")
        if not equals:
            raise AlgoLensError(
                f"--input '{each}' should be a name and a value, as in source=Mill."
            )
        if name in arguments:
            raise AlgoLensError(f"--input {name}: it is given twice. Keep one of them.")
        arguments[name] = value
    return arguments


def _no_source(algorithm: Algorithm) -> str:
    having = [
        name for name, other in algorithms().items() if "source" in other().declaration.inputs
    ]
    owner = f"it is an input of {', '.join(having)}" if having else "no algorithm has one"
    return f"--source: {algorithm.name} has no source, {owner}. Leave it out."


FORM = re.compile(
    r"(?P<concept>\w+)=(?P<value>true|false)(?:@(?P<element>[^#].*?))?(?:#(?P<step>[^#]*))?",
    re.IGNORECASE,
)


def read_interventions(given: list[str], algorithm: Algorithm, graph: Graph) -> list[Setting]:
    """``has_priority=true@Mill#2``: a concept at a node (or edge), at a step counted from 1;
    without, everywhere and always.
    """
    return [_read(each, algorithm, graph) for each in given]


def _read(text: str, algorithm: Algorithm, graph: Graph) -> Setting:
    found = FORM.fullmatch(text)
    if found is None:
        raise AlgoLensError(
            f"--set '{text}' should be a concept and its value, then where and when if not "
            "everywhere: has_priority=true, has_priority=true@Mill or has_priority=true@Mill#2 "
            "(at the second step)."
        )
    said, value = f"--set '{text}'", found["value"].lower() == "true"
    return Setting(
        said,
        intervention(
            said, found["concept"], value, found["element"], found["step"], algorithm, graph
        ),
    )

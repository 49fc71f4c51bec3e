"""The command and how it fails: one line and status 2 for a user's mistake, never a traceback.

The modules of commands import nothing that is slow to load (PyTorch, NetworkX, Matplotlib): their
functions do, once the options are read. So `--version`, `--help` and completion answer at once.
"""

from __future__ import annotations

import inspect
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any

import typer
from typer.core import TyperGroup

from algolens import __version__, memory
from algolens.cli.algorithms import (
    check_command,
    compare_command,
    execute_command,
    list_command,
    new_command,
    play_command,
)
from algolens.cli.models import (
    certify_command,
    discover_command,
    distil_command,
    evaluate_command,
    explain_command,
    train_command,
)
from algolens.cli.options import option, parameters
from algolens.cli.output import checked_output, choose_output, print_error, use_any_encoding
from algolens.cli.research import clrs_command, report_command, reproduce_command
from algolens.errors import AlgoLensError, brief, plain_warnings

# Typer's, and click's before that was part of it
UsageError: type[Exception] = typer.BadParameter.__bases__[0]


class Grouped(TyperGroup):
    """Shows the commands in ``--help`` by what they are for."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Writes a list for each group."""
        for title, group in GROUPS.items():
            with formatter.section(title):
                formatter.write_dl([(name, said) for name, (_, said) in group.items()])


app = typer.Typer(
    name="algolens",
    cls=Grouped,
    help="Carry out classical graph algorithms step by step, with the reason for every step.",
    no_args_is_help=True,
    rich_markup_mode=None,  # plain help: it is printed in half the time, and no word of it is cut
    pretty_exceptions_enable=False,
)
SHARED_OPTIONS = {
    "quiet": (
        bool,
        option(False, "Print only results and errors: no notes, no progress.", "--quiet", "-q"),
    ),
    "no_color": (
        bool,
        option(False, "Print without colors; the variable NO_COLOR does the same.", "--no-color"),
    ),
    "trust": (
        bool,
        option(
            False,
            "Run the files of Python that a model names; ALGOLENS_TRUST=1 does the same.",
            "--trust",
        ),
    ),
    "max_memory": (
        str | None,
        option(
            None,
            "Refuse work that needs more memory, as in `4GB`; unless given, more than is free. "
            f"{memory.VARIABLE} does the same.",
            "--max-memory",
            show_default=False,
        ),
    ),
}


def _with_shared_options(command: Callable[..., None]) -> Callable[..., None]:
    """A command that also takes the options that all commands take."""

    @wraps(command)
    def run(
        *, quiet: bool, no_color: bool, trust: bool, max_memory: str | None, **given: Any
    ) -> None:
        choose_output(quiet=quiet, color=not no_color)
        if trust:
            os.environ["ALGOLENS_TRUST"] = "1"  # which processes that it begins inherit
        if max_memory is not None:
            os.environ[memory.VARIABLE] = str(memory.read_size(max_memory, "--max-memory"))
        with _put_away_when_asked_to_end():
            command(**given)

    declared = inspect.signature(command, eval_str=True)
    taken = [*declared.parameters.values(), *parameters(SHARED_OPTIONS)]
    run.__signature__ = declared.replace(parameters=taken)  # type: ignore[attr-defined]
    return run


# inputs of an algorithm may be given as options of their own names, which only the algorithm knows
WITH_INPUTS = {"allow_extra_args": True, "ignore_unknown_options": True}

# by what they are for, as `--help` groups them
GROUPS: dict[str, dict[str, tuple[Callable[..., None], str]]] = {
    "See": {
        "list": (list_command, "The algorithms: what each does, and what is proven of it."),
        "execute": (execute_command, "Run an algorithm on a graph, and see every step."),
        "play": (play_command, "Run an algorithm on a graph, and play the run in a browser."),
        "new": (new_command, "Write a file to start an algorithm of your own from."),
        "check": (check_command, "Look an algorithm over: what it declares, what is wrong."),
    },
    "Learn": {
        "train": (train_command, "Train networks for an algorithm, or take up one of yours."),
        "evaluate": (evaluate_command, "Score a model on test graphs."),
        "explain": (explain_command, "The rules that a network learnt."),
        "discover": (discover_command, "Read an algorithm off a black box: concepts, rules."),
    },
    "Prove": {
        "certify": (certify_command, "Prove what can be proven of a network."),
        "compare": (compare_command, "Whether two programs do the same on every graph."),
        "distil": (distil_command, "Turn a network that errs into a proven one."),
    },
    "Research": {
        "clrs": (clrs_command, "The thirty tasks of CLRS-30, judged by CLRS's own traces."),
        "report": (report_command, "A page of your own models: figures, tables, what falls short."),
        "reproduce": (reproduce_command, "Every table and figure of the paper."),
    },
}
COMMANDS = {name: command for group in GROUPS.values() for name, (command, _) in group.items()}

for name, command in COMMANDS.items():
    settings = WITH_INPUTS if name in ("execute", "play") else None
    app.command(name, context_settings=settings)(_with_shared_options(command))


@app.callback(invoke_without_command=True)
def options(
    version: bool = typer.Option(False, "--version", help="Print the version and stop."),
) -> None:
    """Carry out classical graph algorithms step by step, with the reason for every step."""
    if version:
        typer.echo(f"algolens {__version__}")
        raise typer.Exit


def main() -> None:
    """Runs the command."""
    plain_warnings()
    use_any_encoding()
    try:
        with checked_output():
            sys.exit(app(standalone_mode=False))
    except AlgoLensError as problem:
        print_error(problem)
        sys.exit(2)
    except UsageError as problem:
        _print_misuse(problem)
        sys.exit(2)
    except MemoryError:  # what no estimate told before
        there = memory.in_bytes(memory.memory_there()[0])
        print_error(AlgoLensError(f"this needs more memory than the {there} that are left."))
        sys.exit(2)


def _print_misuse(problem: Any) -> None:
    """What Typer refuses, in one line; without any words, the help."""
    if type(problem).__name__ == "NoArgsIsHelpError":
        problem.show()
        return
    said = brief(problem.format_message())
    path = "algolens" if problem.ctx is None else problem.ctx.command_path
    see = " See" if said.endswith("?") else ": see"
    print_error(AlgoLensError(f"{said[:1].lower()}{said[1:]}{see} `{path} --help`."))


@contextmanager
def _put_away_when_asked_to_end() -> Iterator[None]:
    """Lets SIGINT and SIGTERM end work by an exception, so that nothing half-written stays."""
    before = {asked: signal.getsignal(asked) for asked in (signal.SIGINT, signal.SIGTERM)}
    heeded = [asked for asked, how in before.items() if how is not signal.SIG_IGN]
    try:
        for asked in heeded:
            signal.signal(asked, _interrupted)
        yield
    except KeyboardInterrupt as problem:  # which may say what to do
        print(f"Interrupted. {problem}".strip(), file=sys.stderr)
        raise typer.Exit(130) from None
    finally:
        for asked in heeded:
            signal.signal(asked, before[asked])


def _interrupted(*_: object) -> None:
    raise KeyboardInterrupt

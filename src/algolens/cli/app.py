"""The command and how it fails: one line and status 2 for a user's mistake, never a traceback.

The modules of commands import nothing that is slow to load (PyTorch, NetworkX, Matplotlib): they
name it as a ``Library``, which is imported when it is used, once the options are read. So
`--version`, `--help` and completion answer at once.
"""

from __future__ import annotations

import inspect
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from algolens import __version__, memory
from algolens.cli import algorithms, models, research, scores
from algolens.cli.options import Command, declared, described
from algolens.cli.output import checked_output, choose_output, print_error, use_any_encoding
from algolens.errors import AlgoLensError, brief, plain_warnings

# Typer's, and click's before that was part of it
UsageError: type[Exception] = typer.BadParameter.__bases__[0]


class Grouped(TyperGroup):
    """Shows the commands in ``--help`` by what they are for."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Writes a list for each group."""
        for title, group in GROUPS.items():
            with formatter.section(title):
                formatter.write_dl(
                    [(name_of(each), described(each)[0].partition("\n")[0]) for each in group]
                )


app = typer.Typer(
    name="algolens",
    cls=Grouped,
    help="Run classical graph algorithms step by step, with the reason for every step.",
    no_args_is_help=True,
    rich_markup_mode=None,  # plain help: it is printed in half the time, and no word of it is cut
    pretty_exceptions_enable=False,
)


def _prepare(
    *,
    quiet: Annotated[bool, "-q"] = False,
    no_color: bool = False,
    trust: bool = False,
    max_memory: str | None = None,
) -> None:
    """What every command takes.

    Options
    -------
    quiet
        Print only results and errors: no notes, no progress.
    no_color
        Print without colors; the variable NO_COLOR does the same.
    trust
        Run the Python files that a model names; ALGOLENS_TRUST=1 does the same.
    max_memory
        Memory limit, such as `4GB`; by default, the free memory. Work that needs more is not
        started. ALGOLENS_MAX_MEMORY does the same.
    """
    choose_output(quiet=quiet, color=not no_color)
    if trust:
        os.environ["ALGOLENS_TRUST"] = "1"  # which processes that it begins inherit
    if max_memory is not None:
        os.environ[memory.VARIABLE] = str(memory.read_size(max_memory, "--max-memory"))


def with_shared_options(command: Command) -> Command:
    """A command that also takes the options that all commands take."""
    shared = list(declared(_prepare))

    def run(**given: Any) -> None:
        _prepare(**{option.name: given.pop(option.name) for option in shared})
        with _put_away_when_asked_to_end():
            command(**given)

    run.__doc__ = described(command)[0]
    taken = inspect.Signature([*declared(command), *shared])
    run.__signature__ = taken  # type: ignore[attr-defined]
    return run


# by what they are for, as `--help` groups them
GROUPS: dict[str, tuple[Command, ...]] = {
    "See": (
        algorithms.list_command,
        algorithms.execute_command,
        algorithms.play_command,
        algorithms.new_command,
        algorithms.check_command,
        scores.check_score_command,
    ),
    "Learn": (
        models.train_command,
        models.evaluate_command,
        models.explain_command,
        models.discover_command,
    ),
    "Prove": (models.certify_command, algorithms.compare_command, models.distil_command),
    "Research": (research.clrs_command, research.report_command, research.reproduce_command),
}


def name_of(command: Command) -> str:
    """What a user types to have it done."""
    return command.__name__.removesuffix("_command").replace("_", "-")


COMMANDS = {name_of(command): command for group in GROUPS.values() for command in group}
# inputs of an algorithm may be given as options of their own names, which only the algorithm knows
WITH_INPUTS = {"allow_extra_args": True, "ignore_unknown_options": True}

for name, command in COMMANDS.items():
    settings = WITH_INPUTS if name in ("execute", "play") else None
    app.command(name, context_settings=settings)(with_shared_options(command))


@app.callback(invoke_without_command=True)
def options(
    version: bool = typer.Option(False, "--version", help="Print the version and stop."),
) -> None:
    """Run classical graph algorithms step by step, with the reason for every step."""
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

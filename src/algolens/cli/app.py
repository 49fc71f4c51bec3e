"""The command and how it fails: one clear line and status 2 for a user's mistake, never a traceback."""

from __future__ import annotations

import sys

import typer

from algolens import __version__
from algolens.cli.certify import certify_command
from algolens.cli.check import check_command
from algolens.cli.compare import compare_command
from algolens.cli.distil import distil_command
from algolens.cli.evaluate import evaluate_command
from algolens.cli.execute import execute_command
from algolens.cli.explain import explain_command
from algolens.cli.list import list_command
from algolens.cli.new import new_command
from algolens.cli.play import play_command
from algolens.cli.report import report_command
from algolens.cli.reproduce import reproduce_command
from algolens.cli.train import train_command
from algolens.errors import AlgoLensError, plain_warnings

app = typer.Typer(
    name="algolens",
    help="Carry out classical graph algorithms step by step, with the reason for every step.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    add_completion=False,
)
app.command("list")(list_command)
app.command("new")(new_command)
app.command("check")(check_command)
app.command("train")(train_command)
app.command("evaluate")(evaluate_command)
app.command("explain")(explain_command)
# inputs of an algorithm may be given as options of their own names, which only the algorithm knows
WITH_INPUTS = {"allow_extra_args": True, "ignore_unknown_options": True}
app.command("execute", context_settings=WITH_INPUTS)(execute_command)
app.command("play", context_settings=WITH_INPUTS)(play_command)
app.command("compare")(compare_command)
app.command("distil")(distil_command)
app.command("certify")(certify_command)
app.command("report")(report_command)
app.command("reproduce")(reproduce_command)


@app.callback(invoke_without_command=True)
def options(version: bool = typer.Option(False, "--version", help="Print the version and stop.")) -> None:
    """Carry out classical graph algorithms step by step, with the reason for every step."""
    if version:
        typer.echo(f"algolens {__version__}")
        raise typer.Exit


def main() -> None:
    """Runs the command."""
    plain_warnings()
    try:
        app()
    except AlgoLensError as problem:
        print(f"error: {problem}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        print("stopped.", file=sys.stderr)
        sys.exit(130)
    except BrokenPipeError:  # as in `algolens list | head`
        sys.stderr.close()
        sys.exit(0)

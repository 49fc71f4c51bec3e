"""The gate of the command line: odd words, by the options that each command declares."""

from __future__ import annotations

import contextlib
import io
import random
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from unittest import mock

import typer

from algolens.cli.app import app, main
from algolens.errors import AlgoLensError
from benchmarks.fuzz.gate import Gate, Wrong

GRAPH = "source,target,weight\na,b,1\nb,c,2\n"
ODD_WORDS = [
    *("", "-", "--", "0", "1", "-1", "2.5", "1e9", "9" * 30, "9" * 5000, "nan", "inf", "٣", "²"),
    *("0-4", "4-0", "0-99999999", "1,1", ",", "x=1", "x=", "=1", "colors=3", "colors=9999999999"),
    *("bfs", "nx:karate_club", "grid:9", "grid:0", "g.csv", "none.csv", ".", "/", "a b"),
    *("é", "\x1b[31m", "x" * 3000, "[red]", "network", "rules", "json", "text", "beta2=0.95"),
    *("a:is_visited@1=1", "a.b", "cpu", "cuda", "ray://", "a - b", "\udc80", "$x$", "--help"),
]
# the words that a command is given where nothing odd is, and the options that take long or reach
# further than the folder, which are left out
USUAL: dict[str, list[list[str]]] = {
    "list": [[]],
    "execute": [["bfs", "g.csv", "--source", "a"], ["dijkstra", "g.csv", "--by", "network"]],
    "play": [["bfs", "g.csv", "--source", "a", "--no-open"]],
    "train": [["bfs"]],
    "evaluate": [["bfs"]],
    "explain": [["bfs"]],
    "certify": [["bfs"]],
    "compare": [["bfs", "bfs"]],
    "distil": [["bfs"]],
    "discover": [["runs.json"]],
    "new": [["mine"]],
    "check": [["bfs"]],
    "clrs": [["bfs"]],
    "report": [["bfs"]],
    "reproduce": [["bfs", "--quick"]],
}
LEFT_OUT = {"--cluster", "--install-completion", "--show-completion", "--open"}
# where a command has read its words and would begin to work, for minutes or hours
WORK = (
    "algolens.api.model.train_to_folder",
    "algolens.reproduction.plan.carry_out",
    "algolens.reproduction.plan.complete",
    "algolens.experiment.explain.distil_into",
    "algolens.api.discovering.discovered_from",
    "algolens.reproduction.report.write_report",
    "algolens.api.model.certify_network",
    "webbrowser.open",
)


class _Begun(Exception):
    """The command would begin to work now: its words were read."""


class CommandLine(Gate):
    """Every command line ends in a status, and where it is refused, in one line."""

    name, share = "command lines", 20

    def __init__(self) -> None:
        commands: Any = typer.main.get_command(app)
        self.options = {
            name: [
                (option.opts[-1], option.is_flag, option.secondary_opts)
                for option in command.params
                if option.param_type_name == "option" and not LEFT_OUT & set(option.opts)
            ]
            for name, command in commands.commands.items()
        }

    def prepare(self) -> None:
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            for name in ("list", "report", "evaluate", "explain", "reproduce"):
                in_process([name, *USUAL[name][0]])

    def draw(self, draw: random.Random) -> Any:
        name = draw.choice(sorted(USUAL))
        words = list(draw.choice(USUAL[name]))
        for _ in range(draw.choice([0, 1, 1, 2, 3])):
            option, is_flag, opposite = draw.choice(self.options[name])
            words.append(draw.choice([option, *opposite]))
            if not is_flag:
                words.append(draw.choice(ODD_WORDS))
        if words and draw.random() < 0.3:
            words[draw.randrange(len(words))] = draw.choice(ODD_WORDS)
        return {"words": [name, *words]}

    def enter(self, given: Any, folder: Path) -> None:
        place = folder / "here"
        place.mkdir(exist_ok=True)
        (place / "g.csv").write_text(GRAPH)
        with contextlib.chdir(place):
            status, _, said = in_process(given["words"])
        if status not in (0, 1, 2):
            raise Wrong(f"status {status}: {said[-500:]}")
        if "Traceback" in said:
            raise Wrong(said[-1500:])
        errors = [line for line in said.splitlines() if line.startswith("error: ")]
        if status == 2 and len(errors) != 1:
            raise Wrong(f"refused without one line: {said[-800:]!r}")
        if status == 2:
            raise AlgoLensError(errors[0])


def in_process(words: list[str], work: Sequence[str] = WORK) -> tuple[int, str, str]:
    """Runs a command here: status, what it printed, and what it said beside.

    work: functions at whose call it ends.
    """
    printed, said = io.StringIO(), io.StringIO()
    with contextlib.ExitStack() as stack:
        stack.enter_context(mock.patch.object(sys, "argv", ["algolens", *words]))
        stack.enter_context(contextlib.redirect_stdout(printed))
        stack.enter_context(contextlib.redirect_stderr(said))
        for place in work:
            with contextlib.suppress(AttributeError, ImportError):
                stack.enter_context(mock.patch(place, side_effect=_Begun))
        try:
            main()
            status = 0
        except _Begun:
            status = 0
        except SystemExit as left:
            status = left.code if isinstance(left.code, int) else int(left.code is not None)
    return status, printed.getvalue(), said.getvalue()

"""The command on terminals, in pipes and in logs: quick to answer, quiet when asked, never a
traceback.
"""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import get_args, get_type_hints

import pytest
from hypothesis import given
from hypothesis import strategies as st

from algolens.algorithms import algorithms, variants
from algolens.api.progress import Board
from algolens.cli import options
from algolens.cli.app import COMMANDS
from algolens.cli.models import explain_command
from algolens.cli.output import _fitted, remarks, results
from algolens.errors import visible
from algolens.experiment.explain import WhichCases
from algolens.extraction.extraction import Unseen
from algolens.graphs import FAMILIES
from algolens.proofs.smt import SOLVERS

VILLAGE = str(Path(__file__).parents[2] / "examples" / "village.csv")
HEAVY = ("torch", "numpy", "networkx", "matplotlib", "sklearn", "scipy", "sympy", "pandas")
OBEYED = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")


@pytest.fixture(autouse=True)
def _as_before():
    """Options of one command do not outlive it here."""
    yield
    results.quiet = remarks.quiet = False  # a reader that goes away leaves a console quiet
    results.no_color = remarks.no_color = False


def test_help_version_and_completion_load_nothing_heavy():
    """All in one process, which is started once: Python imports a module but once."""
    code = f"""
import contextlib, io, os, sys
from algolens.cli import main
def call(*words):
    sys.argv = ["algolens", *words]
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.suppress(SystemExit):
        main()
    return out.getvalue()
assert call("--version").startswith("algolens ")
assert "execute" in call("--help")
for command in {list(COMMANDS)}:
    assert "--quiet" in call(command, "--help"), command
os.environ.update(_ALGOLENS_COMPLETE="complete_bash", COMP_CWORD="2")
os.environ.update(COMP_WORDS="algolens train bf")
assert call().split() == ["bfs", "bfs_tree"]
print([name for name in {HEAVY} if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]", done.stderr


def test_what_is_told_without_loading_is_what_there_is():
    assert options.complete_algorithms("") == sorted(algorithms() | variants())
    assert list(FAMILIES) == options.FAMILIES
    hints = get_type_hints(explain_command)
    assert get_args(hints["unseen"]) == tuple(each.value for each in Unseen)
    assert get_args(hints["cases"]) == tuple(each.value for each in WhichCases)


def test_solvers_are_named(run):
    assert f"check the proof again: {' or '.join(SOLVERS)}." in " ".join(
        run("certify", "--help")[1].split()
    )


def test_completion_finds_runs_files_and_presets(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for folder in ("runs/mine", "runs/other", "data"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "runs/mine/experiment.json").write_text("{}")
    for name in ("data/roads.csv", "data/notes.txt", "own.py"):
        (tmp_path / name).write_text("")
    assert "runs/mine" in options.complete_models("")
    assert "runs/other" not in options.complete_models("")
    assert options.complete_models("runs/m") == ["runs/mine"]
    assert options.complete_graphs("data/") == ["data/roads.csv"]
    assert options.complete_graphs("gr") == ["grid:"]
    assert "own.py" in options.complete_runnable("o")
    assert options.complete_presets("ex") == ["exact"]
    assert options.complete_graphs("nowhere/at/all") == []


def test_every_command_is_told_in_one_line(run):
    shown = run("--help")[1]
    for name, command in COMMANDS.items():
        in_short = options.described(command)[0].partition("\n")[0]
        assert re.search(rf"^  {name} +{re.escape(in_short)}$", shown, re.MULTILINE)


def test_quiet_leaves_results_and_errors(run):
    _, loud, notes = run("execute", "bfs", VILLAGE)
    _, quiet, nothing = run("execute", "bfs", VILLAGE, "--quiet")
    assert notes.startswith("note: ")
    assert (quiet, nothing) == (loud, "")
    assert run("execute", "bfs", "nowhere.csv", "-q")[2].startswith("error: nowhere.csv")


@given(st.text())
def test_what_is_made_visible_holds_nothing_that_a_terminal_obeys(text):
    shown = visible(text)
    assert not OBEYED.search(shown)
    assert "\n" not in shown
    assert visible(shown) == shown
    assert shown == text or not text.isprintable()


@pytest.mark.parametrize(
    "bad", ["\x1b[31mred", "[bold]x[/bold]", "two\nlines", "x\u202ey", "\x9b2J", "\r over"]
)
def test_names_and_paths_are_shown_and_not_obeyed(run, tmp_path, bad):
    graph = tmp_path / f"{bad.replace('/', '')}.json"
    edges = [{"source": bad, "target": "b"}, {"source": "b", "target": "b"}]
    graph.write_text(
        json.dumps({"directed": False, "nodes": [{"id": bad}, {"id": "b"}], "edges": edges})
    )
    for words in (
        ("execute", "bfs", str(graph)),
        ("execute", "bfs", str(graph), "--json", "--trace"),
        ("execute", "bfs", str(graph), "--source", bad + "?"),
        ("execute", "bfs", str(graph), "--set", f"has_been_visited=true@{bad}!"),
        ("execute", bad, str(graph)),
        ("evaluate", bad),
        ("train", "bfs", "--preset", bad),
        (bad,),
    ):
        _, out, err = run(*words)
        assert not OBEYED.search(out + err), words
        assert "--json" in words or visible(bad) in out + err


def test_a_terminal_without_unicode(run, file, monkeypatch):
    name = file("Zürich,\u4e16\n")
    for words, wanted in (((), "Z\\xfcrich"), (("--json",), '"Z\\u00fcrich"')):
        raw = io.BytesIO()
        monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding="ascii"))
        status, *_ = run("execute", "bfs", name, *words)
        sys.stdout.flush()
        assert status == 0
        assert wanted in raw.getvalue().decode("ascii")


RUN = ("execute", "bfs", VILLAGE, "-q")


@pytest.mark.parametrize("words", [RUN, (*RUN, "--json"), ("--help",), ("list",), ("--version",)])
def test_a_reader_that_goes_away_ends_a_command_without_a_word(run, monkeypatch, words):
    """As in ``algolens execute ... | head``: the status is that of a closed pipe."""
    read, write = os.pipe()
    os.close(read)
    monkeypatch.setattr(sys, "stdout", open(write, "w", buffering=1))  # noqa: SIM115
    status, _, err = run(*words)
    assert (status, err) == (141, "")


class _Clock:
    """A clock that goes on by so many seconds whenever it is read."""

    def __init__(self, step: float) -> None:
        self.now, self.step = 0.0, step

    def __call__(self) -> float:
        self.now += self.step
        return self.now


def test_a_log_gets_a_line_every_so_often(monkeypatch, capsys):
    monkeypatch.setattr("algolens.api.progress.monotonic", _Clock(10.0))
    with Board(remarks) as board, board.counting("checked [bold]\x1b", 12, "case") as done:
        for _ in range(12):
            done()
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 5
    assert lines[0] == "checked [bold]\\x1b: case 1 of 12, 0:00:10"
    told = "checked [bold]\\x1b: case 4 of 12, 0:00:40, at most about 0:01:20 left at this pace"
    assert lines[1] == told
    assert lines[-1] == "checked [bold]\\x1b: done after 12 cases, 0:02:10"


def test_what_ends_early_is_done_and_what_fails_is_stopped(capsys):
    with Board(remarks) as board, board.counting("early", 9, "case") as done:
        done()
    with (
        pytest.raises(KeyboardInterrupt),
        Board(remarks) as board,
        board.counting("broken", 9, "case"),
    ):
        raise KeyboardInterrupt
    lines = capsys.readouterr().err.splitlines()
    assert "early: done after 1 case (of at most 9)" in lines[-2]
    assert "broken: stopped after 0 cases (of at most 9)" in lines[-1]


def test_a_bar_that_ends_early_is_full():
    with Board(remarks) as board, board.counting("early", 9, "case") as done:
        done()
    assert board.bars.tasks[0].finished
    assert board.bars.tasks[0].percentage == 100


@pytest.mark.usefixtures("small_sets")
def test_a_training_in_a_log(run, tmp_path):
    settings = ("--preset", "paper", "--epochs", "3", "--seeds", "4,2")
    words = ("train", "bfs", *settings, "--out", str(tmp_path / "run"))
    status, _, err = run(*words)
    assert status == 0
    assert re.search(
        r"^bfs, paper: epoch 1 of 3, 0:00:\d\d; loss: ",
        err,
        re.MULTILINE,
    )
    assert re.search(r"^bfs, paper: done after 3 epochs, 0:00:\d\d; loss: ", err, re.MULTILINE)


def test_an_interruption_leaves_no_traceback(run, monkeypatch):
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("algolens.api.model.load_model", interrupted)
    status, out, err = run("certify", "bfs")
    assert (status, out) == (130, "")
    assert "Traceback" not in err


@given(st.text("ab &(\n", max_size=300), st.integers(20, 80))
def test_on_a_terminal_long_lines_go_on_further_in_and_lose_no_word(text, width):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(results, "_width", width)
        shown = _fitted(text)
    assert shown.split() == text.split()
    longest = max(map(len, text.split()), default=0)
    assert all(len(line.rstrip()) <= max(width, 2 * longest + 8) for line in shown.split("\n"))

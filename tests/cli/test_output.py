"""Output that cannot be written, and commands that are asked to end: one line and a status."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from algolens.cli.app import COMMANDS

FULL = Path("/dev/full")
pytestmark = pytest.mark.skipif(not FULL.exists(), reason="this system has no /dev/full")


# a shell may have had it ignored for all that run behind it
HEED = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"


def command(*words: str) -> list[str]:
    return [sys.executable, "-m", "algolens", *words]


@pytest.mark.parametrize("words", [["--version"], ["new", "--help"]])
def test_a_full_disk_ends_a_command_in_one_line(words):
    with FULL.open("w") as full:
        ended = subprocess.run(command(*words), stdout=full, stderr=subprocess.PIPE, text=True)
    assert ended.returncode == 2
    said = "the output cannot be written (No space left on device)"
    assert ended.stderr == f"error: {said}: make room, or send it elsewhere.\n"


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_that_cannot_print_says_so(run, monkeypatch, name):
    monkeypatch.setattr(sys, "stdout", FULL.open("w"))
    status, _, err = run(name, "--help")
    assert (status, err.count("\n")) == (2, 1)
    assert err.startswith("error: the output cannot be written (No space left on device)")


def test_closed_output_and_errors_that_nobody_can_read_leave_a_status():
    shell = f'"{sys.executable}" -m algolens --version'
    closed = subprocess.run(f"{shell} >&-", shell=True, stderr=subprocess.PIPE, text=True)
    assert (closed.returncode, closed.stderr.count("\n")) == (2, 1)
    assert "it is closed" in closed.stderr
    both = subprocess.run(f"{shell} >/dev/full 2>/dev/full", shell=True)
    assert both.returncode == 2


@pytest.mark.parametrize(
    "words",
    [
        ["nope"],
        ["9" * 5_000],
        ["--nope"],
        ["train"],
        ["train", "bfs", "--nope"],
        ["train", "bfs", "--seeds"],
        ["train", "bfs", "--quiet=3"],
        ["train", "bfs", "--epochs", "\x1b[31m\n"],
        ["explain", "bfs", "more"],
    ],
)
def test_what_no_command_takes_is_refused_in_one_line(run, words):
    status, out, err = run(*words)
    assert (status, out) == (2, "")
    (line,) = err.splitlines()
    assert line.startswith("error: ")
    assert line.isprintable()
    assert len(line) < 1_000


@pytest.mark.parametrize("way", [signal.SIGTERM, signal.SIGINT])
def test_a_command_that_still_imports_ends_in_one_line(way):
    importing = (
        f"{HEED}import os, sys, algolens.__main__ as command\n"
        "class Asked:\n"
        "    def find_spec(self, name, *_):\n"
        f"        if name == 'algolens.cli': os.kill(os.getpid(), {int(way)})\n"
        "sys.meta_path.insert(0, Asked())\n"
        "command.run_command()\n"
    )
    ended = subprocess.run([sys.executable, "-c", importing], capture_output=True, text=True)
    assert (ended.returncode, ended.stdout, ended.stderr) == (130, "", "Interrupted.\n")


@pytest.mark.parametrize("way", [signal.SIGTERM, signal.SIGINT])
def test_a_command_that_has_ended_keeps_its_status(way):
    ending = (
        f"{HEED}import atexit, os, sys, algolens.__main__ as command\n"
        f"atexit.register(os.kill, os.getpid(), {int(way)})\n"  # after all else of ours
        "sys.argv = ['algolens', '--version']\n"
        "command.run_command()\n"
    )
    ended = subprocess.run([sys.executable, "-c", ending], capture_output=True, text=True)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout.startswith("algolens ")


def test_a_command_that_is_asked_to_end_ends_as_by_ctrl_c():
    waiting = (
        f"{HEED}import sys, algolens.cli.app as app, algolens.__main__ as command\n"
        "def wait():\n    print('here', flush=True); signal.pause()\n"
        "app.app.registered_commands[0].callback = app.with_shared_options(wait)\n"
        "sys.argv = ['algolens', 'list']\n"
        "command.run_command()\n"
    )
    for way in (signal.SIGTERM, signal.SIGINT):
        process = subprocess.Popen(
            [sys.executable, "-c", waiting],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert process.stdout is not None
        process.stdout.readline()
        process.send_signal(way)
        _, said = process.communicate(timeout=60)
        assert (process.returncode, said) == (130, "Interrupted.\n")

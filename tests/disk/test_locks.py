"""One holds a lock at a time, and a process that dies holds none."""

from __future__ import annotations

import errno
import os
import signal
import time
from pathlib import Path

import pytest
from filelock import FileLock

from algolens.disk import lock
from algolens.errors import AlgoLensError, AlgoLensWarning
from tests.children import ended, forked

BUSY = "it is held by {who}"


def hold_for_ever(folder: Path) -> None:
    with lock(folder / "lock", BUSY):
        (folder / "held").touch()
        time.sleep(600)


def test_it_is_refused_while_another_holds_it_and_free_when_that_is_killed(tmp_path):
    child = forked(lambda: hold_for_ever(tmp_path))
    while not (tmp_path / "held").exists():
        time.sleep(0.01)
    with (
        pytest.raises(AlgoLensError, match=f"it is held by process {child} on "),
        lock(tmp_path / "lock", BUSY),
    ):
        pass
    os.kill(child, signal.SIGKILL)
    assert ended(child) == -signal.SIGKILL
    with lock(tmp_path / "lock", BUSY):
        pass
    assert [path.name for path in tmp_path.iterdir()] == ["held"]  # nothing of it stays


def count_under_the_lock(folder: Path, times: int) -> None:
    while times:
        try:
            with lock(folder / "lock", BUSY):
                counted = int((folder / "count").read_text())
                (folder / "count").write_text(str(counted + 1))
            times -= 1
        except AlgoLensError:
            time.sleep(0.0005)


def test_never_two_hold_it_though_its_file_comes_and_goes(tmp_path):
    (tmp_path / "count").write_text("0")
    children = [forked(lambda: count_under_the_lock(tmp_path, 100)) for _ in range(4)]
    assert [ended(child) for child in children] == [0] * 4
    assert (tmp_path / "count").read_text() == "400"


def test_a_disk_without_locks_is_told_of_and_gone_on_with(tmp_path, monkeypatch):
    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(FileLock, "acquire", refuse)
    with pytest.warns(AlgoLensWarning, match="a disk without locks"), lock(tmp_path / "lock", BUSY):
        pass

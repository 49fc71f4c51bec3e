"""Files are whole or not there, whatever happens while they are written."""

from __future__ import annotations

import fcntl
import os
from contextlib import suppress
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from algolens.disk import new_folder, write_file
from algolens.errors import AlgoLensError, WritingError
from tests.children import ended, forked, killed_before_touching


@given(st.binary(max_size=300) | st.text(max_size=100))
def test_what_is_written_is_what_is_there(tmp_path_factory, content):
    path = tmp_path_factory.mktemp("written") / "deep" / "file"
    write_file(path, content)
    assert path.read_bytes() == (content.encode() if isinstance(content, str) else content)
    assert list(path.parent.iterdir()) == [path]


def test_killed_at_any_moment_the_file_is_the_old_one_or_the_new_one(tmp_path):
    path, times, seen = tmp_path / "file", 0, set()
    write_file(path, b"old" * 1000)
    while killed_before_touching(tmp_path, times, lambda: write_file(path, b"new" * 1000)):
        seen.add(path.read_bytes())
        times += 1
    assert seen <= {b"old" * 1000, b"new" * 1000}
    assert times >= 2  # before it is opened, and before it is moved
    assert path.read_bytes() == b"new" * 1000


@pytest.mark.parametrize("problem", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_a_writing_that_fails_leaves_what_was_there_and_nothing_else(
    tmp_path, monkeypatch, problem
):
    write_file(tmp_path / "file", "before")

    def fail(_descriptor: int) -> None:
        raise problem

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(
        WritingError if isinstance(problem, OSError) else KeyboardInterrupt
    ) as raised:
        write_file(tmp_path / "file", "after")
    if isinstance(problem, OSError):
        assert str(raised.value) == (
            f"{tmp_path / 'file'} cannot be written (No space left on device): make room, or give "
            "another place."
        )
    assert (tmp_path / "file").read_text() == "before"
    assert len(list(tmp_path.iterdir())) == 1


def test_several_may_write_one_file_at_once(tmp_path):
    contents = [bytes([number]) * 200_000 for number in range(4)]

    def write_often(content: bytes) -> None:
        for _ in range(20):
            write_file(tmp_path / "file", content)

    children = [forked(partial(write_often, content)) for content in contents]
    for _ in range(200):
        if (tmp_path / "file").exists():
            assert (tmp_path / "file").read_bytes() in contents
    assert [ended(child) for child in children] == [0] * 4
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_a_link_stays_and_what_it_leads_to_is_written(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "file")
    write_file(tmp_path / "link", "text")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "file").read_text() == "text"


def test_what_is_no_file_is_never_replaced(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    for name in ("pipe", "folder"):
        with pytest.raises(WritingError, match="something is there that is no file"):
            write_file(tmp_path / name, "text")
    assert (tmp_path / "pipe").is_fifo()


def test_what_a_killed_process_left_is_cleared_and_what_a_living_one_writes_is_not(tmp_path):
    left, held = tmp_path / ".a.txt-00000000", tmp_path / ".a.txt-11111111"
    others = tmp_path / ".b.txt-00000000"
    for path in (left, held, others):
        path.write_text("half")
    with held.open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        write_file(tmp_path / "a.txt", "whole")
    assert sorted(path.name for path in tmp_path.iterdir()) == [held.name, others.name, "a.txt"]


def test_a_folder_of_an_engine_is_whole_or_not_there(tmp_path):
    (tmp_path / ".t.new").mkdir()
    (tmp_path / ".t.new" / "part-0.parquet").write_text("half")
    with suppress(ZeroDivisionError), new_folder(tmp_path / "t") as new:
        assert not new.exists()
        new.mkdir()
        _ = 1 / 0
    assert list(tmp_path.iterdir()) == []
    with new_folder(tmp_path / "t") as new:
        new.mkdir()
        (new / "part-0.parquet").write_text("whole")
    assert [path.name for path in tmp_path.iterdir()] == ["t"]
    with pytest.raises(AlgoLensError, match="is there already"), new_folder(tmp_path / "t"):
        pass

"""Work in several processes: every word arrives, no more at once than asked for, and a failure does
not stop the others.
"""

from __future__ import annotations

import multiprocessing
from typing import Any

import pytest

from algolens.errors import AlgoLensError
from algolens.processes import Ended, Processes
from tests.workers import come_and_go, count, fail_or_count, wait


def test_every_word_arrives_in_its_order():
    heard: dict[str, list[Any]] = {}
    for name, word in Processes(2).messages({"a": (0,), "b": (10,), "c": (20,)}, count):
        heard.setdefault(name, []).append(word)
    assert {name: words[:-1] for name, words in heard.items()} == {
        "a": [0, 1, 2],
        "b": [10, 11, 12],
        "c": [20, 21, 22],
    }
    assert all(isinstance(words[-1], Ended) for words in heard.values())


def test_no_more_at_once_than_asked_for(tmp_path):
    words = Processes(2).messages({str(i): (tmp_path,) for i in range(4)}, come_and_go)
    assert max(word for _, word in words if isinstance(word, int)) <= 2


@pytest.mark.parametrize(
    ("way", "kind", "said"),
    [
        ("refuse", AlgoLensError, "Did you mean 'paper'"),
        ("break", RuntimeError, "KeyError: 'a fault'"),
        (
            "die",
            AlgoLensError,
            "the process of failing was ended from outside .status -9.*fewer --jobs",
        ),
    ],
)
def test_a_failure_is_told_once_the_others_are_done(way, kind, said):
    heard: list[Any] = []
    with pytest.raises(kind, match=said):
        heard.extend(Processes(2).messages({"failing": (way,), "other": ("count",)}, fail_or_count))
    assert heard[:-1] == [("other", 0), ("other", 1), ("other", 2)]


def test_who_stops_listening_ends_all_work():
    words = Processes(2).messages({"a": (), "b": ()}, wait)
    assert next(words)[1] == "waiting"
    words.close()
    assert multiprocessing.active_children() == []

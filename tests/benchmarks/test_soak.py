"""The short form of `make soak`: a command killed, without room, and given twice."""

from __future__ import annotations

from benchmarks.soak.__main__ import table
from benchmarks.soak.disturbing import COMMANDS, soak


def test_nothing_is_lost_and_nothing_left_behind():
    counts = {"chosen kill": 3, "full": 1, "pair": 1}
    tally = soak(counts, seed=0, seconds=120, names=["export"])
    assert tally.faults == []
    assert tally.tried.total() == sum(counts.values())
    assert tally.hit["export", "chosen kill"] == 3
    assert "| export |" in table(tally)


def test_every_command_of_the_promise_is_soaked():
    assert {words[0] for words, _ in COMMANDS.values()} == {
        *("train", "explain", "report", "certify", "reproduce", "execute", "discover")
    }

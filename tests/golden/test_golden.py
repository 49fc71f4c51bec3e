"""What commands print, pages show and shipped models score is as it was.

These guard a rebuilding, beside the laws that judge what is right. After a wanted change,
`python -m tests.golden.commands` writes all three anew.
"""

from __future__ import annotations

import pytest

from tests.golden import pages, scores
from tests.golden.commands import COMMANDS, drawn
from tests.golden.keeping import first_difference, kept

PRINTED, PAGES, SCORES = kept("commands"), kept("pages"), kept("scores")
PLACES = 0.02  # places of nodes depend on how a machine rounds


def test_commands_print_what_they_did():
    assert tuple(PRINTED) == COMMANDS
    now = drawn()
    differences = {each: first_difference(PRINTED[each], now[each]) for each in COMMANDS}
    lines = [f"{each}: {where}" for each, where in differences.items() if where]
    assert not lines, "\n".join(lines)


@pytest.mark.parametrize("name", pages.ALGORITHMS)
def test_pages_show_what_they_did(name):
    before = PAGES[name]
    now = pages.taken(name, before["task"])
    difference = first_difference(before["page"], now, nearly=PLACES)
    assert difference is None


@pytest.mark.parametrize("name", scores.MODELS)
def test_shipped_models_score_as_they_did(name):
    before = SCORES[name]
    difference = first_difference(before["scores"], scores.taken(name, before["tasks"]))
    assert difference is None

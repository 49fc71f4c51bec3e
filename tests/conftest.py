"""Tests run side by side; threads that wait for each other would take longer than these small
networks do.
"""

import gc
from collections.abc import Iterator

import pytest
import torch
from hypothesis import settings
from matplotlib.figure import Figure

from algolens.algorithms import _discovery, algorithms
from tests.effort import USUAL

torch.set_num_threads(1)
# without a deadline: a law holds on a busy machine too
# cases are the same in every run, so that a change alone can fail a test; `make fuzz` draws others
settings.register_profile("laws", deadline=None, max_examples=USUAL // 2, derandomize=True)
settings.register_profile("thorough", deadline=None, max_examples=10 * USUAL)  # `make fuzz`
settings.load_profile("laws")


def pytest_collection_finish() -> None:
    """What is loaded by now stays: the collector of garbage need not go through it again."""
    gc.collect()
    gc.freeze()


@pytest.fixture
def plain_curves(monkeypatch: pytest.MonkeyPatch) -> None:
    """A training leaves an empty picture: what is drawn is tested in tests/reproduction."""
    monkeypatch.setattr("algolens.reports.curves.draw_curves", lambda *_: Figure(figsize=(1, 1)))


@pytest.fixture(autouse=True)
def _known_algorithms() -> Iterator[None]:
    """Algorithms in files that a test named are not known to the next."""
    before = dict(_discovery.ADDED)
    yield
    if before != _discovery.ADDED:
        _discovery.ADDED.clear()
        _discovery.ADDED.update(before)
        algorithms.cache_clear()

"""Tests run side by side; threads that wait for each other would take longer than these small
networks do.
"""

from collections.abc import Iterator

import pytest
import torch
from hypothesis import settings

from algolens.algorithms import _discovery, algorithms
from tests.effort import USUAL

torch.set_num_threads(1)
# without a deadline: a law holds on a busy machine too
settings.register_profile("laws", deadline=None, max_examples=USUAL // 2)
settings.register_profile("thorough", deadline=None, max_examples=10 * USUAL)  # `make fuzz`
settings.load_profile("laws")


@pytest.fixture(autouse=True)
def _known_algorithms() -> Iterator[None]:
    """Algorithms in files that a test named are not known to the next."""
    before = dict(_discovery.ADDED)
    yield
    if before != _discovery.ADDED:
        _discovery.ADDED.clear()
        _discovery.ADDED.update(before)
        algorithms.cache_clear()

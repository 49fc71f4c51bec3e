"""Memory that training frees stays with the process until training ends."""

from __future__ import annotations

import sys

import pytest
import torch

from algolens.training.kept_memory import kept_memory

resource = pytest.importorskip("resource", reason="page faults are counted by Unix alone")


def pages_fetched() -> int:
    """How many pages the system hands over for 64 MiB that are taken, filled and freed."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    torch.ones(2**24)
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before


@pytest.mark.skipif(sys.platform != "linux", reason="only glibc is asked to keep memory")
def test_memory_is_fetched_once_and_given_back_at_the_end():
    with kept_memory():
        pages_fetched()
        assert pages_fetched() < 2**8  # of 2**14 pages, or 2**5 huge ones
    assert pages_fetched() > 0

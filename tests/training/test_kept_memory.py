"""Memory that training frees stays with the process until training ends."""

from __future__ import annotations

import subprocess
import sys

import pytest

# in a process of its own: what other tests have left in memory decides what is fetched
CODE = """
import resource
import numpy as np
from algolens.training.fit import kept_memory

def pages_fetched():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    np.ones(2**24, np.float32)  # 64 MiB that are taken, filled and freed
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

with kept_memory():
    first, second = pages_fetched(), pages_fetched()
print(first, second, pages_fetched())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only glibc is asked to keep memory")
def test_memory_is_fetched_once_and_given_back_at_the_end():
    command = [sys.executable, "-c", CODE]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    first, again, afterwards = map(int, printed.split())
    assert again < first / 4, printed
    assert again < afterwards, printed

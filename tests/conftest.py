"""Tests run side by side; threads that wait for each other would take longer than these small
networks do.
"""

import torch
from hypothesis import settings

from tests.effort import USUAL

torch.set_num_threads(1)
# without a deadline: a law holds on a busy machine too
settings.register_profile("laws", deadline=None, max_examples=USUAL // 2)
settings.register_profile("thorough", deadline=None, max_examples=10 * USUAL)  # `make fuzz`
settings.load_profile("laws")

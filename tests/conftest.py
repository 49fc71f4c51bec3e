"""Tests run side by side; threads that wait for each other would take longer than these small networks do."""

import torch
from hypothesis import settings

torch.set_num_threads(1)
settings.register_profile("laws", deadline=None)  # a law holds on a busy machine too
settings.load_profile("laws")

"""Tests run side by side; threads that wait for each other would take longer than these small networks do."""

import torch

torch.set_num_threads(1)

"""torch-explain 1.5.1 on the hidden formula of ``benchmarks.rules``, where somebody has installed
it.
"""

from __future__ import annotations

import json
import signal
import sys
import time
from types import FrameType

import torch

from benchmarks.rules import hidden_formula

EPOCHS = 600  # of training its network, which is not timed; it is then right on every sample


class TooLong(Exception):
    """The time is over."""


def main(num_concepts: int, seconds: int) -> dict[str, str]:
    """Seconds and clauses of its explanation, and the share of samples on which that is right."""
    try:
        from torch_explain.logic.metrics import test_explanation
        from torch_explain.logic.nn.entropy import explain_class
        from torch_explain.nn import EntropyLinear
        from torch_explain.nn.functional import entropy_logic_loss
    except ImportError:
        absent = (
            "torch-explain is not installed: pip install torch-explain==1.5.1 to see it beside."
        )
        return {"seconds": "", "clauses": "", "right": "", "stop": absent}
    torch.set_num_threads(1)
    torch.manual_seed(0)
    patterns, holds = hidden_formula(num_concepts, seed=0)
    concepts, labels = (
        torch.from_numpy(patterns).float(),
        torch.nn.functional.one_hot(torch.from_numpy(holds).long()).float(),
    )
    hidden, rest = EntropyLinear(num_concepts, 20, n_classes=2), torch.nn.LeakyReLU()
    network = torch.nn.Sequential(
        hidden, rest, torch.nn.Linear(20, 10), torch.nn.LeakyReLU(), torch.nn.Linear(10, 1)
    )
    optimiser = torch.optim.AdamW(network.parameters(), lr=0.01)
    for _ in range(EPOCHS):
        optimiser.zero_grad()
        scores = network(concepts).squeeze(-1)
        loss = torch.nn.functional.binary_cross_entropy_with_logits(
            scores, labels
        ) + 1e-4 * entropy_logic_loss(network)
        loss.backward()
        optimiser.step()
    every = torch.arange(len(concepts))
    began = time.perf_counter()
    signal.signal(signal.SIGALRM, _stop)
    signal.alarm(seconds)
    try:
        # of its settings, those under which its formula is right: drop a literal only where nothing
        # else changes
        settings = {
            "max_minterm_complexity": num_concepts,
            "topk_explanations": 1000,
            "max_accuracy": True,
            "simplify": True,
        }
        explanation, _ = explain_class(
            network, concepts, labels, every, every, target_class=1, try_all=False, **settings
        )
    except TooLong:
        return {
            "seconds": f"over {seconds}",
            "clauses": "",
            "right": "",
            "stop": "torch-explain was asked no further.",
        }
    finally:
        signal.alarm(0)
    took = time.perf_counter() - began
    right, _ = test_explanation(explanation, concepts, labels, 1, every)
    return {
        "seconds": f"{took:.2f}",
        "clauses": str(explanation.count("|") + 1),
        "right": f"{100 * right:.1f} %",
    }


def _stop(number: int, frame: FrameType | None) -> None:  # noqa: ARG001
    raise TooLong


if __name__ == "__main__":
    print(json.dumps(main(int(sys.argv[1]), int(sys.argv[2]))))

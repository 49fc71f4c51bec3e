"""The presets in words, and how many networks the paper trains of each: known without loading any
network.
"""

PRESETS = {
    "paper": "a bottleneck after the paper's, tuned: with L1 and pruning where the paper has them, "
    "and another schedule; `algolens list` says what departs",
    "paper-literal": (
        "a bottleneck after the paper's in every setting, as its text and its authors' code have "
        "them"
    ),
    "paper-unregularised": "the same without L1 and pruning, after the paper's ablation",
    "standard": "no bottleneck, after the paper's baseline",
    "oracle": (
        "the preset `paper` with a concept always given by the algorithm, after the paper's "
        "oracle study"
    ),
    "exact": (
        "no memory, messages of bits, fresh data: what it does on graphs of any size can be proven"
    ),
}

DEFAULT_PRESET = "exact"  # every declared algorithm can be learnt and proven by it
SEEDS = 5

"""What the paper and its authors' code say of networks and training, as data: ``paper.json``; and
what differs from it.
"""

from algolens.protocol.facts import Departure, departures, fact_in_words, known_algorithms, protocol
from algolens.protocol.presets import DEFAULT_PRESET, PRESETS, SEEDS

__all__ = [
    "DEFAULT_PRESET",
    "PRESETS",
    "SEEDS",
    "Departure",
    "departures",
    "fact_in_words",
    "known_algorithms",
    "protocol",
]

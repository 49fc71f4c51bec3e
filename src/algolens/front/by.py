"""What carries an algorithm out, by its name."""

from __future__ import annotations

from enum import Enum

from algolens.errors import UnknownNameError


class By(Enum):
    """What carries the algorithm out."""

    ALGORITHM = "algorithm"
    NETWORK = "network"
    # of the network, one message after the other, where it would run by tables made from them
    LAYERS = "layers"
    RULES = "rules"  # over the concepts that the network sees, as in `algolens evaluate`
    RULES_ALONE = "rules-alone"  # over the algorithm's own concepts: no network has a part in it

    @classmethod
    def read(cls, word: By | str) -> By:
        """The one that a word names."""
        if isinstance(word, cls):
            return word
        if word not in [each.value for each in cls]:
            raise UnknownNameError(
                "way to carry an algorithm out", word, [each.value for each in cls]
            )
        return cls(word)

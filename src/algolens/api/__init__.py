"""What ``import algolens as al`` offers; each name is imported when it is first used."""

from enum import Enum

from algolens.errors import UnknownNameError


class By(Enum):
    """What runs the algorithm."""

    ALGORITHM = "algorithm"
    NETWORK = "network"
    RULES = "rules"  # over the concepts that the network sees, as in `algolens evaluate`

    @classmethod
    def read(cls, word: "By | str") -> "By":
        """Return the member that a word names."""
        words = [way.value for way in cls]
        if not isinstance(word, cls) and word not in words:
            raise UnknownNameError("way to carry an algorithm out", word, words)
        return cls(word)

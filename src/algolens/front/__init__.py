"""The front door: all that ``import algolens as al`` offers."""

from algolens.front.certified import Certified, certify
from algolens.front.checked import CheckedAlgorithm, check
from algolens.front.comparing import compare
from algolens.front.evaluated import Evaluated
from algolens.front.executing import execute
from algolens.front.execution import Execution
from algolens.front.explanation import Explanation, explain
from algolens.front.listing import list_algorithms
from algolens.front.model import Model, load
from algolens.front.playing import play
from algolens.front.training import train

__all__ = [
    "Certified",
    "CheckedAlgorithm",
    "Evaluated",
    "Execution",
    "Explanation",
    "Model",
    "certify",
    "check",
    "compare",
    "execute",
    "explain",
    "list_algorithms",
    "load",
    "play",
    "train",
]

"""Networks: a perceiver (all that comes before concepts), concept decoders, and PrediNet for
termination.
"""

from algolens.models.architecture import Architecture
from algolens.models.fingerprint import Fingerprint, fingerprint, misfit
from algolens.models.network import Network
from algolens.models.parts import NetworkParts
from algolens.models.weights import load_weights

__all__ = [
    "Architecture",
    "Fingerprint",
    "Network",
    "NetworkParts",
    "fingerprint",
    "load_weights",
    "misfit",
]

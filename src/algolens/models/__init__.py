"""Networks: a perceiver (all before the concepts), concept decoders, and a termination network."""

from algolens.models.architecture import Architecture
from algolens.models.network import Network
from algolens.models.parts import NetworkParts
from algolens.models.recurrent.own_processors import add_processor, processor_file
from algolens.models.weights import Fingerprint, fingerprint, load_weights, misfit

__all__ = [
    "Architecture",
    "Fingerprint",
    "Network",
    "NetworkParts",
    "add_processor",
    "fingerprint",
    "load_weights",
    "misfit",
    "processor_file",
]

"""Networks: a perceiver (all before the concepts), concept decoders, and a termination network."""

from algolens.models.architecture import Architecture
from algolens.models.network import Network
from algolens.models.own import add_network, gives_concepts
from algolens.models.own_classes import own_file
from algolens.models.parts import NetworkParts
from algolens.models.recurrent import add_processor
from algolens.models.weights import Fingerprint, fingerprint, load_weights, misfit

__all__ = [
    "Architecture",
    "Fingerprint",
    "Network",
    "NetworkParts",
    "add_network",
    "add_processor",
    "fingerprint",
    "gives_concepts",
    "load_weights",
    "misfit",
    "own_file",
]

"""Networks: a perceiver (all that comes before concepts), concept decoders, and PrediNet for termination."""

from algolens.models.architecture import Architecture
from algolens.models.network import Network
from algolens.models.parts import NetworkParts

__all__ = ["Architecture", "Network", "NetworkParts"]

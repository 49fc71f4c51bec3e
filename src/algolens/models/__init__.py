"""Networks: encoder, processors, concept head, concept decoder, PrediNet."""

from algolens.models.network import Architecture, Network
from algolens.models.parts import NetworkParts

__all__ = ["Architecture", "Network", "NetworkParts"]

"""A network of a user's own: a module that reads a graph of PyTorch Geometric in every state."""

from algolens.models.own.own_network import OwnNetwork, add_network, gives_concepts

__all__ = ["OwnNetwork", "add_network", "gives_concepts"]

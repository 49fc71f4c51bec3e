"""Where values sit."""

from __future__ import annotations

from enum import Enum


class Location(Enum):
    """Where a value sits: at every node, edge or link, or once for a whole graph.

    A link is an edge seen from one end: a directed edge is one link, an undirected edge two.
    """

    NODE = "node"
    EDGE = "edge"
    LINK = "link"
    GRAPH = "graph"

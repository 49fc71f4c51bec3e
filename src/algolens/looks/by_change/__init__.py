"""Looks executed by change: a step costs what changes in it, not a pass over the graph."""

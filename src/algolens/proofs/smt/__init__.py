"""Obligations: what a proof has to show of a network, written for solvers that are not ours."""

__all__ = []

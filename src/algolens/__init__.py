"""AlgoLens: graph neural networks that carry out classical algorithms step by step, and say why."""

__version__ = "0.1.0"

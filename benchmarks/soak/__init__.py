"""Commands that are disturbed, and what is left of it: ``python -m benchmarks.soak``."""

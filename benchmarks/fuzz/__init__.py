"""Odd and damaged input at every gate, and what the library makes of it: `make fuzz`."""

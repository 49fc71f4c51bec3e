"""The language: what is written, what it means, and in which form an algorithm is declared."""

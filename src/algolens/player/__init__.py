"""A page that plays a run: every step forth and back, and why, element by element."""

__all__ = ["Side"]

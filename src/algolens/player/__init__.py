"""A page that plays a run: every step forth and back, and why, element by element."""

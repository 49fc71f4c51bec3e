"""A page that plays a run: every step forth and back, and why, element by element."""

from algolens.reports.player.data import Side
from algolens.reports.player.page import player_page
from algolens.reports.player.sureness import Sureness

__all__ = ["Side", "Sureness", "player_page"]

"""A page that plays a run: every step forth and back, and why, element by element."""

from algolens.reports.player.data import Side
from algolens.reports.player.page import check_page, player_page, write_page
from algolens.reports.player.sureness import Sureness

__all__ = ["Side", "Sureness", "check_page", "player_page", "write_page"]

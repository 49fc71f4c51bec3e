"""Pictures of the page that plays a run, as a browser shows it on a desk and on a phone.

python -m benchmarks.player_pictures --out docs

writes player.png (1280 pixels wide) and player-phone.png (390). It needs Chromium and Playwright:
see `make pictures`.
"""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import typer
from playwright.sync_api import sync_playwright

from algolens.algorithms import algorithm
from algolens.engines import run_algorithm
from algolens.errors import AlgoLensError
from algolens.evaluation import Side
from algolens.graphs import load_graph, stream
from algolens.player.page import player_page
from benchmarks.pages import small_png


@dataclass(frozen=True)
class Picture:
    """A page at one of its steps, in a window."""

    name: str
    algorithm: str
    given: dict[str, str]
    at: str  # the end of its address: the step, and what is chosen
    width: int
    height: int
    scheme: Literal["light", "dark"]


PICTURES = (
    Picture("player.png", "kruskal", {}, "#step=6&edge=4", 1280, 800, "light"),
    Picture(
        "player-phone.png", "dijkstra", {"source": "Mill"}, "#step=4&node=5", 390, 1200, "dark"
    ),
)


def main(
    out: Annotated[Path, typer.Option(help="The folder that they are written to.")] = Path("docs"),
) -> None:
    """Writes every picture."""
    browser = next(
        (
            found
            for name in ("chromium", "chromium-browser", "google-chrome")
            if (found := shutil.which(name))
        ),
        None,
    )
    if browser is None:
        raise AlgoLensError(
            "no Chromium is installed, which would take the pictures: on Debian, `apt-get install "
            "chromium`."
        )
    with sync_playwright() as started, tempfile.TemporaryDirectory() as folder:
        opened = started.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        for picture in PICTURES:
            path = Path(folder) / f"{picture.algorithm}.html"
            path.write_text(_page(picture), encoding="utf-8")
            window = opened.new_page(
                viewport={"width": picture.width, "height": picture.height},
                color_scheme=picture.scheme,
                reduced_motion="reduce",
            )
            window.goto(path.as_uri() + picture.at)
            (out / picture.name).write_bytes(small_png(window.screenshot()))
        opened.close()


def _page(picture: Picture) -> str:
    graph = load_graph("examples/village.csv", 0)
    chosen = algorithm(picture.algorithm).with_room_for(graph)
    inputs, _ = chosen.read(
        graph, stream(0, "inputs", chosen.name), draw_all=False, **picture.given
    )
    run = run_algorithm(chosen, graph, inputs, check=False)
    return player_page([Side("algorithm", run, chosen.declaration.rule_set)], "village")


if __name__ == "__main__":
    typer.run(main)

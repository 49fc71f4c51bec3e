"""A picture of a run of every algorithm, and a page that shows them by what they are for.

python -m benchmarks.gallery --out docs

writes gallery.md and the pictures into gallery/ beside it.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import typer

import algolens as al
from algolens.algorithms import algorithm, algorithms
from algolens.api.checking import GROUPS
from algolens.api.pictures import value_at
from algolens.disk import write_file
from algolens.engines import Run
from algolens.errors import AlgoLensError
from algolens.text.declared import algorithm_facts, purpose_alone
from benchmarks.pages import command, small_png

MOST_TRIED = 60  # moments, to find one for the middle of a picture
FRONT = "dijkstra"  # the picture of README.md, which has a dark one, too
NARROW, WIDE = 330, 1_200  # pixels of a window, for one drawing and for three
# in the page of a run: its drawing at some moments side by side, and the legend, alone
SIDE_BY_SIDE = """async ({ moments, width }) => {
  const keys = new Map();
  const shown = document.createElement("div");
  shown.id = "drawings";
  shown.style.gridTemplateColumns = `repeat(${moments.length}, ${width}px)`;
  for (const [step, title] of moments) {
    location.hash = `step=${step}`;
    await new Promise((done) => setTimeout(done, 150));
    const figure = document.createElement("figure");
    figure.append(document.createElement("figcaption"));
    figure.firstChild.textContent = title;
    figure.append(document.querySelector("#drawings .canvas > svg").cloneNode(true));
    shown.append(figure);
    for (const key of document.querySelectorAll("#legend .key"))
      keys.set(key.textContent, key.cloneNode(true));
  }
  const legend = document.querySelector("#legend");
  legend.firstElementChild.replaceChildren(...keys.values());
  const picture = document.createElement("div");
  picture.id = "picture";
  picture.style.width = `${moments.length * width + 20}px`;
  picture.append(shown, legend);
  document.body.replaceChildren(picture);
}"""
PAGE = """# A run of each algorithm

{count} algorithms ship. Each has a network that is proven right on every graph (`algolens certify
NAME`; [how long that takes](../results/pages/exact.md)). The pictures show the start, \
the middle and the end of a run on an example made for it (`algolens play NAME`). *Play this run* \
shows all of it, with the reason for every step.

- A node's color and shape show its state, class or set; the legend names them. Gray means \
undecided.
- Thick edges are chosen, dashed edges rejected. Bold arrows along edges are a tree and lead away \
from the parent; other arrows are pointers.
- Numbers are drawn as bars or as a heap, strings as tapes, activities and tasks on an axis of \
time, graphs without cycles from left to right \
([how to declare that](declaring.md#how-a-run-is-drawn)).
- A ring marks the source. Numbers at edges are weights; numbers beside nodes are inputs and \
results.

```sh
{command}
```

{sections}
"""


def main(
    out: Annotated[Path, typer.Option(help="The folder of gallery.md.")] = Path("docs"),
) -> None:
    """Draw a run of every algorithm, as its page does, and write the page of all."""
    # installed by `make test-browser`
    from playwright.sync_api import sync_playwright

    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if chromium is None:
        raise AlgoLensError("no Chromium is installed, which draws the pictures: install it.")
    sections = []
    with sync_playwright() as started:
        browser = started.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        window = browser.new_page(reduced_motion="reduce")
        for group, title in GROUPS.items():
            members = [name for name in algorithms() if algorithm(name).group == group]
            if members:
                sections.append(f"## {title}\n")
                sections += [_shown(window, name, out) for name in members]
        browser.close()
    page = PAGE.format(
        count=len(algorithms()), command=command("gallery"), sections="\n".join(sections)
    )
    write_file(out / "gallery.md", page.rstrip() + "\n")


def _shown(window: Any, name: str, out: Path) -> str:
    execution = al.execute(name)
    for scheme in ("light", "dark") if name == FRONT else ("light",):
        suffix = "" if scheme == "light" else "-dark"
        path = out / "gallery" / f"{name}{suffix}.png"
        write_file(path, small_png(picture_of(window, execution, scheme)))
    chosen = execution.run.algorithm
    return (
        f"### {chosen.title}\n\n`{name}`: {purpose_alone(chosen)} "
        f"{' '.join(algorithm_facts(chosen).split())}\n\n![{chosen.title}](gallery/{name}.png)\n\n"
        f"<!-- closed player: {name} -->\n"
    )


def picture_of(window: Any, execution: al.Execution, scheme: str = "light") -> bytes:
    """A run of one graph at its start, in its middle and at its end, as its page draws it."""
    titles = [
        [moment, "start" if moment == 0 else f"step {moment} of {execution.steps}"]
        for moment in moments(execution.run)
    ]
    window.emulate_media(color_scheme=scheme)
    window.set_viewport_size({"width": NARROW, "height": 600})
    with TemporaryDirectory() as folder:
        page = execution.save_html(Path(folder) / "run.html")
        window.goto(page.as_uri())
        window.evaluate(SIDE_BY_SIDE, {"moments": titles, "width": NARROW})
    window.set_viewport_size({"width": WIDE, "height": 900})
    return bytes(window.locator("#picture").screenshot())


def moments(run: Run) -> list[int]:
    """The start, the end, and the moment nearest to the middle that shows something else."""
    declaration, last = run.algorithm.declaration, run.num_steps

    def shown(moment: int) -> list[list[int]]:
        names = (*declaration.outputs, *declaration.state)
        return [value_at(run, name, moment).tolist() for name in names]

    between = sorted(range(1, last), key=lambda moment: abs(moment - last // 2))[:MOST_TRIED]
    ends = [shown(0), shown(last)]
    return [0, *[moment for moment in between if shown(moment) not in ends][:1], last]


if __name__ == "__main__":
    typer.run(main)

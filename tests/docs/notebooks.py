"""``make notebooks``: runs every notebook in Jupyter's kernel, as a reader would, and writes
nothing back.
"""

from __future__ import annotations

import json
from pathlib import Path

ROOT = Path(__file__).parents[2]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))


def code_cells(path: Path) -> list[str]:
    """The code of a notebook, cell by cell."""
    cells = json.loads(path.read_text())["cells"]
    return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]


def main() -> None:
    """Runs them all."""
    import nbformat
    from nbclient import NotebookClient

    for path in NOTEBOOKS:
        notebook = nbformat.read(path, as_version=4)
        NotebookClient(
            notebook, timeout=600, resources={"metadata": {"path": str(path.parent)}}
        ).execute()
        print("works:", path.relative_to(ROOT))


if __name__ == "__main__":
    main()

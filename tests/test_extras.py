"""What an extra installs is named, in a line, where it is missing; all else goes without it."""

from __future__ import annotations

import subprocess
import sys

import pytest

RUN = "al.execute('bfs', 'grid:9')"
NEEDING = {
    "igraph": ("pictures", f"{RUN}.page()"),
    "matplotlib": ("pictures", f"{RUN}.plot()"),
    "pandas": ("table", f"{RUN}.to_pandas()"),
    "pyarrow": ("files", "al.execute('bfs', 'examples/village.csv')"),
    "sympy": ("sympy", "from algolens.logic import parse, to_sympy; to_sympy(parse('a'))"),
}


def said(*missing, work):
    """What Python prints where libraries are missing."""
    absent = f"import sys; sys.modules.update(dict.fromkeys({missing!r}))"
    code = f"{absent}; import algolens as al; {work}"
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)


@pytest.mark.parametrize("library", NEEDING)
def test_a_line_says_what_to_install(library):
    extra, work = NEEDING[library]
    last = said(library, work=work).stderr.strip().splitlines()[-1]
    assert last.endswith(f"{library} is not installed: pip install 'algolens[{extra}]'.")


def test_a_run_needs_none_of_them():
    done = said(*NEEDING, work=f"print({RUN}._repr_html_().count('<svg'), {RUN})")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("0 ")

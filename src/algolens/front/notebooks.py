"""Whether this runs in a notebook. Neither IPython nor marimo is imported: where one runs, it is
there already.
"""

from __future__ import annotations

import sys


def in_notebook() -> bool:
    """Whether what a cell gives is shown as HTML or as a widget: in Jupyter, VS Code, Colab and
    marimo.
    """
    if "marimo" in sys.modules and sys.modules["marimo"].running_in_notebook():
        return True
    if "IPython" not in sys.modules:
        return False
    return hasattr(sys.modules["IPython"].get_ipython(), "kernel")  # a terminal's has none

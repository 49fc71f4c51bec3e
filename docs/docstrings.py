"""Doctests in docstrings become blocks of code in the reference, as an extension of griffe
(mkdocs.yml names it).
"""

from __future__ import annotations

import re
from typing import Any

from griffe import Extension

EXAMPLE = re.compile(r"(?:^>>> .*\n(?:^(?!\n).*\n?)*)+", re.MULTILINE)
FLAGS = re.compile(r" *# doctest: .*")


class Doctests(Extension):
    """Puts a fence around every doctest; without it, Markdown takes ``>>>`` for a quotation."""

    def on_instance(self, *, obj: Any, **_: Any) -> None:
        if obj.docstring is not None and ">>>" in obj.docstring.value:
            obj.docstring.value = EXAMPLE.sub(
                lambda found: f"```pycon\n{FLAGS.sub('', found[0]).rstrip()}\n```\n",
                obj.docstring.value + "\n",
            )

"""``import algolens`` is light, and offers all that it says."""

from __future__ import annotations

import pydoc
import subprocess
import sys

import pytest

import algolens
import algolens as al

HEAVY = ("torch", "matplotlib", "networkx", "numpy", "scipy", "sklearn", "rich", "pandas", "typer")


def test_importing_imports_nothing_heavy():
    code = (
        f"import sys, algolens; dir(algolens); print([name for name in {HEAVY} if name in "
        "sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


def test_all_that_is_offered_is_there_and_documented():
    assert algolens.__all__ == sorted(algolens.MODULES)
    assert set(algolens.__all__) <= set(dir(algolens))
    for name in algolens.__all__:
        place = f"algolens.{algolens.MODULES[name]}"
        offered = getattr(algolens, name)
        assert getattr(offered, "__module__", f"{offered.__name__}.").startswith(place)
        assert getattr(algolens, name).__doc__


def test_help_names_all_functions():
    text = pydoc.plain(pydoc.render_doc(algolens))
    for name in algolens.__all__:
        if callable(getattr(algolens, name)) and name[0].islower():
            assert f"al.{name}(" in text


def test_what_is_not_there_is_an_attribute_error():
    with pytest.raises(AttributeError, match="it has AlgoLensError"):
        _ = al.exekute  # type: ignore[attr-defined]

"""NetworkX's functions by AlgoLens' algorithms: what NetworkX loads with ``backend="algolens"``.

This module and ``offers`` are imported by ``import networkx``, so they import no PyTorch.
"""

from __future__ import annotations

from typing import Any

from algolens.dispatch.offers import OFFERS


def backend_info() -> dict[str, Any]:
    """What NetworkX tells of this backend, and writes below the docstrings of its functions."""
    return {
        "backend_name": "algolens",
        "project": "algolens",
        "package": "algolens",
        "short_summary": "Classical algorithms, declared step by step.",
        "functions": {
            name: {"additional_docs": f"Carried out as AlgoLens' {offer.algorithm}. {offer.limits}"}
            for name, offer in OFFERS.items()
        },
    }

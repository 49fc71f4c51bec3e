"""Options that several of these commands take."""

from __future__ import annotations

from typing import Annotated

import typer

from algolens.cli.models import train_command
from algolens.cli.options import Shared, described

ClusterOption = Annotated[str | None, typer.Option(help=described(Shared)[1]["cluster"])]
SetOption = Annotated[
    list[str] | None, typer.Option("--set", help=described(train_command)[1]["set"])
]

"""The command as a person runs it."""

from __future__ import annotations

import sys

import pytest

from algolens.cli import main


@pytest.fixture
def run(monkeypatch, capsys):
    """Runs the command in this process: status, standard output, standard error."""

    def call(*words: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["algolens", *words])
        with pytest.raises(SystemExit) as left:
            main()
        printed = capsys.readouterr()
        return int(left.value.code or 0), printed.out, printed.err

    return call

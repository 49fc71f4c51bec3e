"""The code of a score that a page gives at the end of a prediction."""

from __future__ import annotations

import re
from datetime import datetime

from algolens.cli.output import say
from algolens.errors import AlgoLensError

CODE = re.compile(
    r"(?P<algorithm>\w+)\.(?P<graph>[a-z0-9-]+)\.(?P<inputs>[0-9a-f]{6})\."
    r"(?P<right>\d+)of(?P<asked>\d+)\.(?P<seconds>\d+)s\.(?P<when>\d{8}T\d{4})"
)


def check_score_command(code: str) -> None:
    """Check the code of a student's score and print what it means.

    The player shows the code at the end of *Predict*. It records how many answers were right at the
    first click, on which graph, in how many seconds, and when. Its last part is a checksum, which
    detects changes but is not a signature. The same inputs have the same six digits. Example:
    `algolens check-score dijkstra.village.1f3a9c.7of9.214s.20261119T2310.5caeb6e9`

    Options
    -------
    code
        The code, as the page shows it.
    """
    said, _, check = code.strip().rpartition(".")
    found = CODE.fullmatch(said)
    if found is None:
        raise AlgoLensError(
            f"{code!r} is not a score code: copy everything that the page shows, as "
            "dijkstra.village.1f3a9c.7of9.214s.20261119T2310.5caeb6e9."
        )
    if check != checksum(said):
        raise AlgoLensError(f"{code!r} was changed: its last part does not fit the rest.")
    minutes, seconds = divmod(int(found["seconds"]), 60)
    when = datetime.strptime(found["when"], "%Y%m%dT%H%M")
    say(
        f"{found['algorithm']} on {found['graph']} (inputs {found['inputs']}): {found['right']} of "
        f"{found['asked']} right, in {minutes} min {seconds} s, on {when:%Y-%m-%d at %H:%M} UTC."
    )


def checksum(text: str) -> str:
    """FNV-1a in 32 bits, as the page computes it (``prediction.js``).

    >>> checksum("a")
    'e40c292c'
    """
    found = 0x811C9DC5
    for byte in text.encode():
        found = (found ^ byte) * 0x01000193 % 2**32
    return f"{found:08x}"

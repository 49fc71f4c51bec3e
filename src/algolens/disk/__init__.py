"""What is on disk is whole, and nobody's by mistake: files written at once, folders exchanged, and locks."""

from algolens.disk.files import as_json, check_writable, is_aside, write_file, write_json
from algolens.disk.folders import exchange, put_in_place, put_together, set_aside
from algolens.disk.locks import lock

__all__ = [
    "as_json",
    "check_writable",
    "exchange",
    "is_aside",
    "lock",
    "put_in_place",
    "put_together",
    "set_aside",
    "write_file",
    "write_json",
]

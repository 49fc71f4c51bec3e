"""Files that are written whole or not at all, folders that are exchanged in one step, and locks."""

from algolens.disk.files import as_json, check_writable, has_mark, is_aside, write_file, write_json
from algolens.disk.folders import exchange, put_in_place, put_together, set_aside
from algolens.disk.locks import lock

__all__ = [
    "as_json",
    "check_writable",
    "exchange",
    "has_mark",
    "is_aside",
    "lock",
    "put_in_place",
    "put_together",
    "set_aside",
    "write_file",
    "write_json",
]

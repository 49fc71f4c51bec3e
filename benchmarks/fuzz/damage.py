"""Files, values and texts, damaged at random."""

from __future__ import annotations

import copy
import random
from typing import Any

from algolens.reading import MOST_NESTED

PIECES = [
    *(b"node_for_adding", b"node_default", b"edge_default", b"self", b"key", b"id", b"nodes"),
    *(b"\\ud800", b"\xff", b"[", b"{", b"null", b"NaN", b"1e999", b"9" * 5000, b'"', b"<", b"-1"),
    *(b"</node>", b"<graph>", b"UTF-16", b"boolean", b"x" * 4000, b"\x00", b"\x1b[31m", b"\n"),
    *(b"weight", b"label", b"utf-8", b"<default></default>", b"[]", b"{}", b"true", b",", b'""'),
    *(b"[" * (MOST_NESTED + 1), b"0.5", b'"not"', b'"and"', b"source", b"string", b"directed"),
]
ODD: list[Any] = [
    *(None, True, False, 0, 1, -1, 2, 7, 255, 2.5, -0.0, 1e308, 2**31, 2**63, 10**19, 10**400),
    *("", "x", "a b", "0", "node", "edge", "true", "\x00", "\x1b[2J", "é", "𝛼", "<b>", "$x$"),
    *("../../x", "-", "my", "x" * 3000, "__class__", "exists", "self", "NaN", "1e9", "\u202e"),
    *([], {}, [[]], [{}], ["not"], ["my"], [0], [None], {"": 0}, {"x": {}}, [[[[]]]], [1] * 300),
    *(["my", "visited"], {"where": True}, ["is", ["my"], None], ["and", True], {"kind": "mask"}),
]


def damaged_bytes(content: bytes, draw: random.Random) -> bytes:
    """One to four pieces put in or in the place of others; a bit turned; or a part left out."""
    if draw.random() < 0.1:
        return content[: draw.randrange(len(content) + 1)]
    for _ in range(draw.choice([1, 1, 2, 4])):
        if draw.random() < 0.2 and content:
            at = draw.randrange(len(content))
            turned = content[at] ^ (1 << draw.randrange(8))
            content = content[:at] + bytes([turned]) + content[at + 1 :]
            continue
        old = draw.choice(PIECES)
        at = content.find(old)
        if at < 0 or draw.random() < 0.6:
            at = draw.randrange(len(content) + 1)
            old = content[at : at + draw.choice([0, 0, 1, 3, 8, 20])]
        new = draw.choice(PIECES) if draw.random() < 0.7 else bytes([draw.randrange(256)])
        content = content[:at] + new + content[at + len(old) :]
    return content


def damaged_value(value: Any, draw: random.Random) -> Any:
    """A value of JSON with one to three of its parts replaced, left out, doubled or exchanged."""
    value = copy.deepcopy(value)
    for _ in range(draw.choice([1, 1, 1, 2, 3])):
        inner = list(_places(value))
        if not inner:
            return copy.deepcopy(draw.choice(ODD))
        holder, place = draw.choice(inner)
        other_holder, other = draw.choice(inner)
        match draw.choice(["odd", "odd", "odd", "drop", "other", "double"]):
            case "odd":
                holder[place] = copy.deepcopy(draw.choice(ODD))
            case "drop":
                del holder[place]
            case "other":
                holder[place] = copy.deepcopy(other_holder[other])
            case "double":
                if isinstance(holder, list):
                    holder.insert(place, copy.deepcopy(holder[place]))
                else:
                    holder[f"{place}_"] = copy.deepcopy(holder[place])
    return value


def damaged_text(text: str, vocabulary: list[str], draw: random.Random) -> str:
    """A text of words, with some left out, put in, exchanged or repeated."""
    words = text.split(" ")
    for _ in range(draw.choice([1, 1, 2, 3, 6])):
        place = draw.randrange(len(words) + 1)
        taken = draw.choice([0, 0, 1, 1, 2])
        words[place : place + taken] = draw.choices(vocabulary, k=draw.choice([0, 1, 1, 2]))
    between = "" if draw.random() < 0.05 else " "
    if draw.random() < 0.02:  # as deep or long as nobody writes
        return draw.choice(["(", "~", "not ", "a & "]) * draw.choice([90, 150, 5000]) + text
    return between.join(words)


def _places(value: Any) -> list[tuple[Any, Any]]:
    """Every place inside a value: what holds it, and the key there."""
    found: list[tuple[Any, Any]] = []
    waiting = [value]
    while waiting:
        holder = waiting.pop()
        if isinstance(holder, dict | list):
            keys = list(holder) if isinstance(holder, dict) else list(range(len(holder)))
            found += [(holder, key) for key in keys]
            waiting += [holder[key] for key in keys]
    return found

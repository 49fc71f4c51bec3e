"""What relations have in common that go by a pointer of nodes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from algolens.looks.relations._relation import Relation


@dataclass(frozen=True)
class ByPointer(Relation):
    """Its words, then the name of the pointer, then perhaps further words: ``node whose root is
    me``.
    """

    ending: ClassVar[tuple[str, ...]] = ()  # the words that follow the name
    pointer: str = "root"

    @property
    def pointers(self) -> tuple[str, ...]:
        return (self.pointer,)

    def phrase(self, count: int) -> str:
        return " ".join([self.words[count > 1], self.pointer, *self.ending])

    @classmethod
    def example(cls) -> str:
        return cls("POINTER").phrase(1)

    @classmethod
    def read(cls, tokens: Sequence[str]) -> Iterator[tuple[Relation, int]]:
        for words in cls.words:
            name = len(words.split())  # the place of the pointer's name
            end = name + 1 + len(cls.ending)
            begins = (
                list(tokens[:name]) == words.split() and tuple(tokens[name + 1 : end]) == cls.ending
            )
            if begins and len(tokens) >= end and tokens[name].isidentifier():
                yield cls(tokens[name]), end

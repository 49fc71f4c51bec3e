"""What certificate.json holds."""

from __future__ import annotations

from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType, field

from algolens.errors import ReadingError
from algolens.proofs import Basis, Certificate, Check
from algolens.reading import Count, Sha256, Text, Word

About = dict[Word, Sha256 | None]  # the fingerprints of what is certified


class CheckRecord(Struct, frozen=True, forbid_unknown_fields=True):
    """One thing that was checked, and how it came out."""

    name: Word
    basis: Basis = field(name="kind")
    cases: Count
    failures: Count
    says: Text
    counterexample: Text | None = None

    def check(self) -> Check:
        """It as the library has it."""
        return Check(
            self.name, self.basis, self.cases, self.failures, self.says, self.counterexample
        )


class CertificateRecord(Struct, frozen=True, forbid_unknown_fields=True):
    """The certificate of one seed."""

    algorithm: Word
    seed: Count
    proven: bool  # as its checks say: what a reader of the file looks for first
    about: About
    assumptions: list[Text]
    checks: list[CheckRecord]

    def certificate(self) -> Certificate:
        """It as the library has it."""
        checks = tuple(check.check() for check in self.checks)
        return Certificate(self.algorithm, self.seed, self.about, tuple(self.assumptions), checks)


class CertificatesRecord(Struct, frozen=True, forbid_unknown_fields=True):
    """What certificate.json holds: of one seed itself, of several under 'seeds'."""

    algorithm: Word
    proven: bool
    assumptions: list[Text]
    checks: list[CheckRecord]
    seed: Count | UnsetType = UNSET
    about: About | UnsetType = UNSET
    seeds: Annotated[list[CertificateRecord], Meta(min_length=1)] | UnsetType = UNSET

    def certificates(self, where: str) -> list[Certificate]:
        """The certificate of each seed; where: the file's name, for messages."""
        if not isinstance(self.seeds, UnsetType):
            return [entry.certificate() for entry in self.seeds]
        if isinstance(self.seed, UnsetType) or isinstance(self.about, UnsetType):
            raise ReadingError(f"{where} names neither 'seeds' nor one 'seed' and its 'about'.")
        own = (self.algorithm, self.seed, self.proven, self.about, self.assumptions, self.checks)
        return [CertificateRecord(*own).certificate()]

"""What the files of a run hold, as typed records: see ``algolens.reading``."""

from __future__ import annotations

import dataclasses
import os
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Literal, NotRequired, TypedDict, TypeVar

from msgspec import Meta, Struct, field

from algolens.algorithms import Algorithm
from algolens.algorithms import algorithm as named_algorithm
from algolens.data import DataSets, fixed
from algolens.disk import as_json, write_file
from algolens.engines import program as programs
from algolens.errors import AlgoLensError, ReadingError
from algolens.evaluation.metrics import ScoresRecord, Seeds, SizeScores, TestSet
from algolens.extraction.extraction import RuleSetsRecord
from algolens.extraction.observations import Tree
from algolens.graphs import Recipe
from algolens.language.ir import Program
from algolens.models import Architecture, Fingerprint, misfit
from algolens.proofs.certificate import CertificatesRecord
from algolens.reading import (
    Count,
    Name,
    Sha256,
    Subject,
    Text,
    Word,
    as_record,
    read_record,
    schema_of,
    strict,
)
from algolens.training import Schedule

FRESH_SCORES = "scores-fresh.json"  # on fresh graphs, by `algolens evaluate --save`
WEIGHTS = "weights.safetensors"
T = TypeVar("T")


def measured_record(
    folder: Path, name: str, kind: type[T], now: Fingerprint | None, remedy: str = ""
) -> tuple[T | None, str | None]:
    """What a file says of a model, or why it is not used, in words; neither where none is there.

    kind: a record with ``about``, the fingerprint of the network that it was measured of. now: of
    the network at hand; None where there are no weights.
    """
    path = folder / name
    if not os.path.lexists(path):
        return None, None
    try:
        record: Any = read_record(path, kind)
    except ReadingError as problem:
        wrong = f"{str(problem).rstrip('.')}"
    else:
        another = None if now is None else misfit(record.about, now)
        if another is None:
            return record, None
        wrong = f"{path} is about {another}"
    return None, f"{wrong}: it is not used.{remedy and ' '}{remedy}"


OwnGraphs = TypedDict(
    "OwnGraphs",
    {
        "from": Text,
        "family": NotRequired[bool],
        "file_sha256": NotRequired[Sha256],
        "split": NotRequired[Word],
        "taught": bool,
        "sha256": Sha256,
        "sets": dict[Word, Count],
        "nodes": Annotated[list[Count], Meta(min_length=2, max_length=2)],
        "drawn": dict[Word, Count],
        "repeated": Count,
    },
)
OwnGraphs.__doc__ = """A user's own graphs: where they come from, and their sets."""


class About(TypedDict, total=False):
    """How a run was made."""

    command: Text
    device: Word
    training_seconds: Annotated[float, Meta(ge=0)]
    selected_epochs: list[Count]
    versions: dict[Word, Word]


OWN_GRAPHS = "graphs.safetensors"  # in a model's folder: graphs of the user's own
UNWRITTEN = {"unwritten": True}


@dataclass(frozen=True)
class Experiment:
    """What is trained, on what, and how; and how it was made."""

    algorithm: Word
    preset: Word
    architecture: Architecture
    schedule: Schedule
    seeds: Seeds  # of the networks' first weights
    data_seed: Count  # of the data sets
    # of the algorithm, where not as declared
    options: dict[Name, int | bool]
    # graphs of each family to validate and to test on; None: as many as the recipe has
    held_out: Count | None = None
    variant: Word | None = None  # the variant of the algorithm that is learnt; None: itself
    # of an algorithm that is in no file of Python: its program, as JSON
    program: Annotated[
        dict[str, Any] | None, Meta(description="As `program.schema.json` says.")
    ] = None
    # of graphs, in their order in the data sets; None: the recipe's
    families: tuple[Word, ...] | None = None
    # SHA-256 of the text of the file that holds the processor or network, where it is the user's
    processor_sha256: Sha256 | None = None
    # of a user's own graphs: where they come from, their split and SHA-256; None: the recipe's
    graphs: OwnGraphs | None = None
    about: About = dataclasses.field(default_factory=About, compare=False, repr=False)
    # its class, where no file is known to hold it
    own: Any = dataclasses.field(default=None, compare=False, repr=False, metadata=UNWRITTEN)
    # graphs of a user's own, which a model's folder keeps in a file of their own
    own_sets: Any = dataclasses.field(default=None, compare=False, repr=False, metadata=UNWRITTEN)

    def find_algorithm(self) -> Algorithm:
        """The algorithm with its options."""
        if self.program is not None:
            return programs.Program.from_json(self.program).algorithm
        if self.own is not None:
            return self.own(**self.options)
        return named_algorithm(self.variant or self.algorithm, **self.options)

    @property
    def recipe(self) -> Recipe:
        """Which graphs its data sets are made of."""
        usual = self.find_algorithm().recipe
        held_out = usual.held_out if self.held_out is None else self.held_out
        return replace(usual, held_out=held_out, families=self.families or usual.families)

    def data(self, *, tests: bool = True) -> DataSets:
        """The data sets it is trained, selected and tested on; or all but the tests."""
        if self.graphs is not None:
            if self.own_sets is None:
                raise AlgoLensError(
                    f"it was trained on graphs of its own ({self.graphs['from']}), which "
                    f"{OWN_GRAPHS} in its folder does not hold any more: train it again."
                )
            return self.own_sets.traces(self.find_algorithm(), tests=tests)
        recipe = self.recipe if tests else replace(self.recipe, test_sizes=())
        return fixed(self.find_algorithm(), self.data_seed, recipe)

    def to_json(self) -> dict[str, Any]:
        """Itself as JSON, without a class or graphs of its own, or how it was made."""
        optional = ("program", "families", "variant", "processor_sha256", "graphs")
        unsaid = {
            "own",
            "own_sets",
            "about",
            *(name for name in optional if getattr(self, name) is None),
        }
        said = asdict(replace(self, own_sets=None))
        return {name: value for name, value in said.items() if name not in unsaid}

    @classmethod
    def from_json(cls, value: Any) -> Experiment:
        """The experiment that ``to_json`` wrote, or that its file's record holds."""
        where = "the experiment"
        made = as_record(as_record(value, ExperimentRecord, where), cls, where)
        if made.program is None:
            return made
        return replace(made, program=programs.Program.from_json(made.program).to_json())


ExperimentRecord: Any = strict(Experiment)


class VerdictRecord(Struct, frozen=True, forbid_unknown_fields=True):
    """How rules compare with the true ones."""

    equal_on_seen: bool
    equal_on_all: bool
    in_words: Text


class ExactnessRecord(Struct, frozen=True, forbid_unknown_fields=True):
    """Scores on graphs far beyond the size of training."""

    larger: dict[TestSet, SizeScores]


class StudyRecord(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What study.json holds."""

    seed: Count
    decisions: list[Tree]
    verdicts: list[VerdictRecord]  # of each seed; none without rules
    exactness: ExactnessRecord | None = None
    about: Subject = field(default_factory=dict)


class DeclarationRecord(Struct, frozen=True, forbid_unknown_fields=True):
    """All that an algorithm declares: what a certificate says that the network does."""

    algorithm: Word
    options: dict[Name, int | bool]
    graphs: Literal["undirected", "directed", "any"]
    loops_matter: bool
    parallel_edges_matter: bool
    program: Program


# by the name of a file: the record that reads it, and what it holds; a program has its schema
# beside its record
FILES: dict[str, tuple[Any, str]] = {
    "experiment": (ExperimentRecord, "What was trained, on what, and how."),
    "scores": (ScoresRecord, "What was measured of networks on test graphs, in percent."),
    "study": (StudyRecord, "What a report shows of one network."),
    "certificate": (CertificatesRecord, "What is proven of networks, and on what assumptions."),
    "declaration": (DeclarationRecord, "All that an algorithm declares, as trees."),
    "rule_sets": (RuleSetsRecord, "The rules drawn from networks, and how well they fit."),
}


def schemas() -> dict[str, dict[str, Any]]:
    """The schema of every file, by its name."""
    return {
        name: schema_of(record, f"{name}.json of AlgoLens", said)
        for name, (record, said) in FILES.items()
    }


def write_schemas(folder: Path) -> None:
    """Writes them anew, after a change of a record."""
    for name, schema in schemas().items():
        write_file(folder / f"{name}.schema.json", as_json(schema))

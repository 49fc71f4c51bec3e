"""An experiment: all that a training depends on, in one frozen record."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from algolens.algorithms import Algorithm, algorithm
from algolens.data import DataSets, fixed
from algolens.errors import AlgoLensError
from algolens.graphs import Recipe
from algolens.models import Architecture
from algolens.programs import Program
from algolens.training import Schedule


@dataclass(frozen=True)
class Experiment:
    """What is trained, on what, and how."""

    algorithm: str
    preset: str
    architecture: Architecture
    schedule: Schedule
    seeds: tuple[int, ...] = (0,)  # of the networks' first weights
    data_seed: int = 0  # of the data sets
    variant: str | None = None  # the variant of the algorithm that is learnt; None: itself
    # of the algorithm, where not as declared
    options: Mapping[str, Any] = field(default_factory=dict)
    # of an algorithm that is in no file of Python: its program, as JSON
    program: Mapping[str, Any] | None = None
    # its class, where no file is known to hold it
    own: type[Algorithm] | None = field(default=None, compare=False, repr=False)
    # graphs of each family to validate and to test on; None: as many as the recipe has
    held_out: int | None = None
    # of graphs, in their order in the data sets; None: the recipe's
    families: tuple[str, ...] | None = None

    def find_algorithm(self) -> Algorithm:
        """The algorithm with its options."""
        if self.program is not None:
            return Program.from_json(self.program).algorithm
        if self.own is not None:
            return self.own(**self.options)
        return algorithm(self.variant or self.algorithm, **self.options)

    @property
    def recipe(self) -> Recipe:
        """Which graphs its data sets are made of."""
        usual = self.find_algorithm().recipe
        held_out = usual.held_out if self.held_out is None else self.held_out
        return replace(usual, held_out=held_out, families=self.families or usual.families)

    def data(self, *, tests: bool = True) -> DataSets:
        """The data sets it is trained, selected and tested on; or all but the tests."""
        recipe = self.recipe if tests else replace(self.recipe, test_sizes=())
        return fixed(self.find_algorithm(), self.data_seed, recipe)

    def to_json(self) -> dict[str, Any]:
        """Itself as JSON; a class of its own is not written, only its name."""
        written = asdict(self)
        del written["own"]
        for name in ("program", "families", "variant"):
            if written[name] is None:
                del written[name]
        return written

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Experiment:
        """The experiment that ``to_json`` wrote."""
        try:
            architecture = Architecture(**value["architecture"])
            return cls(
                algorithm=value["algorithm"],
                preset=value["preset"],
                # JSON knows lists only
                architecture=replace(architecture, given=tuple(architecture.given)),
                schedule=Schedule(**value["schedule"]),
                seeds=tuple(value["seeds"]),
                data_seed=value["data_seed"],
                variant=value.get("variant"),
                options=value["options"],
                program=value.get("program"),
                held_out=value.get("held_out"),
                families=None if value.get("families") is None else tuple(value["families"]),
            )
        except (KeyError, TypeError) as problem:
            raise AlgoLensError(
                f"not an experiment in JSON ({problem}): was the file edited, or written by "
                "another version?"
            ) from problem

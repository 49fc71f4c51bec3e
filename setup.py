"""The incremental engine, compiled where there is a C compiler; all else is in pyproject.toml.

It is a plain shared library, loaded by ctypes: it knows nothing of Python, so a wheel is for all
versions of Python on a platform. Without a compiler the package is built all the same, and long
runs go by whole-array steps.
"""

import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_ext import build_ext


class BuildLibrary(build_ext):
    def get_ext_filename(self, fullname: str) -> str:
        """Without the version of Python in its name: one library, and no stale ones beside it."""
        suffix = ".dll" if sys.platform == "win32" else ".so"
        return str(Path(*fullname.split("."))) + suffix

    def get_export_symbols(self, ext: Extension) -> list[str]:
        """Its functions say themselves that they are exported."""
        return list(ext.export_symbols)


class PlatformWheel(bdist_wheel):
    def get_tag(self) -> tuple[str, str, str]:
        """A wheel with the library is for one platform; one without it is for all."""
        built = Path(self.bdist_dir or "").rglob("_delta.*")
        platform = super().get_tag()[2] if any(built) else "any"
        return "py3", "none", platform


windows = sys.platform == "win32"
setup(
    ext_modules=[
        Extension(
            "algolens.engines._delta",
            ["src/algolens/engines/delta.c"],
            extra_compile_args=["/O2", "/std:c11"] if windows else ["-O2", "-std=c11"],
            optional=True,
        )
    ],
    cmdclass={"build_ext": BuildLibrary, "bdist_wheel": PlatformWheel},
)

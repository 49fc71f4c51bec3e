"""Functions of whole numbers as machine code that Python calls; what was made is kept on disk."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import llvmlite
import llvmlite.binding as llvm

from algolens.looks.by_change.expressions import KnownNumbers
from algolens.looks.by_change.liveness import Function
from algolens.looks.by_change.translation import Module

KEPT = Path(__file__).parent / "__pycache__"
Entry = Callable[..., int]

_loaded: dict[str, Entry] = {}
_engines: list[Any] = []  # they hold the code as long as it may be called


def compiled(
    function: Function, types: tuple[str, ...], known: KnownNumbers, stamp: bytes
) -> Entry:
    """A function for what is known. stamp: changes with the text of any function that it calls."""
    label = _label(function, known, stamp)
    if label not in _loaded:
        path, code = KEPT / label, None
        with suppress(OSError):
            code = path.read_bytes()
        if code is None:
            code = _machine_code(Module(known).entry(function, types))
            with suppress(OSError):  # where no folder can be written, every process compiles
                KEPT.mkdir(exist_ok=True)
                own = path.with_suffix(f".{os.getpid()}")
                own.write_bytes(code)
                own.replace(path)
        _loaded[label] = _load(code, types)
    return _loaded[label]


def is_kept(function: Function, known: KnownNumbers, stamp: bytes) -> bool:
    """Whether a function is compiled: in this process, or kept on disk by one before it."""
    label = _label(function, known, stamp)
    return label in _loaded or (KEPT / label).exists()


def _label(function: Function, known: KnownNumbers, stamp: bytes) -> str:
    digest = sha256(stamp)
    digest.update(repr((llvmlite.__version__, _processor())).encode())
    digest.update(repr((sorted(known.values.items()), sorted(known.lasting))).encode())
    return f"{function.__name__}-{digest.hexdigest()[:32]}.o"


@cache
def _processor() -> tuple[str, str]:
    return llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()


@cache
def _machine() -> Any:
    """This computer's processor."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    name, features = _processor()
    target = llvm.Target.from_default_triple()
    return target.create_target_machine(cpu=name, features=features, opt=2)


def _machine_code(text: str) -> bytes:
    machine = _machine()
    module = llvm.parse_assembly(text)
    module.triple, module.data_layout = machine.triple, str(machine.target_data)
    options = llvm.create_pipeline_tuning_options(speed_level=2)
    options.loop_vectorization = options.slp_vectorization = False  # nothing here lies in a row
    builder = llvm.create_pass_builder(machine, options)
    builder.getModulePassManager().run(module, builder)
    return bytes(machine.emit_object(module))


def _load(code: bytes, types: tuple[str, ...]) -> Entry:
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), _machine())
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    _engines.append(engine)
    kinds = [ctypes.c_void_p if kind.endswith("*") else ctypes.c_int64 for kind in types]
    return ctypes.CFUNCTYPE(ctypes.c_int64, *kinds)(engine.get_function_address("entry"))

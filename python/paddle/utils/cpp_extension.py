# SPDX-License-Identifier: MIT
"""paddle.utils.cpp_extension: operators in C++, compiled when a program starts and kept for the next one."""
from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import types
from typing import Any, Sequence

import popart_core
from popart import _files

from .. import custom_operators
from ..helper import LayerHelper
from .._names import refuse_unknown
from ..typed import PathLike

_LIBRARIES = ("-lpopart", "-lpopops", "-lpoplin", "-lpopnn", "-lpoputil", "-lpoplar")


def get_build_directory(verbose: bool = False) -> Any:
    """PADDLE_EXTENSION_DIR, or ~/.cache/paddle_extensions."""
    folder = os.environ.get("PADDLE_EXTENSION_DIR") or os.path.join(os.path.expanduser("~"), ".cache", "paddle_extensions")
    if verbose:
        print(f"Operators in C++ are kept in {folder}.")
    return folder


def load(name: str, sources: Sequence, extra_cxx_cflags: Sequence | None = None, extra_cuda_cflags: Sequence | None = None,
         extra_ldflags: Sequence | None = None, extra_include_paths: Sequence | None = None,
         build_directory: PathLike | None = None, verbose: bool = False) -> Any:
    """A module with a function for each operator that the sources describe (PD_BUILD_OP). Operators of PopART in the same
    sources are there for IpuStrategy.add_custom_op."""
    if extra_cuda_cflags:
        raise NotImplementedError("(Unimplemented) load(extra_cuda_cflags=...): there are IPUs and the CPU here.")
    sources = [os.path.abspath(os.fspath(source)) for source in sources]
    for source in sources:
        if not os.path.isfile(source):
            raise FileNotFoundError(f"load({name!r}): there is no source {source}.")
    folder = _files.trusted_folder(os.path.join(build_directory or get_build_directory(verbose), name),
                                   "choose another build_directory, or set PADDLE_EXTENSION_DIR")
    library = _Build(name, folder, sources, list(extra_cxx_cflags or ()), list(extra_ldflags or ()),
                     list(extra_include_paths or ()), verbose).made()
    module = types.ModuleType(name, f"Operators of {library}.")
    module.__file__ = library
    for op in custom_operators.register(library).values():
        setattr(module, op.name, _function(op))
    return module


class _Build:
    """One library. A note next to it says what it was made of; it is made again when any of that changes."""

    def __init__(self, name, folder, sources, flags, ldflags, include_paths, verbose):
        self._name, self._folder, self._verbose = name, folder, verbose
        self._note = os.path.join(folder, name + ".json")
        libraries = os.path.join(os.path.dirname(os.path.dirname(_popart())), "lib")
        compiler = os.environ.get("CXX", "g++")
        self._sources = sources
        self._compile = [compiler, "-std=c++17", "-O1", "-fPIC", *[f"-I{os.path.abspath(path)}" for path in include_paths],
                         *flags]
        self._link = [compiler, "-shared", f"-L{libraries}", f"-Wl,-rpath,{libraries}", *_LIBRARIES, *ldflags]
        self._made_by = [sources, self._compile, self._link,
                         [os.environ.get(k, "") for k in ("CPATH", "CPLUS_INCLUDE_PATH", "LIBRARY_PATH")]]

    def made(self):
        return self._kept() or self._compiled()

    def _kept(self):
        try:
            with open(self._note) as file:
                note = json.load(file)
            if note["made by"] != self._made_by:
                return None
            library = os.path.join(self._folder, os.path.basename(note["library"]))
            if all(_digest(path) == digest for path, digest in note["files"].items()) and os.path.isfile(library):
                return library
        except (OSError, ValueError, KeyError, TypeError, AttributeError):  # another thing than a note of ours
            pass
        return None

    def _compiled(self):
        with tempfile.TemporaryDirectory(dir=self._folder) as scratch:
            objects: "list[str]" = []
            files: "dict[str, str]" = {}
            for i, source in enumerate(self._sources):
                objects.append(os.path.join(scratch, f"{i}.o"))
                needs = os.path.join(scratch, f"{i}.d")
                self._run([*self._compile, "-MMD", "-MF", needs, "-c", source, "-o", objects[-1]])
                files.update((path, _digest(path)) for path in _listed(needs))
            made = os.path.join(scratch, "made.so")
            self._run([self._link[0], *objects, *self._link[1:], "-o", made])
            text = json.dumps([self._made_by, files], sort_keys=True)
            library = os.path.join(self._folder, f"{self._name}-{hashlib.sha256(text.encode()).hexdigest()[:16]}.so")
            with open(made, "rb") as compiled, _files.writing(library) as file:
                shutil.copyfileobj(compiled, file)
            with _files.writing(self._note, encoding="utf-8") as file:
                json.dump({"made by": self._made_by, "files": files, "library": os.path.basename(library)}, file)
        return library

    def _run(self, command):
        if self._verbose:
            print(" ".join(command))
        try:
            done = subprocess.run(command, capture_output=True, text=True)
        except OSError as problem:
            raise RuntimeError(f"load({self._name!r}) needs a compiler of C++: {problem}. apt install g++, or set "
                               "CXX.") from None
        if done.returncode:
            raise RuntimeError(f"load({self._name!r}): the sources were not compiled. Headers of PopART, Poplar and Paddle are "
                               f"found once the SDK's enable.sh is sourced.\n{' '.join(command)}\n{done.stderr}")
        if self._verbose and done.stderr:
            print(done.stderr, file=sys.stderr)


def _listed(path):
    """The files that a compiler noted as needed."""
    with open(path) as file:
        words = re.split(r"(?<!\\)\s+", file.read().replace("\\\n", " ").strip())
    return sorted({os.path.abspath(word.replace("\\ ", " ")) for word in words if not word.endswith(":")})


def _popart():
    return os.path.abspath(popart_core.__file__)


def _digest(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def _function(op):
    names = [*op.inputs, *op.attributes]

    def function(*args, **kwargs):
        if len(args) > len(names):
            raise TypeError(f"{op.name}() takes {len(names)} arguments ({', '.join(names)}), and got {len(args)}.")
        given = dict(zip(names, args))
        for name, value in kwargs.items():
            if name not in names or name in given:
                raise TypeError(f"{op.name}() got {name!r} {'twice' if name in given else 'and has no such argument'}. It "
                                f"takes: {', '.join(names)}.")
            given[name] = value
        missing = [name for name in names if name not in given]
        if missing:
            raise TypeError(f"{op.name}() needs {', '.join(missing)} too.")
        attributes = {name: op.typed(name, given[name]) for name in op.attributes}
        slot, *more = op.outputs
        results = LayerHelper(op.name).append(op.name, {name: given[name] for name in op.inputs}, attributes, slot, tuple(more))
        return list(results) if more else results

    function.__name__ = function.__qualname__ = op.name
    function.__doc__ = f"{op.name}({', '.join(names)}) -> {', '.join(op.outputs)}"
    return function


def _refused(name):
    def function(*args, **kwargs):
        raise NotImplementedError(f"(Unimplemented) cpp_extension.{name}: operators are compiled where they are used; call "
                                  "paddle.utils.cpp_extension.load(name, sources).")
    function.__name__ = function.__qualname__ = name
    function.__doc__ = "Raises NotImplementedError: operators are compiled where they are used, by load()."
    return function


setup, CppExtension, CUDAExtension, BuildExtension = map(_refused, ("setup", "CppExtension", "CUDAExtension", "BuildExtension"))
refuse_unknown(__name__)

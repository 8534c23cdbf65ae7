# SPDX-License-Identifier: MIT
"""How all packages write files and trust folders: base's rules (base/OutputFile.hpp, base/Folder.hpp), bound once.

A file that a user names appears whole or not at all. His link stays and what it leads to is replaced; a link or a pipe that
another user made is refused; a device gets the bytes and stays what it is; a missing folder is an error that names it.
"""
import contextlib
import os
import tempfile
from typing import IO, Any, Iterator, Union

import popart_core

Path = Union[str, bytes, "os.PathLike[str]", "os.PathLike[bytes]"]


def _raw(path: Path) -> Any:
    """As C++ takes it, where a text says that it must be one of UTF-8."""
    return os.fsencode(path)


def _named(problem: OSError, path: Path) -> None:
    """The error of a write says which file it was."""
    if problem.filename is None and problem.errno is not None:
        problem.filename = os.fspath(path)


@contextlib.contextmanager
def writing(path: Path, **text: Any) -> Iterator[IO[Any]]:
    """An open file, for reading back and seeking too, that takes its place when the block ends well. With `encoding` (and
    `newline`) it takes texts, otherwise bytes. OSError says why it cannot be written."""
    output = popart_core._Output(_raw(path))
    try:
        try:
            with open(output.fileno(), "w+" if text else "w+b", closefd=False, **text) as file:
                yield file
        except OSError as problem:
            _named(problem, path)
            raise
        output.commit()
    finally:
        output.discard()


def growing(path: Path, anew: bool = False, **text: Any) -> IO[Any]:
    """An open file for a log, which grows where it is: at its end, or begun anew. The caller closes it."""
    return open(popart_core._open_in_place(_raw(path), anew), "a" if text else "ab", **text)


def new_folder(prefix: str) -> str:
    """A folder of this user's alone among the temporary ones. It stays."""
    return tempfile.mkdtemp(prefix=prefix)


def trusted_folder(path: Path, remedy: str) -> Path:
    """The folder, made if it is missing, for what is loaded again and believed. OSError, which ends with the remedy, if another
    user made it or may change what is in it."""
    popart_core._Cache(_raw(path), remedy)
    return path


def make_folder_of(path: Path) -> None:
    """For calls that promise to make it."""
    os.makedirs(os.path.dirname(os.path.abspath(os.fspath(path))), exist_ok=True)

# SPDX-License-Identifier: MIT
"""How all packages write files and trust folders: base's rules (base/OutputFile.hpp, base/Folder.hpp), bound once.

A file that a user names appears whole or not at all. His link stays and what it leads to is replaced; a link or a pipe that
another user made is refused; a device gets the bytes and stays what it is; a missing folder is an error that names it.
"""
import contextlib
import os
import tempfile

import popart_core


def _named(problem, path):
    """The error of a write says which file it was."""
    if problem.filename is None and problem.errno is not None:
        problem.filename = os.fspath(path)


@contextlib.contextmanager
def writing(path, **text):
    """An open file, for reading back and seeking too, that takes its place when the block ends well. With `encoding` (and
    `newline`) it takes texts, otherwise bytes. OSError says why it cannot be written."""
    output = popart_core._Output(os.fsencode(path))
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


def growing(path, anew=False, **text):
    """An open file for a log, which grows where it is: at its end, or begun anew. The caller closes it."""
    return open(popart_core._open_in_place(os.fsencode(path), anew), "a" if text else "ab", **text)


def new_folder(prefix):
    """A folder of this user's alone among the temporary ones. It stays."""
    return tempfile.mkdtemp(prefix=prefix)


def trusted_folder(path, remedy):
    """The folder, made if it is missing, for what is loaded again and believed. OSError, which ends with the remedy, if another
    user made it or may change what is in it."""
    popart_core._Cache(os.fsencode(path), remedy)
    return path


def make_folder_of(path):
    """For calls that promise to make it."""
    os.makedirs(os.path.dirname(os.path.abspath(os.fspath(path))), exist_ok=True)

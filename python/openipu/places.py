# SPDX-License-Identifier: MIT
"""Where the libraries, programs and headers are: in the wheel, in an SDK, or in a build folder. Runs in any Python 3."""
import os

PACKAGE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(PACKAGE)  # the folder that packages are imported from
SOURCE = os.path.join(PACKAGE, "source")  # what modules of C++ are made from; a build folder has none


def parts() -> "list[str]":
    """The folders with lib, bin and include: one in the wheel and in a build folder, Poplar's and PopART's in an SDK."""
    above = os.path.dirname(ROOT)
    poplar = os.path.join(os.path.dirname(above), os.path.basename(above).replace("popart", "poplar", 1))
    found = [PACKAGE, above] if poplar == above else [PACKAGE, poplar, above]
    return [part for part in found if _has(part, "libpoplar.so") or _has(part, "libpopart.so")]


def _has(part: str, library: str) -> bool:
    return os.path.isfile(os.path.join(part, "lib", library))


def program(name: str) -> str:
    """A command's file; empty if it is not there."""
    for part in parts():
        file = os.path.join(part, "bin", name)
        if os.path.isfile(file):
            return file
    return ""

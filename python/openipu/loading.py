# SPDX-License-Identifier: MIT
"""What our packages say when their modules of C++ cannot be imported, and how to make them. Runs in any Python 3.

    with loading.of("pva/_core", __file__):
        from pva._core import *
"""
import glob
import os
import re
import sys
import warnings
from contextlib import contextmanager
from importlib.machinery import EXTENSION_SUFFIXES
from typing import Any, Iterator, Optional

from openipu import places

OLDEST = (3, 9)
_THIS = "%d.%d" % sys.version_info[:2]
_said: "list[str]" = []
_ours: "set[str]" = set()  # packages and modules that are looked for where this file is


@contextmanager
def of(module: str, file: str) -> Iterator[None]:
    """module: its path from the folder of packages, without ending; file: the package's __file__."""
    require(module, file)
    try:
        yield
    except ImportError as problem:
        text = _explained(module.split("/")[0], file, problem)
        if text is None:
            raise
        raise ImportError(text, name=problem.name, path=problem.path)


def require(module: str, file: str) -> None:
    """Raises an ImportError if the module cannot be what this Python needs; imports nothing."""
    package = os.path.basename(os.path.dirname(file))
    root = os.path.dirname(os.path.dirname(os.path.abspath(file)))
    if not _ours:
        sys.meta_path.append(_Gone())
    _ours.update((package, module.split("/")[0]))
    if sys.version_info < OLDEST:
        raise ImportError("%s needs Python %d.%d or newer, and %s is Python %s." % (
            (package,) + OLDEST + (sys.executable, _THIS)))
    _one_openipu(package, root)
    _new_enough(package)
    stem = os.path.join(root, module)
    if not any(os.path.isfile(stem + ending) for ending in EXTENSION_SUFFIXES):
        raise ImportError(_not_built(package, stem))


class _Gone:
    """Asked last for a module, when nobody found it: packages import some of theirs when these are needed."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> None:
        if name.split(".")[0] in _ours and not os.path.isdir(places.PACKAGE):
            raise ImportError("%s cannot be imported: this program started with the OpenIPU in %s, which is not there any "
                              "more. It was moved or removed meanwhile. Source its enable.sh where it is now, and start the "
                              "program again." % (name, places.ROOT), name=name)


def _new_enough(package: str) -> None:
    """What a bundle or wheel needs of the system is noted beside the libraries that it brings."""
    for part in places.parts():
        try:
            with open(os.path.join(part, "lib", "bundled", "needs"), encoding="ascii") as file:
                needs = dict(line.split() for line in file)
        except OSError:
            continue
        here = re.findall(r"[\d.]+", _glibc())
        if not here or _numbers(here[0]) < _numbers(needs["glibc"]):
            raise ImportError(_old_system(package, needs["glibc"]))


def _numbers(version: str) -> "list[int]":
    return [int(number) for number in version.split(".")]


def _old_system(package: str, needed: str) -> str:
    return ("%s needs glibc %s or newer, and this system has %s. Use a newer Linux or a container, or build OpenIPU from its "
            "sources here (docs/install.md)." % (package, needed, _glibc()))


def build_command() -> str:
    """What makes the modules for this Python."""
    if os.path.isdir(places.SOURCE):
        return "%s -m openipu build" % sys.executable
    return "./run install PREFIX --python %s" % sys.executable


def _not_built(package: str, stem: str) -> str:
    tags = (os.path.basename(name).split("-")[1].rstrip("t") for name in glob.glob(glob.escape(stem) + ".cpython-*.so"))
    versions = sorted((int(digits[0]), int(digits[1:])) for digits in tags)
    if not versions:
        return "%s's module of C++ is missing: there is no %s.*.so. Build it, once: %s" % (package, stem, build_command())
    return "%s is built for Python %s, and %s is Python %s. Build it for this one, once: %s" % (
        package, " and ".join("%d.%d" % version for version in versions), sys.executable, _THIS, build_command())


def _one_openipu(package: str, root: str) -> None:
    """Packages of one OpenIPU with the libraries of another would fail in ways that nobody understands."""
    if root != places.ROOT and os.path.isfile(os.path.join(root, "openipu", "loading.py")):
        raise ImportError("%s comes from %s, but openipu from %s: two OpenIPUs are on Python's path. %s" % (
            package, root, places.ROOT, _keep_one()))
    if "path" in _said:
        return
    for library in ("libpoplar.so", "libpopart.so"):
        ours = [os.path.join(part, "lib", library) for part in places.parts()]
        ours = [file for file in ours if os.path.isfile(file)]
        for folder in os.environ.get("LD_LIBRARY_PATH", "").split(":"):
            found = os.path.join(folder, library)
            if folder and ours and os.path.isfile(found):  # the first counts
                if os.path.realpath(found) != os.path.realpath(ours[0]):
                    raise ImportError("%s comes from %s, but LD_LIBRARY_PATH names the libraries of another OpenIPU, in %s. "
                                      "%s" % (package, places.ROOT, folder, _keep_one()))
                break
    _said.append("path")  # a refusal is repeated: programs try again
    others = {os.path.realpath(entry) for entry in sys.path if os.path.isfile(os.path.join(entry, "openipu", "loading.py"))}
    others.discard(os.path.realpath(places.ROOT))
    if others:
        warnings.warn("Two OpenIPUs are on Python's path. This program uses the one in %s, not %s. %s" % (
            places.ROOT, " or ".join(sorted(others)), _keep_one()), stacklevel=4)


def _keep_one() -> str:
    return ("Keep one: a new shell in which one enable.sh is sourced, or none and the wheels of a virtual environment "
            "(`pip uninstall openipu` removes them).")


def _explained(package: str, file: str, problem: ImportError) -> Optional[str]:
    text = str(problem)
    version = re.search(r"version [`'](GLIBC|GLIBCXX|CXXABI)_([\d.]+)' not found", text)
    if version and version.group(1) == "GLIBC":
        return _old_system(package, version.group(2))
    if version:
        place = text.split(": version")[0]
        return ("%s needs a libstdc++ with %s_%s (that of g++ 12 or newer), and %s is older. If that is conda's: "
                "conda install -c conda-forge libstdcxx-ng." % (package, version.group(1), version.group(2), place))
    if "cannot open shared object file" in text or "undefined symbol" in text:
        return ("%s cannot be loaded from %s: %s. It needs the libraries that came with it (here: %s). Install both together, "
                "of one version, and leave others off LD_LIBRARY_PATH." % (
                    package, os.path.dirname(file), text, ", ".join(places.parts()) or "none"))
    return None


def _glibc() -> str:
    try:
        return os.confstr("CS_GNU_LIBC_VERSION") or "another C library"
    except (OSError, ValueError):
        return "another C library"

# SPDX-License-Identifier: MIT
"""Makes the modules of C++ for the Python that runs this: from openipu/source, by g++, against the libraries that are here.

modules.json there, which the build of OpenIPU writes, says what a module is made of. Modules for several Pythons lie side by
side: the names of their files tell for which.
"""
import concurrent.futures
import importlib.util
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from typing import Any, Dict, List, Optional, Sequence, Tuple

from openipu import loading, places

_FLAGS = ["-std=c++20", "-O1", "-fPIC", "-fvisibility=hidden", "-w", "-DNDEBUG", "-DONNX_ML=1", "-DONNX_NAMESPACE=onnx"]
_BYTES_EACH = 1.5e9  # of memory, that one g++ takes at most
_Version = Tuple[int, int]


class BuildError(Exception):
    """Something that building needs is missing; the text says what to do."""


def build(packages: Sequence[str] = (), jobs: Optional[int] = None) -> None:
    """The modules of these packages, or all, each written whole or not at all."""
    this = "Python " + platform.python_version()
    if not os.path.isdir(places.SOURCE):
        raise BuildError(f"{places.PACKAGE} has no sources of modules: this is a build folder. In an SDK that ./run install or "
                         "./run bundle made there are.")
    if sys.version_info < loading.OLDEST:
        raise BuildError(f"{sys.executable} is {this}; modules are for Python %d.%d and newer." % loading.OLDEST)
    if platform.python_implementation() != "CPython" or sysconfig.get_config_var("Py_GIL_DISABLED"):
        raise BuildError(f"{sys.executable} is not a CPython with a global lock: modules cannot be made for it.")
    if not os.access(places.ROOT, os.W_OK):
        raise BuildError(f"The modules belong into {places.ROOT}, where you may not write. Run this as its owner, or copy the "
                         "SDK to a folder of yours.")
    modules = _modules(packages)
    compiler, headers = _compiler(), _python_headers()
    bindings, version = _pybind()
    jobs = jobs or max(1, min(os.cpu_count() or 1, int(_memory() / _BYTES_EACH)))
    print(f"Modules for {this} ({sys.executable}), with {compiler} and pybind11 {version[0]}.{version[1]} of {bindings}; "
          f"{jobs} at a time", flush=True)
    with tempfile.TemporaryDirectory() as scratch, concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        bindings = _apart(bindings, scratch)
        objects = {}
        for module in modules:  # all files of all modules at once, so that no processor waits for the slowest file of one
            command = [compiler, *_FLAGS, *(f"-I{folder}" for folder in _includes(module, headers, bindings))]
            objects[module["package"]] = [pool.submit(_compile, command, source, scratch) for source in _sources(module)]
        try:
            for module in modules:
                _link(compiler, module, [made.result() for made in objects[module["package"]]])
                print("  " + module["path"] + sysconfig.get_config_var("EXT_SUFFIX"), flush=True)
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    print(f"Made, in {places.ROOT}.")


def _modules(packages: Sequence[str]) -> List[Dict[str, Any]]:
    with open(os.path.join(places.SOURCE, "modules.json"), encoding="utf-8") as file:
        modules = {module["package"]: module for module in json.load(file)["modules"]}
    for package in packages:
        if package not in modules:
            raise BuildError(f"there is no package {package}. These have modules: {', '.join(modules)}")
    return [modules[package] for package in packages or [name for name, module in modules.items() if _is_here(module)]]


def _is_here(module: Dict[str, Any]) -> bool:
    """Whether its package is; wheels can be installed one by one."""
    return os.path.isdir(os.path.join(places.ROOT, os.path.dirname(module["path"])))


def _sources(module: Dict[str, Any]) -> List[str]:
    folder = os.path.join(places.SOURCE, module["package"])
    found = [os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(".cpp")]
    return sorted(found, key=os.path.getsize, reverse=True)  # what takes longest begins first


def _includes(module: Dict[str, Any], *others: str) -> List[str]:
    """The others come before headers that came with OpenIPU: there is an older pybind11 among those."""
    own = [os.path.join(places.SOURCE, name) for name in (module["package"], module["headers"]) if name]
    return [*own, *others, os.path.join(places.SOURCE, "headers"), *(os.path.join(part, "include") for part in places.parts())]


def _run(command: Sequence[str]) -> None:
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    if done.returncode:
        raise BuildError(f"{' '.join(command)}\nfailed:\n{done.stdout}")


def _compile(command: Sequence[str], source: str, scratch: str) -> str:
    made = os.path.join(scratch, os.path.relpath(source, places.SOURCE).replace(os.sep, "-") + ".o")
    _run([*command, "-c", source, "-o", made])
    return made


def _link(compiler: str, module: Dict[str, Any], objects: Sequence[str]) -> None:
    target = os.path.join(places.ROOT, module["path"] + sysconfig.get_config_var("EXT_SUFFIX"))
    folder = os.path.dirname(target)
    libraries = [os.path.join(part, "lib") for part in places.parts()]
    found = [place for library in libraries for place in (library, os.path.join(library, "bundled"))]
    runpath = ":".join("$ORIGIN/" + os.path.relpath(place, folder) for place in found)
    partial = f"{target}.{os.getpid()}.part"  # another process may make the same
    try:
        _run([compiler, "-shared", "-s", "-o", partial, *objects, *(f"-L{library}" for library in libraries),
              "-Wl,--as-needed", *(f"-l{name}" for name in module["libraries"]),
              *(f"-Wl,-rpath-link,{place}" for place in found), f"-Wl,-rpath,{runpath}", "-Wl,--enable-new-dtags"])
        os.replace(partial, target)
    finally:
        if os.path.exists(partial):
            os.remove(partial)


def _compiler() -> str:
    chosen = os.environ.get("OPENIPU_CXX") or "g++"
    found = shutil.which(chosen)
    if not found:
        raise BuildError(f"Modules are compiled by g++ 12 or newer, and there is no {chosen}. Install one (apt install g++), or set "
                         "OPENIPU_CXX to it.")
    return found


def _python_headers() -> str:
    folder = sysconfig.get_path("include")
    if not os.path.isfile(os.path.join(folder, "Python.h")):
        raise BuildError(f"{sys.executable} has no headers: there is no {folder}/Python.h. On Debian and Ubuntu: apt install "
                         f"python{sys.version_info[0]}.{sys.version_info[1]}-dev.")
    return folder


def _pybind() -> Tuple[str, _Version]:
    """The folder of pybind11's headers, and their version: the first that knows this Python and its numpy."""
    least, why = (2, 10), ""
    if sys.version_info >= (3, 12):
        least, why = (2, 11), f"Python {sys.version_info[0]}.{sys.version_info[1]}"
    if _numpy() >= 2:
        least, why = (2, 12), "numpy 2"
    seen = []
    for folder in _pybind_folders():
        version = _pybind_version(folder)
        if version and version >= least:
            return folder, version
        if version:
            seen.append(f"{folder} has {version[0]}.{version[1]}")
    raise BuildError(f"{why or 'Building'} needs pybind11 {least[0]}.{least[1]} or newer; {', '.join(seen) or 'none was found'}. "
                     f"Install one: {sys.executable} -m pip install pybind11. (PyTorch 2 brings one along, too.)")


def _apart(bindings: str, scratch: str) -> str:
    """A folder with these headers alone: g++ passes over -I/usr/include, so that older ones which come later would be read."""
    os.symlink(os.path.join(bindings, "pybind11"), os.path.join(scratch, "pybind11"))
    return scratch


def _pybind_folders() -> List[str]:
    """Of this Python's packages pybind11 and torch, then the one that came with OpenIPU, then the system's."""
    found = []
    for package in ("pybind11", "torch"):
        spec = importlib.util.find_spec(package)
        if spec and spec.submodule_search_locations:
            found.append(os.path.join(spec.submodule_search_locations[0], "include"))
    return [*found, os.path.join(places.SOURCE, "headers"), "/usr/include"]


def _pybind_version(folder: str) -> Optional[_Version]:
    try:
        with open(os.path.join(folder, "pybind11", "detail", "common.h"), encoding="utf-8") as file:
            text = file.read()
    except OSError:
        return None
    numbers = [re.search(rf"#\s*define PYBIND11_VERSION_{part}\s+(\d+)", text) for part in ("MAJOR", "MINOR")]
    major, minor = (int(number.group(1)) if number else 0 for number in numbers)
    return major, minor


def _numpy() -> int:
    """Its major version; 0 if there is none."""
    try:
        import numpy  # import time: it may be missing
    except ImportError:
        return 0
    return int(numpy.__version__.split(".")[0])


def _memory() -> float:
    """Bytes of memory that are free."""
    try:
        with open("/proc/meminfo", encoding="ascii") as file:
            return 1024.0 * int(next(line for line in file if line.startswith("MemAvailable")).split()[1])
    except (OSError, StopIteration):
        return 4e9

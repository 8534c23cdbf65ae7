# SPDX-License-Identifier: MIT
"""What our packages say when they cannot be imported, and when modules cannot be made for a Python."""
import os
import subprocess
import sys

import pytest
from openipu import building, loading, places

ROOT = os.path.dirname(os.path.dirname(loading.__file__))
THIS = "%d.%d" % sys.version_info[:2]


@pytest.fixture
def folder(tmp_path):
    """A package `thing` in a folder of packages; its __init__'s path as text."""
    (tmp_path / "thing").mkdir()
    return tmp_path


def refusal(folder, module="thing/_core"):
    with pytest.raises(ImportError) as caught:
        loading.require(module, str(folder / "thing" / "__init__.py"))
    return str(caught.value)


def test_a_module_for_other_pythons(folder):
    for tag in ("cpython-39", "cpython-310"):
        (folder / "thing" / f"_core.{tag}-x86_64-linux-gnu.so").touch()
    assert refusal(folder) == (f"thing is built for Python 3.9 and 3.10, and {sys.executable} is Python {THIS}. "
                               f"Build it for this one, once: {loading.build_command()}")
    assert "build" in loading.build_command() or "--python" in loading.build_command()


def test_a_module_that_is_missing(folder):
    assert f"there is no {folder}/thing/_core.*.so" in refusal(folder)


def test_what_is_there_is_accepted(folder):
    (folder / "thing" / f"_core{loading.EXTENSION_SUFFIXES[0]}").touch()
    loading.require("thing/_core", str(folder / "thing" / "__init__.py"))


def test_packages_of_another_openipu(folder):
    (folder / "openipu").mkdir()
    (folder / "openipu" / "loading.py").touch()
    text = refusal(folder)
    assert f"thing comes from {folder}, but openipu from {ROOT}: two OpenIPUs" in text and "Keep one" in text


def imported(code="import pva", **environment):
    run = subprocess.run([sys.executable, "-c", code], env=dict(os.environ, **environment), capture_output=True, text=True)
    return run.returncode, run.stderr


def test_libraries_of_another_openipu(tmp_path):
    (tmp_path / "libpoplar.so").touch()
    status, text = imported(LD_LIBRARY_PATH=f"/nowhere:{tmp_path}")
    assert status and f"LD_LIBRARY_PATH names the libraries of another OpenIPU, in {tmp_path}. Keep one" in text
    again = "try:\n    import pva\nexcept ImportError:\n    import pva"
    assert "LD_LIBRARY_PATH names" in imported(again, LD_LIBRARY_PATH=str(tmp_path))[1].splitlines()[-1]
    own = os.path.join(places.parts()[0], "lib")
    assert imported(LD_LIBRARY_PATH=f"{own}:{tmp_path}") == (0, "")  # the first counts


def test_two_of_which_one_is_used(tmp_path):
    (tmp_path / "openipu").mkdir()
    (tmp_path / "openipu" / "loading.py").touch()
    status, text = imported(PYTHONPATH=f"{ROOT}:{tmp_path}")
    assert not status and f"This program uses the one in {ROOT}, not {tmp_path}" in text


@pytest.mark.parametrize("problem, expected", [
    ("/lib/libc.so.6: version `GLIBC_2.99' not found (required by x.so)", "thing needs glibc 2.99 or newer, and this system"),
    ("/c/libstdc++.so.6: version `GLIBCXX_3.4.99' not found (required by x.so)", "needs a libstdc++ with GLIBCXX_3.4.99"),
    ("libpopart.so: cannot open shared object file: No such file or directory", "It needs the libraries that came with it"),
    ("x.so: undefined symbol: _ZN6popart3new", "of one version"),
    ("something else", "something else")])
def test_what_the_loader_says_is_explained(folder, problem, expected):
    (folder / "thing" / f"_core{loading.EXTENSION_SUFFIXES[0]}").touch()
    with pytest.raises(ImportError) as caught:
        with loading.of("thing/_core", str(folder / "thing" / "__init__.py")):
            raise ImportError(problem)
    assert expected in str(caught.value)


def test_a_program_whose_openipu_was_moved(tmp_path):
    """It finds what it imports later neither here nor there."""
    before, after = tmp_path / "before", tmp_path / "after"
    (before / "thing").mkdir(parents=True)
    (before / "openipu").symlink_to(os.path.join(ROOT, "openipu"))
    (before / "thing" / "__init__.py").write_text("from openipu import loading\nloading.require('thing/_core', __file__)\n")
    (before / "thing" / "later.py").touch()
    (before / "thing" / f"_core{loading.EXTENSION_SUFFIXES[0]}").touch()
    program = """if True:
        import os, sys, thing
        from openipu import places
        for other in ("thing.none", "none"):
            try:
                __import__(other)
            except ModuleNotFoundError as problem:
                assert "moved" not in str(problem)
        os.rename(sys.argv[1], sys.argv[2])
        import thing.later"""
    run = subprocess.run([sys.executable, "-Bc", program, str(before), str(after)], capture_output=True, text=True,
                         env=dict(os.environ, PYTHONPATH=str(before)))
    assert run.stderr.splitlines()[-1] == (
        f"ImportError: thing.later cannot be imported: this program started with the OpenIPU in {before}, which is not there "
        "any more. It was moved or removed meanwhile. Source its enable.sh where it is now, and start the program again.")


def test_an_old_python_is_refused(folder, monkeypatch):
    monkeypatch.setattr(loading, "OLDEST", (9, 9))
    assert f"thing needs Python 9.9 or newer, and {sys.executable} is Python {THIS}" in refusal(folder)


def with_pybind(folder, version):
    common = folder / str(version) / "pybind11" / "detail"
    common.mkdir(parents=True)
    names = zip(("MAJOR", "MINOR"), version)
    (common / "common.h").write_text("".join(f"#define PYBIND11_VERSION_{name} {number}\n" for name, number in names))
    return str(folder / str(version))


@pytest.mark.parametrize("python, numpy, chosen", [((3, 9), 1, (2, 10)), ((3, 12), 1, (2, 11)), ((3, 11), 2, (3, 0))])
def test_pybind_is_new_enough(tmp_path, monkeypatch, python, numpy, chosen):
    folders = ["/nowhere", *(with_pybind(tmp_path, version) for version in ((2, 9), (2, 10), (2, 11), (3, 0)))]
    monkeypatch.setattr(building, "_pybind_folders", lambda: folders)
    monkeypatch.setattr(building, "_numpy", lambda: numpy)
    monkeypatch.setattr(building.sys, "version_info", python)
    assert building._pybind()[1] == chosen
    folders[1:] = folders[1:2]
    with pytest.raises(building.BuildError, match=r"needs pybind11 2\.\d+ or newer; .* has 2\.9\. Install one: "):
        building._pybind()


def test_headers_of_the_system_come_first(tmp_path):
    """g++ passes over folders that it searches anyway; pybind11 2.10, which comes with OpenIPU, was read instead."""
    older, newer, scratch = with_pybind(tmp_path, (2, 10)), with_pybind(tmp_path, (2, 13)), tmp_path / "scratch"
    scratch.mkdir()
    command = ["g++", "-E", "-xc++", "-", "-isystem", newer, "-I" + building._apart(newer, str(scratch)), "-I" + older]
    text = '#include <pybind11/detail/common.h>\nint version = PYBIND11_VERSION_MINOR;\n'
    assert "int version = 13;" in subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout


def test_what_building_needs(tmp_path, monkeypatch):
    monkeypatch.setenv("OPENIPU_CXX", "no-such-compiler")
    with pytest.raises(building.BuildError, match="there is no no-such-compiler. Install one .*, or set OPENIPU_CXX"):
        building._compiler()
    monkeypatch.setattr(building.sysconfig, "get_path", lambda _: str(tmp_path))
    with pytest.raises(building.BuildError, match=f"there is no {tmp_path}/Python.h. .*: apt install python{THIS}-dev"):
        building._python_headers()
    monkeypatch.setattr(places, "SOURCE", str(tmp_path))
    with monkeypatch.context() as older, pytest.raises(building.BuildError, match="modules are for Python 9.9 and newer"):
        older.setattr(loading, "OLDEST", (9, 9))
        building.build()
    monkeypatch.setattr(places, "SOURCE", str(tmp_path / "none"))
    with pytest.raises(building.BuildError, match="this is a build folder"):
        building.build()


def test_a_package_of_others_with_the_name_of_ours(tmp_path, monkeypatch):
    from openipu import others
    for folder, mark in (("copy", "_mark.py"), ("other", "else.py")):
        (tmp_path / folder / "thing").mkdir(parents=True)
        (tmp_path / folder / "thing" / "__init__.py").write_text(f"WHO = {folder!r}\n")
        (tmp_path / folder / "thing" / mark).touch()
    ours = str(tmp_path / "copy" / "thing" / "__init__.py")
    monkeypatch.setattr(sys, "path", [str(tmp_path / "copy")])
    assert others.find(ours, "_mark.py") is None
    monkeypatch.setattr(sys, "path", [str(tmp_path / "copy"), str(tmp_path / "other")])
    assert others.find(str(tmp_path / "elsewhere" / "thing" / "__init__.py"), "else.py").origin == ours
    spec = others.find(ours, "_mark.py")
    for name in ("thing", "thing.part"):
        monkeypatch.setitem(sys.modules, name, None)
    others.take_its_place(spec)
    assert sys.modules["thing"].WHO == "other" and "thing.part" not in sys.modules

# SPDX-License-Identifier: MIT
"""Files that users name: one way to write them for all packages, and no other."""
import ast
import os
import pathlib
import re
import stat
import threading

import popart  # noqa: F401
import pytest
from popart import _files

SOURCES = pathlib.Path(__file__).resolve().parents[2] / "python"
OTHER = 65534
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can make another user's files")

# ---- no package opens files for writing by itself

MAKERS = {"os": {"open", "fdopen", "replace", "rename", "renames", "link", "symlink", "mknod", "mkfifo", "truncate"},
          "tempfile": {"mkstemp", "mktemp", "mkdtemp", "NamedTemporaryFile"},
          "logging": {"FileHandler"}, "shutil": {"copy", "copy2", "copyfile", "copytree", "move"}}
METHODS = {"write_text", "write_bytes", "touch", "tofile"}
TO_A_FILE = {"np": {"save", "savez", "savez_compressed", "savetxt"}, "torch": {"save"}, "pickle": {"dump"}, "json": {"dump"}}


def _reads(call):
    """Whether the mode of open() says so."""
    mode = call.args[1] if len(call.args) > 1 else next((k.value for k in call.keywords if k.arg == "mode"), None)
    return mode is None or isinstance(mode, ast.Constant) and not set(mode.value) & set("wax+")


def _writes(call):
    """What a call would write by itself, or None. An open file is called `file` or `buffer`."""
    name = ast.unparse(call.func)
    owner, _, method = name.rpartition(".")
    opened = call.args and isinstance(call.args[-1 if owner in ("pickle", "json", "torch") else 0], ast.Name) and \
        call.args[-1 if owner in ("pickle", "json", "torch") else 0].id in ("file", "buffer")
    if name in ("open", "io.open") and not _reads(call) or method in METHODS or method in MAKERS.get(owner, ()):
        return name
    if method in TO_A_FILE.get(owner, ()) and not opened or name == "h5py.File" and not opened:
        return name
    return None


def test_only_one_module_opens_files_for_writing():
    found = []
    for path in sorted(SOURCES.rglob("*.py")):
        place = path.relative_to(SOURCES).as_posix()
        # openipu/building.py makes the module that _files.py stands on.
        if place.startswith("tools/") or place in ("popart/_files.py", "openipu/building.py"):
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and _writes(node):
                found.append(f"python/{place}:{node.lineno}: {ast.unparse(node.func)}")
    assert not found, "write with popart._files:\n" + "\n".join(found)


@pytest.mark.parametrize("line", ("open(p, 'w')", "open(p, mode='ab')", "open(p, m)", "os.replace(a, b)", "path.write_text(t)",
                                  "np.savez(p, x=1)", "torch.save(x, p)", "pickle.dump(x, open(p, 'rb'))", "h5py.File(p, 'w')",
                                  "tempfile.mkstemp()", "os.fdopen(1, 'w')"))
def test_such_lines_are_found(line):
    assert any(_writes(node) for node in ast.walk(ast.parse(line)) if isinstance(node, ast.Call))


LAYERS = ("arch", "machine", "pva", "pvti", "poplar", "poplibs", "popart", "frontends", "popdist", "gcipuinfo", "popvision",
          "vipu", "tools", "python")
STREAMS = re.compile(r"std::(ofstream|fstream|tmpfile|rename)|\bf(re)?open\(|\bmkstemp\(|O_TRUNC|(fs|filesystem)::rename\("
                     r"|(?<!\w)::rename(at)?\(")
KNOWN = {"poplar/src/codelet/Process.cpp"}  # into a folder of its own (base::TemporaryFolder)


def test_above_base_no_source_in_cpp_does_either():
    found = []
    for layer in LAYERS:
        for path in sorted((SOURCES.parent / layer).rglob("*.[ch]pp")):
            place = path.relative_to(SOURCES.parent).as_posix()
            if re.search(r"_test\.cpp$|Test\w*\.hpp$|/testing/|/testmodels\.hpp$|^popart/tools/", place) or place in KNOWN:
                continue
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
                if STREAMS.search(line.partition("//")[0]):
                    found.append(f"{place}:{number}: {line.strip()}")
    assert not found, "write with base/OutputFile.hpp:\n" + "\n".join(found)


# ---- how it is done


def write(path, content=b"new"):
    with _files.writing(path) as file:
        file.write(content)


def test_a_file_appears_whole_or_not_at_all(tmp_path):
    path = tmp_path / "out"
    write(path, b"old")
    path.chmod(0o640)
    with pytest.raises(KeyboardInterrupt):
        with _files.writing(path) as file:
            file.write(b"half")
            raise KeyboardInterrupt
    assert path.read_bytes() == b"old" and os.listdir(tmp_path) == ["out"]
    with _files.writing(path) as file:
        file.write(b"new text")
        assert path.read_bytes() == b"old"
        file.seek(4)
        file.write(b"TEXT")
        file.seek(0)
        assert file.read(3) == b"new"
    assert path.read_bytes() == b"new TEXT" and stat.S_IMODE(path.stat().st_mode) == 0o640
    with _files.writing(path, encoding="utf-8", newline="") as file:
        file.write("ä\n")
    assert path.read_bytes() == "ä\n".encode() and os.listdir(tmp_path) == ["out"]


def test_links_and_devices_stay(tmp_path):
    (tmp_path / "target").write_bytes(b"old")
    os.symlink("target", tmp_path / "link")
    write(tmp_path / "link")
    assert os.readlink(tmp_path / "link") == "target" and (tmp_path / "target").read_bytes() == b"new"
    os.mkfifo(tmp_path / "pipe")
    got = []
    reader = threading.Thread(target=lambda: got.append((tmp_path / "pipe").read_bytes()))
    reader.start()
    write(tmp_path / "pipe", b"through")
    reader.join()
    assert got == [b"through"] and stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)
    write("/dev/null")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


@needs_root
def test_what_other_users_planted_is_refused(tmp_path):
    precious = tmp_path / "precious"
    precious.write_bytes(b"mine")
    os.symlink(precious, tmp_path / "link")
    os.mkfifo(tmp_path / "pipe")
    for name in ("link", "pipe"):
        os.chown(tmp_path / name, OTHER, OTHER, follow_symlinks=False)
        with pytest.raises(PermissionError, match=f'"{tmp_path / name}" is not written: .*user {OTHER} made'):
            write(tmp_path / name)
        with pytest.raises(PermissionError, match=f"user {OTHER} made"):
            _files.growing(tmp_path / name)
    assert precious.read_bytes() == b"mine"


def test_errors_name_the_file(tmp_path):
    with pytest.raises(OSError, match=f'there is no folder "{tmp_path}/none". Make it first, or choose another'):
        write(tmp_path / "none/out")
    with pytest.raises(OSError, match="/dev/full"):
        write("/dev/full", b"x" * 100000)
    with pytest.raises(OSError, match="Is a directory"):
        write(tmp_path)
    with pytest.raises(OSError, match="zero byte"):
        write("a\0b")
    assert os.listdir(tmp_path) == []


def test_names_need_not_be_texts(tmp_path):
    name = os.fsencode(tmp_path) + b"/\xff"
    write(name)
    assert os.listdir(os.fsencode(tmp_path)) == [b"\xff"]
    with pytest.raises(OSError, match="there is no folder"):
        write(name + b"s/out")


def test_logs_grow_where_they_are(tmp_path):
    for anew, content in ((False, "1"), (False, "12"), (True, "3")):
        with _files.growing(tmp_path / "log", anew, encoding="utf-8") as file:
            file.write(content[-1])
        assert (tmp_path / "log").read_text() == content
    _files.make_folder_of(tmp_path / "a/b/out")
    assert os.path.isdir(tmp_path / "a/b")

# SPDX-License-Identifier: MIT
"""Files that users name: one way to write them for all packages, and no other."""
import os
import stat
import threading

import popart  # noqa: F401
import pytest
from popart import _files

OTHER = 65534
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can make another user's files")


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

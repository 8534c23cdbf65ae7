# SPDX-License-Identifier: MIT
"""A checksum behind the end of HDF5 files, which have none: readers of HDF5 do not look there, and those who change a file
cut it off. The library itself crashes or hangs on damaged files, so they are told before it sees them."""
import hashlib

_MARK = b"\nOpenIPU:sha256\n"
_SIZE = len(_MARK) + 32


def _sum(file, size):
    """Of the first bytes of an open file."""
    digest = hashlib.sha256()
    file.seek(0)
    while size > 0:
        part = file.read(min(size, 1 << 20))
        if not part:
            break
        digest.update(part)
        size -= len(part)
    return digest.digest()


def seal(file):
    size = file.seek(0, 2)
    checksum = _sum(file, size)
    file.seek(size)
    file.write(_MARK + checksum)


def check(path):
    """OSError for a sealed file that has changed since; nothing is known of others."""
    with open(path, "rb") as file:
        size = file.seek(0, 2) - _SIZE
        if size < 0:
            return
        file.seek(size)
        if file.read(len(_MARK)) != _MARK:
            return
        checksum = file.read()
        if _sum(file, size) != checksum:
            raise OSError(f"{path} is damaged: its checksum is not that of its contents. Take another copy of it.")

# SPDX-License-Identifier: MIT
"""Event files, as TensorBoard reads them: records of length, checksum, an Event message, checksum.

    Event    1 wall_time double   2 step int64   3 file_version string   5 summary
    Summary  1 value (repeated):  Value  1 tag string   2 simple_value float ...
"""
import os
import socket
import struct
import threading
import time
from typing import Optional, Union

from popart import _files

_TABLE: "list[int]" = []
for _i in range(256):
    _v = _i
    for _ in range(8):
        _v = _v >> 1 ^ (0x82f63b78 if _v & 1 else 0)
    _TABLE.append(_v)


def crc32c(data: bytes) -> int:
    """Castagnoli's."""
    crc = 0xffffffff
    for byte in data:
        crc = _TABLE[(crc ^ byte) & 255] ^ crc >> 8
    return crc ^ 0xffffffff


def masked_crc(data: bytes) -> int:
    """Turned and moved, as records have it."""
    crc = crc32c(data)
    return (((crc >> 15) | (crc << 17)) + 0xa282ead8) & 0xffffffff


def record(data: bytes) -> bytes:
    """Length, checksum of the length, data, checksum of the data."""
    length = struct.pack("<Q", len(data))
    return length + struct.pack("<I", masked_crc(length)) + data + struct.pack("<I", masked_crc(data))


def _varint(value: int) -> bytes:
    value &= 0xffffffffffffffff
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def field(number: int, value: Union[str, bytes, int, float]) -> bytes:
    """A field of a message: text, bytes, a whole number or a float (32 bits)."""
    if isinstance(value, float):
        return _varint(number << 3 | 5) + struct.pack("<f", value)
    if isinstance(value, int):
        return _varint(number << 3) + _varint(value)
    data = value.encode() if isinstance(value, str) else value
    return _varint(number << 3 | 2) + _varint(len(data)) + data


def double(number: int, value: float) -> bytes:
    return _varint(number << 3 | 1) + struct.pack("<d", value)


class EventFile:
    """Appends events to a new file of a folder."""

    def __init__(self, folder: str, suffix: str = "") -> None:
        os.makedirs(folder, exist_ok=True)
        name = f"events.out.tfevents.{int(time.time())}.{socket.gethostname()}.{os.getpid()}.{next(_numbers)}{suffix}"
        self.path = os.path.join(folder, name)
        self._file, self._lock = _files.growing(self.path), threading.Lock()
        self._write(double(1, time.time()) + field(3, "brain.Event:2"))

    def add(self, summary: bytes, step: int) -> None:
        """A Summary message."""
        self._write(double(1, time.time()) + field(2, int(step)) + field(5, summary))

    def add_scalar(self, tag: str, value: float, step: Optional[int] = None) -> None:
        self.add(field(1, field(1, tag) + field(2, float(value))), step or 0)

    def _write(self, event: bytes) -> None:
        with self._lock:
            if self._file.closed:
                raise ValueError(f"The writer of {self.path} is closed.")
            self._file.write(record(event))

    def flush(self) -> None:
        if not self._file.closed:
            self._file.flush()

    def close(self) -> None:
        self._file.close()


_numbers = iter(range(1 << 62))

# SPDX-License-Identifier: MIT
"""TensorBoard's event files: records of TensorFlow (length, checksum, bytes, checksum) around protobuf Event messages.

    Event    1 wall_time double   2 step int64   3 file_version string   5 summary
    Summary  1 value (repeated):  Value  1 tag string   2 simple_value float
"""
import os
import socket
import struct
import time

from popart import _files

_polynomial = 0x82F63B78  # CRC-32C, reversed


def _table():
    out = []
    for byte in range(256):
        for _ in range(8):
            byte = byte >> 1 ^ (_polynomial if byte & 1 else 0)
        out.append(byte)
    return out


_crc_table = _table()


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc = crc >> 8 ^ _crc_table[(crc ^ byte) & 0xFF]
    return crc ^ 0xFFFFFFFF


def masked_crc(data):
    crc = crc32c(data)
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def record(data):
    length = struct.pack("<Q", len(data))
    return length + struct.pack("<I", masked_crc(length)) + data + struct.pack("<I", masked_crc(data))


def _varint(value):
    value &= 0xFFFFFFFFFFFFFFFF
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def _bytes_field(number, data):
    return _varint(number << 3 | 2) + _varint(len(data)) + data


def _event(step, body):
    time_field = _varint(1 << 3 | 1) + struct.pack("<d", time.time())
    return time_field + _varint(2 << 3) + _varint(int(step or 0)) + body


class EventFile:
    """One events.out.tfevents file in a folder."""

    def __init__(self, folder):
        os.makedirs(folder, exist_ok=True)
        name = f"events.out.tfevents.{int(time.time())}.{socket.gethostname()}.{os.getpid()}.0"
        self.path = os.path.join(folder, name)
        self._file = _files.growing(self.path)
        self._write(_event(0, _bytes_field(3, b"brain.Event:2")))

    def add_scalar(self, tag, value, step=None):
        summary = _bytes_field(1, _bytes_field(1, tag.encode()) + _varint(2 << 3 | 5) + struct.pack("<f", value))
        self._write(_event(step, _bytes_field(5, summary)))

    def _write(self, event):
        self._file.write(record(event))

    def flush(self):
        self._file.flush()

    def close(self):
        self._file.close()

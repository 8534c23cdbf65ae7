# SPDX-License-Identifier: MIT
"""Files of records as data sets. A record of a TFRecord file: its length, the length's checksum, the bytes, their checksum."""
from __future__ import annotations

import gzip
import os
import struct
import zlib
from typing import Any, Iterator

import numpy as np
from popart import _events, _files

from tensorflow.data.dataset import UNKNOWN, Dataset
from tensorflow.framework import dtypes, nest
from tensorflow.framework.errors import DataLossError, NotFoundError
from tensorflow.framework.specs import TensorSpec
from tensorflow.framework.tensors import EagerTensor, convert_to_tensor
from tensorflow.framework.typed import DatasetLike, PathLike

_OPEN = {None: open, "": open, "GZIP": gzip.open}


def paths(filenames: PathLike | list | DatasetLike) -> list:
    """Names of files, of whatever can say them."""
    if isinstance(filenames, Dataset):
        return [p for each in filenames for p in paths(each)]
    if isinstance(filenames, EagerTensor):
        filenames = filenames.array.tolist()
    if isinstance(filenames, (str, bytes, os.PathLike)):
        return [os.fsdecode(filenames)]
    return [p for each in filenames for p in paths(each)]


def _opened(path, compression):
    if compression not in (*_OPEN, "ZLIB"):
        raise ValueError(f"compression_type must be None, \"\", \"GZIP\" or \"ZLIB\", not {compression!r}.")
    if not os.path.isfile(path):
        raise NotFoundError(None, None, f"{path}; No such file or directory")
    return open(path, "rb") if compression == "ZLIB" else _OPEN[compression](path, "rb")


def _whole(path, compression):
    """A file that can be read."""
    file = _opened(path, compression)
    if compression != "ZLIB":
        return file
    import io  # of one kind of file
    with file:
        return io.BytesIO(zlib.decompress(file.read()))


def records(path: str, compression: str | None = None) -> Iterator:
    """The bytes of each record; DataLossError for a damaged file."""
    with _whole(path, compression) as file:
        at = 0
        while True:
            head = file.read(12)
            if not head:
                return
            if len(head) < 12 or _events.masked_crc(head[:8]) != struct.unpack("<I", head[8:])[0]:
                raise DataLossError(None, None, f"corrupted record at {at} of {path}")
            length, = struct.unpack("<Q", head[:8])
            data, check = file.read(length), file.read(4)
            if len(data) < length or len(check) < 4 or _events.masked_crc(data) != struct.unpack("<I", check)[0]:
                raise DataLossError(None, None, f"corrupted record at {at} of {path}")
            yield data
            at += 16 + length


def text(data: bytes) -> np.ndarray:
    """Bytes as the array of a string tensor (numpy's own texts lose zeros at their ends)."""
    out = np.empty((), object)
    out[()] = data
    return out


class _OfFiles(Dataset):
    """Elements are strings: those that `_read(path)` gives."""

    def __init__(self, filenames, read):
        names = paths(filenames)
        super().__init__(lambda: (text(data) for path in names for data in read(path)), UNKNOWN, TensorSpec((), dtypes.string))


class TFRecordDataset(_OfFiles):
    """The records of TFRecord files, one file after the other."""

    def __init__(self, filenames: PathLike | list | DatasetLike, compression_type: str | None = None,
                 buffer_size: int | None = None, num_parallel_reads: int | None = None, name: str | None = None) -> None:
        super().__init__(filenames, lambda path: records(path, compression_type))


class TextLineDataset(_OfFiles):
    """The lines of text files, without their ends."""

    def __init__(self, filenames: PathLike | list | DatasetLike, compression_type: str | None = None,
                 buffer_size: int | None = None, num_parallel_reads: int | None = None, name: str | None = None) -> None:
        def lines(path):
            with _whole(path, compression_type) as file:
                for line in file:
                    yield line.rstrip(b"\n").removesuffix(b"\r")
        super().__init__(filenames, lines)


class FixedLengthRecordDataset(_OfFiles):
    """Records of so many bytes, between a header and a footer."""

    def __init__(self, filenames: PathLike | list | DatasetLike, record_bytes: int, header_bytes: int | None = None,
                 footer_bytes: int | None = None, buffer_size: int | None = None, compression_type: str | None = None,
                 num_parallel_reads: int | None = None, name: str | None = None) -> None:
        def parts(path):
            with _whole(path, compression_type) as file:
                data = file.read()
            data = data[header_bytes or 0:len(data) - (footer_bytes or 0)]
            if len(data) % record_bytes:
                raise DataLossError(None, None, f"{path} has {len(data)} bytes of records, which are no whole records of "
                                    f"{record_bytes}.")
            return (data[i:i + record_bytes] for i in range(0, len(data), record_bytes))
        super().__init__(filenames, parts)


class TFRecordWriter:
    """Writes records; also a context."""

    def __init__(self, path: PathLike, options: Any = None) -> None:
        if options not in (None, ""):
            raise NotImplementedError("TFRecordWriter(options=...) is not there: records are not compressed.")
        self._file = _files.growing(os.fspath(path), anew=True)

    def write(self, record: bytes) -> None:
        """One record."""
        record = record.array.item() if isinstance(record, EagerTensor) else bytes(record)
        length = struct.pack("<Q", len(record))
        self._file.write(length + struct.pack("<I", _events.masked_crc(length)) + record
                         + struct.pack("<I", _events.masked_crc(record)))

    def flush(self) -> None:
        """What was written is in the file."""
        self._file.flush()

    def close(self) -> None:
        """Ends the file."""
        self._file.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def tf_record_iterator(path: PathLike, options: Any = None) -> Iterator:
    """The records of a file, of TensorFlow 1."""
    return records(os.fspath(path))


def windows(dataset: Dataset, size: int, shift: int | None, stride: int, drop_remainder: bool) -> Dataset:
    """Data sets of neighbouring elements."""
    size, stride = int(size), int(stride)
    shift = size if shift is None else int(shift)
    if min(size, shift, stride) < 1:
        raise ValueError(f"window: size ({size}), shift ({shift}) and stride ({stride}) must be positive.")
    spec = dataset._spec

    def part(rows, i):
        column = [nest.flatten(row)[i] for row in rows]
        return Dataset(lambda: iter(column), len(column), nest.flatten(spec)[i])

    def make():
        waiting, elements, end = [], dataset._make(), False
        reach = (size - 1) * stride + 1
        while True:
            while len(waiting) < reach and not end:
                element = next(elements, elements)
                end = element is elements
                waiting += [] if end else [element]
            rows = waiting[:reach:stride]
            if not rows or drop_remainder and len(rows) < size:
                return
            yield nest.pack_sequence_as(spec, [part(rows, i) for i in range(len(nest.flatten(spec)))])
            for _ in range(shift - len(waiting)):  # what lies between two windows
                next(elements, None)
            del waiting[:shift]
    return Dataset(make, UNKNOWN, nest.map_structure(lambda s: s, spec))


def listed(pattern: PathLike | list, shuffle: bool | None, seed: int | None) -> Dataset:
    """Names of files."""
    import glob  # of this function alone
    found = sorted(f for p in paths(pattern) for f in glob.glob(p))
    if not found:
        raise NotFoundError(None, None, f"No files matched pattern: {pattern}")
    names = np.array([os.fsencode(f) for f in found], object)
    out = Dataset.from_tensor_slices(EagerTensor(names))
    return out.shuffle(len(found), seed) if shuffle is None or shuffle else out


def decode_raw(input_bytes: Any, out_type: Any, little_endian: bool = True, fixed_length: Any = None,
               name: str | None = None) -> EagerTensor:
    """The numbers that bytes are."""
    kind = dtypes.as_dtype(out_type)
    data = convert_to_tensor(input_bytes).array
    order = np.dtype(kind.as_numpy_dtype).newbyteorder("<" if little_endian else ">")
    rows = [np.frombuffer(d if fixed_length is None else bytes(d).ljust(int(fixed_length), b"\0")[:int(fixed_length)], order)
            for d in data.reshape(-1)]
    return EagerTensor(np.stack(rows).reshape(*data.shape, -1).astype(kind.as_numpy_dtype))

# SPDX-License-Identifier: MIT
"""Files of records as data sets. A record of a TFRecord file: its length, the length's checksum, the bytes, their checksum."""
from __future__ import annotations

import os
import struct
from typing import Any, Iterator

import numpy as np
from popart import _events, _files

from tensorflow.data.dataset import UNKNOWN, Dataset
from tensorflow.data.files import opened, paths, text
from tensorflow.framework import dtypes
from tensorflow.framework.errors import DataLossError
from tensorflow.framework.specs import TensorSpec
from tensorflow.framework.tensors import EagerTensor, convert_to_tensor
from tensorflow.framework.typed import DatasetLike, PathLike


def records(path: str, compression: str | None = None) -> Iterator:
    """The bytes of each record; DataLossError for a damaged file."""
    with opened(path, compression) as file:
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
            with opened(path, compression_type) as file:
                for line in file:
                    yield line.rstrip(b"\n").removesuffix(b"\r")
        super().__init__(filenames, lines)


class FixedLengthRecordDataset(_OfFiles):
    """Records of so many bytes, between a header and a footer."""

    def __init__(self, filenames: PathLike | list | DatasetLike, record_bytes: int, header_bytes: int | None = None,
                 footer_bytes: int | None = None, buffer_size: int | None = None, compression_type: str | None = None,
                 num_parallel_reads: int | None = None, name: str | None = None) -> None:
        def parts(path):
            with opened(path, compression_type) as file:
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
        self._file.write(_events.record(record))

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


def decode_raw(input_bytes: Any, out_type: Any, little_endian: bool = True, fixed_length: Any = None,
               name: str | None = None) -> EagerTensor:
    """The numbers that bytes are."""
    kind = dtypes.as_dtype(out_type)
    data = convert_to_tensor(input_bytes).array
    order = np.dtype(kind.as_numpy_dtype).newbyteorder("<" if little_endian else ">")
    rows = [np.frombuffer(d if fixed_length is None else bytes(d).ljust(int(fixed_length), b"\0")[:int(fixed_length)], order)
            for d in data.reshape(-1)]
    return EagerTensor(np.stack(rows).reshape(*data.shape, -1).astype(kind.as_numpy_dtype))

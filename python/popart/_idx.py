# SPDX-License-Identifier: MIT
"""IDX files, MNIST's own format: two zeros, the type of elements (8: bytes), the rank, sizes, elements; packed or not."""
import gzip
import struct
from typing import Any, Optional

import numpy as np


def read(path: str, rank: Optional[int] = None) -> "np.ndarray[Any, Any]":
    """The bytes of a file, in its sizes. ValueError if it is damaged, or not of this rank."""
    opened: Any = gzip.open if path.endswith(".gz") else open
    try:
        with opened(path, "rb") as file:
            data = file.read()
        magic, = struct.unpack_from(">I", data)
        found = magic & 0xff
        sizes = struct.unpack_from(f">{found}i", data, 4)
    except (OSError, EOFError, struct.error) as problem:
        raise ValueError(f"The file {path} is not an IDX file: {problem}.") from None
    if magic >> 8 != 8 or rank not in (None, found):
        raise ValueError(f"The file {path} is damaged: it should hold {rank or 'some'} dimensions of bytes and begins with "
                         f"{magic:#x}.")
    body = np.frombuffer(data, np.uint8, offset=4 + 4 * found)
    if min(sizes, default=0) < 0 or body.size != np.prod(sizes, dtype=np.int64):
        raise ValueError(f"The file {path} is damaged: it has {body.size} bytes for {list(sizes)}.")
    return body.reshape(sizes).copy()

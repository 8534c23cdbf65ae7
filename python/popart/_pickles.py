# SPDX-License-Identifier: MIT
"""Pickled arrays, in lists and dicts, as numpy 1 and 2 name what makes them. Nothing else that a file asks for is made."""
import codecs
import pickle
from collections import OrderedDict
from typing import IO, Any

import numpy as np

_MAKERS = {("numpy", "ndarray"): np.ndarray, ("numpy", "dtype"): np.dtype,
           ("numpy.core.multiarray", "_reconstruct"): np.zeros(1).__reduce_ex__(4)[0],
           ("numpy.core.numeric", "_frombuffer"): np.zeros(1).__reduce_ex__(5)[0],
           ("numpy.core.multiarray", "scalar"): np.float64(0).__reduce__()[0],
           ("collections", "OrderedDict"): OrderedDict, ("_codecs", "encode"): codecs.encode}


class _Arrays(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        maker = _MAKERS.get((module.replace("numpy._core", "numpy.core"), name))
        if maker is None:
            raise pickle.UnpicklingError(f"it holds {module}.{name}, and arrays are expected")
        return maker


def load(file: IO[bytes], encoding: str = "ASCII") -> Any:
    """What a file holds; pickle.UnpicklingError if that is no arrays. encoding: of texts that Python 2 wrote."""
    return _Arrays(file, encoding=encoding).load()

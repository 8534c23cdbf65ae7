# SPDX-License-Identifier: MIT
"""paddle.static.Print."""
from __future__ import annotations

from ..helper import LayerHelper
from ..typed import TensorLike


def Print(input: TensorLike, first_n: int = -1, message: str | None = None, summarize: int = 20, print_tensor_name: bool = True,
          print_tensor_type: bool = True, print_tensor_shape: bool = True, print_tensor_layout: bool = True,
          print_tensor_lod: bool = True, print_phase: str = "both") -> TensorLike:
    """The tensor, which is printed when the program runs, every time."""
    if first_n != -1:
        raise NotImplementedError(f"(Unimplemented) Print(first_n={first_n}): a tensor is printed in every run.")
    return LayerHelper("print").append("print", {"In": input}, {"message": message or ""})

# SPDX-License-Identifier: MIT
"""fps and nearest: points of clouds, as torch_cluster has them, made of torch's operators."""
from __future__ import annotations

import math
from typing import Sequence, Union

import torch

from poptorch.base.current import current
from poptorch.errors import Error
from poptorch.ops import _given, _tensor, for_loop

_Indices = Union[Sequence[int], torch.Tensor, None]


def _points(tensor, name):
    tensor = _tensor(tensor, name)
    return tensor.unsqueeze(-1) if tensor.dim() == 1 else tensor.reshape(tensor.shape[0], -1)


def nearest(x: torch.Tensor, y: torch.Tensor, batch_x: _Indices = None, batch_y: _Indices = None) -> torch.Tensor:
    """For every point of x the number of the nearest one of y, among those of the same batch."""
    x, y = _points(x, "nearest"), _points(y, "nearest")
    if x.shape[1] != y.shape[1]:
        raise Error(f"nearest: points of x have {x.shape[1]} coordinates, those of y have {y.shape[1]}.")
    distance = ((x.unsqueeze(1) - y.unsqueeze(0)) ** 2).sum(-1)
    if (batch_x is None) != (batch_y is None):
        raise Error("nearest needs both of batch_x and batch_y, or neither.")
    if batch_x is not None:
        same = _given(batch_x).unsqueeze(1) == _given(batch_y).unsqueeze(0)
        distance = torch.where(same, distance, torch.full((), math.inf, dtype=distance.dtype))
    return torch.argmin(distance, dim=1)


def _known(ptr):
    if isinstance(ptr, torch.Tensor):
        capture = current()
        ptr = ptr if capture is None else capture.wrap(ptr).value
        if ptr is None:
            raise Error("fps: ptr must be known when the model is captured: a list, or a constant tensor.")
        ptr = ptr.tolist()
    return [int(p) for p in ptr]


def fps(src: torch.Tensor, ptr: Union[Sequence[int], torch.Tensor], ratio: float = 0.5,
        random_start: bool = False) -> torch.Tensor:
    """Numbers of points far from each other: of every cloud src[ptr[i]:ptr[i+1]] a part, the farthest next."""
    src = _points(src, "fps").detach()
    ptr = _known(ptr)
    if len(ptr) < 2 or ptr[0] != 0 or ptr[-1] != src.shape[0] or any(a >= b for a, b in zip(ptr, ptr[1:])):
        raise Error(f"fps: ptr must ascend from 0 to the number of points ({src.shape[0]}), not {ptr}.")
    if not 0 < ratio <= 1:
        raise Error(f"fps: the ratio is {ratio}; it must be in (0, 1].")
    picked = [begin + _farthest(src[begin:end], math.ceil(ratio * (end - begin)), random_start)
              for begin, end in zip(ptr, ptr[1:])]
    return torch.cat(picked)


def _farthest(points, count, random_start):
    size = points.shape[0]
    numbers, places = torch.arange(size, dtype=torch.int32), torch.arange(count, dtype=torch.int32)
    start = torch.randint(0, size, (1,)).to(torch.int32) if random_start else torch.zeros(1, dtype=torch.int32)

    def step(at, here, distance, picked):
        mine = (numbers == here).to(points.dtype).unsqueeze(1)
        distance = torch.minimum(distance, ((points - (mine * points).sum(0)) ** 2).sum(1))
        picked = torch.where(places == at, here, picked)
        return at + 1, torch.argmax(distance, dim=0, keepdim=True).to(torch.int32), distance, picked

    state = [torch.zeros(1, dtype=torch.int32), start, torch.full((size,), 1e30, dtype=torch.float).to(points.dtype),
             torch.zeros(count, dtype=torch.int32)]
    if current() is not None and not current().training:
        state = for_loop(count, step, state)
    else:
        for _ in range(count):
            state = step(*state)
    return state[-1].to(torch.int64)

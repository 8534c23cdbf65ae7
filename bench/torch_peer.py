#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Debian's torch at its best, for ./run bench: torch_peer.py THREADS NAME... prints "NAME seconds",
# the better of one thread and THREADS. Needs python3-torch; libopenblas0-openmp makes it fair.
import sys
import time

import torch


def median(work):
    for _ in range(3):
        work()
    start = time.perf_counter()
    work()
    once = max(time.perf_counter() - start, 1e-6)
    calls = max(1, min(200, int(0.05 / once)))
    samples = []
    for _ in range(7):
        start = time.perf_counter()
        for _ in range(calls):
            work()
        samples.append((time.perf_counter() - start) / calls)
    return sorted(samples)[3]


def convolution(batch, channels, out, side, kernel, pad, which):
    x = torch.rand(batch, channels, side, side)
    w = torch.rand(out, channels, kernel, kernel)
    if channels >= 16:
        x = x.contiguous(memory_format=torch.channels_last)
        w = w.contiguous(memory_format=torch.channels_last)
    y = torch.nn.functional.conv2d(x, w, padding=pad)
    if which == "fwd":
        return lambda: torch.nn.functional.conv2d(x, w, padding=pad)
    g = torch.rand_like(y)
    mask = [which == "data", which == "weights", False]
    return lambda: torch.ops.aten.convolution_backward(
        g, x, w, None, [1, 1], [pad, pad], [1, 1], False, [0, 0], 1, mask)


def cases():
    t = torch.rand(1024, 1024, 16)
    rows = torch.rand(4096, 768)
    gamma, beta = torch.rand(768), torch.rand(768)
    out = {f"reduce{d}": lambda d=d: t.sum(d) for d in range(3)}
    out["softmax"] = lambda: torch.softmax(rows, 1)
    out["layernorm"] = lambda: torch.nn.functional.layer_norm(rows, (768,), gamma, beta)
    shapes = {"3x3": (8, 64, 64, 56, 3, 1), "1x1": (8, 256, 64, 56, 1, 0),
              "small1": (16, 1, 5, 28, 3, 0), "small2": (16, 5, 12, 13, 5, 0)}
    for name, shape in shapes.items():
        for which in ("fwd", "data", "weights"):
            out[f"{name}-{which}"] = convolution(*shape, which)
    return out


def main():
    torch.set_grad_enabled(False)
    threads = int(sys.argv[1])
    known = cases()
    for name in sys.argv[2:]:
        best = float("inf")
        for n in {1, threads}:
            torch.set_num_threads(n)
            best = min(best, median(known[name]))
        print(name, best, flush=True)


main()

# SPDX-License-Identifier: MIT
"""One operator in a program of its own, against a function of torch: results, and gradients of a weighted sum."""
import numpy as np
import torch

import paddle
from paddle import static


class Case:
    """inputs: arrays by slot (a list of arrays for a slot with several). expect: torch function of the same arrays."""

    def __init__(self, op, inputs, expect, attrs=None, out="Out", grads=(), more=(), count=1, rtol=2e-4, atol=2e-5, name=None):
        self.op, self.inputs, self.expect, self.attrs, self.out = op, inputs, expect, attrs or {}, out
        self.grads, self.more, self.count, self.rtol, self.atol = grads, more, count, rtol, atol
        self.name = name or op

    def __repr__(self):
        return self.name

    def run(self):
        results, gradients = self._ours()
        expected, expected_gradients = self._theirs()
        for got, want in zip(results, expected):
            want = np.asarray(want)
            assert got.size == want.size, f"{got.shape} instead of {want.shape}"
            np.testing.assert_allclose(got.astype(np.float64).reshape(want.shape), want.astype(np.float64), self.rtol,
                                       self.atol)
        for slot, got, want in zip(self.grads, gradients, expected_gradients):
            np.testing.assert_allclose(got, want, self.rtol * 4, self.atol * 4, err_msg=f"gradient of {slot}")

    def _ours(self):
        main = static.default_main_program()
        block = main.global_block()
        feed, slots, variables = {}, {}, {}
        for slot, arrays in self.inputs.items():
            names = []
            for i, array in enumerate(arrays if isinstance(arrays, list) else [arrays]):
                name = f"{slot}_{i}"
                variables[name] = static.data(name, array.shape, array.dtype)
                variables[name].stop_gradient = slot not in self.grads
                feed[name] = array
                names.append(name)
            slots[slot] = names
        outs = {self.out: [block.create_var(f"out_{i}") for i in range(self.count)]}
        for slot in self.more:
            outs[slot] = [block.create_var(f"more_{slot}")]
        block.append_op(self.op, slots, outs, self.attrs)
        fetched = [v for slot in outs.values() for v in slot]  # all of them: what is fetched changes what overwrites what
        derived = []
        if self.grads:
            weights = [block.create_var(f"w_{i}", v.shape, v.dtype, is_data=True) for i, v in enumerate(outs[self.out])]
            for w in weights:
                feed[w.name] = _weights(w.shape)
            derived = static.gradients(outs[self.out], [variables[n] for s in self.grads for n in slots[s]], weights)
        exe = static.Executor(paddle.CPUPlace())
        results = exe.run(main, feed=feed, fetch_list=fetched + derived)
        return results[:self.count], results[len(fetched):]

    def _theirs(self):
        tensors = {slot: [torch.from_numpy(np.array(a)) for a in (arrays if isinstance(arrays, list) else [arrays])]
                   for slot, arrays in self.inputs.items()}
        for slot in self.grads:
            for t in tensors[slot]:
                t.requires_grad_(True)
        out = self.expect(*[ts if isinstance(self.inputs[slot], list) else ts[0] for slot, ts in tensors.items()])
        outs = list(out) if isinstance(out, (list, tuple)) else [out]
        if not self.grads:
            return [o.detach().numpy() if torch.is_tensor(o) else o for o in outs], []
        total = sum((o * torch.from_numpy(_weights(o.shape))).sum() for o in outs[:self.count])
        total.backward()
        return [o.detach().numpy() for o in outs], [t.grad.numpy() for s in self.grads for t in tensors[s]]


def _weights(shape):
    n = int(np.prod(shape, dtype=np.int64))
    return (np.arange(n, dtype=np.float32).reshape(-1) % 7 * 0.3 - 0.7).reshape(tuple(shape) or (1,)).reshape(shape)


def rand(*shape, low=-2.0, high=2.0, seed=1):
    return np.random.RandomState(seed).uniform(low, high, shape).astype(np.float32)


def whole(*shape, high=5, seed=1, dtype=np.int64):
    return np.random.RandomState(seed).randint(0, high, shape).astype(dtype)

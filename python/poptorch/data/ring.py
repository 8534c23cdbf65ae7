# SPDX-License-Identifier: MIT
"""What the loading process and its reader share: memory for some batches, and the words that they exchange.

The memory is a file without a name, given by its descriptor: nothing is left behind whoever ends first.
Batches are taken apart into tensors, which lie in the memory, and a skeleton, which is the batch with numbers for tensors.
"""
import mmap
import os
import struct
import tempfile
from multiprocessing import reduction

import torch

from poptorch.base.structure import mapped

_ALIGN = 64
WORD = struct.Struct("<cqqq")  # what, epoch, slot, rows
BATCH, FREE, EPOCH, STOP = b"b", b"f", b"e", b"s"  # others are pickled tuples


class Memory:
    """A file without a name: of memory, or of the disk."""

    def __init__(self, on_disk):
        if on_disk:
            with tempfile.TemporaryFile() as file:
                self.fd = os.dup(file.fileno())
        else:
            self.fd = os.memfd_create("poptorch", os.MFD_CLOEXEC)

    def __getstate__(self):  # for a process that is being started
        return reduction.DupFd(self.fd)

    def __setstate__(self, handle):
        self.fd = handle.detach()

    def resize(self, size):
        os.ftruncate(self.fd, size)

    def map(self, size):
        return mmap.mmap(self.fd, size)

    def close(self):
        if self.fd >= 0:
            os.close(self.fd)
            self.fd = -1


class Ring:
    """Slots of equal size, each with room for the tensors of a batch."""

    def __init__(self, memory, layout, slots, make=False):
        self.layout, self.slots = layout, slots
        offsets, size = [], 0
        for dtype, shape in layout:
            offsets.append(size)
            count = torch.Size(shape).numel() * torch.empty(0, dtype=dtype).element_size()
            size += -(-count // _ALIGN) * _ALIGN
        size = max(size, _ALIGN)
        if make:
            memory.resize(size * slots)
        self._map = memory.map(size * slots)
        self.tensors = [[self._tensor(dtype, shape, slot * size + offset)
                         for (dtype, shape), offset in zip(layout, offsets)] for slot in range(slots)]

    def _tensor(self, dtype, shape, offset):
        count = torch.Size(shape).numel()
        if count == 0:
            return torch.empty(shape, dtype=dtype)
        return torch.frombuffer(self._map, dtype=dtype, count=count, offset=offset).view(shape)


class Slot:
    """Stands for a tensor in a skeleton."""
    __slots__ = ("index",)

    def __init__(self, index):
        self.index = index

    def __eq__(self, other):
        return isinstance(other, Slot) and self.index == other.index

    def __reduce__(self):
        return Slot, (self.index,)


def take_apart(value, tensors):
    """The skeleton of a value; its tensors are added to the list."""
    def placed(tensor):
        tensors.append(tensor)
        return Slot(len(tensors) - 1)
    return mapped(value, torch.Tensor, placed)


def put_together(skeleton, tensors):
    """The value again, with these tensors."""
    return mapped(skeleton, Slot, lambda place: tensors[place.index])

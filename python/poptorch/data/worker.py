# SPDX-License-Identifier: MIT
"""The process that loads batches ahead of their use.

It is told which epoch is wanted and which slots are free, and tells of slots that it has filled. It ends when it is told
to, or when the reader's process ends.
"""
import multiprocessing
import select
import signal
import traceback
from typing import NamedTuple

import torch

from poptorch import profiling
from poptorch.data.ring import BATCH, EPOCH, FREE, STOP, WORD, Ring, take_apart


class Settings(NamedTuple):
    """What a loading process is to do."""
    slots: int
    indefinitely: bool  # goes on with the next epoch without being asked
    rows: "int | None"  # puts batches together to so many rows
    drop_last: bool  # of these: what is left of an epoch
    random: object  # state of PyTorch's random numbers in the reader
    start: "str | None"  # how the reader's program starts processes, if it said so


class _Stopped(Exception):
    pass


class _Abandoned(Exception):
    """The reader wants the next epoch already."""


class _Worker:
    def __init__(self, memory, connection, dataset, settings):
        self._memory, self._connection, self._dataset, self._settings = memory, connection, dataset, settings
        self._free = list(range(settings.slots))
        self._wanted = self._epoch = -1
        self._ring = self._skeleton = None
        self._poll = select.poll()
        self._poll.register(connection.fileno(), select.POLLIN)
        parent = multiprocessing.parent_process()
        self._parent = parent.sentinel if parent is not None else None
        if self._parent is not None:
            self._poll.register(self._parent, select.POLLIN)

    # ---- words of the reader

    def _listen(self, wait):
        """Hears what there is; with wait, at least one word."""
        while True:
            ready = [fd for fd, _ in self._poll.poll(None if wait else 0)]
            if self._connection.fileno() in ready:
                try:
                    word = self._connection.recv_bytes()
                except (EOFError, OSError):
                    raise _Stopped from None
                self._hear(word)
                wait = False
            elif self._parent in ready:
                raise _Stopped
            elif not wait:
                return

    def _hear(self, word):
        what, epoch, slot, _ = WORD.unpack(word)
        if what == STOP:
            raise _Stopped
        if what == FREE:
            self._free.append(slot)
        elif what == EPOCH:
            self._wanted = max(self._wanted, epoch)

    def _slot(self):
        """A free slot, when there is one."""
        self._listen(wait=False)
        while not self._free:
            self._listen(wait=True)
        if self._wanted > self._epoch:
            raise _Abandoned
        return self._free.pop(0)

    def _say(self, send, word):
        """To the reader, if it is still there."""
        try:
            send(word)
        except OSError:
            raise _Stopped from None

    # ---- epochs

    def run(self):
        while True:
            while self._wanted <= self._epoch and not (self._settings.indefinitely and self._epoch >= 0):
                self._listen(wait=True)
            self._epoch = max(self._epoch + 1, self._wanted)
            try:
                self._load()
            except _Abandoned:
                continue
            self._say(self._connection.send, ("end", self._epoch))

    def _load(self):
        put = _Joined(self) if self._settings.rows else self
        try:
            for batch in profiling.Channel("poptorch.DataLoader").each("load batch", iter(self._dataset)):
                tensors = []
                put.put(take_apart(batch, tensors), tensors)
                self._listen(wait=False)
                if self._wanted > self._epoch:
                    raise _Abandoned
            put.end()
        finally:
            put.close()

    def ring(self, tensors, rows=None):
        """The ring; made for the first batch, or for batches with so many rows."""
        if self._ring is None:
            layout = [(t.dtype, (rows, *t.shape[1:]) if rows else tuple(t.shape)) for t in tensors]
            self._ring = Ring(self._memory, layout, self._settings.slots, make=True)
            self._say(self._connection.send, ("layout", layout))
        return self._ring

    def put(self, skeleton, tensors):
        """A batch as it is."""
        slot, ring = self._slot(), self.ring(tensors)
        shapes = None
        if len(tensors) != len(ring.layout):
            raise RuntimeError(f"A batch has {len(tensors)} tensors, the first one had {len(ring.layout)}.")
        for target, tensor in zip(ring.tensors[slot], tensors):
            if tensor.shape != target.shape:
                shapes = [tuple(t.shape) for t in tensors]
                check_fits(tensor, target)
                target = target.view(-1)[:tensor.numel()].view(tensor.shape)
            target.copy_(tensor)
        self.tell(slot, skeleton, shapes)

    def tell(self, slot, skeleton, shapes=None):
        """The slot is filled."""
        if shapes is None and _same(skeleton, self._skeleton):
            self._say(self._connection.send_bytes, WORD.pack(BATCH, self._epoch, slot, 0))
        else:
            self._skeleton = skeleton
            self._say(self._connection.send, ("batch", self._epoch, slot, shapes, skeleton))

    def end(self):
        pass

    def close(self):
        pass


def _same(skeleton, other):
    try:
        return bool(skeleton == other)
    except Exception:  # of values that have no order among their parts, such as arrays
        return False


def check_fits(tensor, target):
    """Later batches have the type of the first one, and no more elements."""
    if tensor.dtype != target.dtype or tensor.dim() != target.dim() or tensor.numel() > target.numel():
        raise RuntimeError(f"A batch has a tensor of {tensor.dtype} {list(tensor.shape)} where the first one had "
                           f"{target.dtype} {list(target.shape)}. All batches must be alike; only the last may be smaller.")


class _Joined:
    """Puts batches together to full ones. What is left of an epoch makes a smaller one, unless it is to be dropped."""

    def __init__(self, worker):
        self._worker, self._rows = worker, worker._settings.rows
        self._slot, self._filled, self._skeleton = None, 0, None

    def put(self, skeleton, tensors):
        ring, first = self._worker.ring(tensors, self._rows), 0
        rows = len(tensors[0])
        if any(len(t) != rows for t in tensors):
            raise RuntimeError(f"The tensors of a batch have different numbers of rows: {[len(t) for t in tensors]}.")
        while first < rows:
            if self._slot is None:
                self._slot = self._worker._slot()
            count = min(rows - first, self._rows - self._filled)
            for target, tensor in zip(ring.tensors[self._slot], tensors):
                target[self._filled:self._filled + count].copy_(tensor[first:first + count])
            first, self._filled, self._skeleton = first + count, self._filled + count, skeleton
            if self._filled == self._rows:
                self._worker.tell(self._slot, skeleton)
                self._slot, self._filled = None, 0

    def end(self):
        """The epoch is over."""
        if self._slot is not None and not self._worker._settings.drop_last:
            shapes = [(self._filled, *shape[1:]) for _, shape in self._worker._ring.layout]
            self._worker.tell(self._slot, self._skeleton, shapes)
            self._slot, self._filled = None, 0

    def close(self):
        if self._slot is not None:
            self._worker._free.append(self._slot)
            self._slot = None


def _silence_workers():
    """From here on torch raises nothing for workers that die: what is being told may be of just that."""
    try:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    except RuntimeError:  # it was about to
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)


def main(memory, connection, others, dataset, settings):
    """The whole life of the process. others: the reader's end, if it was inherited."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the reader decides what to do then
    if others is not None:
        others.close()
    # A DataLoader's workers start as the program says, not as this process did: a fork is at once, as there is one thread.
    multiprocessing.set_start_method(settings.start, force=True)
    torch.set_num_threads(1)
    torch.set_rng_state(settings.random)
    try:
        _Worker(memory, connection, dataset, settings).run()
    except _Stopped:
        pass
    except BaseException as problem:
        _silence_workers()
        try:
            connection.send(("error", "".join(traceback.format_exception(problem))))
            while connection.poll(2):  # requests on their way: to end with them unread would take the error with it
                connection.recv_bytes()
        except (EOFError, OSError):
            pass

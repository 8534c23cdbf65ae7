# SPDX-License-Identifier: MIT
"""AsynchronousDataAccessor: batches that another process loads ahead of their use."""
from __future__ import annotations

import multiprocessing
import pickle
import select
import threading
import weakref
from typing import Optional, Union

import torch

from poptorch._logging import logger
from poptorch.data.ring import BATCH, EPOCH, FREE, STOP, WORD, Memory, Ring, put_together
from poptorch.data.worker import Settings, main
from poptorch.enums import SharingStrategy
from poptorch.errors import createPoptorchError

_METHODS = {SharingStrategy.SharedMemory: "spawn", SharingStrategy.FileSystem: "spawn", SharingStrategy.Fork: "fork",
            SharingStrategy.ForkServer: "forkserver"}
_PATIENCE = 2.0  # seconds, for a process that is asked to end


def _end(process, connection, memory):
    """Ends a loading process, whatever it does."""
    try:
        connection.send_bytes(WORD.pack(STOP, 0, 0, 0))
    except OSError:
        pass
    process.join(_PATIENCE)
    for end in (process.terminate, process.kill):
        if process.is_alive():
            end()
            process.join(_PATIENCE)
    connection.close()
    memory.close()


def _chosen(strategy):
    """A fork starts at once, but must not copy threads of Python's (their locks stay taken) or IPUs; a fork server imports
    PyTorch first, which takes seconds. Idle threads of torch do no harm: its own DataLoader forks beside them too."""
    if strategy is not None:
        return SharingStrategy(strategy)
    from popart_core import runtime  # import time
    alone = threading.active_count() == 1 and not runtime.any_acquired()
    return SharingStrategy.Fork if alone else SharingStrategy.ForkServer


def _start(dataset, settings, strategy):
    """(process, connection, memory)"""
    context = multiprocessing.get_context(_METHODS[strategy])
    if strategy == SharingStrategy.ForkServer:
        context.set_forkserver_preload(["poptorch.data.worker"])  # each process then starts with PyTorch loaded
    memory = Memory(strategy == SharingStrategy.FileSystem)
    ours, theirs = context.Pipe()
    forked = strategy == SharingStrategy.Fork
    process = context.Process(target=main, args=(memory, theirs, ours if forked else None, dataset, settings))
    before = torch.multiprocessing.get_sharing_strategy()
    torch.multiprocessing.set_sharing_strategy(
        "file_system" if strategy == SharingStrategy.FileSystem else "file_descriptor")  # for tensors of the dataset
    try:
        process.start()
    finally:
        torch.multiprocessing.set_sharing_strategy(before)
        theirs.close()
    return process, ours, memory


class AsynchronousDataAccessor:
    """Loads batches of a dataset or DataLoader in a process of its own.

    The tensors of a batch are used again for later ones: clone what is to be kept beyond the next batch. With
    SharingStrategy.ForkServer, SharedMemory and FileSystem, make it under `if __name__ == "__main__"`. sharing_strategy=None:
    Fork in a process with one thread of Python's that has had no IPUs, else ForkServer.

    buffer_size: batches that are loaded ahead. load_indefinitely: the next epoch begins when the last one ends.
    early_preload: loading begins now, not with the first epoch. rebatched_size: batches are put together to this many rows.
    drop_last: what then is left of an epoch is dropped; otherwise it comes as a smaller batch. None: as the DataLoader says.
    miss_sleep_time_in_ms has no effect: the reader sleeps until a batch is there.
    """

    def __init__(self, dataset: Union[torch.utils.data.DataLoader, torch.utils.data.Dataset], buffer_size: int = 3,
                 miss_sleep_time_in_ms: float = 0.1, load_indefinitely: bool = True, early_preload: bool = False,
                 sharing_strategy: Optional[SharingStrategy] = None, rebatched_size: Optional[int] = None,
                 drop_last: Optional[bool] = None):
        self._process = None
        strategy = _chosen(sharing_strategy)
        self._check(dataset, buffer_size, rebatched_size)
        self._dataset, self._rows, self._slots = dataset, rebatched_size, buffer_size
        self._drops = bool(getattr(dataset, "drop_last", False) if drop_last is None else drop_last)
        settings = Settings(buffer_size, load_indefinitely, rebatched_size, self._drops, torch.get_rng_state(),
                            multiprocessing.get_start_method(allow_none=True))
        self._process, self._connection, self._memory = _start(dataset, settings, strategy)
        logger.debug("AsynchronousDataAccessor worker process: %d", self._process.pid)
        self._finalizer = weakref.finalize(self, _end, self._process, self._connection, self._memory)
        self._poll = select.poll()
        self._poll.register(self._connection.fileno(), select.POLLIN)
        self._poll.register(self._process.sentinel, select.POLLIN)
        self._ring: Optional[Ring] = None
        self._skeleton = None
        self._epoch = -1  # the one that is read
        self._held = None  # the slot of the batch that the user has
        if early_preload:
            self._send(EPOCH, 0)

    @staticmethod
    def _check(dataset, buffer_size, rebatched_size):
        if isinstance(dataset, AsynchronousDataAccessor) or getattr(dataset, "isAsynchronous", False):
            raise ValueError("AsynchronousDataAccessor: the DataLoader is asynchronous already. Use DataLoaderMode.Sync.")
        if not isinstance(buffer_size, int) or buffer_size < 1:
            raise ValueError(f"AsynchronousDataAccessor: buffer_size must be greater than 0, not {buffer_size!r}.")
        if rebatched_size is not None and (not isinstance(rebatched_size, int) or rebatched_size <= 1):
            raise ValueError(f"AsynchronousDataAccessor: rebatched_size must be greater than 1, not {rebatched_size!r}.")
        loader = isinstance(dataset, torch.utils.data.DataLoader)
        if loader and rebatched_size is None and dataset.batch_size not in (None, 1) and not dataset.drop_last:
            raise ValueError("AsynchronousDataAccessor: a DataLoader with drop_last=False needs rebatched_size.")

    def __len__(self):
        if self._rows is None:
            return len(self._dataset)
        data = self._dataset
        if isinstance(data, torch.utils.data.DataLoader):
            data = data.dataset if isinstance(data.dataset, torch.utils.data.IterableDataset) else data.sampler
        whole, rest = divmod(len(data), self._rows)
        return whole + (1 if rest and not self._drops else 0)

    def terminate(self) -> None:
        """Ends the process. No more batches come."""
        if self._process is not None:
            self._finalizer()
            self._process = None

    def __iter__(self):
        if self._process is None:
            raise createPoptorchError("The AsynchronousDataAccessor was terminated.")
        self._release()
        self._epoch += 1
        self._send(EPOCH, self._epoch)
        return self._batches(self._epoch)

    def _send(self, what, epoch=0, slot=0):
        try:
            self._connection.send_bytes(WORD.pack(what, epoch, slot, 0))
        except OSError:
            self._dead()

    def _dead(self):
        """The process ended by itself."""
        self._process.join(_PATIENCE)
        code = self._process.exitcode
        raise createPoptorchError(f"The process that loads data ended unexpectedly (exit code {code}). It may have run out "
                                  "of memory or been killed.")

    def _receive(self):
        """What the process says next. Never waits for one that has ended."""
        while True:
            ready = [fd for fd, _ in self._poll.poll(1000)]
            if self._connection.fileno() in ready:
                try:
                    return self._connection.recv_bytes()
                except (EOFError, ConnectionResetError):
                    self._dead()
            elif ready:
                self._dead()

    def _release(self):
        """The user is done with the last batch."""
        if self._held is not None:
            slot, self._held = self._held, None
            self._send(FREE, 0, slot)

    def _batches(self, epoch):
        """The batches of an epoch, until another one is begun."""
        while self._process is not None and epoch == self._epoch:
            self._release()
            word = self._receive()
            if word[:1] == BATCH and len(word) == WORD.size:
                _, of, self._held, _ = WORD.unpack(word)
                shapes = None
            else:
                what, *rest = pickle.loads(word)
                if what == "end" and rest[0] == epoch:
                    return
                if what != "batch":
                    self._other(what, rest)
                    continue
                of, self._held, shapes, self._skeleton = rest
            if of == epoch:
                yield self._batch(self._held, shapes)

    def _batch(self, slot, shapes):
        tensors = self._ring.tensors[slot]
        if shapes is None:
            tensors = [t.detach() for t in tensors]
        else:
            tensors = [t.view(-1)[:torch.Size(s).numel()].view(s) for t, s in zip(tensors, shapes)]
        return put_together(self._skeleton, tensors)

    def _other(self, what, rest):
        if what == "end":  # of an epoch that was left early
            return
        if what == "layout":
            self._ring = Ring(self._memory, rest[0], self._slots)
        else:  # an exception
            self._finalizer()
            self._process = None
            raise createPoptorchError(f"The process that loads data failed:\n{rest[0]}")

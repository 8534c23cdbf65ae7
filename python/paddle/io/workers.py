# SPDX-License-Identifier: MIT
"""Processes that prepare batches. Each has a socket of its own to the loader: requests go in, results come out in
order, and the end of the stream says that a process has died. Arrays of a result lie in memory that both sides map."""
from __future__ import annotations

import collections
import mmap
import multiprocessing
import os
import pickle
import queue
import random
import select
import signal
import socket
import struct
import threading
import traceback
from typing import Any

import numpy as np

_HEAD = struct.Struct("<QQ")  # bytes of the pickled part, bytes of the mapped one
_ALIGN = 64
_FORK = multiprocessing.get_context("fork")

WorkerInfo = collections.namedtuple("WorkerInfo", "num_workers id dataset seed")
_info = None


def get_worker_info() -> Any:
    """Within a worker: which one it is, of how many; elsewhere None."""
    return _info


# ---- messages


def _send(sock, value, shared):
    buffers: "list[pickle.PickleBuffer]" = []
    content = pickle.dumps(value, protocol=5, buffer_callback=buffers.append if shared else None)
    views = [b.raw() for b in buffers]
    if not views:
        sock.sendall(_HEAD.pack(len(content), 0) + content)
        return
    ends = np.cumsum([-(-v.nbytes // _ALIGN) * _ALIGN for v in views])
    content = pickle.dumps((content, [v.nbytes for v in views]), protocol=5)
    file = os.memfd_create("batch")
    try:
        os.ftruncate(file, int(ends[-1]) or 1)
        for view, end in zip(views, ends):
            os.pwrite(file, view, int(end) - -(-view.nbytes // _ALIGN) * _ALIGN)
        socket.send_fds(sock, [_HEAD.pack(len(content), int(ends[-1]) or 1)], [file])
        sock.sendall(content)
    finally:
        os.close(file)


def _exactly(sock, n):
    out = bytearray()
    while len(out) < n:
        part = sock.recv(min(n - len(out), 1 << 20))
        if not part:
            raise EOFError
        out += part
    return bytes(out)


def _receive(sock):
    head, files, _, _ = socket.recv_fds(sock, _HEAD.size, 1)
    if not head:
        raise EOFError
    try:
        head += _exactly(sock, _HEAD.size - len(head))
        size, mapped = _HEAD.unpack(head)
        content = _exactly(sock, size)
        if not mapped:
            return pickle.loads(content)
        memory = memoryview(mmap.mmap(files[0], mapped))
    finally:
        for file in files:
            os.close(file)
    content, sizes = pickle.loads(content)
    views, at = [], 0
    for n in sizes:
        views.append(memory[at:at + n])
        at += -(-n // _ALIGN) * _ALIGN
    return pickle.loads(content, buffers=views)


# ---- the worker's side


def _work(number, count, sock, others, make, dataset, init, seed, shared):
    global _info
    for other in others:
        other.close()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the loader's process ends its workers
    _info = WorkerInfo(count, number, dataset, seed)
    random.seed(seed)
    np.random.seed(seed % 2**32)
    requests: "queue.Queue[Any]" = queue.Queue()

    def read():  # all the time, so that neither side waits for the other to read
        try:
            while True:
                requests.put(_receive(sock))
        except (EOFError, OSError):
            requests.put(None)
    threading.Thread(target=read, daemon=True).start()
    problem: Any = None
    answer: Any = None
    try:
        if init is not None:
            init(number)
        answer = make()
    except BaseException as e:
        problem = e
    while True:
        request = requests.get()
        if request is None:
            return
        try:
            if problem is not None:
                raise problem
            result = (True, answer(request[0]))
        except BaseException as e:
            result = (False, (_plain(e), "".join(traceback.format_exception(e))))
        try:
            _send(sock, result, shared)
        except OSError:
            return  # the loader does not listen any more


def _plain(problem):
    """Its class, if the other side can make one."""
    kind = type(problem)
    return kind.__name__ if getattr(__import__("builtins"), kind.__name__, None) is kind else "RuntimeError"


# ---- the loader's side


class Workers:
    """make(), called in each process, gives the function from a request to a result."""

    def __init__(self, count, make, dataset, init, timeout, shared, seed):
        self._timeout, self._processes = timeout, []
        self._sockets: "list[socket.socket]" = []
        self._waiting = [0] * count
        for i in range(count):
            ours, theirs = socket.socketpair()
            process = _FORK.Process(target=_work, daemon=True, args=(
                i, count, theirs, [*self._sockets, ours], make, dataset, init, seed + i, shared))
            process.start()
            theirs.close()
            self._sockets.append(ours)
            self._processes.append(process)

    def __len__(self):
        return len(self._sockets)

    def ask(self, worker, request):
        try:
            _send(self._sockets[worker], (request,), False)
        except OSError:
            self._died(worker)
        self._waiting[worker] += 1

    def answer(self, worker):
        sock = self._sockets[worker]
        if self._timeout and not select.select([sock], [], [], self._timeout)[0]:
            raise RuntimeError(f"DataLoader: worker {worker} (pid {self._processes[worker].pid}) gave no batch within "
                               f"timeout={self._timeout} seconds.")
        try:
            good, value = _receive(sock)
        except (EOFError, ConnectionError):
            self._died(worker)
        self._waiting[worker] -= 1
        if good:
            return value
        kind, text = value
        raise getattr(__import__("builtins"), kind)(f"In DataLoader worker {worker}:\n{text}")

    def _died(self, worker):
        process = self._processes[worker]
        process.join(5)
        code = process.exitcode
        killed = code is not None and code < 0
        how = f"was killed by {signal.Signals(-code).name}" if killed else f"ended with code {code}"
        raise RuntimeError(f"DataLoader: worker {worker} (pid {process.pid}) {how} before it gave its batch. Out of "
                           "memory and crashes of native code do this; num_workers=0 shows where.")

    def drain(self):
        """Answers that nobody wants any more are read."""
        for worker, count in enumerate(self._waiting):
            for _ in range(count):
                try:
                    self.answer(worker)
                except Exception:
                    if self._waiting[worker] and not self._processes[worker].is_alive():
                        raise

    def close(self):
        for sock in self._sockets:
            sock.close()
        for process in self._processes:
            process.terminate()
        for process in self._processes:
            process.join(5)
            if process.exitcode is None:
                process.kill()
                process.join()

# SPDX-License-Identifier: MIT
"""Several locks at once."""
import contextlib
import threading
from typing import TYPE_CHECKING, Any, Iterable, Iterator, List

if TYPE_CHECKING:
    _Lock = threading._RLock
else:
    _Lock = Any


@contextlib.contextmanager
def holding(locks: "Iterable[_Lock]") -> Iterator[None]:
    """All of these, which are reentrant, in whatever order others take theirs: who waits for one has none of the others.
    All are free again whenever Ctrl-C comes."""
    wanted, taken = list(locks), []  # type: List[_Lock], List[_Lock]
    try:
        while len(taken) < len(wanted):
            lock = wanted[len(taken)]
            taken.append(lock)
            if not lock.acquire(blocking=len(taken) == 1):
                taken.pop()
                while taken:
                    taken.pop().release()
                wanted.remove(lock)
                wanted.insert(0, lock)
        yield
    finally:
        for lock in taken:
            with contextlib.suppress(RuntimeError):  # Ctrl-C came before this one was had
                lock.release()

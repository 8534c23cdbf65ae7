# SPDX-License-Identifier: MIT
"""The IPUs that a program runs on."""
import contextlib
import weakref

from popart_core import runtime


def take_turns(runner):
    """From here on the program gives its IPUs to others that need them; it takes them again when it runs."""
    mine = weakref.ref(runner)

    def give_up():
        runner = mine()
        if runner is not None:
            runner.give_up()
    weakref.finalize(runner, runtime.unshare, runtime.share(give_up))


@contextlib.contextmanager
def _in_our_words(ipus):
    try:
        yield
    except runtime.Unavailable as why:
        raise RuntimeError(f"(Unavailable) Can't attach IPU, ipu_num = {ipus}. {why}") from None  # which says the same


def reattach(device):
    """The same device once more."""
    with _in_our_words(device.numIpus):
        runtime.attach(device)


def acquire(ipus, tiles_per_ipu, chosen=None):
    """A device of this many IPUs, or that of this id; POPLAR_IPUMODEL=1 makes an IPU Model of it."""
    if runtime.is_on("POPLAR_IPUMODEL"):
        return runtime.ipu_model(ipus, tiles_per_ipu=tiles_per_ipu)
    with _in_our_words(ipus):
        return runtime.acquire(ipus, chosen)

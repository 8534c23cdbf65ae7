#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""network.py FOLDER DELAY_MS LOSS_PERCENT HOST...: hosts in network namespaces, on a cable that delays and loses.

The first host is this process's own namespace; each other one is a process that waits in a namespace of its own, whose
number is in FOLDER/HOST. Addresses are 10.77.0.1 and on. FOLDER/ready says that all are there; a file FOLDER/HOST.down
unplugs a host. The cable is this process: frames of a TAP device at every host, so that no module of the kernel is
needed beyond tun (tc's netem often is not there)."""
import collections
import ctypes
import fcntl
import os
import random
import select
import signal
import socket
import struct
import subprocess
import sys
import time

NEW_NAMESPACES = 0x40000000 | 0x04000000  # CLONE_NEWNET, CLONE_NEWUTS
TUNSETIFF, TAP_WITHOUT_HEADER = 0x400454CA, 0x1002


def plug(address):
    """A TAP device of the namespace that this process is in: frames are read from and written to it."""
    device = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(device, TUNSETIFF, struct.pack("16sH22x", b"wire0", TAP_WITHOUT_HEADER))
    for command in (f"ip addr add {address}/24 dev wire0", "ip link set wire0 up", "ip link set lo up"):
        subprocess.run(command.split(), check=True)
    return device


def host(name, address, folder):
    """Its device; its process waits."""
    ours, theirs = socket.socketpair()
    pid = os.fork()
    if pid == 0:
        ours.close()
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        libc = ctypes.CDLL(None, use_errno=True)
        libc.prctl(1, signal.SIGKILL, 0, 0, 0)
        if libc.unshare(NEW_NAMESPACES) != 0:
            sys.exit(f"unshare: {os.strerror(ctypes.get_errno())}")
        socket.sethostname(name)
        socket.send_fds(theirs, [b"x"], [plug(address)])
        while True:
            signal.pause()
    theirs.close()
    _, devices, _, _ = socket.recv_fds(ours, 1, 1)
    if not devices:
        sys.exit(f"the namespace of {name} could not be made")
    with open(os.path.join(folder, name), "w") as file:
        file.write(str(pid))
    os.set_blocking(devices[0], False)
    return devices[0]


def carry(devices, delay, loss, is_down):
    """Every frame to all others: they know by its address whose it is."""
    draws, under_way, looked, down = random.Random(7), collections.deque(), 0.0, ()
    while True:
        now = time.monotonic()
        if now - looked > 0.05:
            looked, down = now, [is_down(i) for i in range(len(devices))]
        wait = max(0.0, min(0.05, under_way[0][0] - now)) if under_way else 0.05
        for device in select.select(devices, [], [], wait)[0]:
            at = devices.index(device)
            frame = os.read(device, 65536)
            if not down[at] and draws.random() >= loss:
                under_way.append((time.monotonic() + delay, at, frame))
        while under_way and under_way[0][0] <= time.monotonic():
            _, at, frame = under_way.popleft()
            for i, device in enumerate(devices):
                if i != at and not down[i]:
                    try:
                        os.write(device, frame)
                    except OSError:
                        pass  # its queue is full: the frame is lost


def main(folder, delay, loss, *names):
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    devices = [plug("10.77.0.1")]
    devices += [host(name, f"10.77.0.{i + 2}", folder) for i, name in enumerate(names[1:])]
    with open(os.path.join(folder, "ready"), "w"):
        pass
    carry(devices, float(delay) / 1e3, float(loss) / 100,
          lambda i: os.path.exists(os.path.join(folder, names[i] + ".down")))


main(*sys.argv[1:])

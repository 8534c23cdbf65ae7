# SPDX-License-Identifier: MIT
"""Devices that other processes hold."""
import signal
import subprocess
import sys
import threading
import time

import pytest

import popart
import popart_core

HOLD = """
import popart, sys
device = popart.DeviceManager().acquireAvailableDevice(1)
print("held", flush=True)
sys.stdin.read()
"""
WAIT = """
import popart, popart_core
print("waits", flush=True)
popart_core.runtime.acquire(1, wait=True)
"""


def start(code):
    child = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE)
    child.stdout.readline()
    return child


@pytest.fixture
def holder(monkeypatch):
    """Another process with the only IPU of the machine."""
    monkeypatch.setenv("OPENIPU_NUM_IPUS", "1")
    child = start(HOLD)
    yield child
    child.kill()
    child.wait()


def test_an_on_demand_device_is_attached_when_its_holder_dies(holder):
    manager = popart.DeviceManager()
    manager.setOnDemandAttachTimeout(60)
    try:
        device = manager.acquireAvailableDevice(1, connectionType=popart.DeviceConnectionType.OnDemand)
        assert not device.attach()
        threading.Timer(0.1, holder.kill).start()
        assert device.tryAttachUntilTimeout()
        device.detach()
    finally:
        manager.setOnDemandAttachTimeout(0)


def test_a_device_is_acquired_when_its_holder_lets_go(holder):
    threading.Timer(0.1, holder.stdin.close).start()
    device = popart_core.runtime.acquire(1, wait=True)
    assert device.isAttached
    device.detach()


def test_waiting_ends_with_control_c(holder):
    """Once, whether that comes before it waits or after."""
    for delay in (0, 0.001, 0.003, 0.3):
        waiter = start(WAIT)
        time.sleep(delay)
        waiter.send_signal(signal.SIGINT)
        waiter.wait()
        assert b"KeyboardInterrupt" in waiter.stderr.read()


def test_a_busy_device_times_out(holder):
    manager = popart.DeviceManager()
    device = manager.acquireAvailableDevice(1, connectionType=popart.DeviceConnectionType.OnDemand)
    assert not device.tryAttachUntilTimeout()
    with pytest.raises(popart.popart_exception, match="gc-monitor shows by whom"):
        manager.acquireAvailableDevice(1)

# SPDX-License-Identifier: MIT
"""What a process knows of the instances that poprun started."""
import popdist
import pytest


def test_a_process_alone(monkeypatch):
    monkeypatch.delenv("POPDIST_NUM_TOTAL_REPLICAS", raising=False)
    assert not popdist.isPopdistEnvSet() and popdist.getNumTotalReplicas() == 1
    with pytest.raises(RuntimeError, match="not started by poprun"):
        popdist.init()


def test_one_of_two(monkeypatch):
    for name, value in (("OMPI_COMM_WORLD_RANK", 1), ("OMPI_COMM_WORLD_SIZE", 2), ("POPDIST_NUM_TOTAL_REPLICAS", 4),
                        ("POPDIST_NUM_LOCAL_REPLICAS", 2), ("POPDIST_REPLICA_INDEX_OFFSET", 2)):
        monkeypatch.setenv(name, str(value))
    assert (popdist.getInstanceIndex(), popdist.getNumInstances(), popdist.getReplicaIndexOffset()) == (1, 2, 2)
    assert popdist.getDeviceId() == 17
    assert popdist.execute_on_instances({1}, lambda x: 2 * x, 21) == 42
    assert popdist.execute_on_instances({0}, lambda: 1) is None
    with pytest.raises(RuntimeError, match="--ipus-per-replica 1"):
        popdist.checkNumIpusPerReplica(2)


def test_offline_mode_takes_devices_that_only_compile(monkeypatch):
    import popart
    import popdist.popart
    monkeypatch.setenv("POPDIST_OFFLINE_MODE", "1")
    monkeypatch.setenv("POPDIST_NUM_TOTAL_REPLICAS", "4")
    monkeypatch.setenv("POPDIST_NUM_LOCAL_REPLICAS", "4")
    device = popdist.popart.getDevice()
    assert device.type == popart.DeviceType.OfflineIpu and device.numIpus == 4 and not device.isAttached


def test_communicators():
    popdist.registerCommunicator({0}, 3)
    popdist.registerCommunicator({0}, 3)
    for instances, number, why in (({0}, popdist.defaultCommunicatorId, "that of all instances"), (set(), 4, "no instances"),
                                   ({0, 1}, 4, "no instance 1, only 0 to 0")):
        with pytest.raises(ValueError, match=why):
            popdist.registerCommunicator(instances, number)

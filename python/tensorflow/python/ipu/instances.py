# SPDX-License-Identifier: MIT
"""This process among those that poprun started: its replicas train with theirs, and values of the host are exchanged."""
import numpy as np

_INDEX, _COUNT = (f"experimental.multi_replica_distribution.process_{what}" for what in ("index", "count"))


class Share:
    """index, count: of the instances. total: of the replicas."""

    def __init__(self, popdist):
        self._popdist = popdist
        self.index, self.count = popdist.getInstanceIndex(), popdist.getNumInstances()
        self.total = popdist.getNumTotalReplicas()
        self.replicas = popdist.getNumLocalReplicas()

    def adapt(self, options, replicas):
        """Session options of a program with so many replicas in each instance."""
        if replicas != self.replicas:
            raise ValueError(f"The program has {replicas} replicas in this process, but poprun gives each process "
                             f"{self.replicas}: poprun's --ipus-per-replica must be the number of IPUs that the model uses.")
        self._popdist.popart.configureSessionOptions(options)

    def gathered(self, values, replicas):
        """[rounds x replicas here, ...] of each instance -> [rounds x replicas of all, ...], in one order everywhere."""
        values = np.ascontiguousarray(values)
        whole = np.frombuffer(self._popdist._all_gather(values.tobytes()), values.dtype)
        rest = values.shape[1:]
        each = whole.reshape(self.count, -1, replicas, *rest)
        return np.moveaxis(each, 0, 1).reshape(-1, *rest)

    def agreed(self, value):
        """Whether it is so in all instances."""
        return b"\0" not in self._popdist._all_gather(b"\1" if value else b"\0")


def share_of(values):
    """What the configuration says, or None: one process trains. values: of IPUConfig's attributes."""
    index, count = values[_INDEX], values[_COUNT]
    if count <= 1:
        if index:
            raise ValueError(f"{_INDEX} is {index}, but {_COUNT} is {count}.")
        return None
    if not 0 <= index < count:
        raise ValueError(f"{_INDEX} is {index}; it must be at least 0 and below {_COUNT}, which is {count}.")
    import popdist.popart  # of processes that poprun starts alone
    if not popdist.isPopdistEnvSet():
        raise ValueError(f"{_COUNT} is {count}, but this process was not started by poprun. Start it with `poprun "
                         "--num-instances N --num-replicas R python3 ...` and use popdist.tensorflow.set_ipu_config(config).")
    if (index, count) != (popdist.getInstanceIndex(), popdist.getNumInstances()):
        raise ValueError(f"experimental.multi_replica_distribution says process {index} of {count}; this is instance "
                         f"{popdist.getInstanceIndex()} of {popdist.getNumInstances()}. "
                         "popdist.tensorflow.set_ipu_config(config) sets it.")
    if not popdist.getUniformReplicasPerInstance():
        raise ValueError("All instances must have as many replicas: --num-replicas must be a multiple of --num-instances.")
    popdist.init()
    return Share(popdist)

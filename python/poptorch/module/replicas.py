# SPDX-License-Identifier: MIT
"""Parameters that differ between groups of replicas: model.layer.weight.replicaGrouping(...)."""
import popart
import torch

from poptorch.enums import CommGroupType, VariableRetrievalMode
from poptorch.errors import Error


class Grouping:
    """How a parameter differs between replicas."""

    def __init__(self, kind, shards, retrieval):
        self.kind, self.shards, self.retrieval = kind, shards, retrieval
        self.settings = popart.VariableSettings(
            popart.CommGroup(popart.CommGroupType(int(kind)), shards),
            popart.VariableRetrievalMode.OnePerGroup)

    def groups(self, replicas, name, shape):
        """How many values there are; Error if the parameter does not have as many."""
        count = {CommGroupType.All: 1, CommGroupType.NoGrouping: replicas}.get(self.kind)
        if count is None:
            if replicas % self.shards:
                raise Error(f"replicaGrouping of {name}: groups of {self.shards} replicas do not make up the "
                            f"replicationFactor {replicas}.")
            count = replicas // self.shards
        if self.retrieval == VariableRetrievalMode.AllReplicas and count not in (1, replicas):
            raise Error(f"replicaGrouping of {name}: VariableRetrievalMode.AllReplicas is supported where every replica "
                        "has a value of its own. Use OnePerGroup.")
        if count > 1 and (not shape or shape[0] != count):
            raise Error(f"replicaGrouping of {name}: there are {count} groups of replicas, so that its first axis must "
                        f"have {count} entries, one for each; its shape is {tuple(shape)}.")
        return count


def replicaGrouping(self, comm_group_type, shards, variable_retrieval_mode):
    """Replicas of a group share a value; the parameter's first axis has one entry per group. Before compilation."""
    if not isinstance(comm_group_type, CommGroupType):
        raise ValueError(f"replicaGrouping takes a poptorch.CommGroupType, not {comm_group_type!r}.")
    if not isinstance(variable_retrieval_mode, VariableRetrievalMode):
        raise ValueError(f"replicaGrouping takes a poptorch.VariableRetrievalMode, not {variable_retrieval_mode!r}.")
    if not isinstance(shards, int) or shards < 0:
        raise ValueError(f"replicaGrouping: shards must be a number of replicas, not {shards!r}.")
    if comm_group_type is CommGroupType.NoGrouping:
        shards = 1
    self._poptorch_replica_grouping = Grouping(comm_group_type, shards, variable_retrieval_mode)
    return self


torch.nn.Parameter.replicaGrouping = replicaGrouping

# SPDX-License-Identifier: MIT
"""enable_distribution: this process is one of several that poprun has started, and its replicas train with theirs."""


def _popdist(strategy):
    import popdist.popart  # of poprun: only processes that it has started need it
    if not popdist.isPopdistEnvSet():
        raise RuntimeError("(PreconditionNotMet) enable_distribution=True needs poprun: start the script with `poprun "
                           "--num-replicas R --num-instances I python3 ...` or `python3 -m paddle.distributed.launch`.")
    wanted, given = (strategy.replicas, strategy.ipus_per_replica), \
        (popdist.getNumLocalReplicas(), popdist.getNumIpusPerReplica())
    if wanted != given:
        raise ValueError(f"(InvalidArgument) The strategy has {wanted[0]} replicas of {wanted[1]} IPUs (num_ipus="
                         f"{strategy.num_ipus}, replicated_graph_count), but poprun gives each process {given[0]} of "
                         f"{given[1]}. num_ipus and replicated_graph_count are those of one process.")
    return popdist


def configure(options, strategy):
    """Session options of this process's share."""
    _popdist(strategy).popart.configureSessionOptions(options)


def device_id(strategy):
    """The device with this process's IPUs."""
    return _popdist(strategy).getDeviceId(strategy.ipus_per_replica)

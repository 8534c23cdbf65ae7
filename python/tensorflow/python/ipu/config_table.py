# SPDX-License-Identifier: MIT
"""All attributes of IPUConfig: name, types, default, and what it does here. `act` of a row applies it to popart's session
options; rows without one say in NO_EFFECT why nothing here depends on them, which is told when they are set."""
import enum

from tensorflow.python.ipu.config_structure import Attribute
from tensorflow.python.ipu.no_effect import CONFIG


class SelectionOrder(enum.Enum):
    AUTO, ZIGZAG, SNAKE, HOOF = range(4)


class DeviceConnectionType(enum.Enum):
    ALWAYS, ON_DEMAND, PRE_COMPILE, NEVER = range(4)


class MergeRemoteBuffersBehaviour(enum.Enum):
    NO_MERGING, MERGE, IF_BENEFICIAL = range(3)


class SchedulingAlgorithm(enum.Enum):
    CHOOSE_BEST, CLUSTERING, POST_ORDER, LOOK_AHEAD, SHORTEST_PATH = range(5)


class StochasticRoundingBehaviour(enum.Enum):
    OFF, ON, REPLICA_IDENTICAL_ONLY = range(3)

    @classmethod
    def from_bool(cls, value):
        return cls.ON if value else cls.OFF


class ExecutionProfileType(enum.Enum):
    NO_PROFILE, DEVICE_PROFILE, IPU_PROFILE, TILE_PROFILE = range(4)


_MANY = (int, list, tuple)
_ROWS = [
    ("auto_select_ipus", _MANY, [], "How many IPUs each TensorFlow device has: 1, or a list with one number per device."),
    ("select_ipus", _MANY, [], "The ids, as gc-info shows them, of the TensorFlow devices."),
    ("allow_recompute", bool, False, "Forward activations of a training are computed again where they are needed."),
    ("selection_order", SelectionOrder, SelectionOrder.AUTO, "The order of IPUs within a device."),
    ("serialization_output_folder", str, "", "Where compiled programs are saved as files."),
    ("compilation_poplar_options", dict, {}, "Options of Poplar's compiler and engine."),
    ("gcl_poplar_options", dict, {}, "Options of collectives."),
    ("device_connection.type", DeviceConnectionType, DeviceConnectionType.ALWAYS, "When the device is attached."),
    ("device_connection.version", str, "", "The IPU that is compiled for without one: ipu1, ipu2."),
    ("device_connection.enable_remote_buffers", bool, False, "Whether a device that is not there has remote buffers."),
    ("convolutions.poplar_options", dict, {}, "Options of convolutions."),
    ("matmuls.poplar_options", dict, {}, "Options of matrix products."),
    ("matmuls.clear_pass_type", bool, False, "Products are planned without knowing which pass they are in."),
    ("slices.poplar_options", dict, {}, "Options of slices."),
    ("pooling.poplar_options", dict, {}, "Options of pools."),
    ("floating_point_behaviour.inv", bool, False, "Invalid operations stop the program."),
    ("floating_point_behaviour.div0", bool, False, "Divisions by zero stop the program."),
    ("floating_point_behaviour.oflo", bool, False, "Overflows stop the program."),
    ("floating_point_behaviour.nanoo", bool, False, "float16 overflows to NaN."),
    ("floating_point_behaviour.esr", StochasticRoundingBehaviour, StochasticRoundingBehaviour.OFF, "Stochastic rounding."),
    ("floating_point_behaviour.set_all", bool, False, "All of the above."),
    ("io_tiles.num_io_tiles", int, 0, "Tiles that only move data."),
    ("io_tiles.place_ops_on_io_tiles", bool, False, "Whether operations may run there."),
    ("io_tiles.available_memory_proportion", float, 0.9, "How much of their memory may be used."),
    ("ipu_model.compile_ipu_code", bool, True, "Whether codelets are compiled for the IPU Model."),
    ("ipu_model.tiles_per_ipu", int, 0, "Tiles of the IPU Model; 0: all."),
    ("ipu_model.version", str, "ipu2", "The IPU that the IPU Model is like."),
    ("norms.use_stable_statistics", bool, False, "Means first, then variances."),
    ("norms.experimental.distributed_batch_norm_replica_group_size", int, 1, "Replicas that share a batch's statistics."),
    ("optimizations.math.fast", bool, False, "Less exact arithmetic."),
    ("optimizations.math.dot_strength", bool, True, "Products of vectors as multiplications."),
    ("optimizations.prefetch_data_streams", bool, True, "Data is fetched ahead."),
    ("optimizations.enable_graph_outlining", bool, True, "Equal parts of a program are one function."),
    ("optimizations.merge_infeed_io_copies", bool, True, "Inputs are copied together."),
    ("optimizations.enable_gather_simplifier", bool, True, "Lookups are simplified."),
    ("optimizations.enable_dynamic_slice_replacement", bool, True, "Slices at run time become lookups."),
    ("optimizations.combine_embedding_lookups", bool, False, "Lookups are done together."),
    ("optimizations.combine_matmuls", bool, False, "Products are done together."),
    ("optimizations.enable_fast_math", bool, False, "Less exact arithmetic."),
    *[(f"optimizations.{name}", int, 0, "A number of bytes, up to which things are done together.") for name in (
        "maximum_cross_replica_sum_buffer_size", "maximum_reduce_scatter_buffer_size",
        "maximum_inter_ipu_copies_buffer_size", "maximum_send_recv_cluster_size", "maximum_reduce_many_buffer_size",
        "maximum_all_gather_buffer_size", "triangular_solve_expander_block_size", "cholesky_block_size")],
    ("optimizations.minimum_remote_tensor_size", int, 128, "Bytes from which tensors are kept off the chip."),
    ("optimizations.merge_remote_buffers", MergeRemoteBuffersBehaviour, MergeRemoteBuffersBehaviour.IF_BENEFICIAL,
     "Remote buffers are joined."),
    ("scheduling.algorithm", SchedulingAlgorithm, SchedulingAlgorithm.CHOOSE_BEST, "The order of operations."),
    ("scheduling.maximum_scheduler_lookahead_depth", int, 5, "How far the scheduler looks ahead."),
    ("scheduling.maximum_scheduler_search_space_size", int, 64, "How much the scheduler tries."),
    ("experimental.always_rearrange_copies_on_the_host", bool, False, "Data is put in order by the host."),
    ("experimental.enable_remote_buffer_embedding", bool, False, "Host embeddings are remote buffers."),
    ("experimental.enable_prng_stability", bool, False, "Random numbers of replicas stay in step."),
    ("experimental.multi_replica_distribution.process_index", int, 0, "Which of several processes this is."),
    ("experimental.multi_replica_distribution.process_count", int, 0, "How many processes train together."),
]
TABLE = {row[0]: Attribute(*row) for row in _ROWS}


def _options(field):
    def act(options, value):
        getattr(options, field).update({str(k): str(v) for k, v in value.items()})
    return act


def _set(field, to=None):
    def act(options, value):
        setattr(options, field, value if to is None else to)
    return act


def _recompute(options, value):
    import popart
    if value and not options.enablePipelining:  # pipelines have modes of their own
        options.autoRecomputation = popart.RecomputationType.Standard


def _matmul_options(options, value):
    for key, own in value.items():
        if key == "partialsType":
            options.partialsTypeMatMuls = str(own)
        elif key == "availableMemoryProportion":
            options.matmulOptions["availableMemoryProportion"] = str(own)
        else:
            options.matmulOptions[str(key)] = str(own)


# What is set, to popart's session options. A row is applied when its value is not the default.
ACTS = {
    "allow_recompute": _recompute,
    "compilation_poplar_options": _options("engineOptions"),
    "gcl_poplar_options": _options("gclOptions"),
    "convolutions.poplar_options": _options("convolutionOptions"),
    "matmuls.poplar_options": _matmul_options,
    "matmuls.clear_pass_type": _set("enableFullyConnectedPass", False),
    "floating_point_behaviour.inv": _set("enableFloatingPointChecks"),
    "floating_point_behaviour.div0": _set("enableFloatingPointChecks"),
    "floating_point_behaviour.oflo": _set("enableFloatingPointChecks"),
    "floating_point_behaviour.set_all": _set("enableFloatingPointChecks"),
    "floating_point_behaviour.esr": lambda o, v: setattr(o, "enableStochasticRounding",
                                                         v is not StochasticRoundingBehaviour.OFF),
    "io_tiles.num_io_tiles": _set("numIOTiles"),
    "norms.use_stable_statistics": _set("enableStableNorm"),
    "optimizations.prefetch_data_streams": _set("enablePrefetchDatastreams"),
    "optimizations.enable_graph_outlining": _set("enableOutlining"),
    "experimental.always_rearrange_copies_on_the_host": _set("rearrangeStreamsOnHost"),
}
# Applied where devices are chosen and programs are saved.
ELSEWHERE = {"experimental.multi_replica_distribution.process_index", "experimental.multi_replica_distribution.process_count",
             "optimizations.minimum_remote_tensor_size", "norms.experimental.distributed_batch_norm_replica_group_size",
             "auto_select_ipus", "select_ipus", "serialization_output_folder", "device_connection.type",
             "device_connection.version", "ipu_model.compile_ipu_code", "ipu_model.tiles_per_ipu", "ipu_model.version"}
NO_EFFECT = set(CONFIG)

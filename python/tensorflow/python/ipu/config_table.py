# SPDX-License-Identifier: MIT
"""All attributes of IPUConfig, one row each: name, types, default, what it is, and what becomes of it here.

_acts: a function applies it to PopART's session options, which are in the key of an executable. _read: where devices are
chosen and programs are made; in_key: executables are told apart by it (those of the IPU Model are not kept). _idle: why
nothing here depends on it, which is told when it is set. docs/tensorflow-options.md is written from this table
(python/tools/optionpage.py).
"""
import popart
from popart import _settings
from tensorflow.framework.logs import warning
from tensorflow.python.ipu.config_enums import (DeviceConnectionType, MergeRemoteBuffersBehaviour, SchedulingAlgorithm,
                                                SelectionOrder, StochasticRoundingBehaviour)
from tensorflow.python.ipu.config_structure import Attribute


def _acts(name, types, default, doc, act):
    return Attribute(name, types, default, doc, act=act, in_key=True)


def _read(name, types, default, doc, in_key):
    return Attribute(name, types, default, doc, in_key=in_key)


def _idle(name, types, default, doc, why):
    return Attribute(name, types, default, doc, without_effect=why)


# ---- what is set, to PopART's session options; only where it is not the default


def _options(field):
    def act(options, value):
        getattr(options, field).update({str(k): str(v) for k, v in value.items()})
    return act


def _set(field, to=None):
    def act(options, value):
        setattr(options, field, value if to is None else to)
    return act


def _recompute(options, value):
    if value and not options.enablePipelining:  # pipelines have modes of their own
        options.autoRecomputation = popart.RecomputationType.Standard


def _matmul_options(options, value):
    for key, own in value.items():
        if key == "partialsType":
            options.partialsTypeMatMuls = str(own)
        else:
            options.matmulOptions[str(key)] = str(own)


def _rounding(options, value):
    options.enableStochasticRounding = value is not StochasticRoundingBehaviour.OFF


def _nan_on_overflow(options, value):
    options.engineOptions.update({"debug.nanOverflowMode": "true" if value else "false"})


def _io_tiles(options, value):
    tiles = max(32, value + value % 2) if value > 0 else value
    if tiles != value:
        warning(f"io_tiles.num_io_tiles is {value}; {tiles} are taken: an even number of at least 32.")
    options.numIOTiles = tiles


def _session_options(options, value):
    for name, own in value.items():
        _settings.set_option(options, str(name), own)


_MANY = (int, list, tuple)
_SIZE = "A number of bytes, up to which things are done together."
_ONE = "one order of operations is chosen, by the memory that it needs"
_JOINED = "what is alike is joined by the compiler whatever its size"
_FOUND = "the compiler finds such parts itself"
_ROWS = [
    _read("auto_select_ipus", _MANY, [], "How many IPUs each TensorFlow device has: 1, or a list with one number per device.",
          in_key=True),
    _read("select_ipus", _MANY, [], "The ids, as gc-info shows them, of the TensorFlow devices.", in_key=True),
    _acts("allow_recompute", bool, False, "Forward activations of a training are computed again where they are needed.",
          _recompute),
    _idle("selection_order", SelectionOrder, SelectionOrder.AUTO, "The order of IPUs within a device.",
          "links of the simulated system take the same time in every order"),
    _read("serialization_output_folder", str, "", "Where compiled programs are saved as files.", in_key=False),
    _acts("compilation_poplar_options", dict, {}, "Options of Poplar's compiler and engine.", _options("engineOptions")),
    _acts("gcl_poplar_options", dict, {}, "Options of collectives.", _options("gclOptions")),
    _read("device_connection.type", DeviceConnectionType, DeviceConnectionType.ALWAYS, "When the device is attached.",
          in_key=False),
    _read("device_connection.version", str, "", "The IPU that is compiled for without one: ipu1, ipu2.", in_key=True),
    _idle("device_connection.enable_remote_buffers", bool, False, "Whether a device that is not there has remote buffers.",
          "every device has memory off the chip"),
    _acts("convolutions.poplar_options", dict, {}, "Options of convolutions.", _options("convolutionOptions")),
    _acts("matmuls.poplar_options", dict, {}, "Options of matrix products.", _matmul_options),
    _acts("matmuls.clear_pass_type", bool, False, "Products are planned without knowing which pass they are in.",
          _set("enableFullyConnectedPass", False)),
    _idle("slices.poplar_options", dict, {}, "Options of slices.", "lookups have no options here"),
    _idle("pooling.poplar_options", dict, {}, "Options of pools.", "pools have no options here"),
    _acts("floating_point_behaviour.inv", bool, False, "Invalid operations stop the program.",
          _set("enableFloatingPointChecks")),
    _acts("floating_point_behaviour.div0", bool, False, "Divisions by zero stop the program.",
          _set("enableFloatingPointChecks")),
    _acts("floating_point_behaviour.oflo", bool, False, "Overflows stop the program.", _set("enableFloatingPointChecks")),
    _acts("floating_point_behaviour.nanoo", bool, False, "float16 overflows to NaN; else to 65504.", _nan_on_overflow),
    _acts("floating_point_behaviour.esr", StochasticRoundingBehaviour, StochasticRoundingBehaviour.OFF, "Stochastic rounding.",
          _rounding),
    _acts("floating_point_behaviour.set_all", bool, False, "All of the above.", _set("enableFloatingPointChecks")),
    _acts("io_tiles.num_io_tiles", int, 0, "Tiles that only move data: an even number of at least 32.", _io_tiles),
    _idle("io_tiles.place_ops_on_io_tiles", bool, False, "Whether operations may run there.", "I/O tiles only move data"),
    _idle("io_tiles.available_memory_proportion", float, 0.9, "How much of their memory may be used.",
          "I/O tiles only move data"),
    _read("ipu_model.compile_ipu_code", bool, True, "Whether codelets are compiled for the IPU Model.", in_key=False),
    _read("ipu_model.tiles_per_ipu", int, 0, "Tiles of the IPU Model; 0: all.", in_key=False),
    _read("ipu_model.version", str, "ipu2", "The IPU that the IPU Model is like.", in_key=False),
    _acts("norms.use_stable_statistics", bool, False, "Means first, then variances.", _set("enableStableNorm")),
    _read("norms.experimental.distributed_batch_norm_replica_group_size", int, 1, "Replicas that share a batch's statistics.",
          in_key=True),
    _idle("optimizations.math.fast", bool, False, "Less exact arithmetic.", "arithmetic is always exact"),
    _idle("optimizations.math.dot_strength", bool, True, "Products of vectors as multiplications.",
          "products are planned by their shapes"),
    _acts("optimizations.prefetch_data_streams", bool, True, "Data is fetched ahead.", _set("enablePrefetchDatastreams")),
    _acts("optimizations.enable_graph_outlining", bool, True, "Equal parts of a program are one function.",
          _set("enableOutlining")),
    _idle("optimizations.merge_infeed_io_copies", bool, True, "Inputs are copied together.", _JOINED),
    _idle("optimizations.enable_gather_simplifier", bool, True, "Lookups are simplified.", _FOUND),
    _idle("optimizations.enable_dynamic_slice_replacement", bool, True, "Slices at run time become lookups.", _FOUND),
    _idle("optimizations.combine_embedding_lookups", bool, False, "Lookups are done together.",
          "lookups are planned one by one"),
    _idle("optimizations.combine_matmuls", bool, False, "Products are done together.", "products are planned one by one"),
    _idle("optimizations.enable_fast_math", bool, False, "Less exact arithmetic.", "arithmetic is always exact"),
    _idle("optimizations.maximum_cross_replica_sum_buffer_size", int, 0, _SIZE, _JOINED),
    _idle("optimizations.maximum_reduce_scatter_buffer_size", int, 0, _SIZE, _JOINED),
    _idle("optimizations.maximum_inter_ipu_copies_buffer_size", int, 0, _SIZE, _JOINED),
    _idle("optimizations.maximum_send_recv_cluster_size", int, 0, _SIZE, _JOINED),
    _idle("optimizations.maximum_reduce_many_buffer_size", int, 0, _SIZE, _JOINED),
    _idle("optimizations.maximum_all_gather_buffer_size", int, 0, _SIZE, _JOINED),
    _idle("optimizations.triangular_solve_expander_block_size", int, 0, _SIZE, "there is no triangular solve"),
    _idle("optimizations.cholesky_block_size", int, 0, _SIZE, "there is no Cholesky decomposition"),
    _read("optimizations.minimum_remote_tensor_size", int, 128, "Bytes from which tensors are kept off the chip.", in_key=True),
    _idle("optimizations.merge_remote_buffers", MergeRemoteBuffersBehaviour, MergeRemoteBuffersBehaviour.IF_BENEFICIAL,
          "Remote buffers are joined.", "every tensor off the chip has a buffer of its own"),
    _idle("scheduling.algorithm", SchedulingAlgorithm, SchedulingAlgorithm.CHOOSE_BEST, "The order of operations.", _ONE),
    _idle("scheduling.maximum_scheduler_lookahead_depth", int, 5, "How far the scheduler looks ahead.", _ONE),
    _idle("scheduling.maximum_scheduler_search_space_size", int, 64, "How much the scheduler tries.", _ONE),
    _acts("experimental.always_rearrange_copies_on_the_host", bool, False, "Data is put in order by the host.",
          _set("rearrangeStreamsOnHost")),
    _idle("experimental.enable_remote_buffer_embedding", bool, False, "Host embeddings are remote buffers.",
          "the host looks up the rows of its embeddings"),
    _idle("experimental.enable_prng_stability", bool, False, "Random numbers of replicas stay in step.",
          "the states of random numbers are always kept between programs"),
    _acts("experimental.session_options", dict, {}, "Options of PopART's sessions by name (docs/session-options.md); not of "
          "TensorFlow.", _session_options),
    _read("experimental.multi_replica_distribution.process_index", int, 0, "Which of several processes this is.", in_key=False),
    _read("experimental.multi_replica_distribution.process_count", int, 0, "How many processes train together.", in_key=True),
]
TABLE = {row.name: row for row in _ROWS}

// SPDX-License-Identifier: MIT
// Every engine and run-time option: key, type, default, words it accepts, and what it does here. An
// option that tunes something a simulated device does not have says so; it is still checked, so a
// misspelt value is found.
#include "options/EngineOptions.hpp"

namespace poplar::options {
namespace {

using enum OptionType;

constexpr const char *noFiles =
    "no effect: codelets run as host code, there is no tile archive to write";
constexpr const char *noSearch = "no effect: exchange is modelled per step and not searched for";

constexpr OptionInfo engineTable[] = {
    // Profiles
    {"autoReport.all", Bool, "false", "",
     "switches on the graph and execution profile and lowered variables"},
    {"autoReport.directory", Text, "./", "", "where reports are written; created when missing"},
    {"autoReport.name", Text, "", "",
     "folder in autoReport.directory for the reports of an engine without a name of its own"},
    {"autoReport.outputGraphProfile", Bool, "false", "",
     "profile.pop with graph, memory and programs"},
    {"autoReport.outputExecutionProfile", Bool, "false", "",
     "profile.pop with the execution trace"},
    {"autoReport.outputLoweredVars", Bool, "false", "", "variable placement in profile.pop"},
    {"autoReport.outputDebugInfo", Bool, "false", "",
     "debug.cbor in autoReport.directory; only in POPLAR_ENGINE_OPTIONS, which is known before the "
     "first context is made"},
    {"autoReport.outputSerializedGraph", Bool, "false", "",
     "the executable (executable.poplar) next to the profile"},
    {"autoReport.outputArchive", Bool, "false", "", noFiles},
    {"autoReport.executionProfileProgramRunCount", Integer, "2", "",
     "how many runs of each program the trace keeps"},
    {"autoReport.streamAtEachRun", Bool, "true", "",
     "writes the profile now and then while programs run, not only at the end"},
    {"profiler.blocks.filter", Regex, "", "", "records the Blocks whose name matches"},
    {"profiler.programs.filter", Regex, "", "",
     "records programs whose name matches, as if in a Block"},
    {"profiler.blocks.implicitFlush", Bool, "true", "",
     "empties the buffer of blocks whenever the device meets the host"},
    {"profiler.blocks.bufferSize", Integer, "1000", "",
     "bytes of blocks that are kept between flushes"},
    {"profiler.blocks.tile", Integer, "0", "", "tile whose time stamps are recorded for blocks"},
    {"profiler.format", Choice, "v3", "v1|v2|v3|experimental",
     "no effect: one file format is written"},
    {"profiler.includeFlopEstimates", Bool, "false", "", "adds flop estimates to the profile"},
    {"profiler.includeCycleEstimates", Bool, "false", "",
     "no effect: cycles of vertices are always in the profile"},
    // Debugging
    {"debug.instrument", Bool, "false", "",
     "records compute, control flow and external exchange in the profile"},
    {"debug.instrumentCompute", Bool, "false", "", "records compute sets in the profile"},
    {"debug.instrumentControlFlow", Bool, "false", "", "records the order of steps in the profile"},
    {"debug.instrumentExternalExchange", Bool, "false", "", "records stream copies in the profile"},
    {"debug.computeInstrumentationLevel", Choice, "tile", "vertex|tile|ipu|device",
     "granularity of recorded compute cycles"},
    {"debug.retainDebugInformation", Bool, "true", "", "no effect: names are always kept"},
    {"debug.allowOutOfMemory", Bool, "true", "",
     "finish compiling when tiles overflow, so that a profile exists"},
    {"debug.allowOverlappingInOut", Bool, "false", "",
     "vertices of one compute set and tile may hold the same elements in InOut fields, if each "
     "uses a part of its own"},
    {"debug.floatPointOpException", Bool, "false", "",
     "run() throws on invalid operation, division by zero and overflow"},
    {"debug.nanOverflowMode", Bool, "false", "",
     "8-bit floats that overflow become NaN, as setFloatingPointBehaviour says"},
    {"debug.executionProfile", Choice, "", "|none|compute_sets|vertices|device|ipu|tile",
     "old spelling of debug.computeInstrumentationLevel"},
    {"debug.loweredVarDumpFile", Text, "", "", "writes the placement of variables to this file"},
    {"debug.outputAllSymbols", Bool, "false", "", noFiles},
    {"debug.branchRecordFlush", Bool, "false", "", "no effect: branches are recorded on the host"},
    {"debug.branchRecordTile", Integer, "0", "", "no effect: branches are recorded on the host"},
    {"debug.runtimeVerify", Bool, "false", "", "same as debug.checkedCodelets"},
    {"debug.verify", Bool, "false", "",
     "no effect: overlapping writes are always verified when compiling"},
    {"debug.trace", Bool, "false", "", "logs every step to debug.traceFile or the ENGINE log"},
    {"debug.traceFile", Text, "", "", "file for debug.trace"},
    {"debug.hostTimesFile", Text, "", "",
     "writes the host's own time by step to this file (\"-\": standard error) when the engine "
     "is destroyed"},
    {"debug.graphReportDestination", Text, "", "", "no effect: replaced by autoReport.directory"},
    {"debug.cpuMultiThreadExecution", Bool, "true", "",
     "false runs every step on the calling thread"},
    {"debug.checkedCodelets", Bool, "false", "",
     "accesses outside fields, unwritten elements and division by zero in codelets end in an "
     "error"},
    {"debug.checkIndices", Bool, "false", "",
     "models of PopART and of front ends: run() throws on an index that is out of its operator's "
     "range"},
    {"debug.poisonMemory", Bool, "false", "",
     "fills memory that was never written with a NaN pattern instead of zero"},
    // Exchange and host
    {"exchange.streamBufferOverlap", Choice, "any", "any|none|hostRearrangeOnly",
     "streams are prefetched unless this is any"},
    {"exchange.enablePrefetch", Bool, "true", "", "calls StreamCallback::prefetch ahead of use"},
    {"exchange.multicastPolicy", Choice, "balanced", "balanced|none|all", noSearch},
    {"exchange.optimiseMemory", Bool, "false", "", noSearch},
    {"streamCallbacks.multiThreadMode", Choice, "singleThread",
     "singleThread|collaborative|dedicated", "which thread calls stream callbacks"},
    {"streamCallbacks.numWorkerThreads", Integer, "0", "auto",
     "threads for callbacks unless singleThread; 0 and auto mean one"},
    {"streamCallbacks.numaAware", Bool, "false", "", "no effect: threads are not pinned"},
    {"streamCallbacks.maxLookahead", Integer, "unlimited", "unlimited",
     "upper limit on outstanding prefetches per stream"},
    // Compiler
    {"opt.enableInlining", Bool, "true", "", noSearch},
    {"opt.enableMultiAccessCopies", Bool, "true", "", noSearch},
    {"opt.internalExchangeOptimisationTarget", Choice, "cycles", "balanced|cycles|memory",
     noSearch},
    {"opt.maxComputeSetsPerLoweredCopy", Integer, "10", "", noSearch},
    {"opt.maxCompilationThreads", Integer, "0", "", "no effect: OPENIPU_NUM_THREADS sets the pool"},
    {"opt.useAutoloader", Bool, "true", "", "no effect: loading is not timed"},
    {"prng.enable", Bool, "true", "", "no effect: generators are always available"},
    {"prng.enableStochasticRounding", Bool, "false", "",
     "results of operators are rounded stochastically from the start"},
    {"prng.seed", Integer, "0", "",
     "seed of the random number generators when a program is loaded"},
    // Target
    {"target.saveArchive", Text, "", "", noFiles},
    {"target.deterministicWorkers", Choice, "portable", "true|false|portable",
     "no effect: results never depend on workers"},
    {"target.hostSyncTimeout", Number, "300", "",
     "no effect: host and device share one thread, no sync can time out"},
    {"target.syncMethod", Choice, "default", "polling|hybrid|default",
     "no effect: there is no sync to poll"},
    {"target.syncPollPeriodUs", Integer, "0", "", "no effect: there is no sync to poll"},
    {"target.exceptionPollPeriodUs", Integer, "250000", "", "no effect: exceptions arrive at once"},
    {"target.syncReplicasIndependently", Bool, "false", "", "no effect: replicas run in step"},
    {"target.numberRuntimeReplica", Integer, "0", "",
     "replicas that run in this process; 0: all of them. The others run in processes that poprun "
     "or mpirun starts"},
    {"target.firstRuntimeReplica", Integer, "0", "",
     "the first of them among the replicas of all processes"},
    {"target.extendedMemory", Bool, "false", "",
     "no effect: tile memory is a limit of the model, not of the host"},
    {"target.workerStackSizeInBytes", Integer, "0", "",
     "no effect: stacks in the memory report are the chip's"},
    {"target.supervisorStackSizeInBytes", Integer, "0", "",
     "no effect: stacks in the memory report are the chip's"},
    {"target.textSectionSizeInBytes", Integer, "0", "", noFiles},
};

constexpr OptionInfo runtimeTable[] = {
    {"target.syncMethod", Choice, "default", "polling|hybrid|default",
     "no effect: there is no sync to poll"},
    {"target.syncPollPeriodUs", Integer, "0", "", "no effect: there is no sync to poll"},
    {"target.exceptionPollPeriodUs", Integer, "250000", "", "no effect: exceptions arrive at once"},
    {"target.hostSyncTimeout", Number, "300", "",
     "no effect: host and device share one thread, no sync can time out"},
    {"streamCallbacks.multiThreadMode", Choice, "singleThread",
     "singleThread|collaborative|dedicated", "which thread calls stream callbacks"},
    {"streamCallbacks.numWorkerThreads", Integer, "0", "auto",
     "threads for callbacks unless singleThread"},
    {"streamCallbacks.numaAware", Bool, "false", "", "no effect: threads are not pinned"},
    {"streamCallbacks.maxLookahead", Integer, "unlimited", "unlimited",
     "upper limit on outstanding prefetches per stream"},
};

} // namespace

std::span<const OptionInfo> engineOptionTable() { return engineTable; }
std::span<const OptionInfo> runtimeOptionTable() { return runtimeTable; }

} // namespace poplar::options

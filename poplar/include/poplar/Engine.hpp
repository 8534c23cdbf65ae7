// SPDX-License-Identifier: MIT
// Loads compiled programs on a device, connects them to the host and runs them. One thread at a
// time.
#pragma once
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <memory>
#include <poplar/ArrayRef.hpp>
#include <poplar/DataStream.hpp>
#include <poplar/DebugContext.hpp>
#include <poplar/Device.hpp>
#include <poplar/exceptions.hpp>
#include <poplar/Executable.hpp>
#include <poplar/Graph.hpp>
#include <poplar/HostFunctionCallback.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/ProfileValue.hpp>
#include <poplar/Program.hpp>
#include <poplar/Quarter.hpp>
#include <poplar/RuntimeOptions.hpp>
#include <poplar/StreamCallback.hpp>
#include <poplar/Tensor.hpp>
#include <poplar/Type.hpp>
#include <string>
#include <vector>

namespace pva {
class Report;
}

namespace poplar {

namespace openipu {
struct Access;
}

// Bytes of scratch memory that every worker may use.
static constexpr unsigned WORKER_SCRATCH_SIZE = 48;

// Called with (step, number of steps) during compilation.
using ProgressFunc = std::function<void(int, int)>;

// Compiles programs of a graph without a device; give the result to an Engine, or write it to a
// file. Throws what Engine's constructor throws: graph_memory_allocation_error if a tile's memory
// is exceeded, graph_connection_error if a field is not connected, invalid_option.
Executable compileGraph(const Graph &graph, ArrayRef<program::Program> progs,
                        const OptionFlags &options = {}, ProgressFunc progress = ProgressFunc(),
                        const DebugContext &debugContext = {});
Executable compileGraph(Graph &&graph, ArrayRef<program::Program> progs,
                        const OptionFlags &options = {}, ProgressFunc progress = ProgressFunc(),
                        const DebugContext &debugContext = {});

// Compiles programs, loads them on a device and runs them. `run(i)` runs the i-th program that the
// engine was made with.
//
//   Engine engine(graph, Sequence({Copy(in, x), Execute(cs), Copy(y, out)}));
//   engine.connectStream("in", input.data());
//   engine.connectStream("out", output.data());
//   engine.load(device);
//   engine.run();
//
// Compilation throws graph_memory_allocation_error if a tile's memory is exceeded and
// invalid_option for an unknown option; docs/options.md lists the options.
class Engine {
public:
  using ProgressFunc = poplar::ProgressFunc; // called with (step, number of steps)
  // A moment of the host's clock.
  using TimerTimePoint = std::chrono::time_point<std::chrono::steady_clock>;

  Engine(const Graph &graph, const program::Program &prog, const OptionFlags &options = {},
         ProgressFunc progress = ProgressFunc(), const DebugContext &debugContext = {});
  Engine(const Graph &graph, ArrayRef<program::Program> progs, const OptionFlags &options = {},
         ProgressFunc progress = ProgressFunc(), const DebugContext &debugContext = {});
  Engine(Graph &&graph, const program::Program &prog, const OptionFlags &options = {},
         ProgressFunc progress = ProgressFunc(), const DebugContext &debugContext = {});
  Engine(Graph &&graph, ArrayRef<program::Program> progs, const OptionFlags &options = {},
         ProgressFunc progress = ProgressFunc(), const DebugContext &debugContext = {});
  Engine(const Executable &executable, const OptionFlags &options = {});
  Engine(Executable &&executable, const OptionFlags &options = {});
  ~Engine();
  Engine(Engine &&) noexcept;
  Engine &operator=(Engine &&) noexcept;

  // Installs code and initial values. Throws poplar_error if the device is of another kind or not
  // attached.
  void load(const Device &device);
  // Makes everything ready that does not touch the device; load is prepare, then deploy. Options
  // given here count for all runs.
  void prepare(const Device &device);
  void prepare(const Device &device, const RuntimeOptions &options);
  void deploy(); // Puts code and initial values on the device. Throws poplar_error before prepare.
  // Runs a program to its end. The name appears in the profile. Throws poplar_error before load,
  // index_error if there is no such program, stream_connection_error if a stream has no buffer, and
  // application_runtime_error for an error of the program. After an error the engine must be loaded
  // again.
  void run(unsigned prog = 0, const std::string &debugName = "");
  void run(unsigned prog, const std::string &debugName, const RuntimeOptions &options);
  void loadAndRun(const Device &device, unsigned prog = 0); // load, then run
  // Ends a running program at its next step. A codelet that has not ended half a second later is
  // interrupted, and Engine::run throws. May be called from other threads and in signal handlers.
  void stop();

  // ---- streams
  // Where the host's side of a stream lies: [begin, end) is a circular buffer; a single pointer is
  // used for every transfer. Throws stream_connection_error if there is no such
  // stream or [begin, end) is not a multiple of one transfer.
  void connectStream(StringRef handle, void *begin, void *end);
  void connectStream(StringRef handle, void *p);
  template <class T> void connectStream(StringRef handle, ArrayRef<T> buffer) {
    T *begin = const_cast<T *>(buffer.data());
    connectStream(handle, static_cast<void *>(begin), static_cast<void *>(begin + buffer.size()));
  }
  void connectStream(const DataStream &stream, void *begin, void *end) {
    connectStream(stream.handle(), begin, end);
  }
  void connectStream(const DataStream &stream, void *p) { connectStream(stream.handle(), p); }
  // Calls host code for every transfer of a stream: of all replicas, or of one.
  void connectStreamToCallback(StringRef handle, StreamCallbackHandle callback);
  void connectStreamToCallback(StringRef handle, unsigned replica, StreamCallbackHandle callback);
  // The host code that a HostFunction of the graph calls. Throws index_error for a replica that is
  // not there.
  void connectHostFunction(StringRef handle, unsigned replica, HostCallbackHandle callback);

  // ---- tensors
  // Copies a tensor to the host that Graph::createHostRead named: in row-major order, replica after
  // replica. The size is checked where an end is given. Throws poplar_error for an
  // unknown handle or another size, tensor_io_state_error before load.
  void readTensor(StringRef handle, void *begin, void *end);
  void readTensor(StringRef handle, void *p);
  template <class T> void readTensor(StringRef handle, ArrayRef<T> buffer) {
    T *begin = const_cast<T *>(buffer.data());
    readTensor(handle, static_cast<void *>(begin), static_cast<void *>(begin + buffer.size()));
  }
  void readTensor(StringRef handle, QuarterMetadata &metadata, void *begin, void *end);
  // Copies host values to a tensor that Graph::createHostWrite named; the same errors.
  void writeTensor(StringRef handle, const void *begin, const void *end);
  void writeTensor(StringRef handle, const void *p);
  template <class T> void writeTensor(StringRef handle, ArrayRef<T> values) {
    writeTensor(handle, static_cast<const void *>(values.begin()),
                static_cast<const void *>(values.end()));
  }
  void writeTensor(StringRef handle, const QuarterMetadata &metadata, const void *begin,
                   const void *end);

  // ---- remote buffers
  // Fills a slot of a remote buffer. Throws index_error for a repeat or replica that is not there.
  void copyToRemoteBuffer(const void *src, StringRef handle, std::uint64_t repeatIndex,
                          unsigned replica = 0);
  // Reads a slot of a remote buffer; the same errors.
  void copyFromRemoteBuffer(StringRef handle, void *dst, std::uint64_t repeatIndex,
                            unsigned replica = 0);
  void copyToRemoteBuffer(const void *src, const RemoteBuffer &buffer, std::uint64_t repeatIndex,
                          unsigned replica = 0) {
    copyToRemoteBuffer(src, StringRef(buffer.handle()), repeatIndex, replica);
  }
  void copyFromRemoteBuffer(const RemoteBuffer &buffer, void *dst, std::uint64_t repeatIndex,
                            unsigned replica = 0) {
    copyFromRemoteBuffer(StringRef(buffer.handle()), dst, repeatIndex, replica);
  }
  template <class T>
  void copyToRemoteBuffer(ArrayRef<T> src, StringRef handle, std::uint64_t repeatIndex,
                          unsigned replica = 0) {
    checkRemoteBufferSize(handle, src.size() * sizeof(T));
    copyToRemoteBuffer(static_cast<const void *>(src.data()), handle, repeatIndex, replica);
  }
  template <class T>
  void copyFromRemoteBuffer(StringRef handle, ArrayRef<T> dst, std::uint64_t repeatIndex,
                            unsigned replica = 0) {
    checkRemoteBufferSize(handle, dst.size() * sizeof(T));
    copyFromRemoteBuffer(handle, static_cast<void *>(const_cast<T *>(dst.data())), repeatIndex,
                         replica);
  }

  // ---- output
  void setPrintStream(std::ostream &stream);       // printf of codelets; default std::cerr
  void setPrintTensorStream(std::ostream &stream); // PrintTensor; default std::cerr

  // ---- profile
  // The profile so far as text: target, memory, programs, runs. Throws invalid_option for an option
  // that poplar::printProfileSummary does not have.
  void printProfileSummary(std::ostream &out, const OptionFlags &options = {});
  pva::Report getReport(bool reportExecution = true); // include <pva/pva.hpp> to use it
  ProfileValue getProfile();                          // The whole profile as a tree of values.
  ProfileValue getGraphProfile();     // the compiled program: tiles, memory, variables
  ProfileValue getExecutionProfile(); // what ran: steps, cycles, by tile
  void resetExecutionProfile();       // Forgets the runs recorded so far.
  void enableExecutionProfiling();    // Records runs from here on; they are recorded by default.
  void disableExecutionProfiling();   // Records no runs until enableExecutionProfiling.
  // Writes one line of CSV for each run: program, name, first and last cycle, microseconds.
  void reportIntervals(std::ostream &out);
  TimerTimePoint getTimeStamp(); // the host's clock now, for reportTiming
  // The time between two moments of the host, in milliseconds, as text.
  std::string reportTiming(const TimerTimePoint &start, const TimerTimePoint &end);
  std::vector<std::string> listStreams() const; // the handles of all streams of the program
  // All options with their values, also those left at their defaults.
  OptionFlags getEngineOptions() const;

  // ---- errors raised on purpose at the next run
  // Makes the next run end in this error, to test what a program does then.
  void insertSimulatedError(ErrorCode code, const ErrorLocation &location);
  void eraseSimulatedError(const ErrorLocation &location); // Takes back the error for one place.
  void clearSimulatedErrors();                             // Takes back all of them.

private:
  friend struct openipu::Access;
  void checkRemoteBufferSize(StringRef handle, std::size_t bytes) const;
  struct Impl;
  Impl &impl() const; // throws poplar_error if the engine was moved from
  std::unique_ptr<Impl> impl_;
};

} // namespace poplar

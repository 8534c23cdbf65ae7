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

Executable compileGraph(const Graph &graph, ArrayRef<program::Program> progs,
                        const OptionFlags &options = {}, ProgressFunc progress = ProgressFunc(),
                        const DebugContext &debugContext = {});
Executable compileGraph(Graph &&graph, ArrayRef<program::Program> progs,
                        const OptionFlags &options = {}, ProgressFunc progress = ProgressFunc(),
                        const DebugContext &debugContext = {});

class Engine {
public:
  using ProgressFunc = poplar::ProgressFunc;
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
  void prepare(const Device &device);
  void prepare(const Device &device, const RuntimeOptions &options);
  void deploy();
  void run(unsigned prog = 0, const std::string &debugName = "");
  void run(unsigned prog, const std::string &debugName, const RuntimeOptions &options);
  void loadAndRun(const Device &device, unsigned prog = 0);
  // Ends a running program at its next step. A codelet that has not ended half a second later is
  // interrupted, and Engine::run throws. May be called from other threads and in signal handlers.
  void stop();

  // ---- streams. [begin, end) is a circular buffer; a single pointer is used for every transfer.
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
  void connectStreamToCallback(StringRef handle, StreamCallbackHandle callback);
  void connectStreamToCallback(StringRef handle, unsigned replica, StreamCallbackHandle callback);
  void connectHostFunction(StringRef handle, unsigned replica, HostCallbackHandle callback);

  // ---- tensors. The size is checked where an end is given; row-major order of the tensor, replica
  // after replica.
  void readTensor(StringRef handle, void *begin, void *end);
  void readTensor(StringRef handle, void *p);
  template <class T> void readTensor(StringRef handle, ArrayRef<T> buffer) {
    T *begin = const_cast<T *>(buffer.data());
    readTensor(handle, static_cast<void *>(begin), static_cast<void *>(begin + buffer.size()));
  }
  void readTensor(StringRef handle, QuarterMetadata &metadata, void *begin, void *end);
  void writeTensor(StringRef handle, const void *begin, const void *end);
  void writeTensor(StringRef handle, const void *p);
  template <class T> void writeTensor(StringRef handle, ArrayRef<T> values) {
    writeTensor(handle, static_cast<const void *>(values.begin()),
                static_cast<const void *>(values.end()));
  }
  void writeTensor(StringRef handle, const QuarterMetadata &metadata, const void *begin,
                   const void *end);

  // ---- remote buffers
  void copyToRemoteBuffer(const void *src, StringRef handle, std::uint64_t repeatIndex,
                          unsigned replica = 0);
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
  void printProfileSummary(std::ostream &out, const OptionFlags &options = {});
  pva::Report getReport(bool reportExecution = true); // include <pva/pva.hpp> to use it
  ProfileValue getProfile();
  ProfileValue getGraphProfile();
  ProfileValue getExecutionProfile();
  void resetExecutionProfile();
  void enableExecutionProfiling();
  void disableExecutionProfiling();
  void reportIntervals(std::ostream &out);
  TimerTimePoint getTimeStamp();
  std::string reportTiming(const TimerTimePoint &start, const TimerTimePoint &end);
  std::vector<std::string> listStreams() const;
  OptionFlags getEngineOptions() const;

  // ---- errors raised on purpose at the next run
  void insertSimulatedError(ErrorCode code, const ErrorLocation &location);
  void eraseSimulatedError(const ErrorLocation &location);
  void clearSimulatedErrors();

private:
  friend struct openipu::Access;
  void checkRemoteBufferSize(StringRef handle, std::size_t bytes) const;
  struct Impl;
  Impl &impl() const; // throws poplar_error if the engine was moved from
  std::unique_ptr<Impl> impl_;
};

} // namespace poplar

// SPDX-License-Identifier: MIT
// Runs the vertices of one compute set on one replica. Small sets run on the calling thread with
// one call per vertex type; large ones are cut into chunks for the pool. Results and the order of
// printed text do not depend on threads.
#pragma once
#include "backend/cpu/VertexPlan.hpp"
#include "backend/Faults.hpp"
#include "backend/Host.hpp"
#include "codelet/Load.hpp"
#include <atomic>
#include <memory>
#include <vector>

namespace poplar::backend::cpu {

using LoadedModules = std::vector<std::shared_ptr<codelet::LoadedModule>>;

// How compute sets are run; changes while a program runs.
struct RunMode {
  int trapped = 0; // FE_* flags that end the run
  bool threads = true;
  const std::atomic<bool> *stop = nullptr; // takes vertices that do not end out of their call
  const std::uint64_t *cycles = nullptr;   // of the device so far
};

class VertexRunner final : public codelet::VertexNames {
public:
  VertexRunner(const executable::Image &image, const VertexPlan &plan, const LoadedModules &modules,
               codelet::Variant variant);

  // Puts every vertex into its state at load. The arena must stay where it is.
  void reset(Arena &arena);

  void run(const RunMode &mode) {
    if (simple_ && mode.trapped == 0)
      return void(call(batches_[0], mode, batches_[0].entry.run, 0, batches_[0].count));
    runAll(mode, false);
  }
  bool runReturning(const RunMode &mode) { return runAll(mode, true); }

  // Where the random numbers of vertices start from. Each vertex of each execution has its own,
  // whichever thread runs it.
  void seed(std::uint64_t seed) {
    seed_ = seed;
    executions_ = 0;
  }

  // Runs with counting code where the image has no estimate. cycles: one per vertex of the set, in
  // its order; if they are given, those that cannot change are not counted again.
  bool runCounted(const RunMode &mode, unsigned contexts, std::vector<std::uint64_t> &cycles);
  // Tells how much work there is, for the choice between threads and none.
  void setWork(const std::vector<std::uint64_t> &cycles);

  void name(const codelet::VertexCall &call, codelet::PlainText &to) const override;
  std::string_view computeSet() const override;
  std::uint32_t tile(const codelet::VertexCall &call) const override;
  std::span<const codelet::FieldCheck> operands(const codelet::VertexCall &call) const override;

private:
  struct Batch {
    codelet::Entry entry;
    codelet::CodeRange code;
    void *const *vertices;
    std::uint32_t count;
    std::uint32_t grain; // vertices worth a thread's while; count when not worth it
    bool sequential;     // static data: one thread, so that the order is fixed
    bool random;         // may ask for random numbers: seed before every vertex
    bool timed = false;  // looks at the cycle counter: always runs the counting code
    codelet::Entry counted = {};
    codelet::CodeRange countedCode = {};
  };
  bool runAll(const RunMode &mode, bool returning);
  bool runBatch(const Batch &batch, const RunMode &mode, bool returning);
  bool runChunk(const Batch &batch, std::size_t begin, std::size_t end, const RunMode &mode,
                bool returning);
  // The entry on vertices begin .. begin + n of the batch. VertexFault, TrapError.
  template <class Entry>
  bool call(const Batch &batch, const RunMode &mode, Entry *entry, std::size_t begin,
            std::size_t n) {
    return guarded(batch, mode, reinterpret_cast<const void *>(entry), batch.code, begin, n,
                   nullptr, nullptr);
  }
  bool guarded(const Batch &batch, const RunMode &mode, const void *entry, codelet::CodeRange code,
               std::size_t begin, std::size_t n, std::uint64_t *bundles, std::uint64_t *sums);
  [[noreturn]] void fail(const codelet::VertexCall &call) const;
  // The vertex that runs, in the order of the plan; its end if that is not known.
  std::size_t indexOf(const codelet::VertexCall &call) const;
  void seedVertex(const Batch &batch, std::size_t i) const;
  bool runTimed(const Batch &batch, const RunMode &mode, std::size_t i);
  bool countBatch(std::size_t index, const RunMode &mode, unsigned contexts, bool known,
                  std::vector<std::uint64_t> &cycles);

  const executable::Image &image_;
  const VertexPlan &plan_;
  const LoadedModules &modules_;
  codelet::Variant variant_;
  Arena *arena_ = nullptr;
  std::unique_ptr<std::byte[]> storage_;
  std::byte *aligned_ = nullptr; // in storage_
  std::vector<void *> vertices_;
  std::vector<Batch> batches_;
  std::uint64_t seed_ = 0, executions_ = 0;
  bool simple_ = false;
};

// While it exists, printf of vertices on this thread goes to `host`, or nowhere without one.
class PrintScope {
public:
  explicit PrintScope(Host *host);
  ~PrintScope();

private:
  codelet::PrintTarget before_;
};

} // namespace poplar::backend::cpu

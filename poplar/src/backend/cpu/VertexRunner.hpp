// SPDX-License-Identifier: MIT
// Runs the vertices of one compute set on one replica. Small sets run on the calling thread with
// one call per vertex type; large ones are cut into chunks for the pool. Results and the order of
// printed text do not depend on threads.
#pragma once
#include "backend/cpu/VertexPlan.hpp"
#include "backend/Host.hpp"
#include "codelet/Load.hpp"
#include <memory>
#include <vector>

namespace poplar::backend::cpu {

using LoadedModules = std::vector<std::shared_ptr<codelet::LoadedModule>>;

// How compute sets are run; changes while a program runs.
struct RunMode {
  int trapped = 0; // FE_* flags that end the run
  bool threads = true;
};

class VertexRunner {
public:
  VertexRunner(const executable::Image &image, const VertexPlan &plan, const LoadedModules &modules,
               codelet::Variant variant, Host &host);

  // Puts every vertex into its state at load. The arena must stay where it is.
  void reset(Arena &arena);

  void run(const RunMode &mode) {
    if (simple_ && mode.trapped == 0)
      return batches_[0].entry.run(batches_[0].vertices, batches_[0].count);
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
  // its order.
  bool runCounted(const RunMode &mode, unsigned contexts, std::vector<std::uint64_t> &cycles);
  // Tells how much work there is, for the choice between threads and none.
  void setWork(const std::vector<std::uint64_t> &cycles);

private:
  struct Batch {
    codelet::Entry entry;
    void *const *vertices;
    std::uint32_t count;
    std::uint32_t grain; // vertices worth a thread's while; count when not worth it
    bool sequential;     // static data: one thread, so that the order is fixed
    bool random;         // may ask for random numbers: seed before every vertex
  };
  bool runAll(const RunMode &mode, bool returning);
  bool runBatch(const Batch &batch, const RunMode &mode, bool returning);
  bool runChunk(const Batch &batch, std::size_t begin, std::size_t end, int trapped,
                bool returning);
  void seedVertex(const Batch &batch, std::size_t i) const;
  bool countBatch(std::size_t index, const RunMode &mode, unsigned contexts,
                  std::vector<std::uint64_t> &cycles);

  const executable::Image &image_;
  const VertexPlan &plan_;
  const LoadedModules &modules_;
  codelet::Variant variant_;
  Host &host_;
  Arena *arena_ = nullptr;
  std::unique_ptr<std::byte[]> storage_;
  std::vector<void *> vertices_;
  std::vector<Batch> batches_;
  std::uint64_t seed_ = 0, executions_ = 0;
  bool simple_ = false;
};

// While it exists, printf of vertices on this thread goes to `host`.
class PrintScope {
public:
  explicit PrintScope(Host *host);
  ~PrintScope();

private:
  Host *before_;
};

} // namespace poplar::backend::cpu

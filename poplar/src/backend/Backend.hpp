// SPDX-License-Identifier: MIT
// What runs the leaf steps of a program that move or compute something on the device: copies,
// compute sets, kernels. Everything else (control flow, replicas, cycles, the profile, the host's
// side) is the interpreter's, which no backend repeats. A backend owns its memory: nobody has an
// address in it, and what the host wants to see or to change goes through read and write. Called by
// one thread at a time, but for stop and what start returns.
#pragma once
#include "arch/System.hpp"
#include "backend/Host.hpp"
#include "backend/KernelUses.hpp"
#include "backend/Moves.hpp"
#include "openipu/BackendTraits.hpp"
#include "openipu/Kernel.hpp"
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace poplar::backend {

// How a step or a segment is to run; the interpreter's, it stays where it is from one to the next.
// Nothing in it follows from what the steps of a segment compute.
struct Turn {
  std::vector<unsigned> replicas;        // on which, in order
  int trapped = 0;                       // FE_* flags that end the run
  const std::uint64_t *cycles = nullptr; // of the device so far
  RandomState *random = nullptr;         // by replica, at the beginning
  // Of kernels:
  openipu::Rounding rounding = {}; // without its key
  std::uint64_t roundingSeed = 0;  // key of the generator that the keys of rounding follow from
  // By KernelUse::number: another one when steady operands may have changed.
  const std::uint64_t *generations = nullptr;

  // The keys of a kernel before which `taken` keys were taken since the beginning: the first is
  // that of its rounding, if that is stochastic.
  openipu::Rounding roundingAt(std::uint64_t taken) const;
  std::uint64_t drawnAt(unsigned replica, std::uint64_t taken) const {
    const auto &state = random[replica];
    return openipu::drawnKey({state.key, state.counter + taken + rounding.stochastic});
  }
};

// Steps that run one after the other, with nothing between them that the host decides or looks at.
struct Segment {
  struct Part {
    std::uint32_t step;
    // From the beginning of the segment to this step:
    std::uint64_t cycles = 0;             // of the device
    std::uint32_t kernels = 0, draws = 0; // kernels, and kernels that draw a key
  };
  std::vector<Part> parts;
  std::uint64_t cycles = 0; // of all of it
  std::uint32_t kernels = 0, draws = 0;

  std::uint64_t taken(const Part &part, bool stochastic) const { // keys before it
    return part.draws + (stochastic ? part.kernels : 0);
  }
  std::uint64_t taken(bool stochastic) const { return draws + (stochastic ? kernels : 0); }
};
using SegmentId = std::uint32_t; // a Segment that a runner has got ready

struct Times {
  std::uint64_t count = 1;
  std::uint64_t control = 0; // cycles of the loop before each
};

// Something that runs leaf steps of an image.
class StepRunner {
public:
  virtual ~StepRunner() = default;
  // Throws Faults.hpp's exceptions.
  virtual void run(std::uint32_t step, const Turn &turn) = 0;
  // The same for an Execute step whose vertices have no estimate, or one that the data decides:
  // also counts cycles. One number for each vertex of the compute set, of the slowest replica;
  // empty if they are what they were.
  virtual std::vector<std::uint64_t> count(std::uint32_t step, const Turn &turn) = 0;

  // At load. The segment stays where it is, and its cycles may be told later: before it runs.
  virtual SegmentId prepareSegment(const Segment &segment);
  // Returns how often all of it ran: less than asked for only after stop(). Throws SegmentFault.
  // Of itself: step by step.
  virtual std::uint64_t runSegment(SegmentId id, const Turn &turn, const Times &times);

  // For collectives with other processes. Gets the operands of one ready and returns what carries
  // it out, on another thread, while steps run that touch no variable of it.
  virtual bool runsBeside() const { return false; }
  virtual std::function<void()> start(std::uint32_t step, const Turn &turn) {
    return [this, step, turn] { run(step, turn); };
  }

protected:
  virtual bool stopped() const { return false; } // since the run began
  const Segment &segment(SegmentId id) const { return *segments_[id]; }

private:
  std::vector<const Segment *> segments_;
};

// A part of a replica's memory that the host reads or writes, as moves of bytes between memory and
// a packed buffer; addresses in memory are those of Image::variables (arenaOffset), whatever the
// backend makes of them. Moves of a direction that is not needed may be left out.
struct Transfer {
  std::vector<RawMove> toHost, fromHost;
};
using Place = std::uint32_t; // a Transfer that a backend has got ready

class Backend : public StepRunner {
public:
  // Memory as at the start, on every replica: zeros or poison, constants, initial values, its
  // number.
  virtual void load() = 0;
  // Around the steps of one run.
  virtual void begin() {}
  virtual void end() noexcept {}

  virtual Place place(const Transfer &transfer) = 0; // at any time
  virtual void read(Place place, unsigned replica, std::byte *to) const = 0;
  virtual void write(Place place, unsigned replica, const std::byte *from) = 0;

  // Where the random numbers of vertices go on from.
  virtual void seed(unsigned, std::uint64_t) {}
  // Ends a step that does not end by itself; from any thread, also in a signal handler.
  virtual void stop() noexcept {}
};

struct RunOptions {
  bool checked = false;            // debug.checkedCodelets
  bool poison = false;             // debug.poisonMemory
  bool threads = true;             // debug.cpuMultiThreadExecution
  std::uint32_t floatingPoint = 0; // FloatingPointState at load
  bool halvesSaturate = false;     // as on hardware; else too large halves are infinite
  std::uint64_t seed = 0;          // prng.seed
  bool trace = false;              // debug.trace
  std::string traceFile;
  std::string hostTimesFile; // debug.hostTimesFile
  unsigned firstReplica = 0; // of those that run in this process
  unsigned numReplicas = 0;  // 0: all
};

// What a backend is made from.
struct Setup {
  std::shared_ptr<const executable::Image> image;
  arch::System system; // of one replica
  std::vector<std::uint32_t>
      steps;                 // that it will be asked to run: Execute, Copy, Kernel, WriteUndef
  const KernelUses *kernels; // outlives the backend
  RunOptions options;        // numReplicas is never 0
  Host *host;                // for what vertices print
};

// A backend by name. Those of libraries register before the first target that names them.
struct BackendKind {
  std::string name;
  openipu::BackendTraits traits = {};
  std::function<std::unique_ptr<Backend>(const Setup &)> make;
  bool runsVertices = false; // else the host does, and kernels that the backend does not have
};

// The same name again is an error.
void registerBackend(BackendKind kind);
// Throws poplar_error with near matches.
const BackendKind &findBackend(const std::string &name);

} // namespace poplar::backend

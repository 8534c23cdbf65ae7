// SPDX-License-Identifier: MIT
// What runs the leaf steps of a program that move or compute something on the device: copies,
// compute sets, kernels. Everything else (control flow, replicas, cycles, the profile, the host's
// side) is the interpreter's, which no backend repeats. A library with a backend needs this header
// and those it includes, and registers the backend before the first target that names it.
//
// A backend owns its memory: nobody else has an address in it, and what the host wants to see or to
// change goes through read and write. It is called by one thread at a time, but for stop and what
// start returns.
//
// It need not have done what it was asked for when a call returns:
//   run, runSegment  may return before the work is done, or has begun. Work is done as if in the
//                    order in which it was asked for. Turn and its tables change afterwards: what
//                    is needed of them is taken now.
//   write            has taken the bytes when it returns; they arrive in that order too.
//   read             waits for all that was asked for before it, and gives what is there then.
//   end              waits for everything. Every run ends with it, also one that fails.
//   count            is done when it returns.
//   stop             ends waits and steps that do not end by themselves. What was asked for and has
//                    not begun may be left out.
// What fails before run returns is thrown as it is, and by runSegment as a SegmentFault. What fails
// later is thrown as a LateFault by the next call that may wait or ask for work, once; nothing that
// was asked for behind it is begun. Memory is not to be trusted until load() then.
//
// Floats are computed with denormals flushed to zero (base/FloatMode.hpp); what kernels leave is
// rounded, limited and looked at as BoundStep says.
#pragma once
#include "openipu/BackendTraits.hpp"
#include "openipu/BoundStep.hpp"
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace poplar::openipu {

// How a step or a segment is to run; the interpreter's, it stays where it is from one to the next.
// Nothing in it follows from what the steps of a segment compute.
struct Turn {
  std::vector<unsigned> replicas;        // on which, in order
  int trapped = 0;                       // FE_* flags that end the run
  const std::uint64_t *cycles = nullptr; // of the device so far
  RandomState *random = nullptr;         // by replica, at the beginning
  // Of kernels:
  Rounding rounding = {};         // without its key
  std::uint64_t roundingSeed = 0; // key of the generator that the keys of rounding follow from
  // By BoundStep::number: another one when steady operands may have changed.
  const std::uint64_t *generations = nullptr;

  // The keys of a kernel before which `taken` keys were taken since the beginning: the first is
  // that of its rounding, if that is stochastic.
  Rounding roundingAt(std::uint64_t taken) const;
  std::uint64_t drawnAt(unsigned replica, std::uint64_t taken) const {
    const auto &state = random[replica];
    return drawnKey({state.key, state.counter + taken + rounding.stochastic});
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

// ---- how a step fails; the interpreter adds where that was and throws the public exceptions

// A floating point exception that the program wants to end the run.
struct FloatTrap {
  int raised; // FE_* flags
};
// What a step of a segment threw. All before it was done: so many times the whole segment, then the
// parts before this one.
struct SegmentFault {
  std::uint32_t part;
  std::uint64_t turns;
  std::exception_ptr cause;
};
// What a step threw after the call that asked for it had returned.
struct LateFault {
  std::uint32_t step; // BoundStep::step
  std::exception_ptr cause;
};

// ---- backends

// Something that runs leaf steps of a program.
class StepRunner {
public:
  virtual ~StepRunner() = default;
  virtual void run(std::uint32_t step, const Turn &turn) = 0;
  // The same for an Execute step whose vertices have no estimate, or one that the data decides:
  // also counts cycles. One number for each vertex of the compute set, of the slowest replica;
  // empty if they are what they were.
  virtual std::vector<std::uint64_t> count(std::uint32_t step, const Turn &turn) = 0;

  // At load. The segment stays where it is, and its cycles may be told later: before it runs.
  virtual SegmentId prepareSegment(const Segment &segment);
  // Returns how often all of it ran, or was asked for: less than wanted only after stop(). Of
  // itself: step by step.
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
// a packed buffer. Moves of a direction that is not needed may be left out.
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
  virtual void end() {}

  virtual Place place(const Transfer &transfer) = 0; // at any time
  virtual void read(Place place, unsigned replica, std::byte *to) = 0;
  virtual void write(Place place, unsigned replica, const std::byte *from) = 0;

  // Where the random numbers of vertices go on from.
  virtual void seed(unsigned, std::uint64_t) {}
  // From any thread, also in a signal handler.
  virtual void stop() noexcept {}
};

// What a backend is made from. Texts and bytes that it points to outlive the backend.
struct Setup {
  std::uint64_t memoryBytes = 0; // of a replica: all that steps and places touch lies below
  struct Contents {
    std::uint64_t offset;
    std::string_view bytes;
  };
  std::vector<Contents> contents;             // at load; the rest is zero, or poison
  std::vector<std::uint64_t> replicaNumbers;  // where its own number lies at load, as 32 bits
  bool poison = false;                        // all bits, where nothing was written yet
  unsigned firstReplica = 0, numReplicas = 1; // of those that run in this process
  std::vector<BoundStep> steps;               // that it will be asked to run
  std::uint32_t kernels = 0;                  // of the program: BoundStep::number is below
  bool mayRound = false;                      // rounding may be stochastic at some time
};

// A backend by name.
struct BackendKind {
  std::string name;
  BackendTraits traits = {};
  std::function<std::unique_ptr<Backend>(const Setup &)> make;
  bool runsVertices = false; // else the host does, and kernels that the backend does not have
};

// The same name again is an error.
void registerBackend(BackendKind kind);

} // namespace poplar::openipu

namespace openipu = poplar::openipu;

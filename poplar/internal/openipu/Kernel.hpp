// SPDX-License-Identifier: MIT
// Whole-tensor operations of the layers above, by name. A Kernel step of an image names one; the
// engine binds its operands once, at load, and from then on only calls `run`. Libraries register
// theirs with registerKernel (usually through a static openipu::Registered) before an engine that
// needs them is loaded. A kernel belongs to a backend (ARCHITECTURE.md, "Backends"): "cpu" unless
// it says otherwise. What another backend does not have runs on the host, with the cpu's kernel.
#pragma once
#include "base/Half.hpp"
#include "base/Mix.hpp"
#include "openipu/TypeId.hpp"
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace poplar::openipu {

using poplar::TypeId;

// A tensor as a kernel sees it. Views that one set of strides cannot describe arrive gathered, so
// they are contiguous. Strides may be zero (broadcast) or negative (reversed).
struct KernelOperand {
  std::byte *data = nullptr;
  TypeId type = TypeId::Float;
  std::span<const std::size_t> shape;
  std::span<const std::int64_t> strides; // elements, one per dimension
  std::size_t elements = 0;
  bool contiguous = true; // row-major without gaps
  bool unread = false;    // of an output: nothing in the program reads it, so it need not be filled
  bool steady = false;    // of an input: it has the values of the run before as long as
                          // KernelArgs::generation is the same, so what was made of it may be kept

  template <class T> T *as() const { return reinterpret_cast<T *>(data); }
};

// The generator behind operators that draw random numbers without a seed of their own. It belongs
// to a replica. No kernel moves it on: how many keys a step takes is known before it runs
// (Kernel::draws, Rounding::stochastic), so the keys of many steps can be told at once.
struct RandomState {
  std::uint64_t key = 0, counter = 0; // of keys taken since it was seeded
};

// The key that a kernel draws which finds the generator so.
inline std::uint64_t drawnKey(const RandomState &random) {
  constexpr std::uint64_t step = 0x9e3779b97f4a7c15ull;
  return base::mix(random.key + base::mix(random.counter * step) - step);
}

// How the tiles round at this point of the program (poplar/CSRFunctions.hpp).
struct Rounding {
  bool stochastic = false;    // to a neighbour drawn with `key`: base/Stochastic.hpp
  bool nanOnOverflow = false; // of 8-bit floats; else they saturate
  std::uint64_t key = 0;      // another for every step that runs, the same on all replicas
  base::HalfOverflow overflow = base::HalfOverflow::Infinite; // of halves
};

struct KernelArgs {
  std::span<const KernelOperand> outputs, inputs; // an InOut operand is an output only
  std::string_view attributes;    // bytes that the operator wrote (openipu/Attributes.hpp)
  const void *prepared = nullptr; // what `prepare` returned, if the kernel has one
  std::uint64_t key = 0;          // of a kernel that draws: what its numbers follow from
  RandomState *seeded = nullptr;  // of a kernel that seeds: the generator
  unsigned replica = 0;
  std::uint64_t generation = 1; // changes whenever a steady input may have changed
  Rounding rounding = {};       // of what a kernel rounds itself; its results: Kernel::givesFloats

  template <class T> T *out(std::size_t i) const { return outputs[i].as<T>(); }
  template <class T> const T *in(std::size_t i) const { return inputs[i].as<const T>(); }
};

// What a kernel does with operands that are not numbers (NaN). For the tiles it is an invalid
// operation to compute with one or to compare it; to move it is none.
struct Nans {
  bool computed = true;       // else its results are operands, moved
  std::uint64_t compared = 0; // a bit for each of the first inputs
};
inline Nans movedNans(std::string_view) { return {.computed = false}; }

// Written with the names of its members, so that each says what it is:
//   static const openipu::Registered registered{{.name = "popops.add", .run = run}};
struct Kernel {
  std::string name; // "popops.add"
  void (*run)(const KernelArgs &args) = nullptr;
  // Optional: turns attributes and operands into whatever `run` wants to have ready (plans,
  // primitives, scratch memory); called once per load and replica. Attributes may come from a
  // damaged file: check them here and throw.
  std::function<const void *(const KernelArgs &args)> prepare = {};
  std::function<void(const void *prepared)> release = {};
  // Instead of `run`, for operators between replicas: called once with the arguments of all
  // replicas, in order.
  void (*runAcross)(std::span<const KernelArgs> replicas) = nullptr;
  // Whether the kernel with these attributes can leave results that are half unrounded: while
  // rounding is stochastic, such outputs are given as floats, and rounded behind it.
  bool (*givesFloats)(std::string_view attributes) = nullptr;
  Nans (*nans)(std::string_view attributes) = nullptr; // null: it computes
  // Whether it follows KernelArgs::rounding.overflow itself. Of others the results are looked at
  // behind it: infinities, where no operand had one, are values that were too large.
  bool limitsHalves = false;
  // Whether the kernel with these attributes draws a key. Attributes may come from a damaged file.
  bool (*draws)(std::string_view attributes) = nullptr;
  // Sets the generator of its replica. Only the cpu has such kernels; they run by themselves.
  bool seeds = false;
  // Whose kernel it is. The operands of another backend's kernels are in that backend's memory.
  std::string backend = "cpu";
};

inline bool alwaysGivesFloats(std::string_view) { return true; }

// Where a call stands. clang 14, which builds the fuzz targets, has no std::source_location.
struct SourcePlace {
  const char *file = "";
  unsigned line = 0;

  static constexpr SourcePlace here(const char *file = __builtin_FILE(),
                                    unsigned line = __builtin_LINE()) {
    return {file, line};
  }
};

// Thread-safe. A second kernel of a name for the same backend is an error that says where both are
// registered.
void registerKernel(Kernel kernel, SourcePlace where = SourcePlace::here());
// The cpu's. Throws poplar_error with near matches when no library registered the name.
const Kernel &findKernel(const std::string &name);

struct Registered {
  explicit Registered(Kernel kernel, SourcePlace where = SourcePlace::here()) {
    registerKernel(std::move(kernel), where);
  }
};

// A kernel whose prepared state is an object of type State, made from the arguments:
//   struct Gemm { explicit Gemm(const KernelArgs &); void run(const KernelArgs &); };
//   static const openipu::Registered registered{openipu::stateful<Gemm>("poplin.matmul")};
template <class State>
Kernel stateful(std::string name, bool (*givesFloats)(std::string_view) = nullptr,
                Nans (*nans)(std::string_view) = nullptr) {
  return {.name = std::move(name),
          .run =
              [](const KernelArgs &args) {
                const_cast<State *>(static_cast<const State *>(args.prepared))->run(args);
              },
          .prepare = [](const KernelArgs &args) -> const void * { return new State(args); },
          .release = [](const void *state) { delete static_cast<const State *>(state); },
          .givesFloats = givesFloats,
          .nans = nans};
}

inline Kernel drawing(Kernel kernel, bool (*draws)(std::string_view attributes)) {
  kernel.draws = draws;
  return kernel;
}

// A kernel between replicas.
inline Kernel across(std::string name, void (*run)(std::span<const KernelArgs> replicas)) {
  return {.name = std::move(name), .runAcross = run};
}

} // namespace poplar::openipu

namespace openipu = poplar::openipu;

namespace poplar::backend {
using openipu::findKernel;
using openipu::Kernel;
using openipu::KernelArgs;
using openipu::KernelOperand;
using openipu::RandomState;
using openipu::registerKernel;
} // namespace poplar::backend
